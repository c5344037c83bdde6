// The questions that tokroof query knows, as SQL. docs/store.md, "Views", lists their columns.
#pragma once
#include <string>
#include <vector>

namespace cli {

/// One table of an answer.
struct ViewTable {
  std::string name;
  std::string sql;  ///< ?1 is the argument, ?2 … ?5 the options --cpu, --model, --mode and --isa; '' for any
};

struct View {
  std::string name;
  std::string argument;  ///< what ?1 is: "CPU" | "MODEL" | "ID"; "" when there is none
  std::string summary;
  std::vector<ViewTable> tables;
};

const std::vector<View>& views();

/// Throws Error(usage) that names the nearest one.
const View& find_view(const std::string& name);

}  // namespace cli
