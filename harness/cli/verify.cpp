// tokroof verify: was a file signed with that key, and is it still the one that was signed?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/sign.hpp"
#include "harness/scrub.hpp"
#include "harness/signature.hpp"
#include "harness/user_file.hpp"

namespace cli {
namespace {

using harness::ExitCode;

constexpr size_t max_file_bytes = size_t{64} << 20, max_small_bytes = 4096;

struct VerifyOptions {
  std::string file, key, signature;
  bool json = false;
};

ExitCode verify(const VerifyOptions& options, const Terminal& terminal) {
  const std::string path = options.signature.empty() ? options.file + ".minisig" : options.signature;
  const harness::PublicKey key = public_key_of(options.key);
  const std::string signature = harness::read_user_file(path, max_small_bytes);
  const std::string bytes = harness::read_user_file(options.file, max_file_bytes);
  if (bytes.size() > max_file_bytes)
    throw harness::Error(ExitCode::invalid_input, options.file + ": longer than 64 MiB; no document is");
  const harness::Signed made = harness::verify_signature(bytes, signature, key, options.file);
  const std::string id = harness::key_id_text(made.id), comment = harness::printable(made.trusted_comment);
  const nlohmann::ordered_json json = {{"file", options.file}, {"key", id}, {"trusted_comment", comment}};
  print_result(options.json
                   ? json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                   : fmt::format("{} {}: as it was signed with key {} ({})\n", mark_good(terminal),
                                 options.file, id, comment));
  return ExitCode::ok;
}

}  // namespace

void add_verify(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "verify", "checks a file against its minisign signature",
                                  "tokroof verify result.json --key minisign.pub");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("FILE", options->file, "the file that was signed")->required();
  command
      ->add_option("--key", options->key,
                   "public key: the line that begins with RW, or the file that holds it")
      ->required();
  command->add_option("--signature", options->signature, "signature instead of FILE.minisig");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return verify(*options, invocation.terminal); };
  });
}

}  // namespace cli
