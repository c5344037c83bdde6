#include "harness/cli/result_output.hpp"

#include "harness/cli/command.hpp"
#include "harness/store.hpp"

namespace cli {

void deliver(const std::string& text, const std::string& path) {
  if (!path.empty()) harness::write_file_atomically(path, text);
  print_result(text);
}

}  // namespace cli
