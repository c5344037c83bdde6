#!/usr/bin/env python3
"""Prints what hwloc's own tools say about every recorded machine in this folder (see README.md)."""
import glob
import re
import subprocess
from collections import Counter


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def pus_in(bitmap):
    words = bitmap.replace("0x", "").split(",")
    return bin(int("".join(word.zfill(8) for word in words), 16)).count("1")


def count(machine, kind):
    return run("hwloc-calc", "-i", machine, "--disallowed", "--number-of", kind, "all").strip() or "0"


def numa_nodes(machine):  # hwloc-calc counts only the nodes that have CPUs
    return re.search(r"(\d+) NUMANode", run("hwloc-info", "-i", machine, "--disallowed")).group(1)


def caches(machine):
    found = Counter()
    for kind in ("L1d", "L1i", "L2", "L3", "L4", "memcache"):
        text = run("hwloc-info", "-i", machine, "--disallowed", "--filter", "all:all", kind + ":all")
        for item in re.split(r"\n(?=\S)", text):
            if "attr cache size" not in item:
                continue
            fact = dict(re.findall(r"^ ([^=]+) = (.*)$", item, re.M))
            size, level, kind_of = (fact["attr cache " + key] for key in ("size", "depth", "type"))
            ways = fact.get("attr cache ways", "0").replace("Fully-associative", "-1")
            found[
                f"{'memory-side ' if kind == 'memcache' else ''}L{level} {kind_of.lower()} {size} bytes"
                f" line {fact['attr cache line size']} ways {ways} shared {pus_in(fact['cpuset'])}"
            ] += 1
    return [f"{text} instances {times}" for text, times in found.items()]


def kinds(machine):
    text = run("lstopo-no-graphics", "-i", machine, "--cpukinds")
    return [f"kind of {pus_in(bitmap)} pus" for bitmap in re.findall(r"cpuset (\S+)", text)]


def allowed(machine):
    with open(machine, encoding="utf-8") as file:
        return pus_in(re.search(r'allowed_cpuset="([^"]+)"', file.read()).group(1))


for machine in sorted(glob.glob("*.xml")):
    print(machine)
    print(
        f"  packages {count(machine, 'package')} cores {count(machine, 'core')} pus {count(machine, 'pu')}"
        f" allowed {allowed(machine)} numa_nodes {numa_nodes(machine)}"
    )
    for line in sorted(caches(machine) + kinds(machine)):
        print("  " + line)
