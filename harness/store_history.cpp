#include "harness/store_history.hpp"

#include <unordered_map>

#include "harness/store_database.hpp"

namespace harness {
namespace {

constexpr const char* sittings_sql =
    "SELECT s.document, s.created_utc, s.machine_key, s.cpu_model, s.vendor, s.suite_version, s.git_commit, "
    "b.compiler, s.uncounted, b.git_dirty, m.family, m.model_number, m.l2_bytes, m.l3_bytes, "
    "coalesce(a.name, '') "
    "FROM submissions AS s JOIN machines AS m ON m.document = s.document JOIN suites AS b ON b.document = "
    "s.document LEFT JOIN attestations AS a ON a.document = s.document AND a.kind = 'sent' "
    "ORDER BY s.document";

constexpr const char* figures_sql =
    "SELECT document, model, mode, placement, isa, arithmetic, weights, routing, threads, page_bytes, "
    "core_kind, position_first, position_last, weight_bytes_per_token, tokens_per_s_median, "
    "tokens_per_s_low, tokens_per_s_high, weight_bytes_per_s, kernel_version FROM decode "
    "WHERE arm <> 'aa' AND invalid = '' AND tokens_per_s_median > 0 AND weight_bytes_per_s > 0 "
    "AND (positions <> 'spread' OR mode = 'evict_stream') "
    "AND ?1 IN ('', model) AND ?2 IN ('', isa) AND ?3 IN ('', mode) ORDER BY document, ordinal";

constexpr const char* roofs_sql =
    "SELECT document, level, threads, max(read_bytes_per_s_median), page_bytes, core_kind FROM roofs WHERE "
    "invalid = '' AND read_bytes_per_s_median > 0 GROUP BY document, level, threads, page_bytes, core_kind";

constexpr const char* outputs_sql =
    "SELECT document, model, mode, placement, isa, arithmetic, weights, routing, threads, page_bytes, "
    "weights_seed, kernel_version, golden, wrong FROM outputs "
    "WHERE ?1 IN ('', model) AND ?2 IN ('', isa) AND ?3 IN ('', mode) ORDER BY document, ordinal";

DecodeKey key_of(const Statement& row) {
  DecodeKey key;
  key.model = row.text(1);
  key.mode = row.text(2);
  key.placement = row.text(3);
  key.isa = row.text(4);
  key.arithmetic = row.text(5);
  key.weights = row.text(6);
  key.routing = row.text(7);
  key.threads = static_cast<int>(row.integer(8));
  key.page_bytes = row.integer(9);
  return key;
}

double real_of(const Statement& row, int column) {
  const SqlValue value = row.value(column);
  const double* real = std::get_if<double>(&value);
  return real ? *real : 0;
}

Sitting sitting_of(const Statement& row) {
  Sitting sitting;
  sitting.document = row.integer(0);
  sitting.created_utc = row.text(1);
  sitting.machine_key = row.text(2);
  sitting.cpu_model = row.text(3);
  sitting.vendor = row.text(4);
  sitting.suite_version = row.text(5);
  sitting.git_commit = row.text(6);
  sitting.compiler = row.text(7);
  sitting.uncounted = row.text(8);
  sitting.git_dirty = row.integer(9) != 0;
  sitting.family = static_cast<int>(row.integer(10));
  sitting.model_number = static_cast<int>(row.integer(11));
  sitting.l2_bytes = row.integer(12);
  sitting.l3_bytes = row.integer(13);
  sitting.author = row.text(14);
  return sitting;
}

}  // namespace

SpeedHistory read_history(Store& store, const HistoryFilter& filter) {
  Database& database = store.database();
  SpeedHistory history;
  std::unordered_map<int64_t, size_t> places;
  Statement sittings = database.prepare(sittings_sql);
  while (sittings.step()) {
    places.emplace(sittings.integer(0), history.sittings.size());
    history.sittings.push_back(sitting_of(sittings));
  }
  const auto each = [&](const char* sql, bool filtered, auto take) {
    Statement rows = database.prepare(sql);
    if (filtered) {
      rows.bind(1, filter.model);
      rows.bind(2, filter.isa);
      rows.bind(3, filter.mode);
    }
    while (rows.step()) {
      const auto place = places.find(rows.integer(0));
      if (place == places.end()) continue;
      const std::string& machine = history.sittings[place->second].machine_key;
      if (!filtered || machine.rfind(filter.machine_key_prefix, 0) == 0) take(rows, place->second);
    }
  };
  each(figures_sql, true, [&](const Statement& row, size_t sitting) {
    DecodeKey key = key_of(row);
    key.core_kind = row.text(10);
    key.position_first = static_cast<int>(row.integer(11));
    key.position_last = static_cast<int>(row.integer(12));
    history.figures.push_back({sitting, key, row.integer(13), real_of(row, 14), real_of(row, 15),
                               real_of(row, 16), real_of(row, 17), row.text(18)});
  });
  each(roofs_sql, false, [&](const Statement& row, size_t sitting) {
    history.roofs.push_back({sitting, row.text(1), static_cast<int>(row.integer(2)), real_of(row, 3),
                             row.integer(4), row.text(5)});
  });
  each(outputs_sql, true, [&](const Statement& row, size_t sitting) {
    history.outputs.push_back({sitting, key_of(row), row.text(10), row.text(11), row.text(12), row.text(13)});
  });
  return history;
}

}  // namespace harness
