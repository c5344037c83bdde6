// In which order commits stand, as far as documents tell. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/store_history.hpp"

namespace analysis {

inline constexpr size_t shown_commit_digits = 8;  ///< of a hash, as git shows them

/// Returns what a sitting's executable was built from: the first digits of its commit, "+" after them when it
/// had changes. Of an unknown commit version and day stand for it.
std::string commit_of(const harness::Sitting& sitting);

/// Returns the time at which every commit was first seen in the whole history.
std::map<std::string, std::string> first_seen_utc(const harness::SpeedHistory& history);

/// Returns the rank of every commit, ascending: as `listed` (oldest first; others have none), or, when that
/// is empty, by version, then by when it was first seen in the whole history.
std::map<std::string, int64_t> commit_ranks(const harness::SpeedHistory& history,
                                            const std::vector<std::string>& listed);

/// Whether a text is "2026-01-02" or "2026-01-02T03:04:05Z", of a day and a time that exist.
bool is_time(const std::string& text);

/// Compares versions number by number: "0.9.1" is before "0.10".
bool earlier_version(const std::string& a, const std::string& b);

}  // namespace analysis
