// Writes synthetic documents into a folder: for script/bench-store and tests of the command line.
//   synthetic_documents FOLDER COUNT [FIRST [small]]
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "harness/cli/synthetic_document.hpp"
#include "harness/error.hpp"
#include "harness/store.hpp"

namespace {
constexpr int machines = 40;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "synthetic_documents FOLDER COUNT [FIRST [small]]\n");
    return 2;
  }
  const int64_t count = std::atoll(argv[2]), first = argc > 3 ? std::atoll(argv[3]) : 0;
  try {
    const cli::SyntheticDocuments documents(machines, argc > 4 && std::string(argv[4]) == "small");
    for (int64_t number = first; number < first + count; ++number) {
      harness::FileInTheMaking file(fmt::format("{}/{:08}.json", argv[1], number));
      file.write(documents.text(number) + "\n");
      file.commit();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "synthetic_documents: {}\n", error.what());
    return 7;
  }
  return 0;
}
