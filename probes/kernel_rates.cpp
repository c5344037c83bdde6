// kernel_rates: how many bytes per second each decode kernel takes from a level of memory, on neutral data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/buffer.hpp"
#include "harness/topology.hpp"
#include "models/kernels/select.hpp"
#include "models/shape.hpp"
#include "models/token_work.hpp"
#include "probes/kernel_rates_body.hpp"
#include "probes/kernel_rates_experts.hpp"
#include "probes/kernel_rates_first_calls.hpp"
#include "probes/kernel_rates_streamed.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

/// A lap over this much lasts longer than the least sample, so that after a flush it is never repeated.
constexpr int64_t cold_bytes = int64_t{32} << 20;
constexpr int64_t least_sample_ns = 150'000;

/// Data that lies in one level.
struct LevelSet {
  std::string level;  ///< "l1" | "l2" | "l3" | "dram"; with "_short" of brief calls, with "_far" of far ones
  int64_t calls = 1;
  Extent extent = Extent::whole;
  bool cold = false;
};

models::KernelUse use_of(const Variant& variant) {
  models::KernelUse use;
  use.kernel = variant.kernel;
  use.cols = variant.cols;
  use.heads = variant.heads;
  const bool product = variant.kernel == "int8" || variant.kernel == "ternary" ||
                       variant.kernel == "group3" || variant.kernel == "group4";
  use.reads = product                         ? models::Reads::dense
              : variant.kernel == "attention" ? models::Reads::kv
                                              : models::Reads::nothing;
  return use;
}

int64_t cache_bytes(const ProbeContext& context, int level) {
  for (const harness::Cache& cache : context.topology.caches) {
    if (cache.level == level && cache.type != "instruction" && cache.memory_side.empty() && cache.bytes > 0)
      return static_cast<int64_t>(cache.bytes);
  }
  return 0;
}

/// Where the data of a level's set surely lies: the geometric mean of its own size and the next smaller
/// one's, where derived.roofs reads that level's roof, too.
int64_t inside_bytes(int64_t smaller, int64_t own) {
  return smaller > 0 && smaller < own
             ? std::llround(std::sqrt(static_cast<double>(smaller) * static_cast<double>(own)))
             : own / 2;
}

int64_t size_of(const LevelSet& set, const KernelBody& body) {
  const KernelBody::Size& one = body.of(set.extent);
  // Vectors are told apart by their bytes: they have no memory of their own.
  return one.memory_bytes == 0 ? one.bytes : set.calls * one.memory_bytes;
}

/// Adds a set of about so many bytes; a sweep tells sets apart by their size, so no two have the same.
void add_set(std::vector<LevelSet>& sets, const std::string& level, int64_t bytes, Extent extent, bool cold,
             const KernelBody& body) {
  const int64_t of_call = body.of(extent).memory_bytes;
  if (of_call == 0) return;
  LevelSet set{level, std::max<int64_t>(bytes / of_call, 1), extent, cold};
  while (std::any_of(sets.begin(), sets.end(),
                     [&](const LevelSet& other) { return size_of(other, body) == size_of(set, body); }))
    ++set.calls;
  sets.push_back(set);
}

std::vector<LevelSet> level_sets(const ProbeContext& context, const KernelBody& body, bool matrix) {
  if (body.of(Extent::whole).memory_bytes == 0) return {{"l1_short", 1, Extent::brief}, {"l1", 1}};
  const int64_t l1 = cache_bytes(context, 1), l2 = cache_bytes(context, 2), l3 = cache_bytes(context, 3);
  const int64_t in_l2 = inside_bytes(l1, l2);
  std::vector<LevelSet> sets;
  add_set(sets, "l2_short", in_l2 / 2, Extent::brief, false, body);
  add_set(sets, "l2", in_l2, Extent::whole, false, body);
  if (l3 > l2) add_set(sets, "l3", inside_bytes(l2, l3), Extent::whole, false, body);
  const int64_t beyond = std::max(cold_bytes, 2 * inside_bytes(l2, l3));
  // What comes from memory comes the slower the shorter a call is: its first lines are waited for.
  if (matrix) add_set(sets, "dram_short", beyond, Extent::brief, true, body);
  add_set(sets, "dram", beyond, Extent::whole, true, body);
  if (matrix) add_set(sets, "dram_far", beyond, Extent::far, true, body);
  return sets;
}

void describe(const ProbeContext& context, const std::vector<LevelSet>& sets, const std::string& further,
              const KernelBody& body, harness::Series& series) {
  std::string levels;
  for (const LevelSet& set : sets) levels += (levels.empty() ? "" : " ") + set.level;
  // The same for all and told by the data: a document holds many of these series.
  series.params.erase("samples");
  series.params.erase("min_sample_ns");
  series.params.erase("order_seed");
  // The clock is core_clock's to tell; where it moves, samples are marked clock_drift.
  series.totals.core_clock_low_hz = series.totals.core_clock_high_hz = 0;
  series.params["isa"] = context.variant.isa;
  series.params["kernel"] = context.variant.kernel;
  if (context.variant.cols > 0) series.params["cols"] = int64_t{context.variant.cols};
  if (context.variant.heads > 0) series.params["heads"] = int64_t{context.variant.heads};
  series.params["levels"] = levels + further;
  series.params["call_bytes"] = body.of(Extent::whole).bytes;
  series.params["short_call_bytes"] = body.of(Extent::brief).bytes;
  if (levels.find("_far") != std::string::npos) series.params["far_call_bytes"] = body.of(Extent::far).bytes;
}

harness::Series measure(const ProbeContext& context, const KernelBody& body,
                        const std::vector<LevelSet>& sets, const harness::Buffer& buffer) {
  std::vector<int64_t> sizes;
  sizes.reserve(sets.size());
  for (const LevelSet& set : sets) sizes.push_back(size_of(set, body));
  const auto set_of = [&](int64_t size) -> const LevelSet& {
    return sets[static_cast<size_t>(std::find(sizes.begin(), sizes.end(), size) - sizes.begin())];
  };
  Extent extent = Extent::whole;
  SweepBody sweeping;
  sweeping.work_unit = "bytes";
  sweeping.min_sample_ns = least_sample_ns;
  sweeping.work = [&](int64_t size, int64_t repeats) {
    const LevelSet& set = set_of(size);
    const int64_t stride = body.of(set.extent).memory_bytes;
    for (int64_t lap = 0; lap < repeats; ++lap) {
      for (int64_t i = 0; i < set.calls; ++i) body.call(buffer.data() + i * stride, set.extent);
    }
  };
  sweeping.begin = [&](int64_t size) {
    const LevelSet& set = set_of(size);
    extent = set.extent;
    const int64_t stride = body.of(extent).memory_bytes;
    for (int64_t i = 0; i < set.calls; ++i) body.fill(buffer.data() + i * stride, extent);
  };
  sweeping.refresh = [&](int64_t size) {
    if (set_of(size).cold) {
      harness::flush_from_caches(buffer.data(), static_cast<size_t>(size));
    } else {
      sweeping.work(size, 1);
    }
  };
  sweeping.units_per_repeat = [&](int64_t size) {
    const LevelSet& set = set_of(size);
    return set.calls * body.of(set.extent).bytes;
  };
  sweeping.verify = [&](int64_t) { return body.right(extent); };
  harness::Series series;
  series.probe = "kernel_rates";
  sweep(context, sizes, sweeping, series);
  return series;
}

harness::Series refuse(const ProbeContext& context, const std::string& why) {
  harness::Series series = unavailable_series("kernel_rates", why);
  series.params["isa"] = context.variant.isa;
  series.params["kernel"] = context.variant.kernel;
  return series;
}

const models::Kernels* table_of(const std::string& isa) {
  for (const models::Kernels* table : models::kernel_tables()) {
    if (table->isa == isa) return table;
  }
  return nullptr;
}

std::vector<std::string> models_of(const ProbeContext& context) {
  if (!context.models.empty()) return context.models;
  std::vector<std::string> names;
  for (const models::Shape& shape : models::shapes()) names.push_back(shape.name);
  return names;
}

/// Of each kernel that some model has one, whatever its rows.
harness::Series run_first_calls(const ProbeContext& context, const models::Kernels& kernels) {
  std::vector<models::KernelUse> uses;
  for (const std::string& name : models_of(context)) {
    for (const models::KernelUse& use : models::token_work(models::find_shape(name), 0, 0)) {
      if (std::none_of(uses.begin(), uses.end(),
                       [&](const models::KernelUse& other) { return other.kernel == use.kernel; }))
        uses.push_back(use);
    }
  }
  harness::Series series = measure_first_calls(context, kernels, uses);
  series.params["isa"] = context.variant.isa;
  series.params["kernel"] = context.variant.kernel;
  series.totals.core_clock_low_hz = series.totals.core_clock_high_hz = 0;
  return series;
}

/// The same for all and told by the data, as of other series of kernel_rates.
harness::Series run_experts(const ProbeContext& context, const models::Kernels& kernels) {
  const auto work = models::expert_work(models::find_shape(context.variant.model));
  if (!work) return refuse(context, context.variant.model + " has no experts");
  harness::Series series = measure_experts(context, kernels, *work);
  series.params["isa"] = context.variant.isa;
  series.params["kernel"] = context.variant.kernel;
  series.totals.core_clock_low_hz = series.totals.core_clock_high_hz = 0;
  return series;
}

harness::Series run(const ProbeContext& asked) {
  ProbeContext context = asked;
  if (context.variant.kernel.empty()) {  // alone: the first of its list
    context.variant = find_probe("kernel_rates").variants(asked).front();
  }
  const models::Kernels* kernels = table_of(context.variant.isa);
  if (kernels == nullptr) return refuse(context, "no kernels of this name");
  const std::string missing = models::missing_feature(*kernels, context.features);
  if (!missing.empty()) return refuse(context, "this CPU lacks " + missing);
  if (context.variant.kernel == "first_calls") return run_first_calls(context, *kernels);
  if (!context.variant.model.empty()) return run_experts(context, *kernels);
  const int64_t l2 = cache_bytes(context, 2);
  if (l2 == 0) return refuse(context, "no second-level cache is reported");
  const int64_t most_bytes = inside_bytes(cache_bytes(context, 1), l2) / 2;
  const models::KernelUse use = use_of(context.variant);
  const KernelBody body = make_kernel_body(use, *kernels, most_bytes, context.seed);
  std::vector<LevelSet> sets = level_sets(context, body, use.reads == models::Reads::dense);
  // Where user code cannot flush, what memory gives stays unknown.
  std::byte line[1]{};
  while (sets.back().cold && !harness::flush_from_caches(line, sizeof line)) sets.pop_back();
  int64_t bytes = 1;
  for (const LevelSet& set : sets) bytes = std::max(bytes, size_of(set, body));
  if (bytes > memory_budget_bytes())
    return refuse(context, fmt::format("{} bytes may not be taken here", bytes));
  const harness::Buffer buffer(static_cast<size_t>(bytes), harness::Pages::small, context.seed);
  harness::Series series = measure(context, body, sets, buffer);
  // A rate is made of several sizes: without one of them the others say nothing.
  if (skipped_sizes(series) > 0 || is_skipped(series))
    series = skipped_series("kernel_rates", context.budget_ns);
  std::string further;
  if (sets.back().cold && series.status == harness::Status::ok)
    further = take_cold_levels(context, use, models_of(context), body, buffer, series);
  describe(context, sets, further, body, series);
  return series;
}

/// Every kernel and row width of the asked models (none: of all built-in ones), for each asked ISA; where
/// some have experts, also first calls and the experts of each.
std::vector<Variant> variants(const ProbeContext& context) {
  const std::vector<std::string> names = models_of(context);
  std::vector<std::string> isas = context.isas;
  if (isas.empty())
    isas.emplace_back(models::select_kernels(models::kernel_tables(), context.features, "").isa);
  std::vector<Variant> listed;
  for (const std::string& isa : isas) {
    for (const std::string& name : names) {
      for (const models::KernelUse& use : models::token_work(models::find_shape(name), 0, 0)) {
        Variant variant;
        variant.isa = isa;
        variant.kernel = use.kernel;
        variant.cols = use.cols;
        variant.heads = use.heads;
        if (std::find(listed.begin(), listed.end(), variant) == listed.end()) listed.push_back(variant);
      }
    }
    const auto has_experts = [](const std::string& name) {
      return models::find_shape(name).experts.count > 0;
    };
    if (std::none_of(names.begin(), names.end(), has_experts)) continue;  // keeps default documents small
    Variant first_calls;
    first_calls.isa = isa;
    first_calls.kernel = "first_calls";
    listed.push_back(first_calls);
    for (const std::string& name : names) {
      if (!has_experts(name)) continue;
      Variant variant;
      variant.isa = isa;
      variant.kernel = "experts";
      variant.model = name;
      if (std::find(listed.begin(), listed.end(), variant) == listed.end()) listed.push_back(variant);
    }
  }
  return listed;
}

}  // namespace

extern const Probe kernel_rates_probe;
const Probe kernel_rates_probe{"kernel_rates",
                               "speed of each decode kernel from each level of memory, on neutral data",
                               false,
                               run,
                               "",
                               variants,
                               0.04,
                               false,
                               nullptr,
                               true};

}  // namespace probes
