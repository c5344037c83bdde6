// What a Store owns.
#pragma once
#include <optional>
#include <utility>

#include "harness/store.hpp"
#include "harness/store_database.hpp"
#include "harness/store_tables.hpp"

namespace harness {

struct Store::State {
  explicit State(Database opened) : database(std::move(opened)) {}
  Database database;
  /// Made when the first document is added; declared behind the connection that its statements need.
  std::optional<ProjectionWriter> writer = {};

  ProjectionWriter& projections() {
    if (!writer) writer.emplace(database);
    return *writer;
  }
};

}  // namespace harness
