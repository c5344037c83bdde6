// The keys of a submission; with the files submission_*_fields.hpp the only place that spells them. Each key
// stands once: `fields` serves writing and reading.
#include <array>
#include <ctime>

#include "harness/canonical_json.hpp"
#include "harness/parsed_document.hpp"
#include "harness/submission.hpp"
#include "harness/submission_derived_fields.hpp"
#include "harness/submission_forecast_fields.hpp"
#include "harness/submission_launch_fields.hpp"
#include "harness/submission_machine_fields.hpp"
#include "harness/submission_partial_fields.hpp"

namespace harness {

inline constexpr const char* submission_schema = "tokroof/submission/1";

template <class Io, Like<Verdict> T>
void fields(Io& io, T& value) {
  io("claim", value.claim);
  io("seal", value.seal);
  io("verdict", value.verdict);
}

template <class Io, Like<ClaimReference> T>
void fields(Io& io, T& value) {
  io("id", value.id);
  io("seal", value.seal);
  io("sealed_utc", value.sealed_utc);
}

template <class Io, Like<Failure> T>
void fields(Io& io, T& value) {
  io("claimed", value.claimed);
  io("source", value.source);
  io("observed", value.observed);
  io("stage", value.stage);
  io("exit_code", value.exit_code);
  io("log_excerpt", value.log_excerpt);
  io("doctor", value.doctor);
}

template <class Io, Like<Submission> T>
void fields(Io& io, T& value) {
  std::string schema = submission_schema;
  io("schema", schema);
  io("kind", value.kind);
  io("created_utc", value.created_utc);
  io("nonce", value.nonce);
  io("protocol", value.protocol);
  io.optional("claim", value.claim);
  io("suite", value.suite);
  io("machine", value.machine);
  io("conditions", value.conditions);
  io.defaulted("plans", value.plans);
  launches_field(io, value);
  io.optional("interruptions", value.interruptions);
  io.defaulted("derived", value.derived);
  forecasts_field(io, value);
  io.defaulted("verdicts", value.verdicts);
  io.optional("failure", value.failure);
}

namespace {

template <class T>
std::string write(const T& value) {
  JsonWriter io;
  fields(io, value);
  return canonical_text(io.take());
}

template <class T>
T read(const nlohmann::json& json) {
  const JsonReader io(json, "");
  T value;
  fields(io, value);
  return value;
}

template <class T>
T read(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error(ExitCode::invalid_input, "the text is not JSON");
  return read<T>(json);
}

}  // namespace

std::string to_canonical_json(const Submission& submission) {
  return write(submission);
}
std::string partial_to_json(const PartialRun& partial) {
  return write(partial);
}
PartialRun partial_from_json(const std::string& text) {
  return read<PartialRun>(text);
}
Submission submission_of(const nlohmann::json& document) {
  return read<Submission>(document);
}
Submission submission_from_json(const std::string& text) {
  return read<Submission>(text);
}
std::string launch_to_json(const Launch& launch) {
  return write(launch);
}
Launch launch_from_json(const std::string& text) {
  return read<Launch>(text);
}
std::string plan_to_json(const Plan& plan) {
  return write(plan);
}
Plan plan_from_json(const std::string& text) {
  return read<Plan>(text);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 24> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace harness
