#include "harness/issue_body.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

std::string example(const std::string& name = "reproduction") {
  const std::ifstream file("schemas/examples/valid/" + name + ".json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return canonical_json(text.str());
}

/// A JSON text of some more characters than asked for: whether it is a document is the next gate's question.
std::string long_document(size_t characters) {
  std::string text = "{\"long\":[";
  while (text.size() < characters) text += R"("a & b < c > d ± \"e\"",)";
  return canonical_json(text + "0]}");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string quoted(const std::string& text, const std::string& mark) {
  return mark + replaced(text, "\n", "\n" + mark);
}

std::string escaped(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&quot;");
}

std::string content_hash(const std::string& body) {
  return sha256_hex(canonical_json(document_of_issue(body, "f")));
}

std::string message(const std::string& body) {
  try {
    document_of_issue(body, "issue.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    return error.what();
  }
  return "";
}

TEST(IssueBody, carries_a_signature_and_gives_both_back) {
  const IssueSignature signature{"RWkey", "untrusted comment: x\nA==\ntrusted comment: \"y\" & z\nB==\n"};
  for (const bool compact : {false, true}) {
    const std::string body = to_issue_body(example(), compact, signature);
    for (const std::string& text : {body, escaped(quoted(body, "> "))}) {
      const IssueDocument found = read_issue_body(text, "f");
      EXPECT_EQ(found.text, example());
      ASSERT_TRUE(found.signature);
      EXPECT_EQ(*found.signature, signature);
    }
    EXPECT_FALSE(read_issue_body(to_issue_body(example(), compact), "f").signature);
  }
}

TEST(issue_body, comes_back_with_the_same_content_hash_however_it_was_mangled) {
  for (const std::string& text : {example(), example("import"), example("failure"), long_document(59'000)}) {
    for (const bool compact : {false, true}) {
      const std::string hash = sha256_hex(text), body = to_issue_body(text, compact);
      EXPECT_EQ(content_hash(body), hash);
      EXPECT_EQ(content_hash(replaced(body, "\n", "\r\n")), hash) << "CRLF";
      EXPECT_EQ(content_hash(escaped(body)), hash) << "HTML";
      EXPECT_EQ(content_hash(quoted(body, "> ")), hash) << "quoted reply";
      EXPECT_EQ(content_hash(quoted(quoted(body, "> "), ">")), hash) << "quoted twice";
      EXPECT_EQ(content_hash(escaped(quoted(body, "> "))), hash) << "quoted, then escaped";
      EXPECT_EQ(content_hash("On Monday somebody wrote:\n" + body + "\n-- \nJane <jane@example.org>\n"),
                hash);
      EXPECT_EQ(content_hash(replaced(body, "```\n", "```   \n")), hash) << "trailing blanks";
    }
  }
}

TEST(issue_body, of_a_long_document_fits_when_it_is_compact) {
  const std::string text = long_document(400'000);
  EXPECT_THROW(to_issue_body(text, false), Error);
  const std::string body = to_issue_body(text, true);
  EXPECT_LT(body.size(), max_plain_body_characters);
  EXPECT_EQ(content_hash(body), sha256_hex(text));
}

TEST(issue_body, holds_exactly_one_fenced_block) {
  EXPECT_TRUE(message("no block").starts_with("issue.txt: 0 fenced blocks"));
  EXPECT_TRUE(message("```\n{}\n```\n```\n{}\n```\n").starts_with("issue.txt: 2 fenced blocks"));
  EXPECT_NE(message("```json\n{}\n").find("does not end"), std::string::npos);
  EXPECT_NE(message("```\n\n```\n").find("is empty"), std::string::npos);
  EXPECT_EQ(document_of_issue("~~~~\n```\n{\"a\": 1}\n```\n~~~~\n", "f"), "```\n{\"a\": 1}\n```");
}

TEST(issue_body, entities_inside_an_unescaped_document_are_its_own) {
  EXPECT_EQ(document_of_issue("```\n{\"a\": \"&amp;\"}\n```\n", "f"), R"({"a": "&amp;"})");
}

TEST(issue_body, a_packed_block_that_was_damaged_is_refused) {
  const std::string body = to_issue_body(example(), true);
  EXPECT_NE(message(replaced(body, "base64\n", "base64\n!")).find("not base64"), std::string::npos);
  std::string cut = body;
  cut.erase(body.size() - 200, 153);  // two whole lines
  EXPECT_NE(message(cut), "");
  EXPECT_NE(message("```\ntokroof-zstd-base64\nAAAA\n```\n").find("does not unpack"), std::string::npos);
}

TEST(issue_body, a_small_block_that_unpacks_to_more_than_a_document_is_refused) {
  const std::string body = to_issue_body(std::string(max_document_bytes + 1, 'a'), true);
  ASSERT_LT(body.size(), 2000U);
  EXPECT_NE(message(body).find("at most 1 MiB"), std::string::npos);
}

TEST(issue_body, every_prefix_is_read_or_refused) {
  const std::string body = escaped(quoted(to_issue_body(example("failure"), false), "> "));
  for (size_t length = 0; length + 20 < body.size(); length += 11)
    EXPECT_NE(message(body.substr(0, length)), "") << length;
}

TEST(issue_body, the_address_is_short_and_carries_no_data) {
  EXPECT_EQ(
      new_issue_address("o/r", "probe", std::string(64, 'a')),
      "https://github.com/o/r/issues/new?template=reproduction.yml&labels=submission%2Creproduction&title="
      "probe%20aaaaaaaaaaaa");
  EXPECT_EQ(
      new_issue_address("o/r", "failure", std::string(64, 'a')),
      "https://github.com/o/r/issues/new?template=failure.yml&labels=submission%2Cfailure&title=failure%"
      "20aaaaaaaaaaaa");
  EXPECT_LE(new_issue_address(std::string(201, 'r'), "reproduction", std::string(64, 'a')).size(), 8191U);
}

}  // namespace
}  // namespace harness
