// libFuzzer's entry to the bodies of issues and to the gates behind them: whatever the bytes, they are
// refused or taken, and what is taken has a canonical form.
#include <cstdlib>
#include <string>

#include "harness/error.hpp"
#include "harness/issue_body.hpp"
#include "harness/validation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string text =
        harness::document_of_issue(std::string(reinterpret_cast<const char*>(data), size), "FUZZ");
    if (!harness::validate_document(text).empty()) return 0;
    const std::string canonical = harness::canonical_json(text);
    if (harness::canonical_json(canonical) != canonical) std::abort();
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::invalid_input) std::abort();
  }
  return 0;
}
