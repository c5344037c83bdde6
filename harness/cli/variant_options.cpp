#include "harness/cli/variant_options.hpp"

#include "harness/cli/parse.hpp"

namespace cli {

void add_variant_options(CLI::App& command, const std::shared_ptr<probes::VariantChoice>& choice) {
  command
      .add_option_function<std::string>(
          "--operation", [choice](const std::string& text) { choice->operation = text; },
          "what streams do: read, store, store_nt (non-temporal), copy or triad")
      ->check(CLI::IsMember({"read", "store", "store_nt", "copy", "triad"}));
  command
      .add_option_function<std::string>(
          "--pages", [choice](const std::string& text) { choice->pages = text; },
          "huge or small; series on huge pages that are not granted are unavailable")
      ->check(CLI::IsMember({"huge", "small"}));
  command.add_option_function<std::string>(
      "--window", [choice](const std::string& text) { choice->window_bytes = parse_size(text); },
      "load_latency: visit the lines of one window, e.g. 64KiB, before the next");
  command.add_option_function<std::string>(
      "--pool", [choice](const std::string& text) { choice->pool_bytes = parse_size(text); },
      "chunked_stream: draw the chunks from a pool of this size");
  command
      .add_option_function<int>(
          "--threads", [choice](const int& threads) { choice->threads = threads; },
          "dram_stream, load_bandwidth (half of the last-level cache): that many threads, each on a core of "
          "its own")
      ->check(CLI::Range(1, 4096));
}

std::vector<std::string> variant_arguments(const probes::VariantChoice& choice) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* name, const std::string& text) {
    arguments.insert(arguments.end(), {name, text});
  };
  if (choice.operation) add("--operation", *choice.operation);
  if (choice.pages) add("--pages", *choice.pages);
  if (choice.window_bytes) add("--window", std::to_string(*choice.window_bytes));
  if (choice.pool_bytes) add("--pool", std::to_string(*choice.pool_bytes));
  if (choice.threads) add("--threads", std::to_string(*choice.threads));
  return arguments;
}

}  // namespace cli
