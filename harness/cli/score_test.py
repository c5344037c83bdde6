"""tokroof score over stores with known forecasts, and over 10,000 submissions. Run by ctest:

    score_test.py PATH_OF_TOKROOF [unittest arguments]

Stores are made with tokroof's own tables; the rows are invented.
"""
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKROOF = sys.argv.pop(1)
MODELS = ["coreflow_1_9m", "coreflow_12_6m", "moe_ternary_105m"]
FORECASTS = [("dram_roof", "2"), ("cache_roof", "2"), ("curve", "2"), ("ecm", "1")]


def tokroof(*arguments, home):
    return subprocess.run([TOKROOF, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                          env=dict(os.environ, TOKROOF_HOME=str(home)))


def empty_store(home):
    """Makes tokroof create its tables: a run that is refused for its --out has opened the store before."""
    blocked = pathlib.Path(home) / "a_file"
    blocked.write_text("")
    tokroof("run", "--quick", "--out", str(blocked / "x"), home=home)
    path = pathlib.Path(home) / "store.sqlite"
    if not path.exists():
        raise unittest.SkipTest("no store was made")
    return sqlite3.connect(path)


class Writer:
    """Adds invented runs: a document of some size, its row, and the rows of its forecasts."""

    def __init__(self, store, document_bytes=0):
        self.store, self.document_bytes, self.sequence, self.previous = store, document_bytes, 0, "0" * 64

    def run(self, machine, uncounted, decodes):
        """decodes: [(model, mode, {forecast id: measured / forecast})]"""
        self.sequence += 1
        text = json.dumps({"nonce": self.sequence, "filler": "x" * self.document_bytes})
        content = hashlib.sha256(text.encode()).hexdigest()
        entry = hashlib.sha256((self.previous + content + "2026-01-01T00:00:00Z").encode()).hexdigest()
        self.store.execute("INSERT INTO documents VALUES (?, ?, '2026-01-01T00:00:00Z', ?, ?, ?)",
                           (self.sequence, content, self.previous, entry, text))
        self.previous = entry
        self.store.execute(
            "INSERT INTO submissions (document, ordinal, kind, protocol, created_utc, machine_key, cpu_model, vendor, arch,"
            " cores, threads, virtualised, isa, suite_version, git_commit, has_probes, uncounted, level) VALUES (?, 0,"
            " 'reproduction', 'quick', '', ?, 'A CPU', '', 'x86_64', 2, 2, 0, 'avx2', '', '', 1, ?, 'A')", (self.sequence, machine, uncounted))
        rows = []
        for decode, (model, mode, ratios) in enumerate(decodes):
            for forecast, version in FORECASTS:
                if forecast in ratios:
                    rows.append((self.sequence, len(rows), model, mode, forecast, version, abs(ratios[forecast] - 1) < 0.2,
                                 ratios[forecast], 1.44, decode))
        self.store.executemany(
            "INSERT INTO forecast_errors (document, ordinal, model, mode, placement, isa, arithmetic, weights, routing, threads,"
            " page_bytes, core_kind, position_first, position_last, id, version, inside_interval, measured_over_forecast,"
            " interval_ratio, decode, repeats, counted) VALUES (?, ?, ?, ?, 'none', 'avx2', 'int8', 'synthetic', 'none', 1, 4096,"
            " 'uniform', 0, 127, ?, ?, ?, ?, ?, ?, 0, 1)", rows)


class Scores(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)

    def fill(self):
        with empty_store(self.home) as store:
            writer = Writer(store)
            writer.run("a" * 64, "", [("coreflow_1_9m", "warm", {"dram_roof": 2.0, "ecm": 1.1})])
            writer.run("b" * 64, "roofs_drifted", [("coreflow_1_9m", "warm", {"dram_roof": 1.1, "ecm": 1.5}),
                                                   ("moe_ternary_105m", "evict_flush", {"dram_roof": 0.7, "ecm": 0.6})])
        store.close()

    def test_without_a_store_or_a_forecast_it_says_so(self):
        result = tokroof("score", home=self.home)
        self.assertEqual(result.returncode, 7)
        empty_store(self.home).close()
        result = tokroof("score", home=self.home)
        self.assertEqual(result.returncode, 12)
        self.assertIn("no stored run has a forecast", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_counted_runs_stand_beside_all_runs(self):
        self.fill()
        result = tokroof("score", home=self.home)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 of 2 runs count; 50 % do not: 1 roofs_drifted.", result.stdout)
        self.assertRegex(result.stdout, r"ecm 1 +1 +1\.10 +1\.10 +100 % +1\.44 +3 +1\.50 +1\.10 +33 % +1\.44")
        self.assertIn("ecm 1 on bbbbbbbb has been beaten by dram_roof", result.stdout)

    def test_filters_leave_the_other_figures_out(self):
        self.fill()
        for arguments, figures in ((["--model", "moe_ternary_105m"], 1), (["--mode", "warm"], 2), (["--machine", "bb"], 2)):
            result = tokroof("score", "--json", *arguments, home=self.home)
            overall = json.loads(result.stdout)["all_runs"]["overall"]
            self.assertEqual([score["figures"] for score in overall], [figures, figures], arguments)
        self.assertEqual(tokroof("score", "--model", "nothing", home=self.home).returncode, 12)
        self.assertEqual(tokroof("score", "--json", "--markdown", home=self.home).returncode, 2)

    def test_another_store_can_be_named(self):
        self.fill()
        with tempfile.TemporaryDirectory() as elsewhere:
            result = tokroof("score", "--store", str(self.home / "store.sqlite"), "--markdown", home=elsewhere)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("| ecm 1 |", result.stdout)


class Time(unittest.TestCase):
    def test_ten_thousand_submissions_are_scored_within_two_seconds(self):
        """Each has the size of a quick run's document, three modes and eleven forecasts; 30 machines, 3 models."""
        with tempfile.TemporaryDirectory() as home:
            with empty_store(home) as store:
                writer = Writer(store, document_bytes=30_000)
                for i in range(10_000):
                    off = 0.8 + (i * 7919 % 1000) / 2000
                    all_four = {name: off * (1 + n / 7) for n, (name, _) in enumerate(FORECASTS)}
                    three = {name: ratio for name, ratio in all_four.items() if name != "cache_roof"}
                    model = MODELS[i % 3]
                    writer.run(f"{i % 30:064x}", "" if i % 4 else "roofs_drifted",
                               [(model, "warm", all_four), (model, "evict_flush", three), (model, "evict_read", all_four)])
            store.close()
            best = min(self.seconds(home) for _ in range(3))
            print(f"tokroof score over 10,000 submissions, 110,000 figures: {best:.2f} s", file=sys.stderr)
            self.assertLess(best, 2)

    def seconds(self, home):
        begin = time.monotonic()
        result = tokroof("score", "--json", home=home)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["runs"], {"counted": 7500, "excluded": 2500, "reasons": {"roofs_drifted": 2500}})
        return time.monotonic() - begin


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
