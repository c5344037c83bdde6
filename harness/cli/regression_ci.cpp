#include "harness/cli/regression_ci.hpp"

#include <fmt/format.h>

#include "harness/cli/comparison_words.hpp"

namespace cli {
namespace {

using analysis::KernelVerdict;
using analysis::SeriesVerdict;
using analysis::SpeedSeries;

/// Foreign text in an attribute or element: one line, and what XML gives a meaning is spelt.
std::string xml(const std::string& text) {
  std::string escaped;
  std::string shown = plain(text);
  // No XML may hold U+FFFE and U+FFFF (EF BF BE, EF BF BF).
  for (const char* none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (size_t at = 0; (at = shown.find(none, at)) != std::string::npos;) shown.replace(at, 3, "?");
  }
  for (const char c : shown) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// GitHub's own escapes (actions/toolkit, command.ts).
std::string command_text(const std::string& text, bool property) {
  std::string escaped;
  for (const char c : plain(text)) {
    const bool spelt = c == '%' || (property && (c == ':' || c == ','));
    escaped += spelt ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return escaped;
}

std::string told(const SpeedSeries& series, const SeriesVerdict& verdict) {
  if (!verdict.judged() || verdict.word == "no_worse") return verdict.why;
  return change_of(series, verdict) + (verdict.why.empty() ? "" : "; " + verdict.why);
}

std::string series_case(const SpeedSeries& series, const SeriesVerdict& verdict) {
  const std::string machine = fmt::format("{} ({:.8})", series.machine.cpu_model, series.machine.machine_key);
  const std::string open =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(machine), xml(name_of(series)));
  const std::string message = xml(told(series, verdict));
  const std::string element = verdict.word == "regressed"                                    ? "failure"
                              : verdict.word == "wrong"                                      ? "error"
                              : verdict.word == "suspected" || verdict.word == "cannot_tell" ? "skipped"
                                                                                             : "";
  if (element.empty()) return open + "/>\n";
  return fmt::format("{}><{} message=\"{}: {}\"/></testcase>\n", open, element, spelt(verdict.word), message);
}

std::string kernel_case(const KernelVerdict& kernel) {
  const std::string open =
      fmt::format("    <testcase classname=\"across machines\" name=\"{}\"", xml(kernel_name(kernel)));
  if (kernel.claimed())
    return fmt::format("{}><failure message=\"{}\"/></testcase>\n", open, xml(claim_of(kernel)));
  if (kernel.word == "cannot_tell")
    return fmt::format("{}><skipped message=\"{} of {} machines\"/></testcase>\n", open, kernel.machines,
                       analysis::least_machines);
  return open + "/>\n";
}

struct Counts {
  int failures = 0, errors = 0, skipped = 0;
};

std::string suite(const std::string& name, size_t tests, const Counts& counts, const std::string& cases) {
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
      "</testsuite>\n",
      name, tests, counts.failures, counts.errors, counts.skipped, cases);
}

}  // namespace

std::string to_junit(const RegressionReport& report) {
  Counts of_series, of_kernels;
  std::string series, kernels;
  for (size_t i = 0; i < report.series.size(); ++i) {
    const std::string& word = report.verdicts[i].word;
    of_series.failures += word == "regressed" ? 1 : 0;
    of_series.errors += word == "wrong" ? 1 : 0;
    of_series.skipped += word == "suspected" || word == "cannot_tell" ? 1 : 0;
    series += series_case(report.series[i], report.verdicts[i]);
  }
  for (const KernelVerdict& kernel : report.kernels) {
    of_kernels.failures += kernel.claimed() ? 1 : 0;
    of_kernels.skipped += kernel.word == "cannot_tell" ? 1 : 0;
    kernels += kernel_case(kernel);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tokroof regress\">\n" +
         suite("series", report.series.size(), of_series, series) +
         suite("across machines", report.kernels.size(), of_kernels, kernels) + "</testsuites>\n";
}

std::string to_annotations(const RegressionReport& report) {
  std::string errors, warnings;
  for (const KernelVerdict& kernel : report.kernels) {
    if (kernel.claimed())
      errors += fmt::format("::error title={}::{}\n", command_text("regressed", true),
                            command_text(claim_of(kernel), false));
  }
  for (size_t i = 0; i < report.series.size(); ++i) {
    const SpeedSeries& series = report.series[i];
    const SeriesVerdict& verdict = report.verdicts[i];
    const bool bad = verdict.word == "regressed" || verdict.word == "wrong";
    if (!bad && verdict.word != "suspected") continue;
    (bad ? errors : warnings) +=
        fmt::format("::{} title={}::{}\n", bad ? "error" : "warning",
                    command_text(fmt::format("{}: {}", verdict.word, name_of(series)), true),
                    command_text(fmt::format("{} ({:.8}): {}", series.machine.cpu_model,
                                             series.machine.machine_key, told(series, verdict)),
                                 false));
  }
  return errors + warnings + "::notice title=tokroof regress::" + command_text(counts_of(report), false) +
         "\n";
}

}  // namespace cli
