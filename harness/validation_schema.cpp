#include "harness/validation_schema.hpp"

#include <fmt/format.h>

#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "harness/error.hpp"
#include "schemas/schemas.hpp"

namespace harness {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

struct CompiledSchema {
  json text;
  valijson::Schema schema;
};

/// Compiles each schema once; documents are then checked without parsing it again.
const CompiledSchema& compiled_schema(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CompiledSchema>> compiled;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CompiledSchema>& entry = compiled[name];
  if (entry) return *entry;
  const std::string_view text = schemas::find_schema(name);
  assert(!text.empty());
  auto fresh = std::make_unique<CompiledSchema>();
  try {
    fresh->text = json::parse(text);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(Adapter(fresh->text), fresh->schema);
  } catch (const std::exception& error) {
    throw Error(ExitCode::internal, fmt::format("schemas/{}.schema.json: {}", name, error.what()));
  }
  entry = std::move(fresh);
  return *entry;
}

}  // namespace

bool meets_schema(const std::string& name, const json& document) {
  valijson::Validator validator;
  return validator.validate(compiled_schema(name).schema, Adapter(document), nullptr);
}

const json& schema_json(const std::string& name) {
  return compiled_schema(name).text;
}

}  // namespace harness
