// libFuzzer's entry to the bodies of issues, their signatures and the gates behind them: whatever the bytes,
// they are refused or taken, and what is taken has a canonical form.
#include <cstdlib>
#include <string>

#include "harness/error.hpp"
#include "harness/issue_body.hpp"
#include "harness/signature.hpp"
#include "harness/validation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const harness::IssueDocument issue =
        harness::read_issue_body(std::string(reinterpret_cast<const char*>(data), size), "FUZZ");
    if (issue.signature) {
      const auto key = harness::read_public_key(issue.signature->public_key, "FUZZ");
      harness::verify_signature(issue.text, issue.signature->minisig, key, "FUZZ");
    }
    const std::string& text = issue.text;
    if (!harness::validate_document(text).empty()) return 0;
    const std::string canonical = harness::canonical_json(text);
    if (harness::canonical_json(canonical) != canonical) std::abort();
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::invalid_input && error.code() != harness::ExitCode::tampered)
      std::abort();
  }
  return 0;
}
