#include "analysis/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/slowdown_controls.hpp"

namespace analysis {

using harness::ArmRatio;
using harness::DecodeResult;
using harness::Derived;

namespace {

/// 12345 as "12,345", whatever the locale.
std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

const DecodeResult* find_warm(const Derived& derived) {
  const auto found = std::find_if(derived.decode.begin(), derived.decode.end(),
                                  [](const auto& each) { return each.arm == "warm"; });
  return found == derived.decode.end() ? nullptr : &*found;
}

/// Two results of one plan differ in nothing but the mode.
bool same_decode(harness::DecodeKey one, const harness::DecodeKey& other) {
  one.mode = other.mode;
  one.placement = other.placement;
  return one == other;
}

std::string subject(const std::string& arm) {
  if (arm == "evict_flush") return "flushing the weights before every token";
  if (arm == "evict_read") return "a concurrent reader";
  return "arm " + arm;
}

/// What an arm does to the speed, turned so that the factor is above one.
std::string effect(const ArmRatio& ratio) {
  const auto& speed = ratio.speed_ratio;
  const bool slower = speed.median < 1;
  const double factor = slower ? 1 / speed.median : speed.median;
  const double low = slower ? 1 / speed.high : speed.low, high = slower ? 1 / speed.low : speed.high;
  const auto range = ratio.launches < 2 ? std::string() : fmt::format(" [{:.2f}–{:.2f}]", low, high);
  if (ratio.launches >= 2 && speed.low <= 1 && speed.high >= 1) {
    return fmt::format("{} makes no difference that {} launches can tell ({:.2f} × [{:.2f}–{:.2f}])",
                       subject(ratio.name.substr(0, ratio.name.find('/'))), ratio.launches, speed.median,
                       speed.low, speed.high);
  }
  return fmt::format("{} makes it {:.2f} × {}{}", subject(ratio.name.substr(0, ratio.name.find('/'))), factor,
                     slower ? "slower" : "faster", range);
}

/// The warm speed of this decode's ISA relative to another's: a ratio named "ISA/other".
bool compares_isas(const ArmRatio& ratio) {
  return ratio.name.substr(0, ratio.name.find('/')) == ratio.key.isa;
}

std::string isa_part(const ArmRatio& ratio) {
  const auto& speed = ratio.speed_ratio;
  const std::string other = ratio.name.substr(ratio.name.find('/') + 1);
  if (ratio.launches < 2) return fmt::format("{:.2f} × the warm speed of {}", speed.median, other);
  return fmt::format("{:.2f} × the warm speed of {} [{:.2f}–{:.2f}]", speed.median, other, speed.low,
                     speed.high);
}

std::string forecast_part(const Derived& derived, const DecodeResult& warm) {
  for (const auto& error : derived.forecast_errors) {
    if (error.id != "curve" || error.key != warm.key) continue;
    const double off_percent = (1 / error.measured_over_forecast - 1) * 100;
    if (std::abs(off_percent) < 0.5) return "; the curve forecast was right within 1 %";
    return fmt::format("; the curve forecast was {:.0f} % {}", std::abs(off_percent),
                       off_percent < 0 ? "low" : "high");
  }
  return "";
}

/// A ratio of times as a cost: 1.04 is 4 %, 2.1 is 2.1×.
bool is_multiple(const harness::Interval& ratio) {
  return ratio.median >= 1.5;
}

std::string cost_number(double ratio, bool multiple) {
  const double percent = std::round((ratio - 1) * 100);
  return multiple ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", percent == 0 ? 0 : percent);
}

std::string cost_text(const harness::Interval& ratio) {
  const bool multiple = is_multiple(ratio);
  return cost_number(ratio.median, multiple) + (multiple ? "×" : " %");
}

std::string cost_range(const harness::Interval& ratio) {
  const bool multiple = is_multiple(ratio);
  return fmt::format("{} [{}–{}]", cost_text(ratio), cost_number(ratio.low, multiple),
                     cost_number(ratio.high, multiple));
}

/// What may lie behind the cost of a thread that only spins.
std::string sharing_name(const harness::Submission& submission, const harness::DecodeKey& key) {
  constexpr double steady_ratio = 0.99;  // two looks at a steady clock agree within 1 %
  const auto clock = spin_clock_ratio(submission, key);
  const std::string fall = clock && *clock < steady_ratio
                               ? fmt::format("the core's clock fell by {:.0f} %", (1 - *clock) * 100)
                               : "";
  if (key.placement == "sibling" || key.placement == "none")
    return fall.empty() ? "core sharing" : fmt::format("core sharing and clock ({})", fall);
  if (!fall.empty()) return fmt::format("clock ({})", fall);
  return clock ? "power or a core that is shared unseen (its clock stays)"
               : "clock, power or a core that is shared unseen (the clock is not known)";
}

std::string part_text(const std::string& cause, const harness::SlowdownPart& part) {
  const auto* ratio = std::get_if<harness::Interval>(&part.time_ratio);
  if (part.word == "shown" && ratio) return fmt::format("{} {}", cause, cost_text(*ratio));
  if (part.word == "none_shown" && ratio)
    return fmt::format("{} none shown (at most {:.0f} %)", cause, std::max(0.0, (ratio->high - 1) * 100));
  return fmt::format("{} cannot be told", cause);
}

/// A number that two causes share is said with both names.
std::string bandwidth_text(const harness::Submission& submission, const harness::Slowdown& slowdown) {
  const auto* ratio = std::get_if<harness::Interval>(&slowdown.bandwidth.time_ratio);
  if (slowdown.bandwidth.word == "cannot_tell" && ratio && ratio->low > 1 &&
      evicts_shared_l2(submission, slowdown.key))
    return "bandwidth or lines lost from the shared L2 " + cost_text(*ratio);
  return part_text("bandwidth", slowdown.bandwidth);
}

std::string parts_text(const harness::Submission& submission, const harness::Slowdown& slowdown) {
  if (slowdown.core_sharing.word == "not_applicable")
    return slowdown.eviction.word == "cannot_tell" ? ", not proven to be eviction" : "";
  const auto unknown = [](const harness::SlowdownPart& part) { return part.word == "cannot_tell"; };
  if (unknown(slowdown.core_sharing) && unknown(slowdown.bandwidth) && unknown(slowdown.eviction))
    return ", and why cannot be told";
  // Nothing shown needs no name of what it would be.
  const std::string sharing =
      slowdown.core_sharing.word == "shown" ? sharing_name(submission, slowdown.key) : "core sharing";
  return fmt::format(": {}, {}, {}", part_text(sharing, slowdown.core_sharing),
                     bandwidth_text(submission, slowdown), part_text("eviction", slowdown.eviction));
}

std::string slowdown_text(const harness::Submission& submission, const harness::Slowdown& slowdown) {
  const std::string subject = slowdown.arm == "evict_flush"    ? "flushing all weights"
                              : slowdown.arm == "evict_stream" ? "reading other memory before each token"
                                                               : slowdown.arm;
  const auto& total = slowdown.time_ratio;
  if (total.low <= 1 && total.high >= 1) {
    return fmt::format("{} costs nothing that {} launches can show (at most {:.0f} %)", subject,
                       slowdown.launches, (total.high - 1) * 100);
  }
  if (total.high < 1) return fmt::format("{} costs {}: it is faster", subject, cost_range(total));
  return fmt::format("{} costs {}{}", subject, cost_range(total), parts_text(submission, slowdown));
}

bool has_flag(const Derived& derived, const std::string& code) {
  return std::any_of(derived.flags.begin(), derived.flags.end(),
                     [&](const auto& flag) { return flag.code == code; });
}

}  // namespace

std::string one_sentence(const harness::Submission& submission) {
  const Derived& derived = submission.derived;
  const DecodeResult* warm = find_warm(derived);
  if (!warm) return "No warm decode gave a speed.";
  std::string text = fmt::format("{} ({}): warm {} tok/s", warm->key.model, warm->key.isa,
                                 grouped(warm->tokens_per_s.median));
  for (const auto& ratio : derived.ratios) {
    if (ratio.name == "aa/warm" || !same_decode(ratio.key, warm->key)) continue;
    text += "; " + (compares_isas(ratio) ? isa_part(ratio) : effect(ratio));
  }
  text += forecast_part(derived, *warm) + ".";
  if (has_flag(derived, "aa_failed")) text += " The A/A control failed: nothing in this run is proven.";
  if (has_flag(derived, "too_few_launches"))
    text += " Too few launches for intervals: nothing in this run is proven.";
  return text;
}

std::vector<std::string> slowdown_sentences(const harness::Submission& submission) {
  std::vector<std::string> sentences;
  const harness::Slowdown* last = nullptr;
  for (const auto& slowdown : submission.derived.slowdowns) {
    if (last == nullptr || !same_decode(last->key, slowdown.key)) {
      if (!sentences.empty()) sentences.back() += ".";
      sentences.push_back(fmt::format("{} on {}: {}", slowdown.key.model, slowdown.key.isa,
                                      slowdown_text(submission, slowdown)));
    } else {
      sentences.back() += "; " + slowdown_text(submission, slowdown);
    }
    last = &slowdown;
  }
  if (!sentences.empty()) sentences.back() += ".";
  return sentences;
}

std::vector<std::string> expert_sentences(const std::vector<harness::Forecast>& forecasts) {
  std::vector<std::string> sentences;
  for (const auto& forecast : forecasts) {
    if (!forecast.experts || forecast.key.mode != "warm") continue;
    const auto& experts = *forecast.experts;
    const std::string routing = forecast.key.routing == "none" ? "" : ", " + forecast.key.routing;
    std::string sentence = fmt::format(
        "{} ({}{}): the same speed for the same active parameters needs {:.1f} MB of last-level cache; this "
        "one holds {:.1f} MB, and {} expected {:.0f} % of the experts' bytes in caches.",
        forecast.key.model, forecast.key.isa, routing, static_cast<double>(experts.constant_from_bytes) / 1e6,
        static_cast<double>(experts.last_cache_bytes) / 1e6, forecast.id, 100 * experts.hit_ratio);
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace analysis
