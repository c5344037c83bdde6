// Every gate and rule on documents that each have one fault: it is found where it is, and nothing else.
#include "analysis/bad_documents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/plausibility.hpp"
#include "harness/error.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

void append(std::string& text, const std::string& part) {
  text += (text.empty() ? "" : "; ") + part;
}

/// What the gates say of a text: pointers, or codes with pointers; of a code that follows another, itself.
std::string verdict(const std::string& text) {
  std::string found;
  const auto violations = harness::validate_document(text);
  for (const harness::Violation& violation : violations) append(found, violation.pointer);
  if (!violations.empty()) return violations.size() == 1 && found.empty() ? "(whole document)" : found;
  try {
    for (const Finding& finding :
         check_plausibility(harness::submission_from_json(text), nullptr, good_utc)) {
      append(found, finding.code + " " + finding.pointer);
    }
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
    const std::string what = error.what();
    return what.substr(0, what.find(':'));
  }
  return found;
}

/// Whether a verdict holds all that is expected, in any order, and no rule that is not: "R02" alone stands
/// for any number of its findings.
bool agrees(const std::string& verdict, const std::string& expected) {
  if (expected.empty()) return verdict == "(whole document)";
  std::string rest = "; " + verdict + ";";
  for (size_t at = 0; at <= expected.size();) {
    const size_t end = std::min(expected.find("; ", at), expected.size());
    const std::string part = expected.substr(at, end - at);
    const bool any = part.size() == 3;
    bool seen = false;
    for (size_t place; (place = rest.find("; " + part + (any ? " " : ";"))) != std::string::npos; seen = true)
      rest.erase(place, rest.find(';', place + 2) - place);
    if (!seen) return false;
    at = end + 2;
  }
  return rest == ";";
}

TEST(bad_documents, the_document_that_they_are_made_from_is_good) {
  EXPECT_EQ(verdict(good_document()), "");
}

TEST(bad_documents, each_is_refused_or_quarantined_for_its_one_fault) {
  const auto all = bad_documents();
  EXPECT_GE(all.size(), 120u);
  for (const BadDocument& each : all) {
    const std::string found = verdict(each.text);
    EXPECT_TRUE(agrees(found, each.expected))
        << each.name << ": found " << found.substr(0, 300) << " … "
        << found.substr(found.size() - std::min<size_t>(found.size(), 200)) << ", expected " << each.expected;
  }
}

/// The corpus as files, for the independent validator (schemas/oracle_test.py).
TEST(bad_documents, are_written_where_the_environment_says) {
  const char* folder = std::getenv("TOKROOF_BAD_DOCUMENTS");
  if (folder == nullptr) GTEST_SKIP() << "TOKROOF_BAD_DOCUMENTS names no folder";
  std::filesystem::create_directories(folder);
  for (const BadDocument& each : bad_documents())
    std::ofstream(std::string(folder) + "/" + each.name + ".json", std::ios::binary) << each.text;
}

}  // namespace
}  // namespace analysis
