#include "harness/import_rows.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

std::string time_or_reason(std::string_view text) {
  const Reading<std::string> time = import_time(text);
  return available(time) ? std::get<std::string>(time) : std::get<Unavailable>(time).reason;
}

TEST(import_rows, times_with_a_zone_become_utc_and_others_are_unavailable) {
  EXPECT_EQ(time_or_reason("2025-04-24T11:58:50Z"), "2025-04-24T11:58:50Z");
  EXPECT_EQ(time_or_reason("2023-05-21T02:44:49+05:00"), "2023-05-20T21:44:49Z");
  EXPECT_EQ(time_or_reason("2023-12-31T23:44:49.123-0130"), "2024-01-01T01:14:49Z");
  EXPECT_EQ(time_or_reason("2016-08-02 17:44:46"), "the time has no zone");
  EXPECT_EQ(time_or_reason("2015/03/17-18:40:25"), "the time has no zone");
  for (const char* bad :
       {"", "yesterday", "2025-13-01T00:00:00Z", "2025-02-30T00:00:00Z", "2025-01-01T25:00:00Z"})
    EXPECT_EQ(time_or_reason(bad), "no time that can be read") << bad;
}

TEST(import_rows, numbers_are_whole_texts_with_thousands_commas_allowed) {
  EXPECT_EQ(import_number(" 1,217.13 "), 1217.13);
  EXPECT_EQ(import_number("-2e3"), -2000);
  EXPECT_EQ(import_number("1,234,567"), 1234567);
  for (const char* unclear : {"41,26", "1,2345", ",5", "1.234,5", "1,23,456"})
    EXPECT_EQ(import_number(unclear), std::nullopt) << unclear << " is not 100 times as much";
  for (const char* bad : {"", "nan", "inf", "1e999", "12 ms", "1.2.3", "0x10"})
    EXPECT_EQ(import_number(bad), std::nullopt) << bad;
}

TEST(import_rows, labels_are_one_short_clean_line) {
  EXPECT_EQ(import_label("  a \t\n b\x1b[31m\x7f \xff c "), "a b[31m c");
  EXPECT_EQ(import_label("±±±±", 3), "±±±");
  EXPECT_EQ(import_label("ab cd", 3), "ab");
  EXPECT_EQ(import_label("ab cd", 4), "ab c");
}

TEST(import_rows, a_path_keeps_its_last_part_alone) {
  EXPECT_EQ(import_file_name("/home/jane/models/a.gguf"), "a.gguf");
  EXPECT_EQ(import_file_name("C:\\Users\\jane\\a.gguf"), "a.gguf");
  EXPECT_EQ(import_file_name("a.gguf"), "a.gguf");
}

TEST(import_rows, labels_keep_no_folders) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"/home/alice/m.gguf", "m.gguf"},
           {"`/home/alice/my models/m.gguf`", "`m.gguf`"},
           {"~/models/m.gguf", "m.gguf"},
           {"~alice/m.gguf", "m.gguf"},
           {"../alice/m", "m"},
           {"alice/models/m.gguf", "m.gguf"},
           {"C:\\Users\\alice\\m.gguf", "m.gguf"},
           {"D:/alice/m", "m"},
           {"\\\\server\\alice\\m", "m"},
           {"no number: '/home/alice/x'", "no number: 'x'"},
           {"BM_decode//home/alice/secret/model.gguf/threads:1", "BM_decode/model.gguf/threads:1"},
           {"BM_decode/home/alice/model.gguf/8/real_time", "BM_decode/model.gguf/8/real_time"},
           {"BM_decode/path:/home/alice/model", "BM_decode/path:model"},
           {"BM_decode/8/threads:1", "BM_decode/8/threads:1"},
           {"Qwen/Qwen2.5-7B Q4_0", "Qwen/Qwen2.5-7B Q4_0"},
           {"AMD Ryzen 7 w/ Radeon @ 3.8GHz", "AMD Ryzen 7 w/ Radeon @ 3.8GHz"},
           {"tg128 @ d4096 / x", "tg128 @ d4096 / x"},
           {"BM_memcpy<char>/1024", "BM_memcpy<char>/1024"}}) {
    EXPECT_EQ(import_label(text), expected);
  }
}

TEST(import_rows, text_is_decoded_from_what_windows_writes) {
  EXPECT_EQ(import_text("\xEF\xBB\xBF"
                        "a\r\nb\rc",
                        "f"),
            "a\nb\nc");
  const std::string wide(
      "\xFF\xFE"
      "a\0\xB1\0\r\0\n\0"
      "\x3D\xD8\x00\xDE",
      14);
  EXPECT_EQ(import_text(wide, "f"), "a±\n\xF0\x9F\x98\x80");
  const std::string big(
      "\xFE\xFF"
      "\0a",
      4);
  EXPECT_EQ(import_text(big, "f"), "a");
}

TEST(import_rows, bytes_that_are_no_text_are_refused_with_line_and_byte) {
  try {
    import_text("ok\nn\xB1", "result.md");
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "result.md: line 2, byte 5: is not UTF-8; save the file as UTF-8 text, unpacked");
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
  }
  EXPECT_THROW(import_text(std::string(max_import_bytes + 1, 'a'), "f"), Error);
}

TEST(import_rows, lines_are_counted_once_however_many_are_asked_for) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "{\"a\":1}\n";
  LineCounter lines(text);
  for (size_t at = 0; at < text.size(); at += 8)
    EXPECT_EQ(lines.line_of(at), static_cast<int64_t>(at / 8) + 1);
  EXPECT_EQ(lines.line_of(9), 2) << "back again";
  EXPECT_EQ(lines.line_of(text.size() - 1), 20'000);
}

}  // namespace
}  // namespace harness
