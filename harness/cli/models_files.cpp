#include "harness/cli/models_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/named_output.hpp"
#include "harness/digest.hpp"
#include "harness/store.hpp"
#include "models/catalogue.hpp"
#include "models/i8_writer.hpp"
#include "models/shape.hpp"
#include "models/weight_source.hpp"
#include "models/weights.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct ExportOptions {
  std::string model, file;
  uint64_t seed = 1;
  bool draft_head = false, force = false, json = false;
};

ExitCode add(const std::string& file) {
  const models::AddedModel added = models::add_user_model(file);
  std::string text = fmt::format("{} is built in: nothing to add\n", added.name);
  if (!added.path.empty())
    text = fmt::format("{} {} {}\n", added.name, added.already_there ? "is already" : "added as", added.path);
  print_result(text);
  return ExitCode::ok;
}

/// Refuses before the weights are made what could not be written afterwards.
void check(const ExportOptions& options, const models::Shape& shape) {
  if (options.draft_head && shape.draft_ff == 0) {
    throw Error(ExitCode::usage,
                fmt::format("{} has no draft head; leave --with-draft-head out", shape.name));
  }
  if (models::cost(shape).file_bytes == 0) {
    throw Error(
        ExitCode::usage,
        fmt::format("{} is no model that an .i8 file can hold: only int8 rows and one MLP per block are",
                    shape.name));
  }
  check_named_outputs({{"FILE", options.file}});
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.file, error)) {
    throw Error(ExitCode::usage,
                fmt::format("{} exists; --force overwrites it, or name another file", options.file));
  }
}

ExitCode write_weights(const ExportOptions& options) {
  const models::Shape& shape = models::find_shape(options.model);
  check(options, shape);
  models::DraftWeights draft;
  if (options.draft_head) draft = models::synthetic_draft_weights(shape, options.seed);
  const std::string bytes = models::i8_bytes(shape, models::synthetic_weights(shape, options.seed),
                                             options.draft_head ? &draft : nullptr);
  const std::string sha256 = harness::sha256_hex(bytes);
  write_named_output(options.file, bytes);
  if (options.json) {
    const nlohmann::ordered_json json{{"file", options.file},       {"model", shape.name},
                                      {"seed", options.seed},       {"draft_head", options.draft_head},
                                      {"file_bytes", bytes.size()}, {"sha256", sha256}};
    print_result(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else {
    print_result(fmt::format("{}: {} bytes, SHA-256 {}\n", options.file,
                             format_count(static_cast<double>(bytes.size())), sha256));
  }
  return ExitCode::ok;
}

}  // namespace

void add_models_add(CLI::App& models, Invocation& invocation) {
  CLI::App* command = add_command(models, "add", "checks a model description and makes it known by its name",
                                  "tokroof models add my_hybrid.json");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a JSON description, called NAME.json; see docs/models.md")->required();
  command->callback([&invocation, file] { invocation.action = [file] { return add(*file); }; });
}

void add_models_export(CLI::App& models, Invocation& invocation) {
  CLI::App* command = add_command(models, "export", "writes synthetic weights of a model as an .i8 file",
                                  "tokroof models export coreflow_1_9m weights.i8 --with-draft-head");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("NAME", options->model, "see tokroof models")->required();
  command->add_option("FILE", options->file, "the file to write")->required();
  command->add_flag("--with-draft-head", options->draft_head,
                    "add the draft head that the published file has and decode never reads");
  command->add_option("--seed", options->seed, "of the weights; decode without --weights uses 1")
      ->capture_default_str();
  command->add_flag("--force", options->force, "overwrite FILE");
  command->add_flag("--json", options->json, "print JSON");
  command->callback(
      [&invocation, options] { invocation.action = [options] { return write_weights(*options); }; });
}

}  // namespace cli
