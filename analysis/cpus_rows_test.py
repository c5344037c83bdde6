#!/usr/bin/env python3
"""Holds every row of analysis/cpus.json against what the makers' pages say (testdata/cpus.csv), field by field.

A field may differ only where the row's `corrections` name it, or where the page leaves it blank. Caches stand per
instance in the catalogue and in total on the pages: the totals must agree. Then one field of each kind is spoilt, and
the check must find exactly that.

    analysis/cpus_rows_test.py [ROOT]
"""
import copy
import csv
import json
import os
import re
import sys

MIB = 1 << 20
DROPPED = ("processor", "cpu", "x-series", "extreme", "edition")


def plain(name):
    """Two spellings of one CPU: without the maker's asides and the graphics."""
    return " ".join(word for word in name.lower().split(" with ")[0].split() if word not in DROPPED)


def number(text):
    found = re.search(r"[\d.]+", text)
    return float(found.group()) if found else None


def total_bytes(cpu, level):
    """Of a hybrid of Intel's, all kinds share the one L3 that each of them names."""
    shared = level == "l3" and cpu["vendor"] == "Intel"
    kinds = cpu["kinds"][:1] if shared else cpu["kinds"]
    return sum(c["bytes"] * c["instances"] for kind in kinds for c in kind["caches"] if c["level"] == level)


def clock(cpu, name):
    return max(kind["clock"].get(name, 0) for kind in cpu["kinds"])


def memory_faults(row, cpu):
    memory = cpu["memory"]
    fastest = memory["transfers_per_s"][1]
    named = [int(rate) for rate in re.findall(r"(?<!\d)(\d{3,4})(?!\d)", row["memory"]) if int(rate) > 500]
    if named and max(named) * 1e6 != fastest:
        yield "memory", row["memory"], fastest
    published = number(row["max_memory_bandwidth"])
    peak = memory["channels"] * 8 * fastest / 1e9
    if published and abs(peak / published - 1) > 0.035:
        yield "max_memory_bandwidth", published, peak


def faults_of(row, cpu):
    """Yields (field, as published, as catalogued) where the two disagree."""
    for field, value in (("cores", cpu["cores"]), ("threads", cpu["threads"]),
                         ("channels", cpu["memory"]["channels"]), ("base_ghz", clock(cpu, "base_hz") / 1e9),
                         ("boost_ghz", clock(cpu, "boost_hz") / 1e9), ("l2_total", total_bytes(cpu, "l2") / MIB),
                         ("l3_total", total_bytes(cpu, "l3") / MIB)):
        published = number(row[field])
        if published is not None and abs(published - value) > 1e-6 * published:
            yield field, row[field], value
    if row["p_cores"]:
        published = [int(count) for count in (row["p_cores"], row["e_cores"]) if int(count) > 0]
        if published != [kind["cores"] for kind in cpu["kinds"]]:
            yield "p_cores", published, [kind["cores"] for kind in cpu["kinds"]]
    yield from memory_faults(row, cpu)


def check(rows, cpus):
    known = {plain(cpu["name"]): cpu for cpu in cpus}
    faults = []
    for row in rows:
        cpu = known.get(plain(row["name"]))
        if cpu is None:
            faults.append(f"{row['name']}: not in the catalogue")
            continue
        corrected = {correction["field"] for correction in cpu.get("corrections", [])}
        faults += [f"{cpu['name']}: {field}: published {published}, in the catalogue {value}"
                   for field, published, value in faults_of(row, cpu) if field not in corrected]
    return faults


def spoil_cache(level, **change):
    def spoil(cpu):
        cache = next(c for c in cpu["kinds"][0]["caches"] if c["level"] == level)
        cache.update({key: cache[key] * factor for key, factor in change.items()})
    return spoil


SPOILT = [("cores", "AMD EPYC 7742", lambda cpu: cpu.update(cores=63)),
          ("threads", "AMD EPYC 7742", lambda cpu: cpu.update(threads=64)),
          ("l3_total", "AMD EPYC 7742", spoil_cache("l3", bytes=2)),
          ("l3_total", "AMD EPYC 7742", spoil_cache("l3", instances=2)),
          ("l2_total", "Intel Core i7-12700K", spoil_cache("l2", bytes=2)),
          ("boost_ghz", "Intel Core i7-8700K", lambda cpu: cpu["kinds"][0]["clock"].update(boost_hz=4.6e9)),
          ("base_ghz", "Intel Core i7-8700K", lambda cpu: cpu["kinds"][0]["clock"].update(base_hz=3.2e9)),
          ("p_cores", "Intel Core i9-13900K", lambda cpu: cpu["kinds"][1].update(cores=8)),
          ("memory", "Intel Core i7-10700K", lambda cpu: cpu["memory"].update(transfers_per_s=[3.0e9, 3.0e9])),
          ("channels", "AMD EPYC 7763", lambda cpu: cpu["memory"].update(channels=4)),
          ("not in the catalogue", "AMD FX-8350", lambda cpu: cpu.update(name="AMD FX-8351"))]


def self_test(rows, cpus):
    wrong = []
    for field, name, spoil in SPOILT:
        spoilt = copy.deepcopy(cpus)
        spoil(next(cpu for cpu in spoilt if cpu["name"] == name))
        faults = check(rows, spoilt)
        # Half as many channels are also half the bandwidth.
        if not faults or len(faults) > 2 or not any(field in fault for fault in faults):
            wrong.append(f"self-test: {field} of {name} spoilt: {faults}")
    return wrong


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    with open(os.path.join(root, "analysis/testdata/cpus.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(root, "analysis/cpus.json"), encoding="utf-8") as file:
        cpus = json.load(file)["cpus"]
    faults = check(rows, cpus) + self_test(rows, cpus)
    if len(rows) < 124:
        faults.append(f"only {len(rows)} rows: the table is cut short")
    for fault in faults:
        print(fault)
    print(f"cpus_rows: {len(rows)} rows against {len(cpus)} CPUs, {len(SPOILT)} spoilt ones, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
