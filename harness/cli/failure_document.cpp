#include "harness/cli/failure_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/derive.hpp"
#include "analysis/report.hpp"
#include "harness/cli/checked_document.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/session.hpp"
#include "harness/error.hpp"
#include "harness/submission_partial.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;
using harness::Submission;

constexpr size_t max_log_bytes = size_t{256} << 10;
constexpr size_t max_partial_bytes = size_t{4} << 20;
// What the schema allows, in characters.
constexpr size_t max_paragraph = 2000, max_line = 300, max_label = 64, max_log = 20'000;

/// Scrubs until nothing changes: what was cut may look like something else.
std::string scrubbed(std::string text, const harness::PrivateNames& names) {
  text = harness::scrub(text, names);
  for (std::string again = harness::scrub(text); again != text; again = harness::scrub(text))
    text = std::move(again);
  return text;
}

std::string told_text(const std::string& option, const std::string& text, size_t most,
                      const harness::PrivateNames& names) {
  std::string kept = scrubbed(text, names);
  if (characters(kept) > most)
    throw Error(ExitCode::usage,
                fmt::format("{}: {} characters; {} is the most", option, characters(kept), most));
  return kept;
}

/// Returns where to begin a text that is cut at `from`: at a line, else at a word, so that no half path or
/// secret is left that nobody knows for one. A line that would cost more than half of the text is cut itself.
size_t whole_from(const std::string& text, size_t from) {
  const size_t latest = from + (text.size() - from) / 2;
  for (const char* ends : {"\n", " \t\r\n"}) {
    const size_t end = text.find_first_of(ends, from);
    if (end != std::string::npos && end < latest) return end + 1;
  }
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80) ++from;
  return from;
}

/// The last characters that fit, from the beginning of a line where there is one.
std::string log_end(const std::string& log, const harness::PrivateNames& names) {
  std::string text = scrubbed(log, names);
  size_t from = text.size();
  for (size_t kept = 0; from > 0 && kept < max_log; --from)
    kept += (static_cast<unsigned char>(text[from - 1]) & 0xC0U) != 0x80 ? 1 : 0;
  return from == 0 ? text : scrubbed(text.substr(whole_from(text, from)), {});
}

std::string cut(const std::string& text, size_t most) {
  size_t size = std::min(text.size(), most);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  return text.substr(0, size);
}

std::string stage_of(const Submission& measured) {
  if (measured.launches.empty()) return "probes";
  return measured.launches.back().purpose == "probes" ? "forecast" : "decode";
}

FailureGround ground_of_partial(const std::string& text, const std::string& path) {
  harness::PartialRun partial;
  try {
    partial = harness::partial_from_json(text);
  } catch (const Error& error) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: no unfinished run ({})", path, error.what()));
  }
  FailureGround ground;
  ground.measured = std::move(partial.measured);
  ground.observed =
      partial.interrupted ? "the run was interrupted" : "the run did not end: " + partial.reason;
  ground.stage = stage_of(ground.measured);
  ground.log = partial.reason;
  ground.exit_code = partial.interrupted ? static_cast<int>(ExitCode::interrupted) : partial.exit_code;
  auto& pauses = ground.measured.interruptions;  // a pause before a launch that never came is none
  std::erase_if(pauses, [&](const auto& pause) {
    return pause.before_launch >= static_cast<int>(ground.measured.launches.size());
  });
  return ground;
}

FailureGround ground_of_document(const std::string& text, const std::string& path) {
  const CheckedDocument checked = check_document(text, path);
  if (checked.kind == "import" || checked.kind == "failure")
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: is of kind {}; a failure rests on a run or on probes of tokroof", path,
                            checked.kind));
  FailureGround ground;
  ground.measured = harness::submission_from_json(checked.text);
  ground.observed = analysis::one_sentence(ground.measured);
  ground.stage = "result";
  ground.exit_code = static_cast<int>(outcome(ground.measured));
  return ground;
}

std::vector<std::string> doctor_lines(const Session& session) {
  std::vector<std::string> lines;
  for (const harness::DoctorLine& line :
       harness::examine(session.topology, session.features, harness::read_counter_support(), session.clock)) {
    if (line.readiness != harness::Readiness::good) lines.push_back(line.code + ": " + line.finding);
  }
  return lines;
}

/// The machine may be so odd that this is the failure: then any kernels will do.
Session any_session() {
  try {
    return open_session();
  } catch (const Error&) {
    return open_session("scalar");
  }
}

}  // namespace

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string end_of_log(std::string log) {
  if (log.size() > max_log_bytes) log.erase(0, whole_from(log, log.size() - max_log_bytes));
  for (size_t at = 0; at + 1 < log.size(); ++at) {
    if (log[at] == '\r' && log[at + 1] != '\n') log[at] = '\n';
  }
  return log;
}

FailureGround read_ground(const std::string& path) {
  const std::string text = harness::read_user_file(path, max_partial_bytes);
  if (text.starts_with(R"({"interrupted":)")) return ground_of_partial(text, path);
  return ground_of_document(text.substr(0, harness::max_document_bytes + 1), path);
}

FailureGround ground_of_this_machine() {
  const Session session = any_session();
  FailureGround ground;
  ground.measured = begin_submission(session, "failure", "failure");
  take_conditions(session, ground.measured);
  ground.stage = "other";
  return ground;
}

Submission failure_document(FailureGround ground, const FailureTold& told,
                            const harness::PrivateNames& names) {
  Submission submission = std::move(ground.measured);
  submission.kind = "failure";
  harness::Failure failure;
  failure.claimed = told_text("--claimed", told.claimed, max_paragraph, names);
  failure.source = told_text("--source", told.source, max_line, names);
  failure.stage = told_text("--stage", told.stage.empty() ? ground.stage : told.stage, max_label, names);
  if (told.observed.empty()) ground.observed = cut(ground.observed, max_paragraph / 2);
  failure.observed =
      told_text("--observed", told.observed.empty() ? ground.observed : told.observed, max_paragraph, names);
  for (const auto& [option, text] :
       {std::pair("--claimed", &failure.claimed), std::pair("--observed", &failure.observed)}) {
    if (text->find_first_not_of(" \t\n") == std::string::npos)
      throw Error(ExitCode::usage, fmt::format("{}: say in a sentence what was {}", option, option + 2));
  }
  failure.log_excerpt = log_end(told.log.empty() ? ground.log : told.log, names);
  failure.exit_code = told.exit_code >= 0 ? told.exit_code : ground.exit_code;
  const Session here = any_session();
  if (harness::read_machine(here.topology, here.features).machine_key == submission.machine.machine_key) {
    for (const std::string& line : doctor_lines(here))
      failure.doctor.push_back(scrubbed(cut(line, max_line - 50), names));
  }
  submission.failure = std::move(failure);
  submission.derived = analysis::derive(submission);
  return submission;
}

}  // namespace cli
