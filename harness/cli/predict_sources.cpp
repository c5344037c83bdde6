#include "harness/cli/predict_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "analysis/derive.hpp"
#include "analysis/probed_forecast.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/cpu_features.hpp"
#include "harness/digest.hpp"
#include "harness/nearest_name.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"
#include "harness/validation_parse.hpp"
#include "harness/validation_schema.hpp"
#include "models/kernels/select.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

/// "A, B and 3 more".
std::string listed(const std::vector<std::string>& names, size_t most) {
  const size_t shown = std::min(names.size(), most);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

/// A name as an error can show it: on one line, and not for ever.
std::string shown(const std::string& name) {
  constexpr size_t most = 80;
  const std::string text = one_line(name.substr(0, most));
  return name.size() > most ? text + "..." : text;
}

const analysis::Cpu& cpu_named(const std::string& name) {
  constexpr size_t most = 12;
  const auto found = analysis::find_cpus(name);
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    const auto near = analysis::nearest_cpus(name, 3);
    throw Error(ExitCode::usage,
                fmt::format("no CPU '{}' in the catalogue{}", shown(name),
                            near.empty() ? "; --topology FILE.xml takes a machine as lstopo writes it"
                                         : "; nearest: " + listed(near, most)));
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const analysis::Cpu* cpu : found) names.push_back(cpu->name);
  throw Error(ExitCode::usage,
              fmt::format("'{}' is {} CPUs; which one: {}", shown(name), names.size(), listed(names, most)));
}

analysis::ChooseKernels chooser(const std::string& forced) {
  return [forced](const std::vector<std::string>& isa) { return kernels_for(isa, forced); };
}

/// Leaves of what was derived as little as the schema lets.
void empty_derived(nlohmann::json& derived) {
  if (!derived.is_object()) return;
  auto least = nlohmann::json::object();
  for (const auto& name :
       harness::schema_json("submission").at(nlohmann::json::json_pointer("/definitions/derived/required")))
    least[name.get<std::string>()] = nlohmann::json::array();
  derived = std::move(least);
}

/// A document with its probes launches alone: what was decoded and derived is most of a document, and is no
/// business of a forecast. A text that does not parse is returned as it is.
std::string probes_of(const std::string& text) {
  nlohmann::json document;
  if (!harness::parse_strictly(text, document).empty() || !document.is_object()) return text;
  if (document.contains("derived")) empty_derived(document["derived"]);
  for (const char* member : {"forecasts", "verdicts"}) {
    if (document.contains(member) && document[member].is_array()) document[member] = nlohmann::json::array();
  }
  const auto launches = document.find("launches");
  if (launches == document.end() || !launches->is_array()) return document.dump();
  const auto is_other = [](const nlohmann::json& launch) {
    return launch.is_object() && launch.contains("purpose") && launch["purpose"] != "probes";
  };
  // A schema asks for at least one launch.
  if (std::all_of(launches->begin(), launches->end(), is_other)) return text;
  auto kept = nlohmann::json::array();
  for (nlohmann::json& launch : *launches) {
    if (!is_other(launch)) kept.push_back(std::move(launch));
  }
  *launches = std::move(kept);
  return document.dump();
}

/// What the store tells of ecm on a model, without this document. A store that cannot be read keeps nobody
/// from an answer.
harness::ModelError learnt_without(const std::string& document, const std::string& model,
                                   const std::string& machine_key, const std::string& database) {
  try {
    analysis::LearntErrors learnt = learn_from_store(database, machine_key);
    harness::ModelError all = analysis::error_on(learnt, model);
    if (all.submissions == 0) return all;
    learnt.but_not = harness::sha256_hex(harness::canonical_json(document));
    return analysis::error_on(learnt, model);
  } catch (const Error& wrong) {
    note(fmt::format("how far ecm was off is a prior, because of the store: {}", wrong.what()));
    return analysis::model_error();
  }
}

void check_threads(int threads, int cores, const std::string& machine) {
  if (threads > 1 && cores > 0 && threads > cores)
    throw Error(ExitCode::usage,
                fmt::format("--threads {}: {} has {} cores, and each thread needs one of its own", threads,
                            machine, cores));
}

/// Whether a probe ran, whatever it was asked for.
bool has_run(const harness::Submission& probed, const std::string& probe) {
  for (const harness::Launch& launch : probed.launches) {
    if (launch.purpose != "probes") continue;
    for (const harness::Series& series : launch.series) {
      if (series.probe == probe && series.status == harness::Status::ok) return true;
    }
  }
  return false;
}

/// Of a probe that ran, only not with so many threads, a forecast must not say that it has not run.
void tell_other_threads(analysis::CoreForecast& forecast, const harness::Submission& probed, int threads) {
  const std::string never = " has not run";
  for (analysis::FactForecast& one : forecast.forecasts) {
    auto* missing = std::get_if<harness::Unavailable>(&one.tokens_per_s);
    if (missing == nullptr) continue;
    for (const char* probe : {"dram_stream", "load_bandwidth", "kernel_rates"}) {
      const size_t at = missing->reason.find(probe + never);
      if (at == std::string::npos || !has_run(probed, probe)) continue;
      missing->reason.replace(at, (probe + never).size(),
                              fmt::format("{} ran, but not with {} threads", probe, threads));
    }
  }
}

}  // namespace

std::string wanted_isa(const std::string& option) {
  const char* environment = std::getenv("TOKROOF_ISA");
  std::string wanted = !option.empty() ? option : environment != nullptr ? environment : "";
  if (wanted.empty()) return wanted;
  std::vector<std::string_view> names;
  for (const models::Kernels* table : models::kernel_tables()) names.emplace_back(table->isa);
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  throw Error(ExitCode::usage, fmt::format("no ISA '{}'{}; this binary has {}", wanted,
                                           harness::did_you_mean(wanted, names), fmt::join(names, ", ")));
}

std::string kernels_for(const std::vector<std::string>& isa, const std::string& forced) {
  const auto has = [&isa](const char* name) { return std::find(isa.begin(), isa.end(), name) != isa.end(); };
  harness::CpuFeatures features;
  features.arch = "x86_64";
  features.avx2 = has("avx2");
  features.fma = has("fma");
  features.f16c = has("f16c");
  features.avx512f = has("avx512f");
  features.avx512bw = has("avx512bw");
  features.avx512vl = has("avx512vl");
  features.avx512_vnni = has("avx512_vnni");
  features.avx_vnni = has("avx_vnni");
  return models::select_kernels(models::kernel_tables(), features, forced).isa;
}

Prediction predict_cpu(const std::string& name, const Question& question) {
  const analysis::Cpu& cpu = cpu_named(name);
  check_threads(question.threads, cpu.cores, cpu.name);
  return predict_from(analysis::facts_of_cpu(cpu, chooser(question.isa), question.what_if), question.work,
                      question.threads);
}

Prediction predict_topology(const std::string& path, const Question& question) {
  const harness::Topology topology = harness::read_topology_xml(path);
  check_threads(question.threads, topology.cores, path);
  return predict_from(analysis::facts_of_topology(topology, chooser(question.isa), question.what_if),
                      question.work, question.threads);
}

Prediction predict_here(harness::Submission probed, const Question& question,
                        const harness::ModelError& error) {
  check_threads(question.threads, probed.machine.cores, "this machine");
  if (!question.isa.empty()) probed.suite.isa = question.isa;
  Prediction prediction = predict_from(analysis::facts_of_submission(probed, chooser(""), question.what_if),
                                       question.work, question.threads);
  if (question.shape && question.what_if.empty()) {
    analysis::use_probes(prediction.kinds.front(), prediction.machine.kinds.front(), question.work, probed,
                         *question.shape, error, question.threads);
    if (question.threads > 1) tell_other_threads(prediction.kinds.front(), probed, question.threads);
  } else if (!question.what_if.empty()) {
    prediction.machine.notes.emplace_back("with --what-if facts answer, not curves and kernel rates");
  }
  return prediction;
}

Prediction predict_document(const std::string& path, const Question& question) {
  const std::string text = harness::read_user_file(path, harness::max_document_bytes);
  const std::string probes = probes_of(text);
  const auto faults = [](const std::string& document) { return harness::validate_document(document); };
  if (auto violations = faults(probes); !violations.empty()) {
    // Of the whole document, whose pointers are those that people find.
    if (auto of_all = faults(text); !of_all.empty()) violations = of_all;
    const harness::Violation& first = violations.front();
    throw Error(
        ExitCode::invalid_input,
        fmt::format("{}: {}: {}, expected {}; tokroof validate lists all", path,
                    first.pointer.empty() ? "the document" : first.pointer, first.value, first.expected));
  }
  harness::Submission probed = harness::submission_from_json(probes);
  probed.derived = analysis::derive(probed);  // from the samples, whatever the document says
  const harness::ModelError error = learnt_without(text, question.shape ? question.shape->name : "",
                                                   probed.machine.machine_key, question.database);
  return predict_here(std::move(probed), question, error);
}

}  // namespace cli
