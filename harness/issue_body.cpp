#include "harness/issue_body.hpp"

#include <fmt/format.h>
#include <sodium.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "harness/error.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

constexpr std::string_view compact_mark = "tokroof-zstd-base64";
constexpr std::string_view signature_mark = "tokroof-minisig-base64";
constexpr size_t max_signature_bytes = 4096;
constexpr size_t github_characters = 65'536;
constexpr size_t max_body_bytes = size_t{4} << 20;  // a document of 1 MiB, escaped

std::string compressed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const size_t bytes = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 19);
  if (ZSTD_isError(bytes) != 0) throw Error(ExitCode::internal, ZSTD_getErrorName(bytes));
  packed.resize(bytes);
  return packed;
}

std::string base64_lines(const std::string& bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the NUL
  std::string lines;
  for (size_t at = 0; at < text.size(); at += 76) lines += text.substr(at, 76) + "\n";
  return lines;
}

Error refusal(const std::string& name, const std::string& what) {
  return {ExitCode::invalid_input, name + ": " + what};
}

std::string unpacked(const std::string& text, const std::string& name) {
  std::string packed(text.size(), '\0');
  size_t bytes = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(packed.data()), packed.size(), text.data(),
                        text.size(), " \n\t", &bytes, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    throw refusal(name, "the packed block is not base64; paste the output of tokroof submit again, whole");
  // No more than a document may have: a small block must not unpack to gigabytes.
  std::string document(max_document_bytes, '\0');
  const size_t length = ZSTD_decompress(document.data(), document.size(), packed.data(), bytes);
  if (ZSTD_isError(length) != 0)
    throw refusal(
        name, fmt::format("the packed block does not unpack to a document of at most 1 MiB ({}); paste the "
                          "output of tokroof submit again, whole",
                          ZSTD_getErrorName(length)));
  document.resize(length);
  return document;
}

/// Undoes what a form or a mail did to quotes and brackets.
std::string unescaped(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, char>, 10> entities{{{"&quot;", '"'},
                                                                               {"&#34;", '"'},
                                                                               {"&#x22;", '"'},
                                                                               {"&#39;", '\''},
                                                                               {"&#x27;", '\''},
                                                                               {"&apos;", '\''},
                                                                               {"&lt;", '<'},
                                                                               {"&gt;", '>'},
                                                                               {"&#43;", '+'},
                                                                               {"&amp;", '&'}}};
  std::string plain;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const auto entity = std::find_if(entities.begin(), entities.end(),
                                     [&](const auto& one) { return rest.starts_with(one.first); });
    plain += entity == entities.end() ? text[i] : entity->second;
    i += entity == entities.end() ? 1 : entity->first.size();
  }
  return plain;
}

/// Drops the marks of a quoted reply: "> ", "> > ", "&gt; ".
std::string_view unquoted(std::string_view line) {
  for (;;) {
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    if (line.starts_with("&gt;")) {
      line.remove_prefix(4);
    } else if (line.starts_with('>')) {
      line.remove_prefix(1);
    } else {
      return line;
    }
  }
}

/// Returns how many backticks or tildes open a fence in a line, 0 for none.
size_t fence_length(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
  const size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  return length >= 3 ? length : 0;
}

/// Returns the contents of the fenced blocks of a body.
std::vector<std::string> fenced_blocks(const std::string& body, const std::string& name) {
  std::vector<std::string> blocks;
  size_t open = 0;
  char with = ' ';
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find('\n', at), body.size());
    std::string_view line = unquoted(std::string_view(body).substr(at, end - at));
    at = end + 1;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    const size_t fence = fence_length(line);
    if (open == 0 && fence > 0) {
      open = fence;
      with = line[0];
      blocks.emplace_back();
    } else if (open > 0 && fence >= open && line.size() == fence && line[0] == with) {
      open = 0;
    } else if (open > 0) {
      blocks.back().append(line).append("\n");
    }
  }
  if (open > 0)
    throw refusal(name, "the fenced block does not end: the body was cut short; paste it again, whole");
  return blocks;
}

}  // namespace

std::string to_issue_body(const std::string& canonical_text, bool compact,
                          const std::optional<IssueSignature>& signature) {
  std::string body =
      "The output of `tokroof submit`: one document in one fenced block. Please leave it as it is.\n\n```";
  body += compact ? fmt::format("text\n{}\n{}", compact_mark, base64_lines(compressed(canonical_text)))
                  : fmt::format("json\n{}\n", canonical_text);
  if (signature) {
    body += fmt::format("{}\n{}", signature_mark,
                        base64_lines(signature->public_key + "\n" + signature->minisig));
  }
  body += "```\n";
  if (body.size() > github_characters) {
    throw Error(
        ExitCode::invalid_input,
        fmt::format("the body has {} characters and GitHub takes {}; {}", body.size(), github_characters,
                    compact ? "attach the document as a file instead" : "use --compact"));
  }
  return body;
}

namespace {

void trim(std::string& text) {
  text.erase(0, text.find_first_not_of(" \t\n"));
  text.erase(text.find_last_not_of(" \t\n") + 1);
}

/// Takes the signature off the end of a block. No line of a document can begin with its mark.
std::optional<IssueSignature> take_signature(std::string& block, const std::string& name) {
  const size_t mark = block.find(fmt::format("\n{}\n", signature_mark));
  if (mark == std::string::npos) return std::nullopt;
  const std::string packed = block.substr(mark + signature_mark.size() + 2);
  block.erase(mark);
  std::string bytes(std::min(packed.size(), max_signature_bytes), '\0');
  size_t length = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), packed.data(),
                        packed.size(), " \n\t", &length, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    length = 0;
  bytes.resize(length);
  const size_t line = bytes.find('\n');
  if (line == std::string::npos)
    throw refusal(name,
                  "the signature behind the document is not whole; paste the output of tokroof submit again");
  return IssueSignature{bytes.substr(0, line), bytes.substr(line + 1)};
}

}  // namespace

std::string document_of_issue(const std::string& body, const std::string& name) {
  return read_issue_body(body, name).text;
}

IssueDocument read_issue_body(const std::string& body, const std::string& name) {
  if (body.size() > max_body_bytes) throw refusal(name, "longer than 4 MiB; no issue is");
  const std::vector<std::string> blocks = fenced_blocks(body, name);
  if (blocks.size() != 1) {
    throw refusal(
        name, fmt::format("{} fenced blocks; a body holds exactly one, the one that tokroof submit prints",
                          blocks.size()));
  }
  std::string text = blocks.front();
  // A document holds quotes: without a bare one the text was escaped. A bare one means that entities are its
  // own.
  if (text.find('"') == std::string::npos && text.find('&') != std::string::npos) text = unescaped(text);
  IssueDocument found;
  found.signature = take_signature(text, name);
  trim(text);
  if (text.empty()) throw refusal(name, "the fenced block is empty; paste the output of tokroof submit");
  found.text = text.starts_with(compact_mark) ? unpacked(text.substr(compact_mark.size()), name) : text;
  return found;
}

std::string issue_title(const std::string& kind, const std::string& content_sha256) {
  return fmt::format("{} {:.12}", kind, content_sha256);
}

std::vector<std::string> issue_labels(const std::string& kind) {
  return {"submission", kind == "failure" ? "failure" : "reproduction"};
}

std::string new_issue_address(const std::string& repository, const std::string& kind,
                              const std::string& content_sha256) {
  const std::vector<std::string> labels = issue_labels(kind);
  return fmt::format("https://github.com/{}/issues/new?template={}.yml&labels={}&title={}%20{:.12}",
                     repository, labels[1], fmt::join(labels, "%2C"), kind, content_sha256);
}

}  // namespace harness
