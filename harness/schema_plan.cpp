#include "harness/schema_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/bounded_pattern.hpp"
#include "harness/error.hpp"

namespace harness {

using nlohmann::json;

namespace {

enum class Type { any, object, array, string, boolean, integer, number };

bool is_of_type(const json& value, Type type) {
  switch (type) {
    case Type::any:
      return true;
    case Type::object:
      return value.is_object();
    case Type::array:
      return value.is_array();
    case Type::string:
      return value.is_string();
    case Type::boolean:
      return value.is_boolean();
    case Type::integer:
      return value.is_number_integer();
    case Type::number:
      return value.is_number();
  }
  return false;
}

/// Wide enough for every integer of JSON's readers and for every double.
long double exact(const json& number) {
  if (number.is_number_unsigned()) return static_cast<long double>(number.get<uint64_t>());
  if (number.is_number_integer()) return static_cast<long double>(number.get<int64_t>());
  return static_cast<long double>(number.get<double>());
}

size_t characters_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

/// What a value must be; what a schema does not say of it keeps its default and refuses nothing.
struct SchemaPlan::Node {
  struct Member {
    std::string name;
    const Node* node;  ///< nullptr: only that it is there is asked for
    bool required;
  };
  Type type = Type::any;
  std::vector<std::vector<json>> one_of;  ///< `const`, `enum`
  long double minimum = -std::numeric_limits<long double>::infinity();
  long double maximum = std::numeric_limits<long double>::infinity();
  size_t min_length = 0, max_length = SIZE_MAX, min_items = 0, max_items = SIZE_MAX, max_members = SIZE_MAX;
  std::optional<BoundedPattern> pattern;
  std::vector<Member> members;  ///< by name, in the order of a json object
  std::vector<std::pair<BoundedPattern, const Node*>> members_by_pattern;
  bool open = true;  ///< to members that no name and no pattern knows
  const Node* items = nullptr;
  std::vector<const Node*> all_of;
  const Node *condition = nullptr, *then = nullptr, *otherwise = nullptr;
};

/// Makes the nodes of a plan.
class SchemaPlanner {
 public:
  SchemaPlanner(SchemaPlan& plan, const json& root) : plan_(&plan), root_(&root) {}

  const SchemaPlan::Node* node_of(const json& schema) {
    if (!schema.is_object()) refuse("a schema that is no object");
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      return referred(reference->get<std::string>());
    plan_->nodes_.push_back(std::make_unique<SchemaPlan::Node>());
    SchemaPlan::Node& node = *plan_->nodes_.back();
    for (const auto& [keyword, value] : schema.items()) {
      if (!read_value(keyword, value, node) && !read_members(keyword, value, node) &&
          !read_branches(keyword, value, node))
        refuse("keyword " + keyword);
    }
    std::sort(node.members.begin(), node.members.end(),
              [](const auto& left, const auto& right) { return left.name < right.name; });
    return &node;
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw Error(ExitCode::internal, "a schema says what we do not check: " + what);
  }

  /// What stands beside a `$ref` is no part of a draft-07 schema.
  const SchemaPlan::Node* referred(const std::string& reference) {
    const auto known = referred_.find(reference);
    if (known != referred_.end()) {
      if (known->second == nullptr) refuse("a cycle through " + reference);
      return known->second;
    }
    referred_[reference] = nullptr;
    const auto* node = node_of(root_->at(json::json_pointer(reference.substr(1))));
    referred_[reference] = node;
    return node;
  }

  static Type type_of(const std::string& name) {
    static const std::map<std::string, Type> types{{"object", Type::object},   {"array", Type::array},
                                                   {"string", Type::string},   {"boolean", Type::boolean},
                                                   {"integer", Type::integer}, {"number", Type::number}};
    const auto known = types.find(name);
    if (known == types.end()) refuse("type " + name);
    return known->second;
  }

  static bool read_value(const std::string& keyword, const json& value, SchemaPlan::Node& node) {
    if (keyword == "type") {
      node.type = type_of(value.get<std::string>());
    } else if (keyword == "const") {
      node.one_of.push_back({value});
    } else if (keyword == "enum") {
      node.one_of.push_back(value.get<std::vector<json>>());
    } else if (keyword == "minimum") {
      node.minimum = exact(value);
    } else if (keyword == "maximum") {
      node.maximum = exact(value);
    } else if (keyword == "minLength") {
      node.min_length = value.get<size_t>();
    } else if (keyword == "maxLength") {
      node.max_length = value.get<size_t>();
    } else if (keyword == "minItems") {
      node.min_items = value.get<size_t>();
    } else if (keyword == "maxItems") {
      node.max_items = value.get<size_t>();
    } else if (keyword == "maxProperties") {
      node.max_members = value.get<size_t>();
    } else if (keyword == "pattern") {
      node.pattern.emplace(value.get<std::string>());
    } else {
      return keyword == "$schema" || keyword == "title" || keyword == "description" ||
             keyword == "definitions";
    }
    return true;
  }

  static SchemaPlan::Node::Member& member_of(SchemaPlan::Node& node, const std::string& name) {
    const auto known = std::find_if(node.members.begin(), node.members.end(),
                                    [&](const auto& member) { return member.name == name; });
    if (known != node.members.end()) return *known;
    return node.members.emplace_back(SchemaPlan::Node::Member{name, nullptr, false});
  }

  bool read_members(const std::string& keyword, const json& value, SchemaPlan::Node& node) {
    if (keyword == "properties") {
      for (const auto& [name, schema] : value.items()) member_of(node, name).node = node_of(schema);
    } else if (keyword == "required") {
      for (const json& name : value) member_of(node, name.get<std::string>()).required = true;
    } else if (keyword == "patternProperties") {
      for (const auto& [pattern, schema] : value.items())
        node.members_by_pattern.emplace_back(BoundedPattern(pattern), node_of(schema));
    } else if (keyword == "additionalProperties") {
      node.open = value.get<bool>();
    } else {
      return false;
    }
    return true;
  }

  bool read_branches(const std::string& keyword, const json& value, SchemaPlan::Node& node) {
    if (keyword == "items") {
      node.items = node_of(value);
    } else if (keyword == "allOf") {
      for (const json& schema : value) node.all_of.push_back(node_of(schema));
    } else if (keyword == "if") {
      node.condition = node_of(value);
    } else if (keyword == "then") {
      node.then = node_of(value);
    } else if (keyword == "else") {
      node.otherwise = node_of(value);
    } else {
      return false;
    }
    return true;
  }

  SchemaPlan* plan_;
  const json* root_;
  std::map<std::string, const SchemaPlan::Node*> referred_;
};

SchemaPlan::SchemaPlan(const json& schema) : root_(SchemaPlanner(*this, schema).node_of(schema)) {}
SchemaPlan::~SchemaPlan() = default;

bool SchemaPlan::member_meets(const Node& node, const std::string& name, const Node* known,
                              const json& value) {
  if (known != nullptr && !meets(*known, value)) return false;
  bool is_known = known != nullptr;
  for (const auto& [pattern, by_pattern] : node.members_by_pattern) {
    if (!pattern.matches(name)) continue;
    is_known = true;
    if (!meets(*by_pattern, value)) return false;
  }
  return is_known || node.open;
}

/// Both the object's members and the node's are in the order of their names.
bool SchemaPlan::object_meets(const Node& node, const json& object) {
  if (object.size() > node.max_members) return false;
  auto member = node.members.begin();
  for (const auto& [name, value] : object.get_ref<const json::object_t&>()) {
    for (; member != node.members.end() && member->name < name; ++member) {
      if (member->required) return false;
    }
    const bool named = member != node.members.end() && member->name == name;
    if (!member_meets(node, name, named ? member->node : nullptr, value)) return false;
    if (named) ++member;
  }
  return std::none_of(member, node.members.end(), [](const auto& left) { return left.required; });
}

bool SchemaPlan::meets(const Node& node, const json& value) {
  if (!is_of_type(value, node.type)) return false;
  for (const auto& allowed : node.one_of) {
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) return false;
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const size_t characters = characters_of(text);
    if (characters < node.min_length || characters > node.max_length) return false;
    if (node.pattern && !node.pattern->matches(text)) return false;
  } else if (value.is_number()) {
    const long double number = exact(value);
    if (!(number >= node.minimum && number <= node.maximum)) return false;
  } else if (value.is_array()) {
    if (value.size() < node.min_items || value.size() > node.max_items) return false;
    if (node.items != nullptr &&
        !std::all_of(value.begin(), value.end(), [&](const json& item) { return meets(*node.items, item); }))
      return false;
  } else if (value.is_object() && !object_meets(node, value)) {
    return false;
  }
  for (const Node* part : node.all_of) {
    if (!meets(*part, value)) return false;
  }
  if (node.condition == nullptr) return true;
  const Node* branch = meets(*node.condition, value) ? node.then : node.otherwise;
  return branch == nullptr || meets(*branch, value);
}

bool SchemaPlan::meets(const json& document) const {
  return meets(*root_, document);
}

}  // namespace harness
