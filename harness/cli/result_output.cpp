#include "harness/cli/result_output.hpp"

#include "harness/cli/command.hpp"
#include "harness/cli/named_output.hpp"

namespace cli {

void deliver(const std::string& text, const std::string& path) {
  if (!path.empty()) write_named_output(path, text);
  print_result(text);
}

}  // namespace cli
