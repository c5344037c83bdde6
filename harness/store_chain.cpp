#include "harness/store_chain.hpp"

namespace harness {

Chain::Chain(Database& database, ProjectionWriter& projections)
    : insert_(database.prepare("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)")),
      projections_(&projections),
      sequence_(database.integer("SELECT max(sequence) FROM documents")),
      head_hash_(database.text("SELECT entry_hash FROM documents ORDER BY sequence DESC LIMIT 1")) {
  if (head_hash_.empty()) head_hash_ = chain_genesis;
}

void Chain::append(const std::string& text, const std::string& content_sha256,
                   const std::string& received_utc, const StoredContent* content) {
  const std::string entry_hash = chain_hash(head_hash_, content_sha256, received_utc);
  ++sequence_;
  insert_.reset();
  insert_.bind(1, sequence_);
  insert_.bind(2, content_sha256);
  insert_.bind(3, received_utc);
  insert_.bind(4, head_hash_);
  insert_.bind(5, entry_hash);
  insert_.bind_kept(6, std::string_view(text));
  insert_.step();
  insert_.reset();
  if (content) projections_->insert(sequence_, *content);
  head_hash_ = entry_hash;
}

}  // namespace harness
