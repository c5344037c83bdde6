// Prints what validation says of each file named on standard input as a document of KIND (submission, when no
// argument names another), one JSON line per file: for the test that compares it with an independent
// validator (schemas/oracle_test.py).
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/validation.hpp"
#include "harness/validation_parse.hpp"

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "submission";
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    nlohmann::json document;
    const bool parsed = harness::parse_strictly(text, document).empty();
    nlohmann::json violations = nlohmann::json::array();
    for (const auto& violation : harness::validate_document(text, kind)) {
      violations.push_back({violation.pointer, violation.value, violation.expected});
    }
    const nlohmann::json verdict{
        {"file", path}, {"stage", parsed ? "schema" : "parse"}, {"violations", violations}};
    std::cout << verdict.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  }
}
