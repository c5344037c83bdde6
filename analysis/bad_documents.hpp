// Documents that no gate may let pass, each made from a good one. For tests only.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace analysis {

/// The time that the good document was made at, and that checks of it take for now.
inline constexpr const char* good_utc = "2026-01-31T12:00:30Z";

/// Returns the text of a document that every gate and rule lets pass.
std::string good_document();

struct BadDocument {
  std::string name;
  std::string text;
  /// What refuses it: pointers of violations, or codes and pointers of findings, joined by "; ".
  std::string expected;
};

/// Returns all of them: hand-made ones, then one per member that is required, one per member that has a
/// bound, and seeded ones with a member that nobody knows.
std::vector<BadDocument> bad_documents();

}  // namespace analysis
