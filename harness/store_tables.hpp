// What the store holds: the documents, and tables projected from them that can be made again at any time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/import_document.hpp"
#include "harness/store_database.hpp"

namespace harness {

inline constexpr int64_t store_application_id = 0x746b7266;  ///< "tkrf", in the file's header
inline const std::string chain_genesis(64, '0');             ///< prev_hash of the first document

/// Returns the hash that ties a document to all before it.
std::string chain_hash(const std::string& prev_hash, const std::string& content_sha256,
                       const std::string& received_utc);

/// Refuses a database that is not a store (another program's) or was written by a newer tokroof. Returns its
/// version; 0 is an empty database.
int64_t identify_store(Database& database);

/// The version that this program writes.
int64_t newest_store_version();

/// Brings a database to the newest version in one transaction, its projections made anew; does nothing when
/// it is there already.
void migrate_store(Database& database);

/// A table whose rows follow from one document. Its first two columns are `document` (sequence) and
/// `ordinal`.
struct Projection {
  const char* table;
  std::vector<std::string> columns;
  /// Returns the values of the remaining columns, one row per ordinal.
  std::vector<std::vector<SqlValue>> (*rows)(const StoredContent& content);
};
const std::vector<Projection>& projections();

/// Owns the statements that insert a document's rows.
class ProjectionWriter {
 public:
  explicit ProjectionWriter(Database& database);
  void insert(int64_t sequence, const StoredContent& content);

 private:
  std::vector<Statement> inserts_;  ///< one per projection
};

/// Drops the projections and makes them anew from the documents, in the transaction of the caller. Returns
/// "document N: why" for each that cannot be read and therefore has no rows.
std::vector<std::string> project_again(Database& database);

}  // namespace harness
