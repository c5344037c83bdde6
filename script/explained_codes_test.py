#!/usr/bin/env python3
"""Fails when a code that a rule, a quality flag or doctor emits has no section that `tokroof explain` prints, or the other
way round. First it is tried on a planted tree.

    script/explained_codes_test.py [ROOT]
"""
import os
import re
import sys
import tempfile

RULE = re.compile(r'"[^"\n]*?\b([RP]\d\d)\b')
FLAG = re.compile(r'flags\.(?:push_back|emplace_back)\(\s*\{?\s*"([a-z][a-z0-9_]*)"')
FINDING = re.compile(r'\b(?:good|warning|bad|DoctorLine)[({]\s*"([a-z][a-z0-9_]*)"')
HEADING = re.compile(r"^## (\S+)$", re.M)
PAGES = {"plausibility": RULE, "flags": FLAG, "doctor": FINDING}


def sources(root):
    for folder in ("analysis", "harness"):
        for at, _, files in os.walk(os.path.join(root, folder)):
            for name in sorted(files):
                if name.endswith(".cpp") and not name.endswith(("_test.cpp", "_fuzz.cpp")) and "testdata" not in at:
                    with open(os.path.join(at, name), encoding="utf-8") as file:
                        yield re.sub(r"//[^\n]*", "", file.read())


def faults(root):
    """Returns what is not explained, or explained and never emitted, one line each; and how many codes there are."""
    text, found, count = "\n".join(sources(root)), [], 0
    for page, emits in PAGES.items():
        emitted = set(emits.findall(text))
        with open(os.path.join(root, "docs", page + ".md"), encoding="utf-8") as file:
            explained = {code for code in HEADING.findall(file.read())}
        found += [f"{code} is emitted and docs/{page}.md has no section '## {code}'" for code in sorted(emitted - explained)]
        found += [f"docs/{page}.md explains {code}, which nothing emits" for code in sorted(explained - emitted)]
        count += len(emitted)
    return found, count


def try_on_a_planted_tree():
    with tempfile.TemporaryDirectory() as root:
        for folder in ("analysis", "harness", "docs"):
            os.mkdir(os.path.join(root, folder))
        for path, text in (("analysis/a.cpp", 'x({"R01", 1}); flags.push_back(\n  {"late", 2}); // "P77"'),
                           ("analysis/a_test.cpp", 'x("R99");'), ("harness/b.cpp", 'return good("turbo", "on"); s = "see R02";'),
                           ("docs/plausibility.md", "# P\n\n## R01\n\n## P03\n"), ("docs/flags.md", "## early\n"),
                           ("docs/doctor.md", "## turbo\n")):
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found, count = faults(root)
    expected = ["R02 is emitted and", "docs/plausibility.md explains P03", "late is emitted and", "docs/flags.md explains early"]
    if count != 4 or len(found) != 4 or not all(line.startswith(begin) for line, begin in zip(found, expected)):
        sys.exit(f"explained_codes_test: on the planted tree: {count} codes, {found}")


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    try_on_a_planted_tree()
    found, count = faults(root)
    for line in found:
        print(line)
    if count < 50:
        print(f"only {count} codes were found: this test no longer reads them")
    return 1 if found or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
