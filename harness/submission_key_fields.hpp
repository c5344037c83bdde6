// Intervals and decode keys as they stand beside figures. Part of submission_json.cpp, which alone includes
// it.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

template <class Io, Like<Interval> T>
void fields(Io& io, T& value) {
  io("median", value.median);
  io("low", value.low);
  io("high", value.high);
}

/// An interval whose middle has another name: an estimate of a size, the point of a forecast.
enum class Centre { estimate, point };
template <Centre centre>
struct Centred {
  Interval interval;
};
template <class Io, Centre centre>
void centred_fields(Io& io, Like<Interval> auto& value) {
  io(centre == Centre::estimate ? "estimate" : "point", value.median);
  io("low", value.low);
  io("high", value.high);
}
template <class Io, Like<Centred<Centre::estimate>> T>
void fields(Io& io, T& value) {
  centred_fields<Io, Centre::estimate>(io, value.interval);
}
template <class Io, Like<Centred<Centre::point>> T>
void fields(Io& io, T& value) {
  centred_fields<Io, Centre::point>(io, value.interval);
}
template <Centre centre, class Io, Like<Reading<Interval>> T>
void centred(Io& io, const char* key, T& reading) {
  if constexpr (Io::writing) {
    if (const auto* interval = std::get_if<Interval>(&reading)) {
      io(key, Centred<centre>{*interval});
    } else {
      io(key, std::get<Unavailable>(reading));
    }
  } else {
    Reading<Centred<centre>> read;
    io(key, read);
    if (available(read)) {
      reading = std::get<Centred<centre>>(read).interval;
    } else {
      reading = std::get<Unavailable>(read);
    }
  }
}

/// A decode key is no object of its own: its selectors stand beside the figures that they select. What has
/// its usual value is left out.
template <class Io, Like<DecodeKey> T>
void fields(Io& io, T& value) {
  io("model", value.model);
  io("mode", value.mode);
  io.unless("placement", value.placement, "none");
  io("isa", value.isa);
  io.unless("arithmetic", value.arithmetic, "int8");
  io.unless("weights", value.weights, "synthetic");
  io.unless("routing", value.routing, "none");
  io.unless("threads", value.threads, 1);
  io("page_bytes", value.page_bytes);
  io.unless("core_kind", value.core_kind, "uniform");
  io("position_first", value.position_first);
  io("position_last", value.position_last);
}

/// Every selector, also where it has its usual value.
template <class Io, Like<DecodeKey> T>
void whole_key_fields(Io& io, T& value) {
  io("model", value.model);
  io("mode", value.mode);
  io("placement", value.placement);
  io("isa", value.isa);
  io("arithmetic", value.arithmetic);
  io("weights", value.weights);
  io("routing", value.routing);
  io("threads", value.threads);
  io("page_bytes", value.page_bytes);
  io("core_kind", value.core_kind);
  io("position_first", value.position_first);
  io("position_last", value.position_last);
}

/// Stands for a selector that is left out: it is then that of the member before.
inline constexpr int64_t no_page_bytes = 0;
inline constexpr int no_position = -1;

/// The same where model, ISA, pages and positions may be left out, too, that the member before has
/// (without_repeated_selectors, repeat_selectors).
template <class Io, Like<DecodeKey> T>
void shortened_key_fields(Io& io, T& value) {
  io.optional("model", value.model);
  io("mode", value.mode);
  io.unless("placement", value.placement, "none");
  io.optional("isa", value.isa);
  io.unless("arithmetic", value.arithmetic, "int8");
  io.unless("weights", value.weights, "synthetic");
  io.unless("routing", value.routing, "none");
  io.unless("threads", value.threads, 1);
  io.unless_zero("page_bytes", value.page_bytes);
  io.unless("core_kind", value.core_kind, "uniform");
  io.unless("position_first", value.position_first, no_position);
  io.unless("position_last", value.position_last, no_position);
}

/// A key that is left out whole, its mode empty, is that of the member before.
template <class Io, Like<DecodeKey> T>
void shared_key_fields(Io& io, T& value) {
  bool own = !value.mode.empty();
  if constexpr (!Io::writing) own = io.has("mode");
  if (own) return shortened_key_fields(io, value);
  if constexpr (!Io::writing) {
    for (const char* selector : {"model", "placement", "isa", "arithmetic", "weights", "routing", "threads",
                                 "page_bytes", "core_kind", "position_first", "position_last"}) {
      if (io.has(selector)) Io::refuse(io.place("mode"), "a value beside the other selectors");
    }
  }
}

/// Returns the list without the selectors that the member before has, too.
template <class Keyed>
std::vector<Keyed> without_repeated_selectors(std::vector<Keyed> list) {
  for (size_t i = list.size(); i-- > 1;) {
    DecodeKey& key = list[i].key;
    const DecodeKey& before = list[i - 1].key;
    if (key.model == before.model) key.model.clear();
    if (key.isa == before.isa) key.isa.clear();
    if (key.page_bytes == before.page_bytes) key.page_bytes = no_page_bytes;
    if (key.position_first == before.position_first) key.position_first = no_position;
    if (key.position_last == before.position_last) key.position_last = no_position;
  }
  return list;
}
/// The same; a key that is wholly that of the member before is left out whole.
template <class Keyed>
std::vector<Keyed> without_repeated_keys(const std::vector<Keyed>& list) {
  std::vector<Keyed> shortened = without_repeated_selectors(list);
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i].key == list[i - 1].key) shortened[i].key = {};
  }
  return shortened;
}

/// Refuses the key of a list's first member when it leaves out what only later ones can.
inline void refuse_shortened(const DecodeKey& key, const std::string& place) {
  const auto need = [&](bool there, const char* name) {
    if (!there) JsonReader::refuse(place + name, "a value: later members may leave out what is the same");
  };
  need(!key.model.empty(), "model");
  need(!key.mode.empty(), "mode");
  need(!key.isa.empty(), "isa");
  need(key.page_bytes != no_page_bytes, "page_bytes");
  need(key.position_first != no_position, "position_first");
  need(key.position_last != no_position, "position_last");
}

/// Gives every member of a list that was read what it left out; refuses a first one that leaves something
/// out.
template <class Keyed>
void repeat_selectors(std::vector<Keyed>& list, const std::string& place) {
  for (size_t i = 0; i < list.size(); ++i) {
    DecodeKey& key = list[i].key;
    if (i == 0) {
      refuse_shortened(key, place + "/0/");
      continue;
    }
    const DecodeKey& before = list[i - 1].key;
    if (key.mode.empty()) {
      key = before;
      continue;
    }
    if (key.model.empty()) key.model = before.model;
    if (key.isa.empty()) key.isa = before.isa;
    if (key.page_bytes == no_page_bytes) key.page_bytes = before.page_bytes;
    if (key.position_first == no_position) key.position_first = before.position_first;
    if (key.position_last == no_position) key.position_last = before.position_last;
  }
}

}  // namespace harness
