// Numbers that people copied: "1,217.13", "1.217,13", "1 217,13", "1'217.13". Which of point and comma is the
// decimal one a table tells as a whole, where it tells it at all.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// What stands before the decimals; both: some of the numbers say so, others the contrary.
enum class Decimals { unknown, point, comma, both };

/// Returns the number that a text begins with, thousands, decimals and exponent included; "" when it begins
/// with none.
std::string_view number_at(std::string_view text);

/// Tells it from a number: "1.217,13" and "41,26" say comma, "1,217.13" and "41.26" point, "12,500" neither.
Decimals decimals_of(std::string_view number);

/// Joins what two numbers tell.
Decimals together(Decimals a, Decimals b);

/// Writes a number with a decimal point and nothing between its thousands; one that may be 12.5 as well as
/// 12500 gets a question mark behind it, with which nothing reads it as a number.
std::string plain_number(std::string_view number, Decimals decimals);

/// Replaces every number of some cells by its plain form; the cells together tell what the comma is. Where
/// they do not, it is the decimal one if the caller knows so: where semicolons part the cells.
void make_plain(const std::vector<std::string*>& cells, bool lone_comma_is_decimal = false);

}  // namespace harness
