// The end of the hash chain, where documents are appended.
#pragma once
#include <cstdint>
#include <string>

#include "harness/store_tables.hpp"

namespace harness {

/// Appends documents within the transaction of the caller.
class Chain {
 public:
  Chain(Database& database, ProjectionWriter& projections);
  /// Adds a document behind the last one, with its entry and its rows; none when content is nullptr.
  void append(const std::string& text, const std::string& content_sha256, const std::string& received_utc,
              const StoredContent* content);
  [[nodiscard]] int64_t last_sequence() const { return sequence_; }
  [[nodiscard]] const std::string& head_hash() const { return head_hash_; }

 private:
  Statement insert_;
  ProjectionWriter* projections_;
  int64_t sequence_;
  std::string head_hash_;
};

}  // namespace harness
