#include "harness/store_tables.hpp"

#include <fmt/format.h>

#include "harness/digest.hpp"

namespace harness {

std::string chain_hash(const std::string& prev_hash, const std::string& content_sha256,
                       const std::string& received_utc) {
  return sha256_hex(prev_hash + content_sha256 + received_utc);
}

ProjectionWriter::ProjectionWriter(Database& database) {
  for (const Projection& projection : projections()) {
    std::string marks;
    for (size_t i = 0; i < projection.columns.size(); ++i) marks += ", ?";
    inserts_.push_back(
        database.prepare(fmt::format("INSERT INTO {} (document, ordinal, {}) VALUES (?, ?{})",
                                     projection.table, fmt::join(projection.columns, ", "), marks)));
  }
}

void ProjectionWriter::insert(int64_t sequence, const StoredContent& content) {
  for (size_t i = 0; i < inserts_.size(); ++i) {
    Statement& insert = inserts_[i];
    int64_t ordinal = 0;
    for (const auto& row : projections()[i].rows(content)) {
      insert.reset();
      insert.bind(1, sequence);
      insert.bind(2, ordinal++);
      for (size_t column = 0; column < row.size(); ++column)
        insert.bind_kept(static_cast<int>(column) + 3, row[column]);
      insert.step();
    }
    insert.reset();
  }
}

}  // namespace harness
