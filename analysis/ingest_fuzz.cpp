// libFuzzer's entry to the whole chain of ingest: parse, schema, canonical bytes, structs, rules. Whatever
// the bytes, they are refused as invalid or judged; and what is taken is taken again after it was rewritten.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "analysis/import_judgement.hpp"
#include "analysis/plausibility.hpp"
#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/validation.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace analysis {
namespace {

using nlohmann::json;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "ingest_fuzz: %s\n", what.c_str());
  std::abort();
}

void judge_submission(const std::string& text) {
  const harness::Submission submission = harness::submission_from_json(text);
  for (const Finding& finding : check_plausibility(submission))
    require(!finding.code.empty() && !finding.pointer.empty(), "a finding says nothing");
  unchecked_rules(submission);
  const std::string rewritten = to_canonical_json(submission);
  for (const harness::Violation& wrong : harness::validate_document(rewritten))
    require(false, "rewritten: " + wrong.pointer + ": " + wrong.value + ", expected " + wrong.expected);
  require(to_canonical_json(harness::submission_from_json(rewritten)) == rewritten, "changes when rewritten");
}

void ingest(const std::string& bytes) {
  if (!harness::validate_document(bytes).empty()) return;
  const std::string text = harness::canonical_json(bytes);
  require(harness::canonical_json(text) == text, "canonical bytes change");
  require(harness::validate_document(text).empty(), "canonical bytes are invalid");
  if (harness::is_import(text)) {
    check_import(text);
  } else {
    judge_submission(text);
  }
}

void gather(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (json& member : value) gather(member, all);
}

/// Replaces a value by another of the document or by an odd one, or removes a member.
void mutate(json& document, std::mt19937& random) {
  static const std::vector<json> odd{nullptr,
                                     true,
                                     false,
                                     0,
                                     1,
                                     -1,
                                     2,
                                     0.5,
                                     1e-300,
                                     1e15,
                                     "",
                                     "x",
                                     "ok",
                                     json::array(),
                                     32,
                                     1u << 31,
                                     7e15,
                                     "none",
                                     json::object(),
                                     1000000};
  std::vector<json*> all;
  gather(document, all);
  json& place = *all[random() % all.size()];
  const json other = *all[random() % all.size()];
  if (random() % 4 == 0 && place.is_structured() && !place.empty()) {
    auto member = place.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random() % place.size()));
    place.erase(member);
  } else if (random() % 3 == 0 && place.is_number_integer()) {
    place = place.get<int64_t>() / 2 + static_cast<int64_t>(random() % 3) - 1;
  } else {
    place = random() % 2 == 0 ? other : odd[random() % odd.size()];
  }
}

}  // namespace
}  // namespace analysis

/// Of JSON, its values are changed: bytes changed at random seldom pass the parse.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  nlohmann::json document = nlohmann::json::parse(data, data + size, nullptr, false);
  if (document.is_discarded() || !document.is_structured()) return LLVMFuzzerMutate(data, size, max_size);
  for (unsigned left = 1 + random() % 3; left > 0 && document.is_structured(); --left)
    analysis::mutate(document, random);
  const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    analysis::ingest(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const harness::Error& error) {
    analysis::require(error.code() == harness::ExitCode::invalid_input, error.what());
    analysis::require(std::string(error.what()).find('\n') == std::string::npos, "more than one line");
  }
  return 0;
}
