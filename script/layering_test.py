#!/usr/bin/env python3
"""Fails on any #include that goes against the arrows between the folders.

What measures cannot know what is expected: that is the product's honesty, and this test is what holds it. First the
rules are tried on planted files (self_test), then on every C++ file of the repository.

    script/layering_test.py [ROOT]
"""
import os
import re
import sys
import tempfile

CODE_SUFFIXES = (".cpp", ".hpp", ".h", ".hh", ".cc", ".cxx", ".hxx", ".c", ".inc", ".inl", ".ipp")
FOLDERS = ("schemas", "harness", "models", "probes", "analysis")

# harness/ has two halves: these files (also STEM_detail.cpp) and whatever harness/CMakeLists.txt lists as sources of
# harness_record record; all others measure. The arrow is record -> measure.
RECORD_STEMS = ("submission", "submission_json", "validation", "store", "digest", "environment")
# What analysis may use of the measuring half: values and arithmetic, nothing that touches the machine.
ANALYSIS_MEASURE_STEMS = ("error", "statistics", "curve", "jump_cost", "knees", "cold_size", "counter_math", "eviction_evidence",
                          "line_looks", "nearest_name", "residency", "retention", "topology")
# The probes that run a decoder or parts of it: its kernels, its threads. The others know no model.
DECODING_PROBES = ("decode", "kernel_rates", "barrier")
MODELS_FOR_PROBES = ("decoder", "thread_team", "golden", "routing", "shape", "weights", "i8_file", "kernels/",
                     "token_work", "rotary", "experts", "padded", "splitmix64", "kv_cache",
                     "arena")
# Headers that CMake generates at the root of the generated folder.
GENERATED = ("git_version.hpp",)

RECORD_SOURCES = re.compile(r'add_tokroof_library\(\s*harness_record\b([^)]*)\)')
INCLUDE = re.compile(r'^\s*#\s*(?:include|include_next|import)\b\s*(.*)')
QUOTED = re.compile(r'^"([^"]*)"')
ANGLED = re.compile(r'^<([^>]*)>')


def named(path, stems):
    """Whether `path` (below its folder) is a file of one of the stems: stem.ext, stem_detail.ext or stem/..."""
    first, _, rest = path.partition("/")
    stem = first if rest else first.rpartition(".")[0]
    return any(stem == s or stem.startswith(s + "_") for s in stems)


def record_stems(root):
    """Returns the stems of harness/ that record, as above."""
    try:
        with open(os.path.join(root, "harness/CMakeLists.txt"), encoding="utf-8") as file:
            sources = RECORD_SOURCES.search(re.sub(r"#.*", "", file.read()))
    except FileNotFoundError:
        sources = None
    listed = re.findall(r"(\w+)\.cpp", sources.group(1)) if sources else []
    return RECORD_STEMS + tuple(listed)


def layer(path, record=RECORD_STEMS):
    """Returns the layer that a file belongs to, None for a folder that has none."""
    folder, _, rest = path.partition("/")
    if folder not in FOLDERS or not rest:
        return None
    if folder != "harness":
        return folder
    if rest.startswith(("cli/", "bench/")):
        return "executables"
    return "harness_record" if "/" not in rest and named(rest, record) else "harness_measure"


def allowed(source, target, record):
    """Whether the file `source` may include the file `target`, both named from the root of the repository."""
    from_layer, to_layer = layer(source, record), layer(target, record)
    if to_layer == "executables":
        return from_layer == "executables"
    if from_layer == "executables" or from_layer == to_layer:
        return True
    below = target.partition("/")[2]
    if from_layer == "harness_record":
        return to_layer in ("harness_measure", "schemas")
    if from_layer == "models":
        return to_layer in ("harness_measure", "harness_record")
    if from_layer == "probes":
        if to_layer == "models":
            return named(source.partition("/")[2], DECODING_PROBES) and any(
                below.startswith(m) if m.endswith("/") else below.rpartition(".")[0] == m for m in MODELS_FOR_PROBES)
        return to_layer in ("harness_measure", "harness_record")
    if from_layer == "analysis":
        if to_layer == "models":
            return below in ("golden.hpp", "shape.hpp", "token_work.hpp")
        if to_layer == "harness_measure":
            return "/" not in below and below.rpartition(".")[0] in ANALYSIS_MEASURE_STEMS
        return to_layer == "harness_record"
    return False


def fault(source, directive, record):
    """Returns what is wrong with one include, None when it is fine. `directive` is what follows #include."""
    quoted, angled = QUOTED.match(directive), ANGLED.match(directive)
    if angled:
        if angled.group(1).partition("/")[0] in FOLDERS or angled.group(1).startswith("."):
            return "takes our own header in angle brackets: use quotes"
        return None
    if not quoted:
        return "includes by macro: the layers cannot be read from it"
    target = quoted.group(1)
    if target in GENERATED:
        return None
    if "/" not in target or target.startswith(".") or target.startswith("/") or "/../" in target:
        return "does not name its folder from the root of the repository"
    if layer(target) is None:
        return f"includes the unknown folder {target.partition('/')[0]}/ (a library's header goes in angle brackets)"
    if allowed(source, target, record):
        return None
    if layer(target) == "analysis":
        return "measuring or recording code includes analysis/: what measures cannot know what is expected"
    return f"{layer(source, record)} must not include this file of {layer(target, record)}"


def code_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not (
            folder == root and (f == "build" or f.startswith("build-"))))
        for name in sorted(files):
            if name.endswith(CODE_SUFFIXES):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def check(root):
    """Returns the faults of a tree as lines `file:line: text`, and the number of our own includes that it has."""
    faults, includes, record = [], 0, record_stems(root)
    for path in code_files(root):
        if layer(path) is None:
            faults.append(f"{path}:1: C++ in a folder that has no layer")
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                includes += match.group(1).startswith('"')
                wrong = fault(path, match.group(1), record)
                if wrong:
                    faults.append(f"{path}:{number}: {match.group(1).strip()} — {wrong}")
    return faults, includes


# (file, include) pairs that must pass and that must fail, each alone in a tree of its own.
GOOD = (
    ("schemas/schemas.hpp", "<string_view>"),
    ("harness/clock.cpp", '"harness/clock.hpp"'),
    ("harness/build_info.cpp", '"git_version.hpp"'),
    ("harness/submission.hpp", '"harness/topology.hpp"'),
    ("harness/validation.cpp", '"schemas/schemas.hpp"'),
    ("harness/store_tables.cpp", '"harness/submission_json.hpp"'),
    ("harness/ledger.hpp", '"harness/store.hpp"'),
    ("harness/cli/predict.cpp", '"analysis/forecast.hpp"'),
    ("harness/cli/predict.cpp", '"harness/cli/terminal.hpp"'),
    ("harness/bench/kernels.cpp", '"models/kernels/kernels.hpp"'),
    ("models/weights.cpp", '"harness/digest.hpp"'),
    ("models/kernels/avx2.cpp", "<immintrin.h>"),
    ("probes/core_clock.cpp", '"harness/submission.hpp"'),
    ("probes/decode.cpp", '"models/decoder.hpp"'),
    ("probes/decode_test.cpp", '"models/kernels/select.hpp"'),
    ("probes/kernel_rates.cpp", '"models/kernels/kernels.hpp"'),
    ("analysis/forecast.hpp", '"models/shape.hpp"'),
    ("analysis/derive.cpp", '"harness/statistics.hpp"'),
    ("analysis/derive.cpp", '"harness/submission.hpp"'),
)
BAD = (
    ("schemas/schemas.hpp", '"harness/error.hpp"', "must not include"),
    ("harness/clock.cpp", '"harness/submission.hpp"', "must not include"),
    ("harness/sampler.cpp", '"harness/store.hpp"', "must not include"),
    ("harness/sampler.cpp", '"harness/ledger.hpp"', "must not include"),
    ("harness/streams/avx2.cpp", '"harness/environment.hpp"', "must not include"),
    ("harness/clock.cpp", '"schemas/schemas.hpp"', "must not include"),
    ("harness/clock.cpp", '"models/shape.hpp"', "must not include"),
    ("harness/store.cpp", '"probes/probe.hpp"', "must not include"),
    ("harness/sampler.cpp", '"harness/cli/terminal.hpp"', "must not include"),
    ("harness/sampler.cpp", '"analysis/forecast.hpp"', "cannot know what is expected"),
    ("harness/store.cpp", '"analysis/derive.hpp"', "cannot know what is expected"),
    ("harness/streams/avx2.cpp", '"analysis/derive.hpp"', "cannot know what is expected"),
    ("models/decoder.cpp", '"analysis/forecast.hpp"', "cannot know what is expected"),
    ("models/decoder.cpp", '"probes/probe.hpp"', "must not include"),
    ("models/decoder.cpp", '"schemas/schemas.hpp"', "must not include"),
    ("probes/dram_stream.cpp", '"analysis/forecast.hpp"', "cannot know what is expected"),
    ("probes/decode_test.cpp", '"analysis/derive.hpp"', "cannot know what is expected"),
    ("probes/dram_stream.cpp", '"models/shape.hpp"', "must not include"),
    ("probes/decode.cpp", '"models/reference.hpp"', "must not include"),
    ("analysis/derive.cpp", '"probes/decode.hpp"', "must not include"),
    ("analysis/derive.cpp", '"models/decoder.hpp"', "must not include"),
    ("analysis/derive.cpp", '"models/kernels/kernels.hpp"', "must not include"),
    ("analysis/derive.cpp", '"harness/clock.hpp"', "must not include"),
    ("analysis/derive.cpp", '"harness/streams/streams.hpp"', "must not include"),
    ("analysis/derive.cpp", '"harness/cli/terminal.hpp"', "must not include"),
    ("harness/clock.cpp", '"clock.hpp"', "does not name its folder"),
    ("harness/clock.cpp", '"../analysis/derive.hpp"', "does not name its folder"),
    ("harness/clock.cpp", '"harness/../analysis/derive.hpp"', "does not name its folder"),
    ("harness/clock.cpp", "<analysis/derive.hpp>", "angle brackets"),
    ("harness/clock.cpp", "CLOCK_HEADER", "by macro"),
    ("probes/core_clock.cpp", '"utils/strings.hpp"', "unknown folder"),
    ("utils/strings.cpp", "<string>", "no layer"),
    ("stray.cpp", "<string>", "no layer"),
)


def check_planted(path, include, spelling="#include {}"):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "harness"))
        with open(os.path.join(root, "harness/CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("add_tokroof_library(harness_measure\n  clock.cpp\n)\n"
                       "add_tokroof_library(harness_record  # (halves)\n  ledger.cpp\n)\n")
        os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write("// planted\n" + spelling.format(include) + "\n")
        return check(root)[0]


def self_test():
    """Returns the planted files on which the rules judged wrongly."""
    wrong = []
    for path, include in GOOD:
        faults = check_planted(path, include)
        if faults:
            wrong.append(f"self-test: {path} may include {include}, but: {faults}")
    for path, include, text in BAD:
        for spelling in ("#include {}", "  #  include {} // a comment"):
            faults = check_planted(path, include, spelling)
            if len(faults) != 1 or text not in faults[0]:
                wrong.append(f"self-test: {path} with {include} should fail with '{text}', but: {faults}")
    return wrong


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    faults, includes = check(os.path.normpath(root))
    faults = self_test() + faults
    if includes == 0:
        faults.append(f"no #include found below {root}: nothing was checked")
    for line in faults:
        print(line)
    print(f"layering: {includes} includes, {len(GOOD) + 2 * len(BAD)} planted ones, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
