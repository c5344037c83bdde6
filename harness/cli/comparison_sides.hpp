// What is compared, where it is not executables: documents and stores, read into two sides.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.hpp"
#include "harness/cli/comparison_report.hpp"

namespace cli {

/// What a document or a store says of one machine.
struct SideOfMachine {
  std::string cpu_model;
  std::vector<std::vector<analysis::ComparedDecode>> documents;
  std::map<std::string, std::vector<double>> roofs;  ///< read_bytes_per_s by level and threads
};

/// One of the two: old or new.
struct Side {
  ComparedSide told;
  std::map<std::string, SideOfMachine> machines;
  std::set<std::string> fingerprints;
  int copies = 0;  ///< documents left out: they are in this side already, or in the one before
};

/// Reads two documents or stores, old and new; what `known` holds already, by fingerprint, is left out.
/// Throws Error(not_enough_data) when the second holds nothing that the first does not, Error(invalid_input)
/// where one is no valid submission.
std::pair<Side, Side> read_sides(const std::vector<std::string>& names, const std::set<std::string>& known);

}  // namespace cli
