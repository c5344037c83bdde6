// libFuzzer's entry to the readers of other programs' files. Whatever the bytes: a reader refuses them in one
// line, or makes a document that our own gates take and judge as it was judged.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "analysis/import_judgement.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "import_fuzz: %s\n", what.c_str());
  std::abort();
}

void read(const std::string& from, const std::string& bytes) {
  harness::ImportDocument document = harness::read_import(from, bytes, "FUZZ", "2026-01-01T00:00:00Z");
  name_cpu(document.imported, "AMD Ryzen 9 7950X");
  judge(document.imported);
  const std::string text = to_canonical_json(document);
  if (text.size() > harness::max_document_bytes) return;
  for (const harness::Violation& wrong : harness::validate_document(text))
    require(false, wrong.pointer + ": " + wrong.value + ", expected " + wrong.expected);
  for (const Finding& finding : check_import(text))
    require(finding.severity != Severity::reject, finding.code + " " + finding.pointer);
}

}  // namespace
}  // namespace analysis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* from : {"llama-bench", "google-benchmark", "coreflow"}) {
    try {
      analysis::read(from, bytes);
    } catch (const harness::Error& error) {
      analysis::require(error.code() == harness::ExitCode::invalid_input, error.what());
      analysis::require(std::string(error.what()).find('\n') == std::string::npos, "more than one line");
    }
  }
  return 0;
}
