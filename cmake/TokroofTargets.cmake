# tokroof_options: what every target of ours is compiled with. No -march=native, no -ffast-math, no LTO: a result
# must not depend on the machine that compiled it, and contraction would change the logits' bytes between compilers.
add_library(tokroof_options INTERFACE)
target_compile_features(tokroof_options INTERFACE cxx_std_20)
target_include_directories(tokroof_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(tokroof_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion)
# gcc 12 reports std::string::insert and operator+ as overlapping copies (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tokroof_options INTERFACE -Wno-restrict)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
if(TOKROOF_WERROR)
  target_compile_options(tokroof_options INTERFACE -Werror)
endif()
if(TOKROOF_SANITIZE)
  add_compile_options(-fsanitize=${TOKROOF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TOKROOF_SANITIZE})
endif()
if(TOKROOF_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TOKROOF_FUZZ needs clang: configure with --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # all code tells libFuzzer which branches it took
endif()

# The golden presets ask whether the logits' bytes depend on the optimiser: models/ at the level asked for, all else at
# -O0, which compiles in half the time.
set(TOKROOF_MODELS_OPTIMISATION "" CACHE STRING "Optimisation of models/ alone, e.g. -O3")
function(optimise_models name)
  if(TOKROOF_MODELS_OPTIMISATION AND CMAKE_CURRENT_SOURCE_DIR STREQUAL "${CMAKE_SOURCE_DIR}/models")
    target_compile_options(${name} PRIVATE ${TOKROOF_MODELS_OPTIMISATION})
  endif()
endfunction()

# add_tokroof_library(NAME SOURCES... ) — a static library with the common options; links are added by the caller.
function(add_tokroof_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tokroof_options)
  optimise_models(${name})
endfunction()

# add_tokroof_tests(NAME LIBRARIES <libs> SOURCES <x_test.cpp>... [LABEL <label>]) — one test executable per folder. Tests run in the
# source folder, so that testdata is found by its path in the repository. A suite whose name begins with Hardware asks
# the real machine: its tests get the label `hardware` and run alone, the sanitizer build leaves them out.
# Suites of thread teams (*Team*) spin on every CPU, so that ctest starts nothing beside them.
# TOKROOF_TEST_SHARDS: each executable is so many tests of ctest, each a share of its suites in one process, without
# Hardware ones. Where start-up is dear (sanitizers) that is most of the time; what failed is named in the output.
set(TOKROOF_TEST_SHARDS 0 CACHE STRING "Processes that share the tests of an executable; 0: one for each test")
function(add_tokroof_tests name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LABEL" "LIBRARIES;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tokroof_options ${ARG_LIBRARIES} GTest::gtest_main)
  set(label "")
  if(ARG_LABEL)
    set(label LABELS ${ARG_LABEL})
  endif()
  if(TOKROOF_TEST_SHARDS GREATER 0)
    math(EXPR last "${TOKROOF_TEST_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_filter=-Hardware*:*/Hardware*
               WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT 1200 ${label}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${TOKROOF_TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
    return()
  endif()
  set(discovery WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "-Hardware*:*/Hardware*:*Team*:*_team_*"
                       PROPERTIES TIMEOUT 300 ${label})
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "*Team*:*_team_*-Hardware*:*/Hardware*"
                       PROPERTIES TIMEOUT 300 PROCESSORS 2 ${label})
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "Hardware*:*/Hardware*"
                       PROPERTIES TIMEOUT 300 LABELS hardware RUN_SERIAL TRUE)
endfunction()

# add_tokroof_fuzzer(NAME LIBRARIES <libs> SOURCES <x_fuzz.cpp>) — the program NAME_fuzz, which script/fuzz NAME runs.
function(add_tokroof_fuzzer name)
  if(NOT TOKROOF_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES;SOURCES" ${ARGN})
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_link_libraries(${name}_fuzz PRIVATE tokroof_options ${ARG_LIBRARIES})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()

# embed_text(OUTPUT NAMESPACE FUNCTION HEADER FILES...) — compiles files in as text; see EmbedText.cmake.
function(embed_text output namespace function header)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DFUNCTION=${function} -DHEADER=${header}
            "-DFILES=${ARGN}" -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
  # Literals beyond 64 KiB are more than a compiler must take; both of ours do.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()

# add_isa_file(TABLE FOLDER ISA ARCH <processor regex> FLAGS <flags> ALSO <more files>) registers one ISA file of a table
# (kernels, streams); ALSO names files without a table that belong to it.
# The C++ table is generated from this explicit list: no self-registering globals, no globbing.
function(add_isa_file table dir isa)
  cmake_parse_arguments(ARG "" "ARCH" "FLAGS;ALSO" ${ARGN})
  if(ARG_ARCH AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "${ARG_ARCH}")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tokroof_${table}_isas ${isa})
  list(TRANSFORM ARG_ALSO PREPEND ${dir}/)
  add_library(${table}_${isa} OBJECT ${dir}/${isa}.cpp ${ARG_ALSO})
  target_link_libraries(${table}_${isa} PRIVATE tokroof_options)
  optimise_models(${table}_${isa})
  # Where the linker puts a function shall be no part of a kernel's speed (docs/comparing.md, "How good it is").
  target_compile_options(${table}_${isa} PRIVATE -falign-functions=64)
  # gcc's avx512fintrin.h reads deliberately uninitialised registers.
  target_compile_options(${table}_${isa} PRIVATE ${ARG_FLAGS} -Wno-uninitialized
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  set_property(GLOBAL APPEND PROPERTY tokroof_isa_objects ${table}_${isa})
endfunction()
