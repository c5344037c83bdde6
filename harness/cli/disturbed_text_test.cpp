#include "harness/cli/disturbed_text.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

harness::Series curve(const std::string& probe, size_t sizes, harness::Disturbed disturbed) {
  harness::Series series;
  series.probe = probe;
  series.samples_by_size.assign(sizes, {1, 2, 3, 4, 5});
  series.disturbed = std::move(disturbed);
  return series;
}

harness::Series blocks(const std::string& arm, size_t samples, harness::Disturbed disturbed) {
  harness::Series series;
  series.arm = arm;
  series.samples.assign(samples, 7);
  series.disturbed = std::move(disturbed);
  return series;
}

TEST(disturbed_text, counts_a_sample_with_two_reasons_once) {
  DisturbedCount count;
  count_disturbed(curve("x", 40, {{"steal", {3}}, {"involuntary_switch", {3, 9}}, {"cpu_wall", {11}}}),
                  count);
  EXPECT_EQ(to_sentence(count), "3 of 200 samples disturbed: 2 involuntary_switch, 1 cpu_wall, 1 steal");
}

TEST(disturbed_text, says_so_when_there_were_none) {
  DisturbedCount count;
  count_disturbed(curve("x", 400, {}), count);
  EXPECT_EQ(to_sentence(count), "none of 2,000 samples disturbed");
}

TEST(disturbed_text, series_that_are_not_ok_have_no_samples_to_disturb) {
  harness::Series failed = curve("x", 3, {{"steal", {1}}});
  failed.status = harness::Status::failed;
  DisturbedCount count;
  count_disturbed(failed, count);
  EXPECT_EQ(to_sentence(count), "none of 0 samples disturbed");
}

TEST(disturbed_text, tells_probes_and_every_arm_apart_over_all_launches) {
  harness::Launch probes, first, second;
  probes.series = {curve("a", 2, {{"steal", {0}}}), curve("b", 2, {})};
  first.series = {blocks("warm", 10, {}), blocks("aa", 10, {{"minor_fault", {0, 1}}})};
  second.series = {blocks("warm", 10, {{"steal", {9}}}), blocks("aa", 10, {})};
  EXPECT_EQ(disturbed_text({probes, first, second}),
            "probes: 1 of 20 samples disturbed: 1 steal\n"
            "warm: 1 of 20 samples disturbed: 1 steal\n"
            "aa: 2 of 20 samples disturbed: 2 minor_fault\n");
  EXPECT_EQ(disturbed_text({}), "");
}

}  // namespace
}  // namespace cli
