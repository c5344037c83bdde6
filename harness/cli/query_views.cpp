#include "harness/cli/query_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"

namespace cli {
namespace {

/// Which documents are shown. All that the store holds are plausible: the others are kept beside it.
constexpr const char* shown = "1";

/// CPUs whose name holds a text, in any case: found among the few names, so that an index finds their rows.
std::string cpu_holds(const char* parameter) {
  return fmt::format(
      "cpu_model IN (SELECT DISTINCT cpu_model FROM submissions WHERE instr(lower(cpu_model), lower({})))",
      parameter);
}

/// Figures that stand for themselves: no A/A control, nothing that cannot be, no single tokens that only
/// evict_stream is compared with.
std::string decode_sql(const std::string& where, const std::string& by) {
  return fmt::format(
      "SELECT {1}, count(*) AS figures, median(tokens_per_s_median) AS tokens_per_s, "
      "min(tokens_per_s_median) AS lowest_tokens_per_s, max(tokens_per_s_median) AS highest_tokens_per_s "
      "FROM decode WHERE arm <> 'aa' AND invalid = '' AND (positions <> 'spread' OR mode = 'evict_stream') "
      "AND {2} AND {0} AND ?4 IN ('', mode) AND ?5 IN ('', "
      "isa) "
      "GROUP BY {1}",
      where, by, shown);
}

constexpr const char* by_cpu =
    "cpu_model, model, mode, placement, isa, arithmetic, threads, routing, page_bytes";
constexpr const char* by_model =
    "model, mode, placement, isa, arithmetic, threads, routing, page_bytes, cpu_model";

std::string roofs_sql(const std::string& where) {
  return fmt::format(
      "SELECT cpu_model, level, core_kind, threads, page_bytes, count(*) AS figures, "
      "median(read_bytes_per_s_median) AS read_bytes_per_s, min(read_bytes_per_s_median) AS "
      "lowest_read_bytes_per_s, max(read_bytes_per_s_median) AS highest_read_bytes_per_s, "
      "median(load_latency_ns_median) AS load_latency_ns FROM roofs WHERE invalid = '' AND {} AND {} "
      "GROUP BY cpu_model, level, core_kind, threads, page_bytes",
      shown, where);
}

std::string caches_sql(const std::string& where) {
  return fmt::format(
      "SELECT cpu_model, level, core_kind, method, retouch, count(*) AS figures, "
      "median(reported_bytes) AS reported_bytes, median(effective_bytes_estimate) AS effective_bytes "
      "FROM caches WHERE {} AND {} GROUP BY cpu_model, level, core_kind, method, retouch",
      shown, where);
}

const std::string cpus_sql = fmt::format(
    "SELECT cpu_model, count(*) AS documents, count(DISTINCT nullif(machine_key, '')) AS machines, "
    "sum(kind = 'import') AS imports, sum(kind = 'failure') AS failures, max(created_utc) AS newest_utc "
    "FROM submissions WHERE {} AND {} GROUP BY cpu_model",
    shown, cpu_holds("?2"));

const std::string models_sql = fmt::format(
    "SELECT model, count(*) AS figures, count(DISTINCT cpu_model) AS cpus, median(CASE WHEN mode = 'warm' "
    "THEN "
    "tokens_per_s_median END) AS warm_tokens_per_s, max(CASE WHEN mode = 'warm' THEN tokens_per_s_median "
    "END) "
    "AS highest_warm_tokens_per_s FROM decode WHERE arm <> 'aa' AND invalid = '' AND positions <> 'spread' "
    "AND {} AND ?3 IN ('', "
    "model) "
    "GROUP BY model",
    shown);

const std::string ratios_sql = fmt::format(
    "SELECT cpu_model, model, name, placement, isa, threads, routing, page_bytes, count(*) AS figures, "
    "median(speed_ratio_median) AS speed_ratio, min(speed_ratio_median) AS lowest_speed_ratio, "
    "max(speed_ratio_median) AS highest_speed_ratio FROM ratios WHERE {} AND {} AND ?3 IN ('', model) "
    "AND ?4 IN ('', mode) AND ?5 IN ('', isa) "
    "GROUP BY cpu_model, model, name, placement, isa, threads, routing, page_bytes",
    shown, cpu_holds("?2"));

const std::string forecasts_sql = fmt::format(
    "SELECT id, version, model, mode, count(*) AS figures, median(measured_over_forecast) AS "
    "measured_over_forecast, min(measured_over_forecast) AS lowest_measured_over_forecast, "
    "max(measured_over_forecast) AS highest_measured_over_forecast, avg(inside_interval) AS inside_ratio "
    "FROM forecast_errors WHERE repeats = 0 AND counted = 1 AND {} AND ?3 IN ('', model) AND ?4 IN ('', "
    "mode) "
    "GROUP BY id, version, model, mode",
    shown);

const std::string claims_sql = fmt::format(
    "SELECT claim, seal, count(*) AS documents, count(DISTINCT cpu_model) AS cpus, max(created_utc) AS "
    "newest_utc FROM claims AS c JOIN submissions AS s ON s.document = c.document WHERE {} GROUP BY claim, "
    "seal",
    shown);

const std::string claim_documents_sql = fmt::format(
    "SELECT c.document AS document, s.created_utc, s.cpu_model, s.machine_key, c.seal, c.sealed_utc "
    "FROM claims AS c JOIN submissions AS s ON s.document = c.document WHERE {} AND c.claim = ?1 "
    "ORDER BY c.document",
    shown);

const std::string claim_figures_sql = fmt::format(
    "SELECT c.document AS document, d.model, d.arm, d.mode, d.placement, d.isa, d.threads, d.launches, "
    "d.tokens_per_s_median AS tokens_per_s, d.tokens_per_s_low, d.tokens_per_s_high FROM claims AS c "
    "JOIN decode AS d ON d.document = c.document WHERE {} AND c.claim = ?1 ORDER BY c.document, d.ordinal",
    shown);

const std::string claim_verdicts_sql = fmt::format(
    "SELECT document, verdict, seal FROM verdicts WHERE {} AND claim = ?1 ORDER BY document", shown);

const std::string imports_sql = fmt::format(
    "SELECT document, source, cpu_model, model, figure, mode, threads, tokens_per_s, level, comparable, "
    "marks, "
    "limit_word FROM imports WHERE {} AND (?2 = '' OR instr(lower(cpu_model), lower(?2))) AND "
    "(?3 = '' OR instr(lower(model), lower(?3))) AND ?4 IN ('', mode) "
    "ORDER BY comparable DESC, level, cpu_model, model, document, ordinal",
    shown);

const std::string failures_sql = fmt::format(
    "SELECT f.document AS document, s.created_utc, s.cpu_model, f.claimed, f.observed, f.stage, f.exit_code, "
    "f.source FROM failures AS f JOIN submissions AS s ON s.document = f.document "
    "WHERE {} AND (?2 = '' OR instr(lower(s.cpu_model), lower(?2))) ORDER BY f.document",
    shown);

const std::string flags_sql = fmt::format(
    "SELECT code, count(*) AS flags, count(DISTINCT document) AS documents, median(value) AS value "
    "FROM flags WHERE {} GROUP BY code",
    shown);

const std::string trust_sql = fmt::format(
    "SELECT t.document AS document, s.created_utc, s.kind, s.cpu_model, s.level, t.author, t.state, "
    "t.corroborated_by FROM trust AS t JOIN submissions AS s ON s.document = t.document "
    "WHERE {} AND (?2 = '' OR instr(lower(s.cpu_model), lower(?2))) ORDER BY t.document",
    shown);

std::vector<View> all_views() {
  const std::string this_cpu = cpu_holds("?1");
  const std::string any_cpu = "(?2 = '' OR " + cpu_holds("?2") + ")";
  const std::string any = "?3 IN ('', model) AND " + any_cpu;
  return {{"cpus", "", "which CPUs there are documents of", {{"cpus", cpus_sql}}},
          {"models", "", "which models were decoded", {{"models", models_sql}}},
          {"cpu",
           "CPU",
           "a CPU, by any part of its name: roofs, caches and decode figures",
           {{"roofs", roofs_sql(this_cpu)},
            {"caches", caches_sql(this_cpu)},
            {"decode", decode_sql(this_cpu + " AND ?3 IN ('', model)", by_cpu)}}},
          {"model",
           "MODEL",
           "a model: decode figures by CPU",
           {{"decode", decode_sql("model = ?1 AND " + any_cpu, by_model)}}},
          {"decode",
           "",
           "decode figures by CPU, model, mode, ISA, threads and routing",
           {{"decode", decode_sql(any, by_cpu)}}},
          {"ratios", "", "arms and variants against each other", {{"ratios", ratios_sql}}},
          {"roofs", "", "read bandwidth and load latency by level", {{"roofs", roofs_sql(any_cpu)}}},
          {"caches", "", "what caches hold, by level", {{"caches", caches_sql(any_cpu)}}},
          {"forecasts", "", "how forecasts of runs that count turned out", {{"forecasts", forecasts_sql}}},
          {"claims", "", "which claims there are documents of", {{"claims", claims_sql}}},
          {"claim",
           "ID",
           "a claim: its documents, their figures, stated verdicts",
           {{"documents", claim_documents_sql},
            {"figures", claim_figures_sql},
            {"verdicts", claim_verdicts_sql}}},
          {"imports", "", "figures of other programs, with their evidence level", {{"imports", imports_sql}}},
          {"failures", "", "what did not hold or did not finish", {{"failures", failures_sql}}},
          {"trust", "", "who sent what, and whether another author's run agrees", {{"trust", trust_sql}}},
          {"flags", "", "quality flags and how often they stand", {{"flags", flags_sql}}}};
}

}  // namespace

const std::vector<View>& views() {
  static const std::vector<View> all = all_views();
  return all;
}

const View& find_view(const std::string& name) {
  std::vector<std::string_view> names;
  for (const View& view : views()) {
    if (view.name == name) return view;
    names.emplace_back(view.name);
  }
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("query: there is no view '{}'{}; one of: {}", name,
                                   harness::did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace cli
