// What a document costs, stage by stage, and a store that grows: for script/bench-store.
//   store_bench stages
//   store_bench fill STORE FROM TO small|large
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/derive.hpp"
#include "analysis/plausibility.hpp"
#include "harness/cli/synthetic_document.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/store.hpp"
#include "harness/validation.hpp"
#include "harness/validation_parse.hpp"
#include "harness/validation_schema.hpp"

namespace {

constexpr int machines = 40;
constexpr int64_t documents_of_a_batch = 64;
constexpr int64_t last_ones = 1000;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns the median time of a stage over all documents.
int64_t median_ns(int count, const std::function<void(int)>& stage) {
  std::vector<int64_t> times;
  for (int i = 0; i < count; ++i) {
    const int64_t start = now_ns();
    stage(i);
    times.push_back(now_ns() - start);
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

nlohmann::ordered_json stages() {
  constexpr int count = 200;
  const cli::SyntheticDocuments documents(machines, false);
  std::vector<std::string> texts, canonical(count);
  for (int i = 0; i < count; ++i) texts.push_back(documents.text(i));
  std::vector<nlohmann::json> parsed(count);
  std::vector<harness::NewDocument> ready(count);
  nlohmann::ordered_json ns;
  ns["strict_parse"] = median_ns(count, [&](int i) { harness::parse_strictly(texts[i], parsed[i]); });
  ns["schema"] = median_ns(count, [&](int i) { harness::meets_schema("submission", parsed[i]); });
  ns["parse_schema_canonical"] =
      median_ns(count, [&](int i) { harness::canonise_document(texts[i], canonical[i]); });
  ns["sha256"] =
      median_ns(count, [&](int i) { ready[i].content_sha256 = harness::sha256_hex(canonical[i]); });
  ns["read"] = median_ns(count, [&](int i) { ready[i].content = harness::stored_content(canonical[i]); });
  ns["derive"] = median_ns(count, [&](int i) { analysis::derive(ready[i].content.submission); });
  ns["rules_with_derive"] =
      median_ns(count, [&](int i) { analysis::check_plausibility(ready[i].content.submission); });
  for (int i = 0; i < count; ++i) ready[i].text = canonical[i];
  const std::string folder =
      std::filesystem::temp_directory_path() / ("store_bench_" + harness::random_hex(8));
  {
    harness::Store store(folder + "/store.sqlite");
    const int64_t start = now_ns();
    for (int first = 0; first < count; first += documents_of_a_batch) {
      const int last = std::min<int>(count, first + documents_of_a_batch);
      store.add_all({ready.begin() + first, ready.begin() + last});
    }
    ns["insert_in_batches"] = (now_ns() - start) / count;
  }
  std::filesystem::remove_all(folder);
  return ns;
}

nlohmann::ordered_json fill(const std::string& path, int64_t from, int64_t to, bool small) {
  const cli::SyntheticDocuments documents(machines, small);
  harness::Store store(path);
  int64_t spent_ns = 0, spent_on_last_ns = 0;
  for (int64_t first = from; first < to; first += documents_of_a_batch) {
    std::vector<harness::NewDocument> batch;
    for (int64_t number = first; number < std::min(to, first + documents_of_a_batch); ++number)
      batch.push_back(harness::new_document(documents.text(number)));
    const int64_t start = now_ns();
    store.add_all(batch);
    const int64_t took_ns = now_ns() - start;
    spent_ns += took_ns;
    if (first >= to - last_ones) spent_on_last_ns += took_ns;
  }
  const auto counted = [&](int64_t ns, int64_t count) { return ns / std::max<int64_t>(1, count); };
  const int64_t last_batches =
      (std::min(last_ones, to - from) + documents_of_a_batch - 1) / documents_of_a_batch;
  return {
      {"insert_ns_per_document", counted(spent_ns, to - from)},
      {"insert_ns_per_document_of_the_last", counted(spent_on_last_ns, last_batches * documents_of_a_batch)}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 1 && arguments[0] == "stages") {
      fmt::print("{}\n", stages().dump());
      return 0;
    }
    if (arguments.size() == 5 && arguments[0] == "fill") {
      fmt::print("{}\n", fill(arguments[1], std::atoll(arguments[2].c_str()),
                              std::atoll(arguments[3].c_str()), arguments[4] == "small")
                             .dump());
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "store_bench: {}\n", error.what());
    return 7;
  }
  fmt::print(stderr, "store_bench stages | fill STORE FROM TO small|large\n");
  return 2;
}
