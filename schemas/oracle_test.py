#!/usr/bin/env python3
"""Compares our validation with python3-jsonschema, which shares no code with it.

usage: oracle_test.py VERDICTS_PROGRAM SCHEMAS_FOLDER KIND [WRITER]

KIND is submission (schemas/examples/) or model or claim (schemas/examples/KINDs/). Both judge the whole example corpus and seeded mutations of its valid documents: they must agree on valid or invalid and
on every place that is at fault. Texts that the strict parse refuses never reach a schema; they are only counted.
With a WRITER (analysis_test) its bad documents are judged instead.
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: this Python cannot import jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

MUTATIONS = 600
MAX_BYTES = 1 << 20  # what is longer reaches neither parse nor schema
ODD_VALUES = [None, True, -1, 0, 0.5, 1.0, 2**53, 1e12, "", "x", "A" * 400, [], ["x"], {}, {"unavailable": "why"}]


def escaped(path):
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def faults_of_oracle(validator, document):
    """Places at fault: a missing or unknown member counts for the object that should or should not have it."""
    places = set()
    for error in validator.iter_errors(document):
        places.add(escaped(error.absolute_path))
    return places


def faults_of_ours(verdict):
    places = set()
    for pointer, value, expected in verdict["violations"]:
        of_member = value == "(missing)" or expected.startswith("no member of this name")
        places.add(pointer.rsplit("/", 1)[0] if of_member else pointer)
    return places


def containers(value):
    if isinstance(value, (dict, list)):
        yield value
        for member in value.values() if isinstance(value, dict) else value:
            yield from containers(member)


def mutated(document, generator):
    """Changes one to three members anywhere: removed, added, replaced by an odd value or by another member."""
    document = copy.deepcopy(document)
    for _ in range(generator.randint(1, 3)):
        places = [place for place in containers(document) if place]
        place = generator.choice(places)
        key = generator.choice(sorted(place)) if isinstance(place, dict) else generator.randrange(len(place))
        action = generator.randrange(4)
        if action == 0:
            del place[key]
        elif action == 1 and isinstance(place, dict):
            place[generator.choice(["kind", "status", "unavailable", "zzz", "a/b~c"])] = generator.choice(ODD_VALUES)
        elif action == 2:
            place[key] = copy.deepcopy(generator.choice(list(containers(document))))
        else:
            place[key] = generator.choice(ODD_VALUES)
    return document


def corpus_of(writer, folder):
    """The bad documents of analysis/bad_documents.cpp as files."""
    subprocess.run([writer, "--gtest_filter=bad_documents.are_written*"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "TOKROOF_BAD_DOCUMENTS": folder})
    return sorted(pathlib.Path(folder).glob("*.json"))


def main(program, folder, kind, writer=None):
    schema = json.loads((folder / f"{kind}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    corpus = folder / "examples" if kind == "submission" else folder / "examples" / f"{kind}s"
    examples = sorted(path for verdict in ("valid", "invalid") for path in (corpus / verdict).glob("*.json"))
    valid = [json.loads(path.read_text()) for path in examples if path.parent.name == "valid"]
    generator = random.Random(20260101)
    with tempfile.TemporaryDirectory() as scratch:
        paths = corpus_of(writer, scratch) if writer else list(examples)
        for number in range(0 if writer else MUTATIONS):
            path = pathlib.Path(scratch) / f"mutation_{number}.json"
            document = mutated(generator.choice(valid), generator)
            # "schema" chooses the schema before any is asked, so a mutation must not touch it.
            if not isinstance(document, dict) or document.get("schema") != schema["properties"]["schema"]["const"]:
                continue
            path.write_text(json.dumps(document))
            paths.append(path)
        answer = subprocess.run([program, kind], input="".join(f"{path}\n" for path in paths), text=True,
                                capture_output=True, check=True).stdout
        verdicts = [json.loads(line) for line in answer.splitlines()]
        assert len(verdicts) == len(paths), "one verdict per file"
        return compare(validator, verdicts, (1, 60) if writer else (4, 100))


def compare(validator, verdicts, least):
    refused_by_parse = valid = invalid = disagreements = 0
    for verdict in verdicts:
        path = pathlib.Path(verdict["file"])
        if verdict["stage"] == "parse" or path.stat().st_size > MAX_BYTES:
            refused_by_parse += 1
            if path.parent.name == "valid":
                disagreements += 1
                print(f"{path}: a valid example does not parse: {verdict['violations']}")
            continue
        expected = faults_of_oracle(validator, json.loads(path.read_bytes()))
        found = faults_of_ours(verdict)
        valid, invalid = valid + (not expected), invalid + bool(expected)
        if expected != found:
            disagreements += 1
            print(f"{path.name}: oracle {sorted(expected)}, ours {verdict['violations']}")
    print(f"{valid} valid, {invalid} invalid, {refused_by_parse} refused before the schema, {disagreements} disagreements")
    if valid < least[0] or invalid < least[1]:
        print("too few documents were compared")
        return 1
    return 1 if disagreements else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]))
