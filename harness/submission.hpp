// A submission: everything one run measured, as values. docs/submission.md explains each key; schemas/
// defines them; harness/submission_json is the only file that spells them.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/counters.hpp"
#include "harness/error.hpp"
#include "harness/statistics.hpp"
#include "harness/topology.hpp"

namespace harness {

struct Suite {
  std::string version, git_commit;
  bool git_dirty = false;
  std::string binary_sha256, compiler, flags;
  std::string isa, isa_chosen_by;  ///< "auto" | "forced"
};

/// Stable facts only, by allow-list: no host name, no serial, no MAC, no path.
struct Machine {
  std::string arch, vendor, cpu_model;
  int family = 0, model = 0, stepping = 0;
  int cores = 0, threads = 0;
  bool smt = false;
  std::vector<CoreKind> core_kinds;
  int affinity_pus = 0;
  std::vector<Cache> caches;
  int numa_nodes = 0;
  int64_t memory_gib = 0;  ///< rounded
  int64_t page_bytes = 0;
  Reading<bool> huge_pages_granted;
  bool virtualised = false;
  Reading<std::string> hypervisor;
  bool container = false;
  std::string os_name;
  int os_major = 0;
  std::string kernel;  ///< major.minor
  std::string machine_key;
  int machine_key_version = 1;
};

struct Conditions {
  Reading<std::string> governor;
  Reading<bool> turbo;
  int pinned_pu = -1;
  std::string smt_sibling;  ///< "none" | "idle" | "busy"
  Reading<double> load1;
  Reading<double> steal_ratio;   ///< stolen / elapsed CPU time over the run, whole machine
  Reading<double> psi_cpu_some;  ///< share of the run in which some task waited for a CPU (PSI total)
  std::string clock_source;
  int64_t clock_resolution_ns = 0, clock_overhead_ns = 0;
  int64_t voluntary_switches = 0, involuntary_switches = 0, minor_faults = 0, major_faults = 0;
  /// Nice value of the scheduling group that each measuring process has to itself (harness/autogroup.hpp).
  std::optional<Reading<int64_t>> autogroup_nice;
};

/// One thing to decode and how; launches name it by index.
struct Plan {
  std::string model, isa, arithmetic = "int8";
  std::string weights = "synthetic";  ///< or the SHA-256 of a weights file
  std::string routing = "none";
  int64_t page_bytes = 4096;
  int threads = 1;
  int position_first = 0, position_last = 0;  ///< inclusive
  std::vector<int> positions;                 ///< non-empty: of that range exactly these are timed, ascending
  int64_t evict_stream_bytes = 0;             ///< read before each timed token of evict_stream; 0: not known
  int warmup_tokens = 64;  ///< decoded untimed before each pass, under the conditions of its arm
  int block_tokens = 32;
  int launches = 1;                    ///< declared before the first: rounds 0 … launches − 1
  int samples_per_arm = 0;             ///< declared before the launch
  std::string golden;                  ///< expected SHA-256 of the logits bytes
  int64_t weight_bytes_per_token = 0;  ///< all weight bytes that a token reads
  std::string kernel_version;
  uint64_t weights_seed = 1;
  std::vector<std::string> arms;
  std::string placement;  ///< where antagonists run: "sibling" | "same_llc" | "other_llc"; "": the nearest
  bool operator==(const Plan&) const = default;
};

enum class Status { ok, unavailable, failed };

/// The samples that something else disturbed: per reason code (harness/disturbance.hpp) their ascending
/// indices.
using Disturbed = std::map<std::string, std::vector<int>>;

struct Totals {
  int64_t wall_ns = 0, cpu_ns = 0, steal_ns = 0;
  int64_t involuntary_switches = 0, minor_faults = 0, major_faults = 0;
  int64_t core_clock_low_hz = 0,
          core_clock_high_hz = 0;  ///< seen before and after samples; 0: not known here
  bool operator==(const Totals&) const = default;
};

using Param = std::variant<int64_t, double, std::string>;

/// All samples of one probe, or of one arm of a model. Samples are integer ns in acquisition order.
struct Series {
  std::string probe;             ///< probe id; "decode" for arms
  std::string model, arm, mode;  ///< decode only. The A/A arm is arm "aa", mode "warm"
  std::string placement = "none";
  Status status = Status::ok;
  std::string reason;  ///< when not ok
  std::map<std::string, Param> params;
  std::vector<int64_t> samples;  ///< decode: one per block
  // A curve (probes): samples_by_size[i][j] is the j-th sample at sizes_bytes[i], lasting that many ns for
  // work_per_sample[i] units of work_unit ("bytes" read, "loads", "cycles").
  std::vector<int64_t> sizes_bytes;
  std::vector<int64_t> work_per_sample;
  std::string work_unit;
  std::vector<std::vector<int64_t>> samples_by_size;
  Disturbed disturbed;
  Totals totals;
  bool operator==(const Series&) const = default;
};

/// One child process.
struct Launch {
  /// "probes" | "decode" | "roofs_resumed" (after a pause) | "roofs_after"; of claims also "round_probes" (a
  /// claim's probes, once per round), "round_probes_again" (their A/A control) and "fidelity".
  std::string purpose;
  std::optional<int> plan;  ///< decode: index into plans
  int round = 0;
  int64_t start_ns = 0, wall_ns = 0;  ///< start since run start
  std::vector<std::string> arm_order;
  uint64_t order_seed = 0;
  std::optional<std::string> golden_got;
  CounterValues counters;
  std::vector<Series> series;
};

/// A pause of a run. What was being measured when it began is not in the document and was taken anew.
struct Interruption {
  int before_launch = 0;   ///< index of the first launch after it
  std::string cause;       ///< "stopped": by SIGTSTP; "resumed": the run ended and was gone on with
  int64_t paused_ns = 0;   ///< how long, on the run's clock
  int64_t resumed_ns = 0;  ///< when it ended, since run start
};

/// What a decode figure, a forecast and its error have in common: the selectors that say which decode is
/// meant.
struct DecodeKey {
  std::string model, mode, placement = "none", isa, arithmetic = "int8", weights = "synthetic",
                           routing = "none";
  int threads = 1;
  int64_t page_bytes = 4096;
  std::string core_kind = "uniform";
  int position_first = 0, position_last = 0;
  auto operator<=>(const DecodeKey&) const = default;  // NOLINT(modernize-use-nullptr): the compiler's own 0
};

/// level: "l1" | "l2" | "l3" | "memory_side" | "dram".
struct Roof {
  std::string level, core_kind = "uniform";
  int threads = 1;
  int64_t page_bytes = 4096;
  int64_t size_bytes = 0;  ///< the working set at which it was read off
  Reading<Interval> read_bytes_per_s;
  Reading<Interval> load_latency_ns;
  std::string invalid = {};  ///< "", or the sum that shows the figure to be impossible
};

struct CacheEstimate {
  std::string level, core_kind = "uniform";
  int64_t reported_bytes = 0;
  Reading<Interval> effective_bytes;  ///< median = estimate
  std::string method, retouch;
  /// How long a line had been left alone when it was read, at most, at the estimate.
  std::optional<double> retouch_ns = std::nullopt;
};

/// How long a set of a level keeps lines that nobody touches (harness/retention.hpp).
struct RetentionEstimate {
  std::string level, core_kind = "uniform";
  int64_t set_bytes = 0;
  int64_t delays = 0, longest_delay_ns = 0;
  Reading<Interval> half_life_ns;        ///< median = estimate
  std::optional<double> longer_than_ns;  ///< a lower bound, where the end was not seen
  std::string method;
};

struct DecodeResult {
  DecodeKey key;
  std::string arm;
  int launches = 0;
  Interval tokens_per_s;
  int64_t token_ns_p50 = 0, token_ns_p99 = 0;  ///< over blocks, per token
  int64_t weight_bytes_per_token = 0;
  double weight_bytes_per_s = 0;
  Reading<double> roof_fraction;  ///< weight_bytes_per_s ÷ the best measured read roof of any level
  Reading<bool> evicted_verified;
  std::string kernel_version;
  std::string invalid = {};  ///< as of a roof
};

/// The ratio of two arms of the same launches: t interval over launches on the difference of log median block
/// times. It can differ a little from the quotient of the two tokens/s, which are totals. Or that of two
/// ISAs: their warm arms in the launches of the same round.
struct ArmRatio {
  std::string
      name;  ///< "evict_flush/warm", "avx2/avx2_rowmajor", "2_threads/1_thread", "huge_pages/small_pages"
  DecodeKey key;  ///< of the numerator
  int launches = 0;
  Interval speed_ratio;  ///< tokens/s of the first ÷ tokens/s of the second
};

/// A stored run that a model error was learnt from.
struct LearntFrom {
  std::string document;  ///< the first 16 digits of its content hash
  double log_error = 0;  ///< root mean square of ln(measured ÷ forecast) over its decodes
  bool operator==(const LearntFrom&) const = default;
};

/// How far a forecast's argument, not its inputs, may be wrong.
struct ModelError {
  double spread_ratio = 1;    ///< measured lies within forecast ÷ and × this (90 %)
  int submissions = 0;        ///< the stored ones that it was learnt from; 0: a prior
  std::string machines = {};  ///< whose: "this" | "any"; "" for the prior
  std::vector<LearntFrom> learnt_from = {};
  bool operator==(const ModelError&) const = default;
};

/// What ecm says of a mixture of experts and the last-level cache.
struct ExpertForecast {
  int64_t constant_from_bytes = 0;  ///< from this size on all experts are served alike
  int64_t last_cache_bytes = 0;     ///< what this machine's last cache holds, by the read curve
  double hit_ratio = 0;             ///< share of the experts' bytes that caches serve
  bool operator==(const ExpertForecast&) const = default;
};

struct Forecast {
  std::string id, version;
  DecodeKey key;
  std::string inputs_sha256;
  Reading<Interval> tokens_per_s;  ///< median = point; 90 % interval
  int64_t made_ns = 0;
  std::string made_utc;
  std::optional<ModelError> model_error = {};  ///< what widened it
  std::optional<ExpertForecast> experts = {};
};

struct ForecastError {
  std::string id, version;
  DecodeKey key;
  double measured_over_forecast = 0;
  bool inside_interval = false;
};

/// A quality flag: its name is a heading of docs/flags.md.
struct Flag {
  std::string code, detail;
  double value = 0;
};

/// What it costs to begin a chunk of a pool (chunked_stream), fitted through the times of its chunk sizes.
struct JumpEstimate {
  int64_t pool_bytes = 0;
  std::string core_kind = "uniform";
  int64_t page_bytes = 4096;
  Reading<Interval> jump_ns;           ///< may be negative
  Reading<Interval> read_bytes_per_s;  ///< of chunks so long that their beginning does not count
  Reading<double> misfit_ratio;        ///< largest relative distance of a size's median from the line
};

/// One cause of a slow-down. word: "shown" | "none_shown" | "cannot_tell" | "not_applicable".
struct SlowdownPart {
  std::string word;
  Reading<Interval> time_ratio;  ///< what it multiplies the time of a token by, at 98.3 %
};

/// Why an arm is slower than `warm` of the same launches.
struct Slowdown {
  std::string arm;
  DecodeKey key;
  int launches = 0;
  Interval time_ratio;  ///< median block time ÷ that of `warm`
  SlowdownPart core_sharing, bandwidth, eviction;
};

/// How much an antagonist slows a read from a working set: time of a sample with it ÷ idle.
struct Interference {
  std::string placement, antagonist;  ///< "idle_again" is the A/A control
  int64_t size_bytes = 0;
  int samples = 0;
  Interval time_ratio;
};

struct Derived {
  std::vector<Roof> roofs;
  std::vector<CacheEstimate> caches;
  std::vector<RetentionEstimate> retention;
  std::vector<JumpEstimate> jumps;
  std::vector<DecodeResult> decode;
  std::vector<ArmRatio> ratios;
  std::vector<Slowdown> slowdowns;
  std::vector<Interference> interference;
  std::vector<ForecastError> forecast_errors;
  std::vector<Flag> flags;
};

struct Verdict {
  std::string claim, seal, verdict;
};

/// kind failure: a claim or published figure did not hold, or the run could not finish.
struct Failure {
  std::string claimed, source, observed, stage, log_excerpt;
  int exit_code = 0;
  std::vector<std::string> doctor;  ///< readiness findings that were not good, "code: finding"
};

/// The registered claim that a run was made for, as it was sealed then (docs/claims.md).
struct ClaimReference {
  std::string id, seal, sealed_utc;
  bool operator==(const ClaimReference&) const = default;
};

struct Submission {
  std::string kind = "reproduction";  ///< "reproduction" | "failure" | "probe"
  std::string created_utc, nonce;
  std::string protocol;                 ///< "quick" | "default" | "full" | "decode" | "probe" | "claim"
  std::optional<ClaimReference> claim;  ///< of protocol "claim"
  Suite suite;
  Machine machine;
  Conditions conditions;
  std::vector<Plan> plans;
  std::vector<Launch> launches;
  std::vector<Interruption> interruptions;
  Derived derived;
  std::vector<Forecast> forecasts;
  std::vector<Verdict> verdicts;
  std::optional<Failure> failure;
};

/// Returns the text of a submission as canonical JSON (RFC 8785), one line, no trailing newline.
std::string to_canonical_json(const Submission& submission);
/// Reads a document that has passed validate_document; throws Error(invalid_input) on anything missing.
Submission submission_from_json(const std::string& text);

/// The same for one launch: what a child process hands to its parent.
std::string launch_to_json(const Launch& launch);
Launch launch_from_json(const std::string& text);
std::string plan_to_json(const Plan& plan);
Plan plan_from_json(const std::string& text);

/// Times as the documents write them: "2026-11-30T01:07:40Z".
std::string utc_now();

}  // namespace harness
