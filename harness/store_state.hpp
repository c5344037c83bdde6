// What a Store owns.
#pragma once
#include "harness/store.hpp"
#include "harness/store_database.hpp"

namespace harness {

struct Store::State {
  Database database;
};

}  // namespace harness
