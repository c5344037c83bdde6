#!/usr/bin/env python3
"""Groups files, so that clang-tidy reads the headers that they share once for each group and not for each file.

    lint_groups.py BUILD_FOLDER OUT_FOLDER < FILES

Writes OUT_FOLDER/group_N.cpp, which includes the files of a group, with a compile_commands.json, and prints one line for
each group: its file and its members. Members are compiled with the same flags, are all tests or none, and no two of them
mean different things by one name at file scope. A group that does not compile all the same is checked file by file.
"""
import json
import os
import pathlib
import re
import sys

MOST_FILES = 12

# What is defined at the start of a line: functions, types, variables, macros and tests.
DEFINITIONS = [re.compile(pattern, re.M) for pattern in (
    r"^TEST(?:_F|_P)?\((\w+), *(\w+)\)",
    r"^#define (\w+)",
    r"^(?:class|struct|enum class|enum) (?:alignas\(\w+\) )?(\w+)\b(?! *::)", r"^using (\w+) =",
    r"^(?=\S)(?!TEST|INSTANTIATE|namespace|using|template|class|struct|enum|return|#)[\w:<>,&* \[\]]*[ &*](\w+)\(",
    r"^(?=\S)(?!TEST|INSTANTIATE|namespace|using|class|struct|enum|#)[\w:<>,&* ]+ (\w+)(?:\[\w*\])? *(?:=|\{|;)")]


VARIABLES = re.compile(r"^(?:const|constexpr|static|inline)\b[^;]*;", re.M)
USING = re.compile(r"^using ([\w:]+)::(\w+);", re.M)


class File:
    """What a file defines, which names it takes from elsewhere, and all its words."""

    def __init__(self, path):
        text = pathlib.Path(path).read_text()
        self.defined = {"_".join(match.groups()) for pattern in DEFINITIONS for match in pattern.finditer(text)}
        for match in VARIABLES.finditer(text):
            self.defined |= set(re.findall(r"(\w+)(?:\[\w*\])? *(?:=|\{)", match[0]))
        self.taken = {match[2]: match[1] for match in USING.finditer(text)}
        self.words = set(re.findall(r"\w+", text))

    def mixes(self, other):
        """Whether the two mean different things by one name."""
        return bool(self.defined & other.defined) or any(
            name in there.words and there.taken.get(name) != source
            for here, there in ((self, other), (other, self)) for name, source in here.taken.items())


def kind(entry):
    return re.sub(r" -o \S+| -c \S+", "", entry["command"]), entry["file"].endswith("_test.cpp")


def main():
    build, out = map(pathlib.Path, sys.argv[1:3])
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    groups = []
    for path in sys.stdin.read().split():
        try:
            entry, own = entries[os.path.abspath(path)], File(path)
        except (OSError, KeyError):
            sys.exit(f"lint_groups: {path} is not there, or not of this build: run script/build test")
        for group in groups:
            if (group["kind"] == kind(entry) and len(group["files"]) < MOST_FILES and
                    not any(own.mixes(other) for other in group["known"])):
                break
        else:
            group = {"kind": kind(entry), "entry": entry, "files": [], "known": []}
            groups.append(group)
        group["files"].append(path)
        group["known"].append(own)
    out.mkdir(parents=True, exist_ok=True)
    commands = []
    for number, group in enumerate(groups):
        source = out / f"group_{number}.cpp"
        source.write_text("".join(f'#include "{os.path.abspath(path)}"  // NOLINT(bugprone-suspicious-include)\n' for path in group["files"]))
        entry = group["entry"]
        commands.append({"directory": entry["directory"], "file": str(source.resolve()),
                         "command": entry["command"].replace(entry["file"], str(source.resolve()))})
        print(source, *group["files"])
    (out / "compile_commands.json").write_text(json.dumps(commands))


if __name__ == "__main__":
    main()
