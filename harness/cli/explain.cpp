// tokroof explain: what a rule, a quality flag or a doctor's finding means, its arithmetic and the remedy.
#include "harness/cli/explain.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <memory>

#include "harness/cli/command.hpp"
#include "harness/nearest_name.hpp"

namespace cli {
namespace {

constexpr std::string_view pages[] = {"plausibility", "flags", "doctor"};
constexpr std::string_view heading = "\n## ";

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::vector<std::string> all_codes() {
  std::vector<std::string> codes;
  for (const std::string_view page : pages) {
    for (std::string& code : codes_of(find_page(page))) codes.push_back(std::move(code));
  }
  return codes;
}

harness::ExitCode explain(const std::string& code, const Terminal& terminal) {
  if (code.empty()) {
    std::string text;
    for (const std::string_view page : pages) {
      text += fmt::format("{:<13} {}\n", page, fmt::join(codes_of(find_page(page)), " "));
    }
    print_result(text);
    return harness::ExitCode::ok;
  }
  std::string text;
  for (const std::string_view page : pages) {
    const std::string section = section_of(find_page(page), code);
    if (!section.empty()) {
      text += fmt::format("{}  (docs/{}.md)\n{}\n", paint(terminal, Colour::bold, code), page, section);
    }
  }
  if (text.empty()) {
    const std::vector<std::string> codes = all_codes();
    const std::vector<std::string_view> names(codes.begin(), codes.end());
    throw harness::Error(harness::ExitCode::usage, fmt::format("no code '{}'{} (tokroof explain lists them)",
                                                               code, harness::did_you_mean(code, names)));
  }
  print_result(text);
  return harness::ExitCode::ok;
}

}  // namespace

std::vector<std::string> codes_of(std::string_view page) {
  std::vector<std::string> codes;
  for (size_t at = page.find(heading); at != std::string_view::npos; at = page.find(heading, at + 1)) {
    const size_t begin = at + heading.size();
    codes.emplace_back(page.substr(begin, page.find('\n', begin) - begin));
  }
  return codes;
}

std::string section_of(std::string_view page, std::string_view code) {
  for (size_t at = page.find(heading); at != std::string_view::npos; at = page.find(heading, at + 1)) {
    const size_t begin = at + heading.size(), end_of_line = page.find('\n', begin);
    if (!same_name(page.substr(begin, end_of_line - begin), code)) continue;
    std::string_view section = page.substr(end_of_line, page.find(heading, begin) - end_of_line);
    while (section.starts_with('\n')) section.remove_prefix(1);
    while (section.ends_with('\n')) section.remove_suffix(1);
    return std::string(section) + "\n";
  }
  return "";
}

void add_explain(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "explain", "explains a code of validate, run or doctor; lists them without one",
                  "tokroof explain P01");
  auto code = std::make_shared<std::string>();
  command->add_option("CODE", *code, "e.g. R02, P01, aa_failed, huge_pages");
  command->callback([&invocation, code] {
    invocation.action = [&invocation, code] { return explain(*code, invocation.terminal); };
  });
}

}  // namespace cli
