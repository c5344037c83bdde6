// Which series of a probe is meant: one probe answers its question for several operations, page sizes and
// threads.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace probes {

/// One series of a probe. The defaults are the series that every run takes.
struct Variant {
  std::string operation = "read";  ///< "read" | "store" | "store_nt" | "copy" | "triad"
  std::string pages = "any";       ///< "any": huge ones if granted; "huge": those or nothing; "small"
  int64_t window_bytes = 0;        ///< a chase visits the lines of one window before the next; 0: no windows
  int64_t pool_bytes = 0;          ///< what chunks are drawn from; 0: the probe's own
  int threads = 1;                 ///< each bound to a core of its own
  std::string isa = {}, kernel = {};  ///< kernel_rates: a kernel of a table, on rows of `cols`
  int cols = 0, heads = 0;            ///< of attention the width of a head, and the heads of a call
  std::string model = {};             ///< kernel_rates: experts in the number and sizes of this model's
  bool operator==(const Variant&) const = default;
};

/// What a user fixes of all variants of a probe; what is not fixed stays as listed.
struct VariantChoice {
  std::optional<std::string> operation, pages;
  std::optional<int64_t> window_bytes, pool_bytes;
  std::optional<int> threads;
};

/// Returns the listed variants with the chosen fields overwritten, each once, in their order. A field that
/// `choices` (names between spaces: "operation pages window pool threads") lacks throws Error(usage).
std::vector<Variant> chosen_variants(const std::string& probe, const std::string& choices,
                                     const std::vector<Variant>& listed, const VariantChoice& choice);

}  // namespace probes
