#include "harness/validation_schema.hpp"

#include <fmt/format.h>

#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"
#include "harness/schema_plan.hpp"
#include "schemas/schemas.hpp"

namespace harness {
namespace {

using nlohmann::json;

struct CompiledSchema {
  explicit CompiledSchema(json schema) : text(std::move(schema)), plan(text) {}
  json text;
  SchemaPlan plan;
};

/// Compiles each schema once; documents are then checked without reading it again.
const CompiledSchema& compiled_schema(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CompiledSchema>> compiled;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CompiledSchema>& entry = compiled[name];
  if (entry) return *entry;
  const std::string_view text = schemas::find_schema(name);
  assert(!text.empty());
  try {
    entry = std::make_unique<CompiledSchema>(json::parse(text));
  } catch (const std::exception& error) {
    throw Error(ExitCode::internal, fmt::format("schemas/{}.schema.json: {}", name, error.what()));
  }
  return *entry;
}

}  // namespace

bool meets_schema(const std::string& name, const json& document) {
  return compiled_schema(name).plan.meets(document);
}

const json& schema_json(const std::string& name) {
  return compiled_schema(name).text;
}

}  // namespace harness
