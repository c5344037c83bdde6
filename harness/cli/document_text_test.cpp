#include "harness/cli/document_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cli {
namespace {

TEST(document_text, of_strings_of_others_drives_no_terminal) {
  const nlohmann::json document = {{"a", {"ok", "red \x1b[31m"}}, {"b", {{"c", "two\nlines"}, {"n", 1.5}}}};
  const nlohmann::json expected = {{"a", {"ok", "red ?[31m"}}, {"b", {{"c", "two?lines"}, {"n", 1.5}}}};
  EXPECT_EQ(without_controls(document), expected);
}

TEST(document_text, of_a_failure_without_a_run_says_that_nothing_was_measured) {
  harness::StoredContent content;
  content.submission.kind = "failure";
  content.submission.failure = harness::Failure{"it builds", "", "it did not", "build", "", 2, {"pmu: none"}};
  Terminal terminal;
  EXPECT_EQ(document_text(terminal, content),
            "claimed       it builds\nobserved      it did not\nstage         build, exit code 2\n"
            "doctor        pmu: none\n\nnothing was measured\n");
}

TEST(document_text, of_an_import_tells_the_lines_that_no_row_holds) {
  harness::StoredContent content;
  content.import.emplace();
  content.import->imported.level = "D";
  Terminal terminal;
  EXPECT_EQ(document_text(terminal, content).find("stand in no row"), std::string::npos);
  content.import->imported.skipped_lines = 3;
  EXPECT_NE(document_text(terminal, content).find("3 lines of the file stand in no row"), std::string::npos);
}

}  // namespace
}  // namespace cli
