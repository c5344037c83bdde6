// Preloaded by the ctest counters_without_papi: a PAPI whose initialisation fails, as on a kernel that
// refuses it.

extern "C" int PAPI_library_init(int) {
  return -3;  // PAPI_ESYS (papi.h): a system call failed
}
