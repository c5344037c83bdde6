#include "analysis/import_judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/import_limits.hpp"
#include "harness/digest.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

using harness::Imported;
using harness::ImportedRow;

// Changes whenever the same row would be judged otherwise.
constexpr const char* judgement_version = "2";

bool told(const ImportedRow& row, const char* what) {
  return std::find(row.told.begin(), row.told.end(), what) != row.told.end();
}

/// Returns whether the stated speed is not that of the samples, as llama-bench computes it.
bool inconsistent(const ImportedRow& row) {
  if (row.samples_ns.empty() || !available(row.tokens) || !available(row.tokens_per_s)) return false;
  double sum = 0;
  for (const int64_t ns : row.samples_ns) {
    if (ns <= 0) return true;
    sum += static_cast<double>(std::get<int64_t>(row.tokens)) * 1e9 / static_cast<double>(ns);
  }
  const double mean = sum / static_cast<double>(row.samples_ns.size());
  return std::abs(std::get<double>(row.tokens_per_s) / mean - 1) > 0.01;
}

std::vector<std::string> marks_of(const ImportedRow& row) {
  std::vector<std::string> marks;
  const auto mark = [&marks](bool holds, const char* name) {
    if (holds) marks.emplace_back(name);
  };
  mark(row.figure != "decode", "not_decode");
  mark(!available(row.cpu), "cpu_unknown");
  mark(!available(row.device), "device_unknown");
  mark(available(row.device) && !std::get<std::string>(row.device).starts_with("CPU"), "not_cpu");
  mark(available(row.streams) && std::get<int64_t>(row.streams) > 1, "batched");
  mark(told(row, "errored"), "errored");
  mark(told(row, "aggregate"), "aggregate");
  mark(told(row, "fit"), "fit");
  const bool some = available(row.tokens_per_s) && std::get<double>(row.tokens_per_s) > 0;
  mark(row.figure == "decode" && !some, "no_figure");
  mark(inconsistent(row), "inconsistent");
  mark(row.limit.word == "refuted", "refuted");
  return marks;
}

std::string source_level(const ImportedRow& row) {
  if (told(row, "by_hand")) return "D";
  return told(row, "rounded") ? "C" : "B";
}

std::string samples_level(const ImportedRow& row) {
  if (row.samples_ns.size() > 1) return "B";
  const bool several = available(row.repetitions) && std::get<int64_t>(row.repetitions) > 1;
  const bool spread = available(row.spread_tokens_per_s) && std::get<double>(row.spread_tokens_per_s) > 0;
  return several || spread ? "C" : "D";  // a spread of 0 is that of one run, too
}

std::string machine_level(const ImportedRow& row) {
  if (!available(row.cpu)) return "D";
  return named_cpu(row) != nullptr && !row.cpu_by_importer ? "B" : "C";
}

std::string conditions_level(const ImportedRow& row) {
  return available(row.threads) && !told(row, "clock_scaling") ? "C" : "D";
}

std::string work_level(const ImportedRow& row) {
  const bool named = available(row.model) || available(row.file);
  if (named && available(row.weight_bytes)) return "B";
  return named || available(row.weight_bytes) ? "C" : "D";
}

std::string control_level(const ImportedRow& row) {
  if (told(row, "alternated")) return "B";
  return samples_level(row) == "D" ? "D" : "C";
}

void judge_row(ImportedRow& row) {
  row.limit = check_limit(row);
  row.marks = marks_of(row);
  row.comparable = row.marks.empty();
  if (row.limit.word == "cache_resident") row.marks.emplace_back("cache_resident");
  if (row.limit.word == "cannot_tell") row.marks.emplace_back("above_rated");
  row.aspects = {{"source", source_level(row)},   {"samples", samples_level(row)},
                 {"machine", machine_level(row)}, {"conditions", conditions_level(row)},
                 {"work", work_level(row)},       {"control", control_level(row)}};
  row.level = "A";
  for (const auto& [aspect, level] : row.aspects) row.level = std::max(row.level, level);
}

std::string catalogue_sha256() {
  return harness::sha256_hex(std::string(catalogue_text("cpus")));
}

/// Returns where two judgements of the same rows differ, "" when they agree.
std::string difference(const Imported& stated, const Imported& made) {
  for (size_t i = 0; i < stated.rows.size(); ++i) {
    if (!(stated.rows[i] == made.rows[i])) return fmt::format("/imported/rows/{}", i);
  }
  return stated.level == made.level ? "" : "/imported/level";
}

}  // namespace

void name_cpu(Imported& imported, const std::string& cpu) {
  const std::string name = harness::import_label(cpu);
  if (name.empty()) return;
  for (ImportedRow& row : imported.rows) {
    if (available(row.cpu)) continue;
    row.cpu = name;
    row.cpu_by_importer = true;
  }
}

void judge(Imported& imported) {
  imported.judgement = judgement_version;
  imported.catalogue_sha256 = catalogue_sha256();
  imported.level = "A";
  for (ImportedRow& row : imported.rows) {
    judge_row(row);
    imported.level = std::max(imported.level, row.level);
  }
}

std::vector<Finding> check_import(const std::string& text) {
  std::vector<Finding> findings;
  const harness::ImportDocument document = harness::import_from_json(text);
  if (harness::to_canonical_json(document) != harness::canonical_json(text)) {
    findings.push_back(
        {"R20", Severity::reject, "",
         "an import holds schema, kind, protocol, created_utc, nonce and imported alone, its reals "
         "with nine digits"});
    return findings;
  }
  if (document.nonce != document.imported.source_sha256.substr(0, 32))
    findings.push_back({"R20", Severity::reject, "/nonce", "the first half of imported/source_sha256"});
  Imported made = document.imported;
  judge(made);
  if (made.judgement == document.imported.judgement &&
      made.catalogue_sha256 == document.imported.catalogue_sha256) {
    // Through text, as the document went: nine digits.
    harness::ImportDocument again{document.created_utc, document.nonce, made};
    again = harness::import_from_json(harness::to_canonical_json(again));
    const std::string where = difference(document.imported, again.imported);
    if (!where.empty())
      findings.push_back(
          {"R02", Severity::reject, where, "what is judged does not follow from what the source says"});
  }
  for (size_t i = 0; i < made.rows.size(); ++i) {
    if (made.rows[i].limit.word == "refuted")
      findings.push_back(
          {"P20", Severity::quarantine, fmt::format("/imported/rows/{}", i), made.rows[i].limit.detail});
  }
  return findings;
}

}  // namespace analysis
