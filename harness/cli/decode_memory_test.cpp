#include "harness/cli/decode_memory.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace cli {
namespace {

TEST(decode_memory, counts_all_weights_once_because_they_are_packed_one_by_one) {
  for (const char* name : {"coreflow_x1048576kib", "moe_ternary_402m"}) {
    const models::Cost cost = models::cost(models::find_shape(name));
    EXPECT_GT(decode_bytes(models::find_shape(name)), cost.weight_bytes + cost.kv_bytes) << name;
    EXPECT_LT(decode_bytes(models::find_shape(name)), 1.3 * static_cast<double>(cost.weight_bytes)) << name;
  }
}

TEST(decode_memory, a_model_that_does_not_fit_is_refused_with_both_figures) {
  const models::Shape& shape = models::find_shape("coreflow_x262144kib");
  EXPECT_NO_THROW(check_decode_memory(shape, decode_bytes(shape)));
  try {
    check_decode_memory(shape, 256 << 20);
    ADD_FAILURE() << "accepted";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("256 MiB are available"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("coreflow_x262144kib takes 2"), std::string::npos)
        << error.what();
  }
}

TEST(decode_memory, there_is_some) {
  EXPECT_GT(available_memory_bytes(), 0);
}

}  // namespace
}  // namespace cli
