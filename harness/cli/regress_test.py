"""What a user sees of `tokroof regress`, over a real store of simulated documents. Run by ctest:

    regress_test.py PATH_OF_TOKROOF PATH_OF_REGRESS_BENCH [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOKROOF, BENCH = sys.argv.pop(1), sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Case(unittest.TestCase):
    """One store for all: eight machines, thirty commits, warm decodes slower everywhere by a tenth."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.store = cls.folder / "store.sqlite"
        subprocess.run([BENCH, "documents", cls.folder / "documents", "3", "8", "30", "0.1"], check=True)
        done = subprocess.run([TOKROOF, "ingest", cls.folder / "documents", "--db", cls.store], capture_output=True, text=True,
                              env=dict(os.environ, TOKROOF_HOME=str(cls.folder / "home")))
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr

    def regress(self, *arguments, code=None, store=None):
        result = subprocess.run([TOKROOF, "regress", "--db", store or self.store, *map(str, arguments)], capture_output=True, text=True,
                                env=dict(os.environ, LC_ALL="C.UTF-8", TOKROOF_HOME=str(self.folder / "home")), timeout=120)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        if result.returncode in (2, 4, 7) or not result.stdout:
            self.assertEqual(len(result.stderr.strip().split("\n")), 1, result.stderr)
        return result

    def json(self, *arguments, code=9, **more):
        return json.loads(self.regress(*arguments, "--json", code=code, **more).stdout)


class Regress(Case):
    def test_finds_what_became_slower_and_nothing_else(self):
        told = self.json()
        warm = [series for series in told["series"] if series["mode"] == "warm"]
        flush = [series for series in told["series"] if series["mode"] == "evict_flush"]
        self.assertEqual((len(warm), len(flush)), (8, 8))
        self.assertGreaterEqual(sum(series["verdict"] == "regressed" for series in warm), 7)
        self.assertEqual(sum(series["verdict"] == "regressed" for series in flush), 0)
        for series in warm:
            if series["verdict"] == "regressed":
                self.assertAlmostEqual(series["speed_ratio"]["median"], 0.9, delta=0.03)
                self.assertLess(series["speed_ratio"]["high"], 1)
                self.assertLessEqual(series["adjusted_p"], 0.05)
        kernel = {kernel["mode"]: kernel for kernel in told["kernels"]}
        self.assertEqual(kernel["warm"]["verdict"], "everywhere")
        inside = kernel["warm"]["inside"]  # a machine whose roof moved by itself is left out
        self.assertGreaterEqual(inside["machines"], 7)
        self.assertEqual(inside["slower"], inside["machines"])
        self.assertNotIn(kernel["evict_flush"]["verdict"], ("everywhere", "most", "group"))

    def test_the_table_shows_a_picture_and_the_commits(self):
        text = self.regress(code=9).stdout
        self.assertRegex(text, "[▁▂▃▄▅▆▇█]{10,}")
        self.assertRegex(text, r"since [0-9a-f]{8}\.\.[0-9a-f]{8}")
        self.assertIn("coreflow_1_9m warm: slower everywhere", text)
        self.assertIn("point the same way", text)
        self.assertIn("### Across machines", self.regress("--markdown", code=9).stdout)

    def test_filters_narrow_it(self):
        self.assertEqual({series["mode"] for series in self.json("--mode", "warm")["series"]}, {"warm"})
        key = self.json()["series"][0]["machine_key"]
        self.assertEqual({series["machine_key"] for series in self.json("--machine", key[:12], code=None)["series"]}, {key})
        for nothing in (["--model", "nobody"], ["--isa", "neon"], ["--machine", "zz"], ["--mode", "spin"]):
            self.assertIn("no stored run has a decode of that kind", self.regress(*nothing, code=12).stderr)

    def test_since_leaves_older_changes_to_history(self):
        last = sqlite3.connect(self.store).execute(
            "SELECT max(first) FROM (SELECT min(created_utc) AS first FROM submissions GROUP BY git_commit)").fetchone()[0]
        told = self.json("--mode", "warm", "--since", last, code=None)
        self.assertEqual(sum(series["verdict"] == "regressed" for series in told["series"]), 0)
        self.assertIn("nothing was measured since", self.regress("--since", "2031-01-01", code=12).stderr)
        self.assertIn("want a day", self.regress("--since", "yesterday", code=2).stderr)

    def test_commits_may_be_listed(self):
        commits = [row[0] for row in sqlite3.connect(self.store).execute(
            "SELECT git_commit FROM submissions GROUP BY git_commit ORDER BY min(created_utc)")]
        order = self.folder / "commits"
        order.write_text("\n".join(commits[:8]) + "\n")
        told = self.json("--commits", order, code=12)
        self.assertTrue(all(series["verdict"] == "cannot_tell" for series in told["series"]))
        self.assertRegex(told["series"][0]["why"], r"^\d of 10 points$")
        self.assertEqual(told["commits"], 8)
        self.assertIn("of a commit that is not listed", told["left_out"])
        order.write_text("HEAD\n")
        self.assertIn("commits:1: no commit", self.regress("--commits", order, code=4).stderr)
        order.write_text("")
        self.regress("--commits", order, code=4)
        self.regress("--commits", self.folder / "none", code=4)

    def test_junit_and_annotations_say_the_same(self):
        report = self.folder / "regress.xml"
        lines = self.regress("--github", "--junit", report, "--output", self.folder / "copy", code=9).stdout
        self.assertEqual((self.folder / "copy").read_text(), lines)
        suites = xml.etree.ElementTree.parse(report).getroot()
        failures = suites.findall(".//failure")
        self.assertEqual(len(failures), sum(line.startswith("::error ") for line in lines.split("\n")))
        for suite in suites:
            for kind in ("failure", "error", "skipped"):
                counted = suite.get(kind + ("" if kind == "skipped" else "s"))
                self.assertEqual(int(counted), len(suite.findall(".//" + kind)))
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertTrue(all(line.startswith("::") for line in lines.strip().split("\n")))

    def test_foreign_names_can_neither_end_a_line_nor_a_tag(self):
        bad = self.folder / "bad.sqlite"
        shutil.copy(self.store, bad)
        with sqlite3.connect(bad) as store:
            store.execute("UPDATE submissions SET cpu_model = 'A\n::error::B<c>\"&\x1b[2J'")
        lines = self.regress("--github", "--junit", self.folder / "bad.xml", store=bad, code=9).stdout
        self.assertTrue(all(line.startswith("::") and not line.startswith("::error::B") for line in lines.strip().split("\n")))
        self.assertNotIn("\x1b", lines)
        xml.etree.ElementTree.parse(self.folder / "bad.xml")
        self.assertNotIn("\x1b", self.regress(store=bad, code=9).stdout)

    def test_cases_are_unique_and_xml_is_valid_for_any_name(self):
        other = self.folder / "other.sqlite"
        shutil.copy(self.store, other)
        with sqlite3.connect(other) as store:
            store.execute("UPDATE submissions SET cpu_model = 'a\ufffeb\uffff'")
            store.execute("UPDATE decode SET threads = 2 WHERE mode = 'evict_flush'")
            store.execute("UPDATE decode SET mode = 'warm' WHERE mode = 'evict_flush'")
        self.regress("--junit", self.folder / "other.xml", store=other, code=None)
        names = [(case.get("classname"), case.get("name")) for case in xml.etree.ElementTree.parse(self.folder / "other.xml").iter("testcase")]
        across = [name for name in names if name[0] == "across machines"]
        self.assertGreaterEqual(len(across), 2)
        self.assertEqual(len(set(across)), len(across))

    def test_other_logits_are_wrong_before_anything_is_slow(self):
        wrong = self.folder / "wrong.sqlite"
        shutil.copy(self.store, wrong)
        with sqlite3.connect(wrong) as store:
            newest = store.execute("SELECT document FROM submissions ORDER BY created_utc DESC LIMIT 1").fetchone()[0]
            store.execute("UPDATE outputs SET golden = ? WHERE document = ?", ("e" * 64, newest))
        told = self.json(store=wrong, code=8)
        self.assertEqual({series["verdict"] for series in told["series"] if "wrong" in series["verdict"]}, {"wrong"})
        self.assertIn("logits eeeeeeeeeeee", self.regress(store=wrong, code=8).stdout)

    def test_the_same_seed_gives_the_same_answer(self):
        self.assertEqual(self.json("--seed", "7"), self.json("--seed", "7"))

    def test_bad_asks_are_one_line(self):
        self.regress("--margin", "3", code=2)
        self.regress("--json", "--markdown", code=2)
        self.regress("--points", code=2)
        for option in ("--model", "--mode", "--isa", "--machine", "--since", "--commits", "--junit", "--output", "--db", "--margin"):
            self.assertIn("is empty", self.regress(option, "", code=2).stderr)
        self.regress("--seed", "-1", code=2)
        for day in ("2026-02-31", "2026-13-45", "2026-01-01T25:00:00Z"):
            self.regress("--since", day, code=2)
        self.regress(store=self.folder / "nowhere.sqlite", code=7)
        self.regress("--junit", self.folder, code=7)

    def test_outputs_replace_no_device_pipe_or_link_and_name_a_missing_folder(self):
        report, link, pipe = self.folder / "linked.xml", self.folder / "link", self.folder / "pipe"
        link.symlink_to(report.name)
        os.mkfifo(pipe)
        self.regress("--junit", link, code=9)
        self.assertTrue(link.is_symlink())
        xml.etree.ElementTree.parse(report)
        self.assertIn("named pipe that nobody reads", self.regress("--output", pipe, code=7).stderr)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        written = self.regress("--output", pipe, "--junit", "/dev/null", code=9).stdout
        self.assertEqual(reader.communicate(timeout=60)[0], written)
        self.assertTrue(pipe.is_fifo())
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())
        self.assertIn(f"no folder {self.folder / 'missing'}", self.regress("--junit", self.folder / "missing/r.xml", code=7).stderr)
        self.assertFalse((self.folder / "missing").exists())
        same = self.regress("--junit", report, "--output", link, code=2).stderr
        self.assertIn("--junit and --output name the same file", same)

    def test_markdown_holds_no_links_images_or_hidden_words_of_others(self):
        evil = self.folder / "evil.sqlite"
        shutil.copy(self.store, evil)
        with sqlite3.connect(evil) as store:
            store.execute("UPDATE submissions SET cpu_model = ?", ("![p](https://evil.example/x.png) [a](http://b) **x** #1 @me <b> |c| \u202e www.evil.example _y_",))
            store.execute("UPDATE decode SET model = ? WHERE mode = 'warm'", ("[m](https://evil.example)|z",))
        text = self.regress("--markdown", store=evil, code=None).stdout
        self.assertIn("evil", text)
        for mark in ("](", "://", "www.", "**x", "#1", "@me", "<b>", "\u202e", "_y_", "|c|", "[m]"):
            self.assertNotIn(mark, text)
        rows = [line for line in text.split("\n") if line.startswith("|")]
        self.assertEqual({line.replace("\\|", "").count("|") for line in rows}, {10})

    def test_one_machine_keeps_the_order_of_all_commits(self):
        """It measured the oldest commits last, which are slower: by what it has itself they would be the newest."""
        other = self.folder / "order.sqlite"
        shutil.copy(self.store, other)
        with sqlite3.connect(other) as store:
            machine = store.execute("SELECT machine_key FROM submissions ORDER BY machine_key LIMIT 1").fetchone()[0]
            mine = [row[0] for row in store.execute("SELECT document FROM submissions WHERE machine_key = ? ORDER BY created_utc", (machine,))]
            store.execute(f"UPDATE decode SET weight_bytes_per_s = weight_bytes_per_s * 1.2, tokens_per_s_median = tokens_per_s_median * 1.2 "
                          f"WHERE document IN ({','.join(map(str, mine[10:]))})")
            for number, document in enumerate(mine[:10]):
                store.execute("UPDATE submissions SET created_utc = ? WHERE document = ?", (f"2027-01-{number + 1:02}T00:00:00Z", document))
        words = {}
        for filters in ((), ("--machine", machine)):
            told = self.json("--mode", "evict_flush", *filters, code=None, store=other)
            words[filters] = [series["verdict"] for series in told["series"] if series["machine_key"] == machine]
        self.assertEqual(set(words[()]), {"improved"})
        self.assertEqual(words[("--machine", machine)], words[()])

    def test_one_machine_is_not_compared_with_others(self):
        one = json.loads(self.regress("--json", code=9).stdout)["series"][0]["machine_key"]
        text = self.regress("--machine", one, "--mode", "warm", code=9).stdout
        self.assertIn("slower on the only machine", text)
        self.assertNotIn("the others lack", text)

    def test_points_are_every_sitting(self):
        for series in self.json("--points")["series"]:
            self.assertEqual(len(series["points"]), series["sittings"])
            self.assertTrue(all(point["roof_fraction"] > 0 for point in series["points"]))


class Pipelines(Case):
    """The forms that docs/comparing.md gives, run as they stand there with this store."""

    def setUp(self):
        self.text = (ROOT / "docs/comparing.md").read_text()
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        scripts = self.work / "bin"
        scripts.mkdir()
        (scripts / "tokroof").symlink_to(pathlib.Path(TOKROOF).resolve())
        home = self.work / "home"
        home.mkdir()
        shutil.copy(self.store, home / "store.sqlite")
        self.environment = dict(os.environ, PATH=f"{scripts}:{os.environ['PATH']}", TOKROOF_HOME=str(home), LC_ALL="C.UTF-8")
        # Two documents with other logits: compare says wrong (8).
        documents = sorted((self.folder / "documents").iterdir())
        machine = None
        for path in documents:
            document = json.loads(path.read_text())
            machine = machine or document["machine"]["machine_key"]
            if document["machine"]["machine_key"] == machine:
                name = "new.json" if (self.work / "old.json").exists() else "old.json"
                (self.work / name).write_text(path.read_text())
                if name == "new.json":
                    break

    def block(self, language, marker):
        for block in re.findall(rf"```{language}\n(.*?)```", self.text, re.S):
            if marker in block:
                return block
        self.fail(f"docs/comparing.md has no {language} block with '{marker}'")

    def shell(self, script):
        return subprocess.run(["bash", "-c", script], cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=120)

    def test_a_pipe_swallows_the_verdict_unless_it_is_told_not_to(self):
        self.assertEqual(self.shell("tokroof regress | tee regress.txt").returncode, 0)  # why all of this is there
        for marker in ("set -o pipefail", "PIPESTATUS", "--output"):
            done = self.shell(self.block("bash", marker))
            self.assertEqual(done.returncode, 9, marker + done.stdout + done.stderr)
            self.assertTrue(any(path.stat().st_size for path in self.work.glob("regress.*")), marker)

    def test_make_stops_at_a_regression_and_goes_on_where_nothing_can_be_told(self):
        (self.work / "Makefile").write_text(self.block("make", "regress.xml"))
        make = ["make", "-s", "regress.xml"]
        done = subprocess.run(make, cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("Error 9", done.stderr)
        again = subprocess.run(make, cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(again.returncode, 2, "a file that a failed run left is not taken for done")
        empty = dict(self.environment, TOKROOF_HOME=str(self.work / "empty"))
        (self.work / "empty").mkdir()
        with sqlite3.connect(self.work / "home/store.sqlite") as store:
            store.execute("DELETE FROM decode WHERE document > 20")
        shutil.copy(self.work / "home/store.sqlite", self.work / "empty/store.sqlite")
        done = subprocess.run(make, cwd=self.work, env=empty, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_compare_keeps_its_verdict_likewise(self):
        script = self.block("bash", "tokroof compare old.json new.json")
        plain = self.shell("tokroof compare old.json new.json")
        self.assertNotEqual(plain.returncode, 0)
        done = self.shell(script)
        self.assertEqual(done.returncode, plain.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
