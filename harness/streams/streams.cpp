#include "harness/streams/streams.hpp"

namespace harness {

bool runs_on(const Streams& table, const CpuFeatures& features) {
  const std::string isa = table.isa;
  if (isa == "avx2") return features.avx2;
  if (isa == "avx512") return features.avx512f;
  return isa == "scalar";
}

const Streams& select_streams(const CpuFeatures& features) {
  const auto tables = streams_tables();
  for (size_t i = tables.size(); i-- > 1;) {
    if (runs_on(tables[i], features)) return tables[i];
  }
  return tables.front();
}

}  // namespace harness
