// tokroof doctor: is this machine ready to measure? Each line ✔ ! ✘ with the remedy.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/clock.hpp"
#include "harness/counters.hpp"
#include "harness/environment.hpp"

namespace cli {
namespace {

using harness::DoctorLine;
using harness::Readiness;

std::string to_json(const std::vector<DoctorLine>& lines) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const DoctorLine& line : lines) {
    const char* readiness = line.readiness == Readiness::good      ? "good"
                            : line.readiness == Readiness::warning ? "warning"
                                                                   : "bad";
    json.push_back(
        {{"code", line.code}, {"readiness", readiness}, {"finding", line.finding}, {"remedy", line.remedy}});
  }
  return json.dump(2) + "\n";
}

std::string to_text(const Terminal& terminal, const std::vector<DoctorLine>& lines) {
  std::string text;
  for (const DoctorLine& line : lines) {
    const std::string mark = line.readiness == Readiness::good      ? mark_good(terminal)
                             : line.readiness == Readiness::warning ? mark_warning(terminal)
                                                                    : mark_bad(terminal);
    text +=
        fmt::format("{}{} {:<12} {}\n", mark, std::string(2 - std::min<size_t>(2, display_width(mark)), ' '),
                    line.code, line.finding);
    if (!line.remedy.empty()) text += fmt::format("{:16}{}\n", "", paint(terminal, Colour::dim, line.remedy));
  }
  return text + "Each line is explained in docs/doctor.md.\n";
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "doctor", "tells what on this machine disturbs a measurement, and the remedy",
                  "tokroof doctor --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([&invocation, json] {
    invocation.action = [&invocation, json] {
      const auto lines = harness::examine(harness::read_host_topology(), harness::read_cpu_features(),
                                          harness::read_counter_support(), harness::steady_clock());
      print_result(*json ? to_json(lines) : to_text(invocation.terminal, lines));
      return harness::ExitCode::ok;
    };
  });
}

}  // namespace cli
