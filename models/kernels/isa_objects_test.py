#!/usr/bin/env python3
"""Fails when an ISA object defines a weak symbol, or a function that does not begin at a multiple of 64 bytes.

The linker keeps one definition of each weak symbol (inline function, template instance). If it keeps one that was
compiled for AVX2, baseline code calls it and dies of an illegal instruction on an older CPU.

A function that begins anywhere gets another speed from every change elsewhere in the program.
"""
import argparse
import subprocess
import sys

WEAK_TYPES = {"W", "V", "u"}  # nm(1): weak, weak object, unique global
FUNCTION_TYPES = {"T", "t"}
# A pointer that gcc adds without optimisation: data, the same in every object.
HARMLESS = {"DW.ref.__gxx_personality_v0"}
LINE_BYTES = 64


def symbols(nm, path):
    """Yields offset, type and name of what an object file defines."""
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        fields = line.split(maxsplit=2)
        if len(fields) == 3:
            yield int(fields[0], 16), fields[1], fields[2]


def weak_symbols(nm, path):
    return [name for _, kind, name in symbols(nm, path) if kind in WEAK_TYPES and name not in HARMLESS]


def functions_within_a_line(nm, path):
    """Returns the functions that begin elsewhere; parts that the compiler takes for rarely run (.cold) may."""
    return [name for offset, kind, name in symbols(nm, path)
            if kind in FUNCTION_TYPES and offset % LINE_BYTES != 0 and "cold" not in name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--planted", required=True, help="an object with one of each, which must be found")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    for find in (weak_symbols, functions_within_a_line):
        if not any("planted" in symbol for symbol in find(arguments.nm, arguments.planted)):
            sys.exit(f"{arguments.planted}: {find.__name__} did not find what is planted there, so it would find nothing")
    failed = False
    for path in arguments.objects:
        for symbol in weak_symbols(arguments.nm, path):
            print(f"{path}: weak symbol {symbol}: call no inline or template function from an ISA file")
            failed = True
        for symbol in functions_within_a_line(arguments.nm, path):
            print(f"{path}: {symbol} begins within a cache line: compile it with -falign-functions={LINE_BYTES}")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
