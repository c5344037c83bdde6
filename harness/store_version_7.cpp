// Version 7 of a store's tables: copies of a run, and one person under two names.
#include "harness/store_versions.hpp"

namespace harness {

// A figure is of the same decode when all of its selectors are the same; of documents with one nonce only the
// first may agree with anything; 1.25: docs/store.md, "Trust". The signs keep SQLite to the few rows of one
// document, where it would search all documents of a model. A document that shares a fingerprint with an
// earlier one is a copy of it, and stays with it. A name is a login, or login#number: whoever has the same
// login or the same number is one person.
const char* const store_version_7 = R"sql(
CREATE TABLE fingerprints (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprints_by_fingerprint ON fingerprints (fingerprint, document);

DROP VIEW IF EXISTS trust;
CREATE VIEW trust AS
WITH people AS NOT MATERIALIZED (
  SELECT document, kind, name, substr(name, 1, instr(name || '#', '#') - 1) AS login,
    substr(name, instr(name, '#') + 1) AS identity FROM attestations),
authors_of_cpus AS MATERIALIZED (
  SELECT s.cpu_model AS cpu_model, count(DISTINCT a.name) AS authors FROM attestations AS a
  JOIN submissions AS s ON s.document = a.document WHERE a.kind = 'sent' GROUP BY s.cpu_model),
judged AS (
  SELECT s.document AS document, coalesce(a.name, '') AS author,
    (SELECT e.document FROM decode AS d
     CROSS JOIN decode AS e ON e.cpu_model = d.cpu_model AND e.model = d.model AND e.mode = d.mode
       AND e.placement = d.placement AND e.isa = d.isa AND e.arithmetic = d.arithmetic
       AND e.threads = d.threads AND e.routing = d.routing AND e.page_bytes = d.page_bytes AND e.arm = d.arm
       AND e.invalid = '' AND e.positions = d.positions
       AND e.tokens_per_s_median BETWEEN d.tokens_per_s_median / 1.25 AND d.tokens_per_s_median * 1.25
     CROSS JOIN submissions AS t ON t.document = e.document
     CROSS JOIN people AS b ON b.document = e.document AND b.kind = 'sent'
     WHERE a.name IS NOT NULL
       AND (SELECT o.authors FROM authors_of_cpus AS o WHERE o.cpu_model = s.cpu_model) > 1
       AND d.document = s.document AND d.arm <> 'aa' AND d.invalid = ''
       AND e.core_kind = d.core_kind AND e.position_first = d.position_first
       AND e.position_last = d.position_last AND t.nonce <> s.nonce
       AND b.login <> a.login AND b.identity <> a.identity
       AND NOT EXISTS (SELECT 1 FROM submissions AS x
         WHERE x.nonce = s.nonce AND x.kind = s.kind AND x.document < s.document)
       AND NOT EXISTS (SELECT 1 FROM submissions AS x
         WHERE x.nonce = t.nonce AND x.kind = t.kind AND x.document < t.document)
       AND NOT EXISTS (SELECT 1 FROM fingerprints AS p
         JOIN fingerprints AS q ON q.fingerprint = p.fingerprint AND q.document < p.document
         WHERE p.document = s.document)
       AND NOT EXISTS (SELECT 1 FROM fingerprints AS p
         JOIN fingerprints AS q ON q.fingerprint = p.fingerprint AND q.document < p.document
         WHERE p.document = t.document)
       AND NOT EXISTS (SELECT 1 FROM decode AS f CROSS JOIN decode AS g ON g.document = e.document
         AND +g.model = f.model AND +g.mode = f.mode AND +g.placement = f.placement AND +g.isa = f.isa
         AND +g.arithmetic = f.arithmetic AND +g.threads = f.threads AND +g.routing = f.routing
         AND +g.page_bytes = f.page_bytes AND +g.arm = f.arm AND +g.invalid = '' AND +g.positions = f.positions
         AND +g.core_kind = f.core_kind AND +g.position_first = f.position_first
         AND +g.position_last = f.position_last
         WHERE f.document = s.document AND f.arm <> 'aa' AND f.invalid = ''
           AND g.tokens_per_s_median NOT BETWEEN f.tokens_per_s_median / 1.25
             AND f.tokens_per_s_median * 1.25)
     LIMIT 1) AS corroborated_by,
    EXISTS (SELECT 1 FROM people AS c WHERE c.document = s.document AND c.kind = 'audited'
      AND c.login <> coalesce(a.login, '') AND c.identity <> coalesce(a.identity, '')) AS audited
  FROM submissions AS s LEFT JOIN people AS a ON a.document = s.document AND a.kind = 'sent')
SELECT document, author, CASE WHEN corroborated_by IS NULL THEN 'plausible' WHEN audited THEN 'audited'
  ELSE 'corroborated' END AS state, corroborated_by FROM judged;
)sql";

}  // namespace harness
