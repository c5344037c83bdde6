// Versions 4 and 5 of a store's tables: trust.
#include "harness/store_versions.hpp"

namespace harness {

// Who sent a document. `attestations` is no projection: no document says who sent it.
const char* const store_version_4 = R"sql(
ALTER TABLE submissions ADD COLUMN nonce TEXT NOT NULL DEFAULT '';
CREATE INDEX submissions_by_nonce ON submissions (nonce, kind, document);
CREATE TABLE attestations (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES documents (sequence),
  kind TEXT NOT NULL CHECK (kind IN ('sent', 'audited')),
  name TEXT NOT NULL, note TEXT NOT NULL, received_utc TEXT NOT NULL,
  prev_hash TEXT NOT NULL, entry_hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE UNIQUE INDEX attestations_of_a_sender ON attestations (document) WHERE kind = 'sent';
CREATE INDEX attestations_by_document ON attestations (document, kind, name);
CREATE TRIGGER attestations_do_not_change BEFORE UPDATE ON attestations
BEGIN SELECT RAISE(ABORT, 'attestations are append-only'); END;
CREATE TRIGGER attestations_do_not_go BEFORE DELETE ON attestations
BEGIN SELECT RAISE(ABORT, 'attestations are append-only'); END;
)sql";

// Version 7 makes the view anew.
const char* const store_version_5 = R"sql(
DROP VIEW IF EXISTS trust;
)sql";

}  // namespace harness
