#include "harness/bench/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <vector>

#include "harness/bench/inputs.hpp"
#include "harness/buffer.hpp"
#include "harness/clock.hpp"
#include "harness/error.hpp"
#include "harness/sampler.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/faster_read.hpp"
#include "harness/streams/streams.hpp"
#include "models/kernels/select.hpp"

namespace bench {
namespace {

/// The head of coreflow_1_9m, two that show a kernel at and beyond 2 MiB, and that model's matrices laid end
/// to end.
constexpr MatrixShape compared_shapes[] = {{4096, 144}, {2048, 1024}, {4096, 4096}, {5184, 396}};
constexpr std::string_view reference_isa = "avx2_rowmajor";
constexpr size_t stream_block_bytes = 512;  ///< streams read multiples of it
constexpr harness::SamplerOptions sampling{3, 2'000'000, 50'000'000, 1 << 20};

[[noreturn]] void wrong(const std::string& what) {
  throw harness::Error(harness::ExitCode::wrong_result,
                       what + " does not give what the scalar one gives: its speed means nothing");
}

/// Returns the median rate of a few samples after a warm-up.
double measure(double bytes_per_call, const std::function<void(int64_t)>& body) {
  const harness::Samples samples = harness::sample(harness::steady_clock(), sampling, body);
  std::vector<double> rates;
  for (const int64_t ns : samples.durations_ns)
    rates.push_back(bytes_per_call * static_cast<double>(samples.repeats) / static_cast<double>(ns) * 1e9);
  return harness::median(rates);
}

/// One matrix in the form of one table, with what its product must be.
class PackedGemv {
 public:
  PackedGemv(const models::Kernels& kernels, const MatrixShape& shape)
      : kernels_(kernels),
        shape_(shape),
        packed_bytes_(kernels.packed_bytes(shape.first, shape.second)),
        memory_((packed_bytes_ + stream_block_bytes - 1) / stream_block_bytes * stream_block_bytes,
                harness::Pages::huge),
        x_(random_codes(shape.second, 2)),
        scales_(constant_floats(shape.first, 0.01F)),
        y_(shape.first) {
    const models::Padded<int8_t> codes = random_codes(shape.first * shape.second, 1);
    kernels.pack(codes.data(), shape.first, shape.second, reinterpret_cast<int8_t*>(memory_.data()));
    one_pass_ = harness::streams_tables().front().read(memory_.data(), memory_.bytes(), 1);
  }
  [[nodiscard]] size_t packed_bytes() const { return packed_bytes_; }
  [[nodiscard]] std::vector<float> product() {
    gemv(1);
    return {y_.data(), y_.data() + shape_.first};
  }
  /// Bytes of the packed matrix per second.
  double gemv_rate(const std::vector<float>& expected) {
    y_.clear();
    const double rate = measure(static_cast<double>(packed_bytes_), [this](int64_t calls) { gemv(calls); });
    if (!std::equal(expected.begin(), expected.end(), y_.data())) wrong(fmt::format("GEMV {}", kernels_.isa));
    return rate;
  }
  double read_rate(const harness::Streams& stream) {
    uint64_t read = 0;
    int64_t passes = 0;
    const harness::ReadLoop loop = harness::faster_read(stream, memory_.data(), memory_.bytes());
    const double rate = measure(static_cast<double>(memory_.bytes()), [&](int64_t calls) {
      read = loop(memory_.data(), memory_.bytes(), calls);
      passes = calls;
    });
    if (read != (passes % 2 == 1 ? one_pass_ : 0)) wrong(fmt::format("read stream {}", stream.isa));
    return rate;
  }

 private:
  void gemv(int64_t calls) {
    for (int64_t i = 0; i < calls; ++i) {
      kernels_.gemv(reinterpret_cast<const int8_t*>(memory_.data()), scales_.data(), shape_.first,
                    shape_.second, x_.data(), 0.02F, y_.data());
    }
  }

  const models::Kernels& kernels_;
  MatrixShape shape_;
  size_t packed_bytes_;
  harness::Buffer memory_;
  models::Padded<int8_t> x_;
  models::Padded<float> scales_, y_;
  uint64_t one_pass_ = 0;
};

std::string interval_json(std::string_view key, const harness::Interval& interval) {
  return fmt::format(R"("{}":{{"median":{:.6g},"low":{:.6g},"high":{:.6g}}})", key, interval.median,
                     interval.low, interval.high);
}

/// The values of all rounds: median, interval and spread.
std::string values_json(std::string_view key, const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return interval_json(key, harness::log_t_interval(values)) +
         fmt::format(R"(,"{}_spread_ratio":{:.4f})", key, (*most - *least) / harness::median(values));
}

std::string ratios_json(std::string_view key, const std::vector<double>& above,
                        const std::vector<double>& below) {
  std::vector<double> ratios(above.size());
  std::transform(above.begin(), above.end(), below.begin(), ratios.begin(), std::divides<>());
  return values_json(key, ratios);
}

/// Runs the steps of a round once, every other round in the mirrored order.
void take_round(int round, const std::vector<std::function<void()>>& steps) {
  for (size_t i = 0; i < steps.size(); ++i) steps[round % 2 == 0 ? i : steps.size() - 1 - i]();
}

std::string compare_with_read(const models::Kernels& kernels, const MatrixShape& shape,
                              const harness::Streams& stream, const std::vector<float>& expected, int pairs) {
  PackedGemv matrix(kernels, shape);
  std::vector<double> gemv, read, again;
  for (int round = 0; round < pairs; ++round) {
    take_round(round, {[&] { gemv.push_back(matrix.gemv_rate(expected)); },
                       [&] { read.push_back(matrix.read_rate(stream)); },
                       [&] { again.push_back(matrix.read_rate(stream)); }});
  }
  return fmt::format(R"({{"kind":"read","rows":{},"cols":{},"isa":"{}","packed_bytes":{},{},{},{},{}}})",
                     shape.first, shape.second, kernels.isa, matrix.packed_bytes(),
                     values_json("gemv_bytes_per_s", gemv), values_json("read_bytes_per_s", read),
                     ratios_json("ratio", gemv, read), ratios_json("read_again_ratio", again, read));
}

/// Both products handle the same weights, whatever their packed forms: the ratio is one of calls per second.
std::string compare_isas(const models::Kernels& kernels, const models::Kernels& reference,
                         const MatrixShape& shape, const std::vector<float>& expected, int pairs) {
  PackedGemv matrix(kernels, shape), reference_matrix(reference, shape);
  std::vector<double> own, base;
  for (int round = 0; round < pairs; ++round) {
    take_round(
        round,
        {[&] { own.push_back(matrix.gemv_rate(expected) / static_cast<double>(matrix.packed_bytes())); },
         [&] {
           base.push_back(reference_matrix.gemv_rate(expected) /
                          static_cast<double>(reference_matrix.packed_bytes()));
         }});
  }
  return fmt::format(R"({{"kind":"isa","rows":{},"cols":{},"isa":"{}","reference":"{}",{}}})", shape.first,
                     shape.second, kernels.isa, reference.isa, ratios_json("ratio", own, base));
}

}  // namespace

std::optional<int> parse_pairs(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [](std::string_view each) { return each.starts_with("--pairs"); });
  if (found == arguments.end()) return std::nullopt;
  std::string_view text;
  if (arguments.size() == 1 && found->starts_with("--pairs=")) text = found->substr(8);
  if (arguments.size() == 2 && arguments[0] == "--pairs") text = arguments[1];
  int pairs = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), pairs);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || pairs < 3 || pairs > 1000) {
    throw harness::Error(harness::ExitCode::usage, "--pairs stands alone: --pairs N, N from 3 to 1000");
  }
  return pairs;
}

std::string measure_pairs(const harness::CpuFeatures& features, int pairs, int pu) {
  std::vector<const models::Kernels*> tables;
  const models::Kernels* reference = nullptr;
  for (const models::Kernels* table : models::kernel_tables()) {
    if (!models::missing_feature(*table, features).empty()) continue;
    tables.push_back(table);
    if (table->isa == reference_isa) reference = table;
  }
  const harness::Streams& stream = harness::select_streams(features);
  std::string comparisons;
  for (const MatrixShape& shape : compared_shapes) {
    const std::vector<float> expected = PackedGemv(*models::kernel_tables().front(), shape).product();
    for (const models::Kernels* table : tables)
      comparisons += "\n" + compare_with_read(*table, shape, stream, expected, pairs) + ",";
    for (const models::Kernels* table : tables) {
      if (reference == nullptr || table == reference || table == models::kernel_tables().front()) continue;
      comparisons += "\n" + compare_isas(*table, *reference, shape, expected, pairs) + ",";
    }
  }
  comparisons.pop_back();
  return fmt::format(R"({{"pairs":{},"pu":{},"stream":{{"isa":"{}","vector_bytes":{}}},"comparisons":[{}]}})",
                     pairs, pu, stream.isa, stream.vector_bytes, comparisons);
}

}  // namespace bench
