// The three kinds of trouble: *not measurable here* is data (Unavailable), *bad input or world* is an Error,
// *our mistake* is an assertion.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace harness {

/// Says what the process exits with. docs/exit-codes.md lists them for users.
enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  tampered = 3,
  invalid_input = 4,
  implausible = 5,
  unavailable = 6,
  store = 7,
  wrong_result = 8,
  regressed = 9,
  falsified = 10,
  inconclusive = 11,
  not_enough_data = 12,
  interrupted = 130,
};

/// Reports bad input or a bad world: one line that says what is wrong, where, and what to do.
/// Thrown by libraries, caught once in main.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Says why something cannot be measured on this machine; stored in the submission as {"unavailable":
/// reason}.
struct Unavailable {
  std::string reason;
  bool operator==(const Unavailable&) const = default;
};

/// Holds a value, or why there is none.
template <class T>
using Reading = std::variant<T, Unavailable>;

template <class T>
[[nodiscard]] bool available(const Reading<T>& reading) {
  return std::holds_alternative<T>(reading);
}

}  // namespace harness
