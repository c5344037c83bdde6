// The tables of a store, version by version. A version that was released never changes: append.
#include "harness/store_versions.hpp"

namespace harness {
namespace {

// `documents` is the truth; the other tables are projected from it. CHECK (abs(x) < 9e999) refuses Inf, which
// STRICT admits (9e999 is SQLite's spelling of it).
constexpr const char* version_1 = R"sql(
CREATE TABLE documents (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  content_sha256 TEXT NOT NULL UNIQUE,
  received_utc TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  entry_hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;
CREATE TRIGGER documents_do_not_change BEFORE UPDATE ON documents
BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END;
CREATE TRIGGER documents_do_not_go BEFORE DELETE ON documents
BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END;

CREATE TABLE submissions (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL, protocol TEXT NOT NULL, created_utc TEXT NOT NULL, machine_key TEXT NOT NULL,
  cpu_model TEXT NOT NULL, isa TEXT NOT NULL, has_probes INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX submissions_by_machine ON submissions (machine_key, has_probes, document);

CREATE TABLE decode (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  arm TEXT NOT NULL, launches INTEGER NOT NULL, weight_bytes_per_token INTEGER NOT NULL,
  tokens_per_s_median REAL NOT NULL CHECK (abs(tokens_per_s_median) < 9e999),
  tokens_per_s_low REAL NOT NULL CHECK (abs(tokens_per_s_low) < 9e999),
  tokens_per_s_high REAL NOT NULL CHECK (abs(tokens_per_s_high) < 9e999),
  weight_bytes_per_s REAL NOT NULL CHECK (abs(weight_bytes_per_s) < 9e999),
  roof_fraction REAL CHECK (abs(roof_fraction) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX decode_by_model ON decode (model, mode, isa, arm, tokens_per_s_median);

CREATE TABLE roofs (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  level TEXT NOT NULL, core_kind TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  read_bytes_per_s_median REAL CHECK (abs(read_bytes_per_s_median) < 9e999),
  read_bytes_per_s_low REAL CHECK (abs(read_bytes_per_s_low) < 9e999),
  read_bytes_per_s_high REAL CHECK (abs(read_bytes_per_s_high) < 9e999),
  load_latency_ns_median REAL CHECK (abs(load_latency_ns_median) < 9e999),
  load_latency_ns_low REAL CHECK (abs(load_latency_ns_low) < 9e999),
  load_latency_ns_high REAL CHECK (abs(load_latency_ns_high) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE forecast_errors (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, inside_interval INTEGER NOT NULL,
  measured_over_forecast REAL NOT NULL CHECK (abs(measured_over_forecast) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_errors_by_id ON forecast_errors (id, version, model, mode, measured_over_forecast);
)sql";

// What scores read: which runs count, how wide a forecast was, and which decode it was of. Both tables are
// projections: they are filled anew.
constexpr const char* version_2 = R"sql(
ALTER TABLE submissions ADD COLUMN uncounted TEXT NOT NULL DEFAULT '';
DROP TABLE forecast_errors;
CREATE TABLE forecast_errors (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, inside_interval INTEGER NOT NULL,
  measured_over_forecast REAL NOT NULL CHECK (abs(measured_over_forecast) < 9e999),
  interval_ratio REAL CHECK (abs(interval_ratio) < 9e999),
  decode INTEGER NOT NULL, repeats INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_errors_by_id ON forecast_errors (id, version, model, mode, measured_over_forecast);
)sql";

// What queries read: figures carry their CPU, so that no view joins documents, and indexes cover the views.
// All tables but `documents` are projections: they are filled anew.
constexpr const char* version_3 = R"sql(
DROP TABLE submissions;
DROP TABLE decode;
DROP TABLE roofs;
DROP TABLE forecast_errors;
CREATE TABLE submissions (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL, protocol TEXT NOT NULL, created_utc TEXT NOT NULL, machine_key TEXT NOT NULL,
  cpu_model TEXT NOT NULL, vendor TEXT NOT NULL, arch TEXT NOT NULL, cores INTEGER NOT NULL,
  threads INTEGER NOT NULL, virtualised INTEGER NOT NULL, isa TEXT NOT NULL, suite_version TEXT NOT NULL,
  git_commit TEXT NOT NULL, has_probes INTEGER NOT NULL, uncounted TEXT NOT NULL, level TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX submissions_by_machine ON submissions (machine_key, has_probes, document);
CREATE INDEX submissions_by_cpu ON submissions (cpu_model, kind, machine_key, created_utc, cores, document);

CREATE TABLE decode (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  cpu_model TEXT NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  arm TEXT NOT NULL, launches INTEGER NOT NULL, weight_bytes_per_token INTEGER NOT NULL,
  tokens_per_s_median REAL NOT NULL CHECK (abs(tokens_per_s_median) < 9e999),
  tokens_per_s_low REAL NOT NULL CHECK (abs(tokens_per_s_low) < 9e999),
  tokens_per_s_high REAL NOT NULL CHECK (abs(tokens_per_s_high) < 9e999),
  weight_bytes_per_s REAL NOT NULL CHECK (abs(weight_bytes_per_s) < 9e999),
  roof_fraction REAL CHECK (abs(roof_fraction) < 9e999),
  token_ns_p50 INTEGER NOT NULL, token_ns_p99 INTEGER NOT NULL, evicted_verified INTEGER,
  kernel_version TEXT NOT NULL, invalid TEXT NOT NULL, positions TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX decode_by_cpu ON decode (cpu_model, model, mode, placement, isa, arithmetic, threads, routing,
  page_bytes, arm, invalid, positions, tokens_per_s_median, document);
CREATE INDEX decode_by_model ON decode (model, mode, placement, isa, arithmetic, threads, routing, page_bytes,
  cpu_model, arm, invalid, positions, tokens_per_s_median, document);

CREATE TABLE ratios (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  cpu_model TEXT NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  name TEXT NOT NULL, launches INTEGER NOT NULL,
  speed_ratio_median REAL NOT NULL CHECK (abs(speed_ratio_median) < 9e999),
  speed_ratio_low REAL NOT NULL CHECK (abs(speed_ratio_low) < 9e999),
  speed_ratio_high REAL NOT NULL CHECK (abs(speed_ratio_high) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX ratios_by_cpu ON ratios (cpu_model, model, name, placement, isa, threads, routing, page_bytes, mode,
  speed_ratio_median, document);

CREATE TABLE roofs (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  cpu_model TEXT NOT NULL,
  level TEXT NOT NULL, core_kind TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  read_bytes_per_s_median REAL CHECK (abs(read_bytes_per_s_median) < 9e999),
  read_bytes_per_s_low REAL CHECK (abs(read_bytes_per_s_low) < 9e999),
  read_bytes_per_s_high REAL CHECK (abs(read_bytes_per_s_high) < 9e999),
  load_latency_ns_median REAL CHECK (abs(load_latency_ns_median) < 9e999),
  load_latency_ns_low REAL CHECK (abs(load_latency_ns_low) < 9e999),
  load_latency_ns_high REAL CHECK (abs(load_latency_ns_high) < 9e999),
  invalid TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX roofs_by_cpu ON roofs (cpu_model, level, core_kind, threads, page_bytes, invalid,
  read_bytes_per_s_median, load_latency_ns_median, document);

CREATE TABLE caches (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  cpu_model TEXT NOT NULL,
  level TEXT NOT NULL, core_kind TEXT NOT NULL, reported_bytes INTEGER NOT NULL, method TEXT NOT NULL,
  retouch TEXT NOT NULL,
  effective_bytes_estimate REAL CHECK (abs(effective_bytes_estimate) < 9e999),
  effective_bytes_low REAL CHECK (abs(effective_bytes_low) < 9e999),
  effective_bytes_high REAL CHECK (abs(effective_bytes_high) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX caches_by_cpu ON caches (cpu_model, level, core_kind, method, retouch, reported_bytes,
  effective_bytes_estimate, document);

CREATE TABLE forecasts (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, unavailable TEXT NOT NULL, made_utc TEXT NOT NULL,
  tokens_per_s_point REAL CHECK (abs(tokens_per_s_point) < 9e999),
  tokens_per_s_low REAL CHECK (abs(tokens_per_s_low) < 9e999),
  tokens_per_s_high REAL CHECK (abs(tokens_per_s_high) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE forecast_errors (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, inside_interval INTEGER NOT NULL,
  measured_over_forecast REAL NOT NULL CHECK (abs(measured_over_forecast) < 9e999),
  interval_ratio REAL CHECK (abs(interval_ratio) < 9e999),
  decode INTEGER NOT NULL, repeats INTEGER NOT NULL, counted INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_errors_by_id ON forecast_errors (id, version, model, mode, repeats, counted,
  inside_interval, measured_over_forecast, document);

CREATE TABLE claims (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  claim TEXT NOT NULL, seal TEXT NOT NULL, sealed_utc TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_claim ON claims (claim, document);

CREATE TABLE verdicts (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  claim TEXT NOT NULL, seal TEXT NOT NULL, verdict TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX verdicts_by_claim ON verdicts (claim, document);

CREATE TABLE failures (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  claimed TEXT NOT NULL, source TEXT NOT NULL, observed TEXT NOT NULL, stage TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE flags (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL, detail TEXT NOT NULL,
  value REAL NOT NULL CHECK (abs(value) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX flags_by_code ON flags (code, document);

CREATE TABLE imports (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  source TEXT NOT NULL, line INTEGER NOT NULL, label TEXT NOT NULL, figure TEXT NOT NULL, mode TEXT,
  program TEXT, measured_utc TEXT, cpu_model TEXT, device TEXT, model TEXT, file TEXT, weight_bytes INTEGER,
  parameters INTEGER, threads INTEGER, streams INTEGER, tokens INTEGER, repetitions INTEGER,
  tokens_per_s REAL CHECK (abs(tokens_per_s) < 9e999),
  spread_tokens_per_s REAL CHECK (abs(spread_tokens_per_s) < 9e999),
  level TEXT NOT NULL, marks TEXT NOT NULL, comparable INTEGER NOT NULL, limit_word TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_by_cpu ON imports (cpu_model, model, document);
)sql";

// What regressions are looked for with: the machine's caches, how the executable was built, and what logits
// each decode gave.
constexpr const char* version_6 = R"sql(
CREATE TABLE machines (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  family INTEGER NOT NULL, model_number INTEGER NOT NULL, stepping INTEGER NOT NULL, l2_bytes INTEGER NOT NULL,
  l3_bytes INTEGER NOT NULL, os_name TEXT NOT NULL, kernel TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE suites (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  git_dirty INTEGER NOT NULL, binary_sha256 TEXT NOT NULL, compiler TEXT NOT NULL, flags TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, weights_seed TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL,
  page_bytes INTEGER NOT NULL, kernel_version TEXT NOT NULL, golden TEXT NOT NULL, wrong TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace

const std::vector<const char*>& store_versions() {
  static const std::vector<const char*> all{version_1,       version_2, version_3,      store_version_4,
                                            store_version_5, version_6, store_version_7};
  return all;
}

}  // namespace harness
