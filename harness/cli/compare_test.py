"""What a user sees of `tokroof compare`. Run by ctest:

    compare_test.py PATH_OF_TOKROOF [unittest arguments]

Executables are played by scripts that answer with a recorded document of this tokroof, its times scaled.
"""
import copy
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

TOKROOF = sys.argv.pop(1)

PLAYER = """#!{python}
import json, pathlib, random, sys, time
here = pathlib.Path({folder!r})
if {crash!r}: sys.exit({crash!r})
if sys.argv[1] == "counts":
    if not (here / "counts.json").exists(): sys.exit("tokroof: error: there is no command 'counts'")
    print((here / "counts.json").read_text())
    sys.exit()
time.sleep({pause})
count = int((here / "count").read_text()) if (here / "count").exists() else 0
(here / "count").write_text(str(count + 1))
document = json.loads((here / "document.json").read_text())
factor = {factor} * random.Random(count + {seed}).uniform(0.997, 1.003)
if {only_first!r} and count >= {only_first}: factor /= {factor}
for launch in document["launches"]:
    for series in launch["series"]:
        series["samples"] = [round(ns * factor) for ns in series["samples"]]
print(json.dumps(document))
"""


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        answer = subprocess.run([TOKROOF, "decode", "coreflow_1_9m", "--positions", "0:255", "--launches", "1", "--json"],
                                capture_output=True, text=True, check=True)
        cls.document = json.loads(answer.stdout)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def player(self, name, factor=1.0, change=None, crash=0, pause=0, only_first=0, counts=None):
        """Writes an executable that answers with the document, its times multiplied, and to `counts` with that text."""
        folder = self.folder / name
        folder.mkdir()
        document = copy.deepcopy(self.document)
        if change:
            change(document)
        (folder / "document.json").write_text(json.dumps(document))
        if counts:
            (folder / "counts.json").write_text(counts)
        path = folder / "tokroof"
        path.write_text(PLAYER.format(python=sys.executable, folder=str(folder), factor=factor, crash=crash, pause=pause,
                                      seed=1 if name == "old" else 1000, only_first=only_first))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def compare(self, *arguments, code=None):
        result = subprocess.run([TOKROOF, "compare", *map(str, arguments)], capture_output=True, text=True,
                                env=dict(os.environ, TOKROOF_HOME=str(self.folder / "home"), LC_ALL="C.UTF-8"),
                                stdin=subprocess.DEVNULL, timeout=120)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result


class Binaries(Command):
    def verdict(self, code, old, new, *more):
        result = self.compare("--binary", old, "--binary", new, "--json", *more, code=code)
        return json.loads(result.stdout)["machines"][0]["decodes"][0]

    def test_the_same_is_no_worse(self):
        decode = self.verdict(0, self.player("old"), self.player("new"))
        self.assertEqual(decode["verdict"], "no_worse")
        self.assertNotIn("again", decode)
        self.assertEqual(decode["old_count"], decode["new_count"])

    def test_a_slower_one_has_regressed_and_is_measured_once_more(self):
        decode = self.verdict(9, self.player("old"), self.player("new", 1.06))
        self.assertEqual(decode["verdict"], "regressed")
        self.assertAlmostEqual(decode["speed_ratio"]["median"], 1 / 1.06, delta=0.004)
        self.assertAlmostEqual(decode["again"]["speed_ratio"]["median"], 1 / 1.06, delta=0.004)

    def test_a_second_run_that_does_not_repeat_it_leaves_it_open(self):
        slow_at_first = self.player("new", 1.06, only_first=6)
        decode = self.verdict(11, self.player("old"), slow_at_first, "--launches", "6")
        self.assertEqual(decode["verdict"], "inconclusive")
        self.assertIn("the second did not", decode["why"])

    def test_a_faster_one_has_improved(self):
        self.assertEqual(self.verdict(0, self.player("old"), self.player("new", 0.9))["verdict"], "improved")

    def test_one_that_computes_something_else_is_wrong_and_has_no_speed(self):
        def other_logits(document):
            document["launches"][0]["golden_got"] = document["plans"][0]["golden"] = "ab" * 32
        decode = self.verdict(8, self.player("old"), self.player("new", 0.5, other_logits))
        self.assertEqual(decode["verdict"], "wrong")
        self.assertNotIn("speed_ratio", decode)
        self.assertNotIn("new_tokens_per_s", decode)

    def test_one_whose_own_golden_pass_fails_is_wrong(self):
        def wrong(document):
            launch = document["launches"][0]
            launch["golden_got"] = "ab" * 32
            for series in launch["series"]:
                series.update(status="failed", reason="wrong logits", samples=[])
        decode = self.verdict(8, self.player("old"), self.player("new", 1, wrong))
        self.assertEqual((decode["verdict"], decode["why"]), ("wrong", "new: wrong logits"))
        silent = self.compare("--binary", self.player("a"), "--binary", self.player("b", crash=8), code=8)
        self.assertIn("b/tokroof decode coreflow_1_9m: exit code 8", silent.stderr)

    def test_the_launches_asked_for_are_taken(self):
        old, new = self.player("old"), self.player("new")
        self.assertEqual(self.verdict(0, old, new, "--launches", "7")["old_count"], 7)
        self.assertEqual((old.parent / "count").read_text(), "7")

    def test_one_that_fails_or_answers_nonsense_is_named(self):
        old = self.player("old")
        self.assertRegex(self.compare("--binary", old, "--binary", self.player("new", crash=3), code=6).stderr,
                         "new/tokroof decode coreflow_1_9m: exit code 3")
        nonsense = self.player("nonsense", change=lambda document: document.clear())
        self.assertRegex(self.compare("--binary", old, "--binary", nonsense, code=6).stderr, "cannot be read|exit code")
        self.assertRegex(self.compare("--binary", old, "--binary", self.folder / "none", code=6).stderr, "cannot be started")

    def test_a_model_that_is_none_is_a_wrong_argument(self):
        self.assertIn("nosuch", self.compare("--binary", TOKROOF, "--binary", TOKROOF, "nosuch", code=2).stderr)

    def test_the_table_is_read_by_people(self):
        result = self.compare("--binary", self.player("old"), "--binary", self.player("new", 1.06), code=9)
        self.assertRegex(result.stdout, r"coreflow_1_9m +warm .*−5\.[0-9] % \[.*regressed")
        self.assertIn("again: coreflow_1_9m", result.stdout)
        self.assertIn("could see", result.stdout)
        markdown = self.compare("--binary", self.player("a"), "--binary", self.player("b"), "--markdown", code=0).stdout
        self.assertRegex(markdown, r"\| coreflow_1_9m \| warm \|.*\| ~ ")

    def counts(self, *arguments):
        return subprocess.run([TOKROOF, "counts", "coreflow_1_9m", "--positions", "0:3", "--isa", "scalar", "--json", *arguments],
                              capture_output=True, text=True, check=True).stdout

    def test_a_change_of_what_a_token_is_made_of_is_told_whatever_the_speed(self):
        text = self.counts()
        entry = json.loads(text)[0]
        entry["kernels"][0]["calls"] += 4
        entry["packed_weight_bytes"] += 64
        old, same, other = (self.player(name, counts=told) for name, told in
                            (("old", text), ("same", text), ("other", json.dumps([entry]))))
        count, = json.loads(self.compare("--binary", old, "--binary", same, "--json", code=0).stdout)["counts"]
        self.assertEqual((count["word"], count["changes"]), ("same", []))
        count, = json.loads(self.compare("--binary", old, "--binary", other, "--json", code=0).stdout)["counts"]
        self.assertEqual(count["word"], "changed")
        changed = {change["what"]: int(change["new"]) - int(change["old"]) for change in count["changes"]}
        self.assertEqual(changed["packed_weight_bytes"], 64)
        self.assertEqual(len(changed), 2)
        self.assertRegex(self.compare("--binary", old, "--binary", other, "--launches", "2").stdout, "another work per token, 2 figures")

    def test_one_that_cannot_count_or_counts_nonsense_leaves_the_work_unknown(self):
        old = self.player("old", counts=self.counts())
        hostile = json.dumps([{**json.loads(self.counts())[0], "kernels": [{"kernel": "\x1b[2J" * 40}]}])
        for name, told in (("none", None), ("text", "hello"), ("list", "[]"), ("word", "[7]"), ("keys", "[{}]"), ("esc", hostile)):
            result = self.compare("--binary", old, "--binary", self.player(name, counts=told), "--launches", "2")
            self.assertIn("work per token unknown", result.stdout, name)
            self.assertNotIn("\x1b", result.stdout)

    def test_an_interrupted_one_says_so(self):
        process = subprocess.Popen([TOKROOF, "compare", "--binary", self.player("old", pause=0.3), "--binary",
                                    self.player("new", pause=0.3)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(out, "")
        self.assertIn("interrupted", err)


class Documents(Command):
    examples = pathlib.Path(__file__).resolve().parents[2] / "submissions"

    def setUp(self):
        super().setUp()
        self.sample = sorted(self.examples.glob("2*/*.json"))[0]

    def test_a_document_with_itself_is_no_second_one(self):
        self.assertIn("compared already", self.compare(self.sample, self.sample, code=12).stderr)

    def test_a_second_pair_must_be_another(self):
        pair = self.pair()
        first = json.loads(self.compare(*pair, "--json").stdout)["machines"][0]["decodes"]
        self.assertFalse({decode["verdict"] for decode in first} & {"regressed", "improved"}, "nobody has seen it again")
        self.assertIn("compared already", self.compare(*pair, "--confirm", *pair, code=12).stderr)
        back = json.loads(self.compare(*reversed(pair), "--json").stdout)["machines"][0]["decodes"]
        self.assertFalse({decode["verdict"] for decode in back} & {"regressed", "improved"})

    def pair(self):
        """Two committed documents that have a decode in common."""
        seen = {}
        for path in sorted(self.examples.glob("2*/*.json")):
            for decode in json.loads(path.read_text())["derived"]["decode"]:
                key = tuple(decode[name] for name in ("model", "mode", "isa", "routing", "threads", "page_bytes", "arithmetic",
                                                      "placement", "position_first", "position_last"))
                if key in seen and seen[key] != path:
                    return seen[key], path
                seen[key] = path
        self.fail("there is no pair")

    def test_a_pipe_is_read_and_a_named_one_refused(self):
        first, second = self.pair()
        through = subprocess.run(["bash", "-c", f'"{TOKROOF}" compare <(cat "{first}") <(cat "{second}") --json'],
                                 capture_output=True, text=True, timeout=60)
        self.assertTrue(json.loads(through.stdout)["machines"], through.stderr)
        os.mkfifo(self.folder / "named")
        self.assertIn("named", self.compare(first, self.folder / "named", code=4).stderr)

    def test_foreign_words_do_not_drive_terminals_or_tables(self):
        first, second = self.pair()
        document = json.loads(second.read_text())
        document["suite"]["compiler"] = "GNU | <b>x</b> @bob\n\n# h \x1b[2J"
        hostile = self.folder / "hostile.json"
        hostile.write_text(json.dumps(document))
        for more in ((), ("--markdown",)):
            out = self.compare(first, hostile, *more).stdout
            self.assertNotIn("\x1b", out)
            self.assertIn("GNU ? ?b?x?/b? ?bob??? h ?(2J", out)

    def test_a_terminal_without_utf8_gets_ascii(self):
        first, second = self.pair()
        result = subprocess.run([TOKROOF, "compare", first, second], capture_output=True, timeout=60,
                                env=dict(os.environ, LC_ALL="C"))
        result.stdout.decode("ascii")
        self.assertIn(b"launches", result.stdout)

    def test_a_changed_time_is_refused(self):
        document = json.loads(self.sample.read_text())
        for launch in document["launches"]:
            for series in launch["series"]:
                if series.get("probe", "decode") == "decode":
                    series["samples"] = [2 * ns for ns in series["samples"]]
        forged = self.folder / "forged.json"
        forged.write_text(json.dumps(document))
        self.assertRegex(self.compare(self.sample, forged, code=4).stderr, "forged.json: R0")

    def test_bad_input_has_one_line_and_its_code(self):
        text = self.folder / "text.json"
        text.write_text("hello")
        for code, arguments, pattern in (
                (2, (), "two documents"), (2, (self.sample,), "two documents"),
                (2, (self.sample, self.sample, "--mode", "warm"), "go with --binary"),
                (2, ("--binary", TOKROOF), "given twice"), (2, (self.sample, self.sample, "--margin", "3"), "--margin"),
                (4, (self.sample, text), "text.json: no valid submission"),
                (4, (self.sample, self.folder / "none"), "none"), (4, (self.sample, self.folder), "folder"),
                (2, (self.sample, self.sample, "--confirm", self.sample), "confirm")):
            with self.subTest(arguments=arguments):
                result = self.compare(*arguments, code=code)
                self.assertRegex(result.stderr, pattern)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
