#include "analysis/commit_order.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace analysis {
namespace {

std::vector<int64_t> numbers_of(const std::string& version) {
  std::vector<int64_t> numbers;
  bool within = false;
  for (const char c : version) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !within) numbers.push_back(0);
    if (digit) numbers.back() = std::min<int64_t>(numbers.back() * 10 + (c - '0'), 1'000'000'000);
    within = digit;
  }
  return numbers;
}

}  // namespace

std::string commit_of(const harness::Sitting& sitting) {
  const bool known = !sitting.git_commit.empty() && sitting.git_commit != "unknown";
  if (!known) return sitting.suite_version + " of " + sitting.created_utc.substr(0, 10);
  return sitting.git_commit.substr(0, shown_commit_digits) + (sitting.git_dirty ? "+" : "");
}

std::map<std::string, std::string> first_seen_utc(const harness::SpeedHistory& history) {
  std::map<std::string, std::string> seen;
  for (const harness::Sitting& sitting : history.sittings) {
    std::string& time = seen.try_emplace(commit_of(sitting), sitting.created_utc).first->second;
    time = std::min(time, sitting.created_utc);
  }
  return seen;
}

std::map<std::string, int64_t> commit_ranks(const harness::SpeedHistory& history,
                                            const std::vector<std::string>& listed) {
  std::map<std::string, int64_t> ranks;
  if (!listed.empty()) {
    for (size_t i = 0; i < listed.size(); ++i) {
      const std::string name = listed[i].substr(0, shown_commit_digits);
      ranks.emplace(name, static_cast<int64_t>(2 * i));
      ranks.emplace(name + "+", static_cast<int64_t>(2 * i + 1));
    }
    return ranks;
  }
  std::map<std::string, std::pair<std::string, std::string>> first_seen;  // version and time by commit
  for (const harness::Sitting& sitting : history.sittings) {
    auto& [version, time] =
        first_seen.try_emplace(commit_of(sitting), sitting.suite_version, sitting.created_utc).first->second;
    if (earlier_version(sitting.suite_version, version)) version = sitting.suite_version;
    time = std::min(time, sitting.created_utc);
  }
  std::vector<std::string> order;
  order.reserve(first_seen.size());
  for (const auto& [commit, seen] : first_seen) order.push_back(commit);
  std::sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
    const auto& [version_a, time_a] = first_seen[a];
    const auto& [version_b, time_b] = first_seen[b];
    if (earlier_version(version_a, version_b) || earlier_version(version_b, version_a))
      return earlier_version(version_a, version_b);
    return std::tie(time_a, a) < std::tie(time_b, b);
  });
  for (const std::string& commit : order) ranks.emplace(commit, static_cast<int64_t>(ranks.size()));
  return ranks;
}

bool is_time(const std::string& text) {
  static const std::string pattern = "0000-00-00T00:00:00Z";
  if (text.size() != 10 && text.size() != pattern.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
  }
  const auto number = [&](size_t at, size_t count) { return std::stoi(text.substr(at, count)); };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!day.ok()) return false;
  return text.size() == 10 || (number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60);
}

bool earlier_version(const std::string& a, const std::string& b) {
  return numbers_of(a) < numbers_of(b);
}

}  // namespace analysis
