// What weak_symbols_test.py must find: an inline function of which this object holds a copy.
namespace models {

inline int planted(int x) {
  return x + 1;
}

int (*keep_planted())(int) {
  return planted;
}

}  // namespace models
