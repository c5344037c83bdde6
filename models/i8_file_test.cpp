#include "models/i8_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "harness/error.hpp"
#include "models/i8_layout.hpp"

namespace models {
namespace {

std::vector<std::byte> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

/// A good file with odd dimensions (d 72, ff 90, 4 heads, vocabulary 1003), to be spoilt in one place.
class I8File : public testing::Test {
 protected:
  template <class T>
  void put(uint64_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T get(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] static uint64_t entry(uint32_t section) {
    return i8_header_bytes + section * i8_section_bytes;
  }
  [[nodiscard]] uint64_t data_of(uint32_t section) const { return get<uint64_t>(entry(section) + 16); }
  [[nodiscard]] uint64_t scales_of(uint32_t section) const { return get<uint64_t>(entry(section) + 24); }

  void refused(const std::string& because) const {
    try {
      parse_i8(bytes, "FILE");
      FAIL() << "accepted; expected: " << because;
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
      EXPECT_NE(std::string(error.what()).find(because), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).rfind("FILE: ", 0), 0u) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }

  std::vector<std::byte> bytes = read_all("models/testdata/odd_stress.i8");
};

TEST_F(I8File, gives_the_shape_of_its_header) {
  const I8Model model = parse_i8(bytes, "FILE");
  EXPECT_EQ(model.shape.name, "i8_file");
  EXPECT_EQ(model.shape.vocab, 1003);
  EXPECT_EQ(model.shape.d, 72);
  EXPECT_EQ(model.shape.ff, 90);
  EXPECT_EQ(model.shape.head_dim, 18);
  EXPECT_EQ(model.shape.context, 256);
  EXPECT_EQ(model.shape.blocks.size(), 4u);
  EXPECT_EQ(model.weights.embedding.codes.size(), 1003u * 72u);
}

TEST_F(I8File, of_the_published_dimensions_is_known_by_name) {
  const I8Model model = read_i8_file("models/testdata/p3_stress.i8");
  EXPECT_EQ(model.shape, find_shape("coreflow_1_9m"));
  EXPECT_EQ(cost(model.shape).file_bytes, 1'965'250);
}

TEST_F(I8File, that_ends_early_is_refused_wherever_it_ends) {
  const std::vector<std::byte> whole = bytes;
  for (size_t length = 0; length < whole.size(); length += length < 2000 ? 1 : 997) {
    bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(parse_i8(bytes, "FILE"), harness::Error) << length;
  }
}

TEST_F(I8File, with_bytes_behind_the_last_section_is_refused) {
  bytes.push_back(std::byte{0});
  refused("1 bytes follow the last section");
}

TEST_F(I8File, of_another_format_or_version_is_refused) {
  put<uint32_t>(4, 2);
  refused("version 2, expected 1");
  put<uint32_t>(0, 0x46554747);
  refused("no .i8 file");
}

TEST_F(I8File, with_impossible_dimensions_is_refused) {
  struct Case {
    uint64_t offset;
    uint32_t value;
    const char* because;
  };
  const std::vector<std::byte> good = bytes;
  for (const Case& wrong : {Case{8, 0, "vocab"},
                            Case{8, 0xFFFFFFFF, "vocab"},
                            Case{12, 0, "field d"},
                            Case{12, 1u << 31, "field d"},
                            Case{16, 0, "dff"},
                            Case{16, 0xFFFFFFFF, "dff"},
                            Case{20, 3, "3 convolution and 2 attention blocks"},
                            Case{28, 0, "heads"},
                            Case{28, 5, "does not divide into 5 heads"},
                            Case{28, 8, "9 wide"},
                            Case{32, 0, "kv_heads"},
                            Case{32, 3, "4 heads do not divide into 3 groups"},
                            Case{36, 0, "ctx"},
                            Case{36, 0xFFFFFFFF, "ctx"},
                            Case{40, 0, "nblocks"},
                            Case{40, 0xFFFFFFFF, "nblocks"},
                            Case{44, 0, "nsections"},
                            Case{44, 0x7FFFFFFF, "nsections"},
                            Case{48, 3, "taps"},
                            Case{52, 0x7FC00000, "softcap"},
                            Case{56, 0, "section table"},
                            Case{56, 0xFFFFFFF0, "section table"},
                            Case{60, 7, "section table"}}) {
    bytes = good;
    put(wrong.offset, wrong.value);
    refused(wrong.because);
  }
}

TEST_F(I8File, with_too_few_or_too_many_sections_is_refused) {
  const auto sections = get<uint32_t>(44);
  put<uint32_t>(44, sections - 1);
  put<uint32_t>(60, (sections - 1) * 32);
  refused("");
  put<uint32_t>(44, sections + 1);
  put<uint32_t>(60, (sections + 1) * 32);
  refused("");
}

TEST_F(I8File, with_sections_in_the_wrong_order_is_refused) {
  const auto first = get<I8Section>(entry(1)), second = get<I8Section>(entry(2));
  put(entry(1), second);
  put(entry(2), first);
  refused("section 1 (norm1): has tag 2, expected 1");
}

TEST_F(I8File, with_a_section_of_another_kind_or_shape_is_refused) {
  const std::vector<std::byte> good = bytes;
  put<uint32_t>(entry(0), 1);
  refused("section 0 (embedding): is of kind 1, expected 0");
  bytes = good;
  put<uint32_t>(entry(0) + 4, 1002);
  refused("section 0 (embedding): is 1002 x 72, expected 1003 x 72");
  bytes = good;
  put<uint32_t>(entry(3) + 8, 4);
  refused("section 3 (depthwise): is 72 x 4, expected 72 x 1");
}

TEST_F(I8File, with_offsets_outside_the_payload_is_refused) {
  const std::vector<std::byte> good = bytes;
  for (const uint64_t offset :
       {uint64_t{0}, uint64_t{70}, uint64_t{bytes.size()}, uint64_t{1} << 40,
        std::numeric_limits<uint64_t>::max(), std::numeric_limits<uint64_t>::max() - 100}) {
    bytes = good;
    put(entry(0) + 16, offset);
    refused("section 0 (embedding): its codes take");
    bytes = good;
    put(entry(0) + 24, offset);
    refused("section 0 (embedding): its scales take");
  }
}

TEST_F(I8File, with_overlapping_sections_is_refused) {
  put(entry(2) + 16, data_of(1));  // the second norm reads the first one's bytes
  refused("sections overlap");
}

TEST_F(I8File, with_a_code_of_minus_128_is_refused) {
  put<int8_t>(data_of(0) + 5, -128);
  refused("section 0 (embedding): code 5 is -128");
}

TEST_F(I8File, with_scales_that_are_no_scales_is_refused) {
  for (const float scale :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -0.5F}) {
    put(scales_of(0) + 4 * 7, scale);
    refused("section 0 (embedding): the scale of row 7 is");
  }
}

TEST_F(I8File, with_norms_that_are_no_numbers_is_refused) {
  put(data_of(1) + 4 * 3, std::numeric_limits<float>::quiet_NaN());
  refused("section 1 (norm1): value 3 is nan");
}

TEST_F(I8File, that_is_a_named_pipe_is_refused_and_not_waited_for) {
  const std::string pipe = testing::TempDir() + "weights_pipe.i8";
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(read_i8_file(pipe), harness::Error);
  ::unlink(pipe.c_str());
}

TEST_F(I8File, that_does_not_exist_is_refused_with_its_name) {
  try {
    read_i8_file("no/such/file.i8");
    FAIL();
  } catch (const harness::Error& error) {
    EXPECT_STREQ(error.what(), "no/such/file.i8: cannot be read (No such file or directory)");
  }
}

}  // namespace
}  // namespace models
