// A JSON Schema made ready to be checked against many documents.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace harness {

/// Holds a schema as a graph of what each value must be: references followed, members in order, patterns
/// read. Understands the draft-07 keywords that schemas/ allows itself (validation_schema_test lists them).
class SchemaPlan {
 public:
  /// Throws Error(internal) for a keyword or a form of one that it does not understand.
  explicit SchemaPlan(const nlohmann::json& schema);
  ~SchemaPlan();
  SchemaPlan(const SchemaPlan&) = delete;
  SchemaPlan& operator=(const SchemaPlan&) = delete;

  /// Returns whether a strictly parsed document meets the schema. An integer is a number that was written
  /// as one; bounds are compared exactly, also with numbers beyond 2^63.
  [[nodiscard]] bool meets(const nlohmann::json& document) const;

 private:
  friend class SchemaPlanner;
  struct Node;
  static bool meets(const Node& node, const nlohmann::json& value);
  static bool object_meets(const Node& node, const nlohmann::json& object);
  static bool member_meets(const Node& node, const std::string& name, const Node* known,
                           const nlohmann::json& value);

  std::vector<std::unique_ptr<Node>> nodes_;
  const Node* root_ = nullptr;
};

}  // namespace harness
