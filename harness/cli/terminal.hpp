// What a person sees: tables, a progress line, colour. Results go to stdout, everything else to stderr.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// What the terminal can show. Honours NO_COLOR, TERM=dumb, COLUMNS and the locale's character set.
struct Terminal {
  bool colour_out = false;  ///< stdout is a terminal that wants colour
  bool progress = false;    ///< stderr is a terminal
  bool utf8 = false;
  int columns = 80;
};
Terminal read_terminal();

enum class Colour { plain, green, yellow, red, bold, dim };
std::string paint(const Terminal& terminal, Colour colour, const std::string& text);

/// Returns the mark of a finding: ✔ ! ✘, or "ok" "!" "x" where the locale cannot show them.
std::string mark_good(const Terminal& terminal);
std::string mark_warning(const Terminal& terminal);
std::string mark_bad(const Terminal& terminal);

/// Returns the number of columns a UTF-8 text takes (no wide characters are used here), colour codes not
/// counted.
size_t display_width(const std::string& text);

/// A table with a header; the first column is left-aligned, the others right-aligned unless told.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> left_columns = {0};
};
std::string to_text(const Terminal& terminal, const Table& table);

/// Returns a horizontal bar of `fraction` (0…1) of `width` columns.
std::string bar(const Terminal& terminal, double fraction, int width);

// Numbers for people; documents keep base units.
std::string format_bytes(double bytes);       ///< "48 KiB", "1.84 MiB"; binary prefixes
std::string format_rate(double bytes_per_s);  ///< "28.3 GB/s"; decimal prefixes
std::string format_count(double count);       ///< "12,345"
std::string format_seconds(double seconds);   ///< "0.8 s", "42 s", "3 min 05 s"

/// Shows one line of progress on stderr, only on a terminal: stage, bar, share and the time left.
/// The share is over the whole command; the time left comes from the pace so far, before that from the
/// estimate.
class Progress {
 public:
  Progress(const Terminal& terminal, double estimated_seconds);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& stage, double fraction);
  void clear();

 private:
  Terminal terminal_;
  double estimated_seconds_;
  int64_t start_ns_;
  int64_t shown_ns_ = 0;
};

/// Prints to stderr. What cannot be written there is lost: nobody is listening.
void print_aside(const std::string& text);
/// Prints one line to stderr as "tokroof: TEXT".
void note(const std::string& text);

}  // namespace cli
