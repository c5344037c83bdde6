// The keys of `series`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/disturbed_bits.hpp"
#include "harness/submission.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

template <class Io, Like<Totals> T>
void fields(Io& io, T& value) {
  io("wall_ns", value.wall_ns);
  io("cpu_ns", value.cpu_ns);
  io.unless_zero("steal_ns", value.steal_ns);
  io.unless_zero("involuntary_switches", value.involuntary_switches);
  io.unless_zero("minor_faults", value.minor_faults);
  io.unless_zero("major_faults", value.major_faults);
  io.unless_zero("core_clock_low_hz", value.core_clock_low_hz);
  io.unless_zero("core_clock_high_hz", value.core_clock_high_hz);
}

constexpr std::array<std::string_view, 3> status_names{"ok", "unavailable", "failed"};

template <class Io, Like<Series> T>
void status_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    io("status", std::string(status_names[static_cast<size_t>(value.status)]));
  } else {
    std::string name;
    io("status", name);
    size_t i = 0;
    while (i < status_names.size() && status_names[i] != name) ++i;
    if (i == status_names.size()) Io::refuse(io.place("status"), "ok, unavailable or failed");
    value.status = static_cast<Status>(i);
  }
}

/// An arm that is named after its mode does not say it twice; nor does the A/A arm.
template <class Io, Like<Series> T>
void mode_field(Io& io, T& value) {
  const std::string usual = value.arm == "aa" ? "warm" : value.arm;
  if constexpr (Io::writing) {
    if (value.mode != usual) io.optional("mode", value.mode);
  } else {
    io.optional("mode", value.mode);
    if (value.mode.empty()) value.mode = usual;
  }
}

/// Writes the marks of each reason in the shorter of their two forms: a list of indices, or a bitmap.
inline nlohmann::json disturbed_json(const Disturbed& disturbed) {
  nlohmann::json written = nlohmann::json::object();
  for (const auto& [reason, indices] : disturbed) {
    nlohmann::json list = indices;
    const std::string_view letter = letter_of_reason(reason);
    const std::string bitmap = letter.empty() ? "" : to_bitmap(indices);
    if (!bitmap.empty() && letter.size() + bitmap.size() + 2 < reason.size() + list.dump().size()) {
      written[std::string(letter)] = bitmap;
    } else {
      written[reason] = std::move(list);
    }
  }
  return written;
}

inline Disturbed disturbed_from_json(const std::string& place, const nlohmann::json& json) {
  if (!json.is_object()) JsonReader::refuse(place, "an object");
  Disturbed disturbed;
  for (const auto& [name, item] : json.items()) {
    const std::string at = fmt::format("{}/{}", place, name);
    std::string reason = name;
    std::vector<int> indices;
    if (item.is_string()) {
      reason = reason_of_letter(name);
      const auto marked = from_bitmap(item.get_ref<const std::string&>());
      if (reason.empty() || !marked)
        JsonReader::refuse(at, "base64url digits, of which the last marks a sample");
      indices = *marked;
    } else {
      JsonReader::from_json(at, item, indices);
    }
    if (!disturbed.emplace(reason, std::move(indices)).second)
      JsonReader::refuse(at, "its reason once: a letter says it, too");
  }
  return disturbed;
}

template <class Io, Like<Series> T>
void disturbed_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    if (!value.disturbed.empty()) io.json("disturbed", disturbed_json(value.disturbed));
  } else if (io.has("disturbed")) {
    value.disturbed = disturbed_from_json(io.place("disturbed"), io.json("disturbed"));
  }
}

template <class Io, Like<Series> T>
void fields(Io& io, T& value) {
  io.unless("probe", value.probe, "decode");
  io.optional("model", value.model);
  io.optional("arm", value.arm);
  mode_field(io, value);
  io.unless("placement", value.placement, "none");
  status_field(io, value);
  io.optional("reason", value.reason);
  io.optional("params", value.params);
  io.optional("sizes_bytes", value.sizes_bytes);
  io.optional("work_per_sample", value.work_per_sample);
  io.optional("work_unit", value.work_unit);
  // One key holds either shape: a list per size for a curve, a plain list otherwise.
  if (value.sizes_bytes.empty()) {
    io.optional("samples", value.samples);
  } else {
    io.optional("samples", value.samples_by_size);
  }
  disturbed_field(io, value);
  io("totals", value.totals);
}

}  // namespace harness
