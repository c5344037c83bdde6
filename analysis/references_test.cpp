#include <gtest/gtest.h>

#include "analysis/cpu_catalogue.hpp"

namespace analysis {
namespace {

TEST(references, are_found_in_a_text_by_their_whole_key_and_once) {
  EXPECT_EQ(references_in("taken from kerncraft_zen2 (vendor), as kerncraft_zen2 says"),
            (std::vector<std::string>{"kerncraft_zen2", "vendor"}));
  EXPECT_TRUE(references_in("vendors and my_vendor and kerncraft_zen22").empty());
  EXPECT_TRUE(references_in("").empty());
}

TEST(references, tell_where_they_can_be_read) {
  EXPECT_EQ(references().at("kerncraft_zen2").where, "https://github.com/RRZE-HPC/kerncraft");
  for (const auto& [key, reference] : references()) EXPECT_FALSE(reference.title.empty()) << key;
}

}  // namespace
}  // namespace analysis
