// The keys of an import; each stands once: `fields` serves writing and reading.
#include "harness/import_document.hpp"

#include <algorithm>

#include "harness/canonical_json.hpp"
#include "harness/digest.hpp"
#include "harness/import_coreflow.hpp"
#include "harness/import_google_benchmark.hpp"
#include "harness/import_llama_bench.hpp"
#include "harness/parsed_document.hpp"
#include "harness/submission_machine_fields.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

template <class Io, Like<ImportLimit> T>
void fields(Io& io, T& value) {
  io("word", value.word);
  io("detail", value.detail);
  io("tokens_per_s", value.tokens_per_s);
}

template <class Io, Like<ImportedRow> T>
void fields(Io& io, T& value) {
  io("line", value.line);
  io("label", value.label);
  io("figure", value.figure);
  io("mode", value.mode);
  io("program", value.program);
  io("measured_utc", value.measured_utc);
  io("cpu", value.cpu);
  io("cpu_by_importer", value.cpu_by_importer);
  io("device", value.device);
  io("model", value.model);
  io("file", value.file);
  io("weight_bytes", value.weight_bytes);
  io("parameters", value.parameters);
  io("threads", value.threads);
  io("streams", value.streams);
  io("tokens", value.tokens);
  io("repetitions", value.repetitions);
  io("tokens_per_s", value.tokens_per_s);
  io("spread_tokens_per_s", value.spread_tokens_per_s);
  io("time_ns", value.time_ns);
  io.optional("samples_ns", value.samples_ns);
  io.optional("told", value.told);
  io.optional("marks", value.marks);
  io("comparable", value.comparable);
  io("aspects", value.aspects);
  io("level", value.level);
  io("limit", value.limit);
}

template <class Io, Like<Imported> T>
void fields(Io& io, T& value) {
  io("from", value.from);
  io("parser", value.parser);
  io("source_sha256", value.source_sha256);
  io("source_bytes", value.source_bytes);
  io("parts", value.parts);
  io("skipped_lines", value.skipped_lines);
  io("rows", value.rows);
  io("level", value.level);
  io("judgement", value.judgement);
  io("catalogue_sha256", value.catalogue_sha256);
}

/// Members that hold the same in every import.
struct ImportFrame {
  std::string schema = "tokroof/submission/1", kind = "import", protocol = "import";
  ImportDocument document;
};

template <class Io, Like<ImportFrame> T>
void fields(Io& io, T& value) {
  io("schema", value.schema);
  io("kind", value.kind);
  io("protocol", value.protocol);
  io("created_utc", value.document.created_utc);
  io("nonce", value.document.nonce);
  io("imported", value.document.imported);
}

namespace {

Imported read_rows(const std::string& from, const std::string& text, const std::string& name) {
  if (from == "coreflow") return read_coreflow(text, name);
  if (from == "llama-bench") return read_llama_bench(text, name);
  if (from == "google-benchmark") return read_google_benchmark(text, name);
  throw Error(ExitCode::usage,
              fmt::format("--from {}: no such program; say coreflow, llama-bench or google-benchmark", from));
}

}  // namespace

ImportDocument read_import(const std::string& from, const std::string& bytes, const std::string& name,
                           const std::string& now_utc) {
  ImportDocument document;
  document.imported = read_rows(from, import_text(bytes, name), name);
  document.imported.source_sha256 = sha256_hex(bytes);
  document.imported.source_bytes = static_cast<int64_t>(bytes.size());
  document.nonce = document.imported.source_sha256.substr(0, 32);
  for (const ImportedRow& row : document.imported.rows) {
    if (available(row.measured_utc))
      document.created_utc = std::max(document.created_utc, std::get<std::string>(row.measured_utc));
  }
  if (document.created_utc.empty()) document.created_utc = now_utc;
  return document;
}

std::string to_canonical_json(const ImportDocument& document) {
  ImportFrame frame;
  frame.document = document;
  return canonical_text(JsonWriter::to_json("", frame));
}

ImportDocument import_of(const nlohmann::json& document) {
  ImportFrame frame;
  JsonReader::from_json("", document, frame);
  return frame.document;
}

ImportDocument import_from_json(const std::string& text) {
  return import_of(nlohmann::json::parse(text, nullptr, false));
}

bool is_import(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.contains("kind") && json["kind"] == "import";
}

StoredContent stored_content(const std::string& canonical_text) {
  const nlohmann::json document = nlohmann::json::parse(canonical_text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) throw Error(ExitCode::invalid_input, "the text is not JSON");
  return content_of(document);
}

Submission stored_submission(const std::string& canonical_text) {
  return stored_content(canonical_text).submission;
}

}  // namespace harness
