#!/usr/bin/env python3
"""Fails when a published figure that a forecast is compared with stands in anything the forecast is made of.

docs/forecasts.md, "Against published figures", compares catalogue and priors with tokens/s that others published. The
comparison means something only while no source, catalogue or prior holds those figures. First the rule is tried on
planted files, then on every file below the folders that are built.

    script/published_figures_test.py [ROOT]
"""
import os
import re
import sys
import tempfile

# Tokens/s of a Ryzen 5 3400G: 1.9M parameters; 12.6M parameters in three runs, rounded and as recorded.
FIGURES = (3405, 275, 346, 540, 275.43, 346.49, 540.39)
FOLDERS = ("schemas", "harness", "models", "probes", "analysis", "cmake", "script")
SUFFIXES = (".cpp", ".hpp", ".h", ".c", ".inc", ".in", ".json", ".cmake", ".txt", ".py", "")
# What is compared or judged, and recordings of machines, may hold any number: no forecast is made of them.
EXEMPT = (re.compile(r"(^|/)testdata/"), re.compile(r"^schemas/examples/"), re.compile(r"^analysis/claims/"),
          re.compile(r"_test\.(cpp|py)$"), re.compile(r"(^|/)__pycache__/"))
NUMBER = re.compile(r"(?<![\w.])\d(?:[\d,'_]*\d)?(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[uUlLfF]*(?![\w.]))")


THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")


def figures_in(line):
    """Returns the figures that stand in a line, however they are written."""
    found = set()
    for number in NUMBER.findall(line):
        # A comma parts thousands, or else the members of a list.
        texts = [number.replace(",", "")] if THOUSANDS.fullmatch(number) else number.split(",")
        values = {float(re.sub(r"['_]", "", text)) for text in texts}
        found |= values & set(FIGURES)
    return sorted(found)


def files_below(root):
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                shown = os.path.relpath(os.path.join(path, name), root)
                if os.path.splitext(name)[1] in SUFFIXES and not any(e.search(shown) for e in EXEMPT):
                    yield shown


def check(root):
    """Returns the faults and how many files were read."""
    faults, files = [], 0
    for shown in files_below(root):
        files += 1
        with open(os.path.join(root, shown), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                faults += [f"{shown}:{number}: {figure:g} is a published figure that forecasts are compared with; it may "
                           "stand in docs/ and in tests of the comparison alone" for figure in figures_in(line)]
    return faults, files


BAD = [("analysis/cpus.json", '{"tokens_per_s": 3405}'), ("analysis/microarchitectures.json", '"macs": 3.405e3,'),
       ("analysis/fact_forecast.cpp", "constexpr double known = 3'405;"), ("models/catalogue/x.json", "[1, 275, 2]"),
       ("harness/cli/predict.cpp", "// they say 3,405 tok/s"), ("probes/x.hpp", "int a = 346u;"),
       ("analysis/x.cpp", "f(540.0)"), ("analysis/y.cpp", "f(275.43);"), ("cmake/x.cmake", "set(X 540)"), ("models/x.cpp", "{1,346,7}")]
GOOD = [("analysis/cpus.json", '{"bytes": 34050, "name": "i5-3405x"}'), ("analysis/x.cpp", "0x3405 + 1.275 + 540.5"),
        ("docs/forecasts.md", "3,405"), ("analysis/claims/x.json", "3405"), ("analysis/x_test.cpp", "3405"),
        ("harness/testdata/x.txt", "540"), ("analysis/x.json", "13405, 3405.2, 27500, 12,346"), ("harness/y.cpp", "12,346,000")]


def self_test():
    """Returns the planted files on which the rule judged wrongly."""
    wrong = []
    for plants, expected in ((BAD, 1), (GOOD, 0)):
        for path, text in plants:
            with tempfile.TemporaryDirectory() as root:
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write("planted\n" + text + "\n")
                faults = check(root)[0]
                if len(faults) != expected or (expected and f"{path}:2: " not in faults[0]):
                    wrong.append(f"self-test: {path} with {text!r}: wanted {expected} faults, found {faults}")
    return wrong


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    faults, files = check(os.path.normpath(root))
    faults = self_test() + faults
    if files < 300 and len(sys.argv) < 3:
        faults.append(f"only {files} files below {root}: hardly anything was checked")
    for line in faults:
        print(line)
    print(f"published_figures: {files} files, {len(BAD)} + {len(GOOD)} planted ones, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
