#include "probes/variant.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace probes {
namespace {

std::vector<Variant> listed() {
  std::vector<Variant> variants(3);
  variants[1].pages = "small";
  variants[2].pages = "small";
  variants[2].window_bytes = 65536;
  return variants;
}

TEST(Variant, nothing_chosen_leaves_the_list_as_it_is) {
  EXPECT_EQ(chosen_variants("p", "", listed(), {}), listed());
}

TEST(Variant, a_chosen_field_is_set_in_all_and_what_becomes_equal_stays_once) {
  VariantChoice choice;
  choice.pages = "huge";
  const auto chosen = chosen_variants("p", "pages window", listed(), choice);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].pages, "huge");
  EXPECT_EQ(chosen[0].window_bytes, 0);
  EXPECT_EQ(chosen[1].window_bytes, 65536);
  choice.window_bytes = 4096;
  ASSERT_EQ(chosen_variants("p", "pages window", listed(), choice).size(), 1U);
}

TEST(Variant, each_field_that_the_probe_does_not_know_is_refused_by_name) {
  const auto refused = [](const VariantChoice& choice, const std::string& name) {
    const std::string all = " operation pages window pool threads ";
    std::string without = all;
    without.erase(without.find(" " + name + " "), name.size() + 1);
    EXPECT_NO_THROW(chosen_variants("p", all, listed(), choice)) << name;
    try {
      chosen_variants("p", without, listed(), choice);
      ADD_FAILURE() << name;
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("--" + name), std::string::npos) << error.what();
    }
  };
  refused({"store", {}, {}, {}, {}}, "operation");
  refused({{}, "huge", {}, {}, {}}, "pages");
  refused({{}, {}, 64, {}, {}}, "window");
  refused({{}, {}, {}, 64, {}}, "pool");
  refused({{}, {}, {}, {}, 2}, "threads");
}

}  // namespace
}  // namespace probes
