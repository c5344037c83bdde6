#include "harness/cli/decode_memory.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace cli {
namespace {

TEST(decode_memory, counts_the_weights_twice_because_packing_needs_both) {
  const models::Shape& shape = models::find_shape("coreflow_x1048576kib");
  EXPECT_GT(decode_bytes(shape), 2 * models::cost(shape).weight_bytes_per_token);
  EXPECT_LT(decode_bytes(shape), 2.2 * static_cast<double>(models::cost(shape).weight_bytes_per_token));
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
    EXPECT_NE(std::string(error.what()).find("coreflow_x262144kib takes 5"), std::string::npos)
        << error.what();
  }
}

TEST(decode_memory, there_is_some) {
  EXPECT_GT(available_memory_bytes(), 0);
}

}  // namespace
}  // namespace cli
