#include "harness/cli/failure_offer.hpp"

#include <fmt/format.h>

#include <string_view>

namespace cli {

std::string shell_word(const std::string& text) {
  static constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string failure_offer(harness::ExitCode code, const std::string& path, const std::string& protocol,
                          const std::string& reason) {
  using harness::ExitCode;
  if (code != ExitCode::internal && code != ExitCode::unavailable && code != ExitCode::wrong_result)
    return "";
  const std::string option = protocol == "default" ? "" : " --" + protocol;
  const std::string run = protocol == "claim" ? "tokroof run --claim" : "tokroof run" + option;
  return fmt::format(
      "to tell others: tokroof failure new{} --claimed '{} ends with right results' --exit-code {}{}",
      path.empty() ? "" : " --from " + shell_word(path), run, static_cast<int>(code),
      path.empty() ? " --observed " + shell_word(reason) : "");
}

}  // namespace cli
