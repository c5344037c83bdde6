#include "harness/cli/protocol.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/claim_check_plans.hpp"
#include "analysis/derive.hpp"
#include "analysis/plausibility.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/validation.hpp"
#include "models/kernels/select.hpp"
#include "probes/decode.hpp"
#include "probes/decode_arms.hpp"
#include "probes/order.hpp"
#include "probes/probe.hpp"
#include "probes/working_sets.hpp"

namespace cli {
namespace {

using harness::Series;

Session session_here() {
  Session session;
  session.topology = harness::read_synthetic_topology("pack:1 l3:1 l2:2 l1d:1 core:1 pu:1");
  session.features = harness::read_cpu_features();
  session.clock = harness::steady_clock();
  session.pu = 0;
  session.kernels = &models::select_kernels(models::kernel_tables(), session.features, "");
  return session;
}

/// Numbers with as many digits as measured ones, all different.
int64_t like_measured(int64_t typical_ns) {
  static uint64_t state = 1;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return typical_ns + static_cast<int64_t>((state >> 33) % 1000) * typical_ns / 20'000;
}

Series curve(const std::string& probe, const std::string& unit, const std::vector<int64_t>& sizes,
             int samples) {
  Series series;
  series.probe = probe;
  series.work_unit = unit;
  series.params = {{"buffer_bytes", int64_t{134217728}},
                   {"huge_bytes_granted", int64_t{134217728}},
                   {"isa", std::string("avx512")},
                   {"min_sample_ns", int64_t{2000000}},
                   {"order_seed", int64_t{6394176986431778}},
                   {"pages", std::string("huge")},
                   {"samples", int64_t{samples}},
                   {"vector_bytes", int64_t{64}}};
  series.sizes_bytes = sizes;
  for (const int64_t size : sizes) {
    series.work_per_sample.push_back((400'000'000 / size + 1) * size);
    auto& list = series.samples_by_size.emplace_back();
    for (int i = 0; i < samples; ++i) list.push_back(like_measured(2'100'000));
  }
  series.totals = {987'654'321, 976'543'210, 10'000'000, 12, 0, 0};
  return series;
}

/// Where nobody streams, so many levels are missing.
void drop_streamed(Series& series, size_t levels) {
  auto& names = std::get<std::string>(series.params.at("levels"));
  names.erase(names.find(" streamed"));
  const size_t left = series.sizes_bytes.size() - levels;
  series.sizes_bytes.resize(left);
  series.work_per_sample.resize(left);
  series.samples_by_size.resize(left);
}

/// What kernel_rates hands in: a series of seven levels for each matrix kernel, of six for attention, of two
/// for each step over vectors.
std::vector<Series> kernel_series(const Protocol& protocol) {
  const Session session = session_here();
  const std::vector<std::string> isas = measured_isas(session, protocol);
  probes::ProbeContext context{session.topology, session.features, session.clock, {}, 2, 5, 1, {}};
  context.models = protocol.models;
  context.isas = isas;
  std::vector<Series> made;
  const bool streams =
      std::find(protocol.probes.begin(), protocol.probes.end(), "eviction") != protocol.probes.end();
  for (const probes::Variant& variant : probes::find_probe("kernel_rates").variants(context)) {
    const bool vectors = variant.cols == 0;
    made.push_back(curve("kernel_rates", "bytes",
                         vectors ? std::vector<int64_t>{512, 4096}
                         : variant.heads > 0
                             ? std::vector<int64_t>{113'664, 222'336, 5'931'008, 33'554'432, 36'864, 147'456}
                             : std::vector<int64_t>{113'664, 222'336, 5'931'008, 33'554'432, 33'564'672,
                                                    33'600'000, 2'097'152},
                         protocol.probe_samples));
    made.back().params = {
        {"isa", variant.isa},
        {"kernel", variant.kernel},
        {"levels", std::string(vectors             ? "l1_short l1"
                               : variant.heads > 0 ? "l2_short l2 l3 dram streamed_short streamed"
                                                   : "l2_short l2 l3 dram_short dram dram_far streamed_run")},
        {"call_bytes", int64_t{36'864}},
        {"short_call_bytes", int64_t{9'216}}};
    if (!vectors && !streams) drop_streamed(made.back(), variant.heads > 0 ? 2 : 1);
    if (!vectors) made.back().params["cols"] = int64_t{variant.cols};
    if (variant.heads > 0) made.back().params["heads"] = int64_t{variant.heads};
  }
  return made;
}

harness::Launch probes_launch(const Protocol& protocol, const std::string& purpose) {
  const auto sizes = purpose == "probes" ? probes::working_sets(33'554'432, protocol.sizes_per_octave)
                                         : std::vector<int64_t>{16384, 262144, 1048576, 2097152, 16777216};
  harness::Launch launch;
  launch.purpose = purpose;
  launch.counters["hardware_events"] = harness::Unavailable{"no PMU driver"};
  launch.series = {curve("core_clock", "cycles", {4}, protocol.probe_samples),
                   curve("load_bandwidth", "bytes", sizes, protocol.probe_samples),
                   curve("dram_stream", "bytes", {268435456}, protocol.probe_samples)};
  if (purpose != "probes") return launch;
  if (protocol.name == "default") {
    for (const char* probe : {"residency", "eviction", "eviction_references", "eviction_small_pages"})
      launch.series.push_back(
          curve(probe, "bytes", std::vector<int64_t>(16, 536'870'912), protocol.probe_samples));
  }
  launch.series.push_back(curve("load_latency", "loads", sizes, protocol.probe_samples));
  for (const Series& series : kernel_series(protocol)) launch.series.push_back(series);
  return launch;
}

/// One arm of one launch on a quiet machine: the lists of disturbed samples grow with what disturbs.
Series arm_series(const harness::Plan& plan, const probes::Arm& arm, int64_t token_ns) {
  Series series;
  series.probe = "decode";
  series.model = plan.model;
  series.arm = arm.id;
  series.mode = arm.mode;
  if (probes::is_concurrent(arm)) {
    series.placement = "same_llc";
    series.params = {{"antagonist_bytes", int64_t{67108864}},
                     {"antagonist_cpu_ratio", 0.987654321},
                     {"antagonist_bytes_per_s", int64_t{38918654327}},
                     {"walked_bytes", int64_t{1877803008}}};
  }
  if (std::string(arm.id) == "evict_flush") series.params = {{"flush_bytes", int64_t{104857600}}};
  if (!probes::is_concurrent(arm) && std::string(arm.mode) != "warm") {
    series.params["check_looks"] = std::string("180 128 12 64 10 64 10 4 0 0");
    series.params["check_times"] =
        std::string("1944064 33680 44667 47811 27111 43425 47251 17646 44366 49384 16865 45638 73710");
  }
  const int tokens = std::min(plan.block_tokens, probes::timed_positions(plan));
  for (int i = 0; i < plan.samples_per_arm; ++i) series.samples.push_back(like_measured(tokens * token_ns));
  series.totals = {112'274'590, 58'508'327, 0, 16, 0, 0};
  return series;
}

harness::Launch decode_launch(const harness::Plan& plan, int index, int round) {
  harness::Launch launch;
  launch.purpose = "decode";
  launch.plan = index;
  launch.round = round;
  launch.start_ns = 3'000'000'000'000;
  launch.wall_ns = 12'345'678'901;
  launch.arm_order = probes::arm_order(plan.arms, 1);
  launch.order_seed = 6394176986431779;
  launch.golden_got = plan.golden;
  launch.counters = {{"bytes_streamed", int64_t{10801089600}},
                     {"hardware_events", harness::Unavailable{"no PMU driver"}},
                     {"macs", int64_t{10489167360}},
                     {"tokens", int64_t{5586}}};
  const auto token_ns = static_cast<int64_t>(plan.weight_bytes_per_token / 50);
  for (const std::string& id : plan.arms)
    launch.series.push_back(
        arm_series(plan, probes::find_arm(id), id == "evict_flush" ? 3 * token_ns : token_ns));
  return launch;
}

/// What a run of a protocol would hand in, with invented figures.
harness::Submission generated(const Protocol& protocol) {
  const Session session = session_here();
  harness::Submission made = begin_submission(session, "reproduction", protocol.name);
  made.machine.caches.clear();
  for (const auto& [level, bytes] : {std::pair{1, 49152}, {2, 1048576}, {3, 33554432}}) {
    harness::Cache cache;
    cache.level = level;
    cache.type = level == 1 ? "data" : "unified";
    cache.bytes = static_cast<uint64_t>(bytes);
    cache.line_bytes = 64;
    cache.instances = 1;
    cache.shared_by_pus = 1;
    cache.source = "hwloc";
    made.machine.caches.push_back(cache);
  }
  made.conditions = harness::read_conditions(session.topology, 0, session.clock, {});
  made.launches.push_back(probes_launch(protocol, "probes"));
  made.plans = make_plans(session, protocol, made);
  for (harness::Plan& plan : made.plans) {
    if (plan.golden.empty()) plan.golden = std::string(64, 'a');  // as long as a committed one
    add_forecasts(session, made, plan);
  }
  for (int round = 0; round < protocol.launches; ++round) {
    for (size_t i = 0; i < made.plans.size(); ++i)
      made.launches.push_back(decode_launch(made.plans[i], static_cast<int>(i), round));
  }
  made.launches.push_back(probes_launch(protocol, "roofs_after"));
  made.derived = analysis::derive(made);
  return made;
}

/// Marks every second sample, in no order, with what a busy machine does to it: as in the busiest run of
/// ours.
void disturb(Series& series) {
  size_t samples = series.samples.size();
  for (const auto& at_size : series.samples_by_size) samples += at_size.size();
  series.totals.involuntary_switches = 123;
  for (int i = 0; i < static_cast<int>(samples); ++i) {
    if (like_measured(1000) % 2 != 0) continue;
    series.disturbed["involuntary_switch"].push_back(i);
    if (like_measured(1000) % 16 == 0) series.disturbed["cpu_wall"].push_back(i);
    if (like_measured(1000) % 64 == 0) series.disturbed["steal"].push_back(i);
  }
  if (series.disturbed.count("steal") > 0) series.totals.steal_ns = 120'000'000;
}

/// The same run on a machine that was busy all the time, with the flags that such runs earn.
harness::Submission disturbed(harness::Submission made) {
  for (harness::Launch& launch : made.launches)
    for (Series& series : launch.series) disturb(series);
  made.derived = analysis::derive(made);
  made.derived.flags.resize(std::max<size_t>(made.derived.flags.size(), 8),
                            {"roofs_drifted", std::string(190, 'x'), 0.123456789});
  return made;
}

size_t bytes_of(const harness::Submission& made) {
  return harness::to_canonical_json(made).size();
}

TEST(protocol, documents_stay_within_their_sizes_also_of_a_busy_machine) {
  const struct {
    Protocol protocol;
    size_t quiet_bytes, busy_bytes;
  } limits[] = {{quick_protocol(), 38'700, 42'000},
                {default_protocol(), 127'000, 136'500},
                {full_protocol(), 850'000, 900'000}};
  for (const auto& limit : limits) {
    const harness::Submission quiet = generated(limit.protocol);
    const harness::Submission busy = disturbed(quiet);
    EXPECT_LE(bytes_of(quiet), limit.quiet_bytes) << limit.protocol.name;
    EXPECT_LE(bytes_of(busy), limit.busy_bytes) << limit.protocol.name;
    EXPECT_GT(bytes_of(busy), bytes_of(quiet)) << "marks are missing";
    EXPECT_GT(bytes_of(quiet), limit.quiet_bytes / 2) << "it holds less than such a run does";
    RecordProperty(limit.protocol.name + "_bytes", static_cast<int>(bytes_of(quiet)));
    RecordProperty(limit.protocol.name + "_busy_bytes", static_cast<int>(bytes_of(busy)));
  }
}

TEST(protocol, a_full_document_passes_the_schema_and_the_derived_part_is_recomputed) {
  const std::string text = harness::to_canonical_json(generated(full_protocol()));
  for (const harness::Violation& violation : harness::validate_document(text))
    ADD_FAILURE() << violation.pointer << " " << violation.value << ", expected " << violation.expected;
  std::set<std::string> codes;
  for (const auto& finding : analysis::check_plausibility(harness::submission_from_json(text))) {
    codes.insert(finding.code);
    if (finding.code == "R02") ADD_FAILURE() << finding.pointer << ": " << finding.detail;
  }
  EXPECT_EQ(codes.count("R03"), 0u);
}

TEST(protocol, full_takes_every_model_and_routes_experts_two_ways) {
  const Protocol protocol = full_protocol();
  std::set<std::string> seen;
  for (const harness::Plan& plan : make_plans(session_here(), protocol, {})) {
    EXPECT_EQ(plan.launches, 10);
    EXPECT_EQ(plan.routing == "none", models::find_shape(plan.model).experts.count == 0) << plan.model;
    const bool stream = plan.arms.back() == "evict_stream";
    EXPECT_EQ(plan.arms.front(), "warm");
    EXPECT_EQ(plan.arms.at(1), "aa");
    EXPECT_TRUE(seen.insert(plan.model + plan.routing + (stream ? "/stream" : "/all")).second);
  }
  size_t expected = 0;
  for (const models::Shape& shape : models::shapes()) expected += shape.experts.count > 0 ? 4 : 2;
  EXPECT_EQ(seen.size(), expected);
}

TEST(protocol, the_estimate_grows_with_what_is_asked_for) {
  const Session session = session_here();
  Protocol more = full_protocol();
  more.launches *= 2;
  EXPECT_GT(estimate_seconds(session, full_protocol()), estimate_seconds(session, default_protocol()));
  EXPECT_GT(estimate_seconds(session, more), 1.5 * estimate_seconds(session, full_protocol()));
  EXPECT_LT(estimate_seconds(session, full_protocol()), 3600);
}

TEST(protocol, what_is_done_is_taken_off_the_estimate) {
  const Session session = session_here();
  const Protocol protocol = full_protocol();
  harness::Submission submission;
  EXPECT_EQ(done_seconds(session, protocol, submission), 0);
  submission.plans = make_plans(session, protocol, submission);
  submission.launches.resize(1);
  submission.launches[0].purpose = "probes";
  for (size_t plan = 0; plan < submission.plans.size(); ++plan) {
    for (int round = 0; round < protocol.launches; ++round) {
      submission.launches.emplace_back();
      submission.launches.back().plan = static_cast<int>(plan);
    }
  }
  EXPECT_NEAR(done_seconds(session, protocol, submission),
              estimate_seconds(session, protocol) - seconds_roofs_again, 1e-6);
}

TEST(protocol, logits_or_tokens_that_are_wrong_are_the_outcome) {
  harness::Submission submission;
  submission.plans.resize(1);
  submission.plans[0].golden = "right";
  submission.launches.resize(1);
  submission.launches[0].plan = 0;
  submission.launches[0].golden_got = "right";
  submission.launches[0].series.resize(2);
  EXPECT_EQ(outcome(submission), harness::ExitCode::ok);
  submission.launches[0].series[1].reason = "not_evicted: 7 % of the lines were still cached";
  EXPECT_EQ(outcome(submission), harness::ExitCode::ok);
  submission.launches[0].series[1].reason = fmt::format("pass 3 (warm) {}", probes::other_tokens);
  EXPECT_EQ(outcome(submission), harness::ExitCode::wrong_result);
  submission.launches[0].series[1].reason.clear();
  submission.launches[0].golden_got = "wrong";
  EXPECT_EQ(outcome(submission), harness::ExitCode::wrong_result);
}

TEST(result_table, a_full_run_is_readable_at_80_columns) {
  Terminal terminal;
  terminal.utf8 = true;
  const std::string text = grouped_text(terminal, generated(full_protocol()));
  size_t begin = 0, headings = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    if (line.find(" per token, positions ") != std::string::npos) {
      ++headings;
    } else {
      EXPECT_LE(display_width(line), 80u) << line;
    }
    begin = end + 1;
  }
  EXPECT_EQ(headings, make_plans(session_here(), full_protocol(), {}).size());
  for (const char* word :
       {"moe_ternary_402m sticky:0.45", "moe_ternary_402m uniform", "dense_44m_q3", "A/A", "stream_dram"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

/// A claim that names kernels can be checked wherever it is read.
TEST(protocol, every_kernel_table_can_be_claimed_about) {
  for (const models::Kernels* table : models::kernel_tables()) {
    analysis::Claim claim;
    claim.plans.emplace_back().isa = table->isa;
    analysis::Refusals refusals;
    analysis::check_plans(claim, refusals);
    for (const std::string& refusal : refusals) EXPECT_EQ(refusal.find("isa "), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace cli
