#!/usr/bin/env python3
"""Fails when an ISA object defines a weak symbol.

The linker keeps one definition of each weak symbol (inline function, template instance). If it keeps one that was
compiled for AVX2, baseline code calls it and dies of an illegal instruction on an older CPU.
"""
import argparse
import subprocess
import sys

WEAK_TYPES = {"W", "V", "u"}  # nm(1): weak, weak object, unique global
# A pointer that gcc adds without optimisation: data, the same in every object.
HARMLESS = {"DW.ref.__gxx_personality_v0"}


def weak_symbols(nm, path):
    """Returns the weak symbols that an object file defines."""
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True)
    found = []
    for line in listing.stdout.splitlines():
        fields = line.split(maxsplit=2)
        if len(fields) == 3 and fields[1] in WEAK_TYPES and fields[2] not in HARMLESS:
            found.append(fields[2])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--planted", required=True, help="an object with a weak symbol, which must be found")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    if not any("planted" in symbol for symbol in weak_symbols(arguments.nm, arguments.planted)):
        sys.exit(f"{arguments.planted}: its planted weak symbol was not found, so this test would find none")
    failed = False
    for path in arguments.objects:
        for symbol in weak_symbols(arguments.nm, path):
            print(f"{path}: weak symbol {symbol}: call no inline or template function from an ISA file")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
