#include "harness/parsed_document.hpp"

#include <nlohmann/json.hpp>

#include "harness/store_fingerprints.hpp"

namespace harness {

StoredContent content_of(const nlohmann::json& document) {
  if (!document.is_object() || !document.contains("imported")) {
    StoredContent content{submission_of(document)};
    content.fingerprints = fingerprints(content.submission);
    return content;
  }
  StoredContent content{{}, import_of(document)};
  const ImportDocument& import = *content.import;
  Submission& submission = content.submission;
  submission.kind = submission.protocol = "import";
  submission.created_utc = import.created_utc;
  submission.nonce = import.nonce;
  for (const ImportedRow& row : import.imported.rows) {
    if (submission.machine.cpu_model.empty() && available(row.cpu))
      submission.machine.cpu_model = std::get<std::string>(row.cpu);
  }
  return content;
}

}  // namespace harness
