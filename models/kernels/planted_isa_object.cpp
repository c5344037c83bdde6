// What isa_objects_test.py must find: an inline function of which this object holds a copy, and a function
// that begins within a cache line.
namespace models {

inline int planted(int x) {
  return x + 1;
}

int (*keep_planted())(int) {
  return planted;
}

int (*planted_within_a_line())(int) {
  return planted;
}

}  // namespace models
