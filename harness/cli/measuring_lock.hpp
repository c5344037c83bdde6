// Keeps the measuring commands of one user from measuring at once: $TOKROOF_HOME/measuring.lock, by flock(2).
// A run for a claim shares the machine with none of them. The lock ends with its process.
#pragma once
#include <string>

namespace cli {

class MeasuringLock {
 public:
  /// Takes the lock together with others that are no claim's runs. Throws Error(unavailable) that names the
  /// process while a claim's run holds it. Where the home cannot be written nothing is locked.
  MeasuringLock();
  ~MeasuringLock();
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  /// Makes it one that nobody shares, for the run of a claim with this nonce. Throws Error(unavailable) while
  /// another measuring command of this home runs, Error(store) when the home cannot be written.
  void alone(const std::string& nonce) const;

  /// Leaves the lock to the program that takes this one's place by exec(3).
  void keep_over_exec() const;

 private:
  int descriptor_ = -1;
};

/// Returns the process that measures a claim's run with this nonce now, by the lock of this home; 0: none
/// does.
int measuring_process(const std::string& nonce);

}  // namespace cli
