#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/error.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

TEST(Registry, lists_each_probe_once_with_a_summary_and_a_function) {
  std::set<std::string> ids;
  for (const Probe& probe : probes()) {
    EXPECT_TRUE(ids.insert(probe.id).second) << probe.id;
    EXPECT_NE(std::string(probe.summary), "");
    EXPECT_NE(probe.run, nullptr);
    EXPECT_EQ(&find_probe(probe.id), &probe);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"barrier", "chunked_stream", "core_clock", "dram_stream", "eviction",
                                        "interference", "kernel_rates", "load_bandwidth", "load_latency",
                                        "residency", "retention"}));
}

TEST(Registry, an_unknown_probe_is_a_usage_error_that_names_the_nearest) {
  try {
    find_probe("load_latencey");
    FAIL() << "nothing was thrown";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("load_latencey"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("did you mean 'load_latency'"), std::string::npos);
  }
}

}  // namespace
}  // namespace probes
