"""The store as a user meets it: ingest in bulk, copies, queries, and what happens when the world fails. Run by ctest:

    store_test.py PATH_OF_TOKROOF PATH_OF_SYNTHETIC_DOCUMENTS [unittest arguments]
"""
import csv
import hashlib
import io
import json
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

TOKROOF, SYNTHETIC = sys.argv.pop(1), sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.folder = self.home / "documents"

    def make(self, count, first=0, folder=None):
        subprocess.run([SYNTHETIC, str(folder or self.folder), str(count), str(first), "small"], check=True)

    def tokroof(self, *arguments, code=0, **more):
        result = subprocess.run([TOKROOF, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                                env=dict(os.environ, TOKROOF_HOME=str(self.home)), **more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        if code:
            self.assertEqual(len(result.stderr.strip().split("\n")), 1 if result.stderr.strip() else 1, result.stderr)
        return result

    def json(self, *arguments, **more):
        return json.loads(self.tokroof(*arguments, "--json", **more).stdout)

    def rows(self, *arguments):
        return self.json("query", *arguments)["tables"][0]["rows"]

    def head(self, *arguments):
        return self.json("store", "check", *arguments)["head_hash"]


class Ingest(Case):
    def test_a_folder_is_stored_in_order_and_once(self):
        self.make(70)
        lines = self.tokroof("ingest", self.folder).stdout.strip().split("\n")
        self.assertEqual(len(lines), 70)
        self.assertTrue(all(": stored " in line for line in lines))
        listed = self.json("store", "list")
        hashes = [hashlib.sha256(path.read_bytes().rstrip(b"\n")).hexdigest() for path in sorted(self.folder.iterdir())]
        self.assertEqual([document["content_sha256"] for document in listed], hashes)
        again = self.json("ingest", self.folder)
        self.assertEqual({outcome["state"] for outcome in again}, {"already_there"})
        self.assertEqual(len(self.json("store", "list")), 70)

    def test_the_same_document_twice_in_one_batch_is_stored_once(self):
        self.make(1)
        file = self.folder / "00000000.json"
        self.assertEqual([outcome["state"] for outcome in self.json("ingest", file, file)], ["stored", "already_there"])

    def test_a_bad_file_keeps_no_other_out(self):
        self.make(3)
        (self.folder / "00000001.json").write_text("{")
        result = self.tokroof("ingest", "--json-lines", self.folder, code=4)
        self.assertEqual([json.loads(line)["state"] for line in result.stdout.strip().split("\n")], ["stored", "refused", "stored"])
        self.assertEqual(self.json("store", "check")["documents"], 2)

    def test_a_changed_figure_is_refused(self):
        self.make(1)
        file = self.folder / "00000000.json"
        document = json.loads(file.read_text())
        document["derived"]["decode"][0]["tokens_per_s"]["median"] *= 1.5
        file.write_text(json.dumps(document))
        self.assertIn("R02", self.tokroof("ingest", file, code=4).stdout)
        self.assertFalse((self.home / "store.sqlite").exists())

    def test_authors_corroborate_each_other(self):
        other = self.home / "other"
        self.make(1)
        self.make(1, first=40, folder=other)  # of the same CPU
        [mine] = self.json("ingest", self.folder, "--author", "Ada")
        self.assertEqual((mine["author"], mine["level"] in "ABCD", mine["signed_by"]), ("ada", True, ""))
        self.assertEqual([row["state"] for row in self.rows("trust")], ["plausible"])
        [path] = other.iterdir()
        origin = path.with_suffix(".origin")
        origin.write_text('{"author": 7}')
        self.assertIn(f"{origin}: does not tell", self.tokroof("ingest", other, code=4).stdout)
        origin.write_text('{"author": "Ben", "issue": 3}')
        self.assertIn(", by ben", self.tokroof("ingest", other).stdout)
        self.assertEqual([(row["author"], row["state"], row["corroborated_by"]) for row in self.rows("trust")],
                         [("ada", "corroborated", 2), ("ben", "corroborated", 1)])
        self.assertIn("audited", self.tokroof("store", "audit", "1", "--by", "Cleo", "--note", "ran it again").stdout)
        self.assertEqual([d["trust"] for d in self.json("store", "list")], ["audited", "corroborated"])
        self.assertIn("ada sent", self.tokroof("store", "audit", "1", "--by", "ADA", "--note", "x", code=2).stderr)
        for odd in ("", " ", "a\nb", "x" * 101):
            self.assertIn("--author", self.tokroof("ingest", self.folder, "--author", odd, code=2).stderr)
        export, fresh = self.home / "all.jsonl", self.home / "fresh.sqlite"
        self.tokroof("store", "export", "--out", export)
        self.tokroof("store", "restore", export, "--db", fresh)
        self.assertEqual(self.json("store", "check", "--db", fresh), self.json("store", "check"))
        self.assertEqual([row["state"] for row in self.rows("trust", "--db", fresh)], ["audited", "corroborated"])
        lines = export.read_text().splitlines(keepends=True)
        cut = self.home / "cut.jsonl"
        for bad, code in ((lines[:-1], 4), (lines + lines[-1:], 4), ([line.replace('"cleo"', '"ada"') for line in lines], 3),
                          ([line.replace('"document":2', '"document":1') for line in lines], 3)):
            cut.write_text("".join(bad))
            self.tokroof("store", "restore", cut, "--db", self.home / "none.sqlite", code=code)
        self.assertFalse((self.home / "none.sqlite").exists() and self.json("store", "list", "--db", self.home / "none.sqlite"))

    def test_a_copy_of_a_run_is_quarantined(self):
        subprocess.run([SYNTHETIC, str(self.folder), "1"], check=True)
        [original] = self.folder.iterdir()
        text = original.read_text()
        nonce = json.loads(text)["nonce"]
        copies = [self.home / f"copy{i}.json" for i in range(2)]
        for i, copy in enumerate(copies):
            copy.write_text(text.replace(nonce, f"{i + 1:032x}"))
        together = self.json("ingest", original, copies[0], "--author", "ada", code=5)
        self.assertEqual([one["state"] for one in together], ["stored", "quarantined"])
        [later] = self.json("ingest", copies[1], "--author", "ben", code=5)
        self.assertEqual(later["state"], "quarantined")
        self.assertIn("P09 /launches/1/series/0/samples", later["detail"])
        self.assertEqual(self.json("store", "check")["documents"], 1)
        other = self.home / "another"
        subprocess.run([SYNTHETIC, str(other), "1", "40"], check=True)
        self.assertEqual([one["state"] for one in self.json("ingest", other, "--author", "ben")], ["stored"])
        self.assertEqual([row["state"] for row in self.rows("trust")], ["corroborated", "corroborated"])
        self.assertIn("already there", self.tokroof("ingest", original, "--author", "carl").stdout)
        self.assertIn("sent first by ada", self.tokroof("ingest", original, "--author", "carl").stdout)

    def test_names_and_notes_hide_nothing(self):
        self.make(1)
        for odd in ("ada\u200b", "\u202eada", "Zo\u00eb", "a b", "ada#"):
            self.assertIn("--author", self.tokroof("ingest", self.folder, "--author", odd, code=2).stderr)
        self.tokroof("ingest", self.folder, "--author", "ada")
        self.assertIn("--by", self.tokroof("store", "audit", "1", "--by", "ada\u200d", "--note", "x", code=2).stderr)
        self.assertIn("--note", self.tokroof("store", "audit", "1", "--by", "ben", "--note", "\u009b31m", code=2).stderr)

    def test_four_processes_lose_and_duplicate_nothing(self):
        other = self.home / "others"
        self.make(60)
        self.make(60, 1000, other)
        env = dict(os.environ, TOKROOF_HOME=str(self.home))
        running = [subprocess.Popen([TOKROOF, "ingest", "--json-lines", str(folder)], env=env, stdout=subprocess.PIPE, text=True)
                   for folder in (self.folder, self.folder, other, other)]
        outcomes = []
        for process in running:
            out, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0)
            outcomes += [json.loads(line) for line in out.splitlines()]
        states = [outcome["state"] for outcome in outcomes]
        self.assertEqual((states.count("stored"), states.count("already_there")), (120, 120))
        stored = [document["content_sha256"] for document in self.json("store", "list")]
        self.assertEqual(sorted(stored), sorted({outcome["content_sha256"] for outcome in outcomes}))
        self.assertEqual(self.json("store", "check")["problems"], [])

    def test_kills_at_random_moments_lose_nothing_acknowledged(self):
        result = subprocess.run([ROOT / "script/kill-ingest", TOKROOF, SYNTHETIC, "--kills", "8", "--documents", "200"],
                                capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("0 of them", result.stdout)


class Copies(Case):
    def setUp(self):
        super().setUp()
        self.make(5)
        self.tokroof("ingest", self.folder)

    def test_an_export_in_a_fresh_store_has_the_same_head(self):
        out, fresh = self.home / "all.jsonl", self.home / "fresh.sqlite"
        self.tokroof("store", "export", "--out", out)
        self.assertEqual(self.json("store", "restore", out, "--db", fresh)["restored"], 5)
        self.assertEqual(self.head("--db", fresh), self.head())
        self.assertEqual(self.tokroof("store", "export").stdout, out.read_text())
        lines = out.read_text().splitlines()
        self.assertEqual(json.loads(lines[0])["documents"], 5)
        for line in lines[1:]:
            entry = json.loads(line)
            text = line[line.index('"document":') + 11:-1]
            self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), entry["content_sha256"])
            self.assertEqual(json.loads(text), entry["document"])

    def test_an_export_that_was_cut_or_changed_is_refused_as_a_whole(self):
        lines = self.tokroof("store", "export").stdout.splitlines(keepends=True)
        fresh = self.home / "fresh.sqlite"
        for name, text, code in [("cut", "".join(lines[:-1]), 4), ("in a line", "".join(lines)[:-200], 4), ("empty", "", 4),
                                 ("no export", "{}\n", 4), ("order", lines[0] + lines[2] + lines[1] + "".join(lines[3:]), 3),
                                 ("changed", "".join(lines).replace("Synthetic CPU 3", "Synthetic CPU 4"), 3),
                                 ("more", "".join(lines) + lines[-1], 4)]:
            with self.subTest(name):
                self.tokroof("store", "restore", "-", "--db", fresh, input=text, code=code)
                if fresh.exists():
                    self.assertEqual(self.json("store", "check", "--db", fresh)["documents"], 0)

    def test_csv_has_a_row_per_figure_and_no_formula(self):
        table = list(csv.DictReader(io.StringIO(self.tokroof("store", "export", "--format", "csv").stdout)))
        self.assertEqual(len(table), 15)  # warm, aa, evict_flush
        self.assertEqual(table[0]["cpu_model"], "Synthetic CPU 0")
        self.assertGreater(float(table[0]["tokens_per_s_median"]), 1000)
        self.assertIn("no table", self.tokroof("store", "export", "--format", "csv", "--table", "x", code=2).stderr)

    def test_nothing_is_overwritten(self):
        taken = self.home / "taken"
        taken.write_text("mine")
        self.tokroof("store", "backup", taken, code=7)
        for form in ("jsonl", "csv", "sqlite"):
            self.tokroof("store", "export", "--format", form, "--out", taken, code=7)
        self.assertEqual(taken.read_text(), "mine")

    def test_a_backup_and_a_sqlite_export_are_whole_stores(self):
        for number, command in enumerate((["backup"], ["export", "--format", "sqlite", "--out"])):
            copy = self.home / f"{number}.sqlite"
            self.tokroof("store", *command, copy)
            self.assertEqual(self.head("--db", copy), self.head())

    def test_rebuild_mends_tables(self):
        with sqlite3.connect(self.home / "store.sqlite") as store:
            store.execute("UPDATE decode SET tokens_per_s_median = 1")
        self.tokroof("store", "check", code=3)
        self.tokroof("store", "rebuild")
        self.tokroof("store", "check")


class Failures(Case):
    def setUp(self):
        super().setUp()
        self.make(40)
        self.tokroof("ingest", *sorted(self.folder.iterdir())[:5])
        self.store = self.home / "store.sqlite"

    def test_a_full_disk_is_one_line_and_loses_nothing(self):
        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.store.stat().st_size + 8192,) * 2)
        result = self.tokroof("ingest", self.folder, code=7, preexec_fn=full)
        self.assertIn("free space", result.stderr)
        self.assertEqual(self.json("store", "check")["documents"], 5)
        self.tokroof("ingest", self.folder)
        self.assertEqual(self.json("store", "check")["documents"], 40)

    def test_a_full_stdout_is_one_line(self):
        for command in (["query", "decode"], ["store", "export"], ["store", "list"], ["store", "check"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([TOKROOF, *command], stdout=full, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, TOKROOF_HOME=str(self.home)))
            self.assertEqual((result.returncode, result.stderr.count("\n")), (7, 1), command)

    def test_a_truncated_or_overwritten_store_says_what_to_do(self):
        whole = self.store.read_bytes()
        for name, harmed in [("half", whole[:len(whole) // 2]), ("garbage", whole[:8192] + b"\x7f" * 60000 + whole[68192:]),
                             ("a page and a bit", whole[:5000])]:
            with self.subTest(name):
                self.store.write_bytes(harmed)
                result = subprocess.run([TOKROOF, "store", "check"], capture_output=True, text=True,
                                        env=dict(os.environ, TOKROOF_HOME=str(self.home)))
                self.assertIn(result.returncode, (3, 7))
                self.assertIn("store restore", result.stdout + result.stderr)

    def test_a_folder_that_may_not_be_written_is_one_line(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        os.chmod(self.home, 0o755)

        def nobody():
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        self.assertIn("permissions", self.tokroof("ingest", self.folder, code=7, preexec_fn=nobody).stderr)
        self.assertIn("permissions", self.tokroof("store", "rebuild", code=7, preexec_fn=nobody).stderr)
        self.assertEqual(len(self.json("store", "list", preexec_fn=nobody)), 5)

    def test_a_subfolder_that_may_not_be_read_is_refused_and_the_rest_is_taken(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        shut, sealed = self.folder / "shut", self.folder / "sealed"
        self.make(3, first=100, folder=shut)
        self.make(3, first=200, folder=sealed)
        os.chmod(shut, 0o700)
        os.chmod(sealed, 0o744)  # may be listed, and nothing in it read
        os.chmod(self.home, 0o777)
        database = self.home / "fresh.sqlite"

        def nobody():
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        told = self.tokroof("ingest", self.folder, "--db", database, code=4, preexec_fn=nobody).stdout
        self.assertEqual(told.count(": stored "), 40)
        self.assertRegex(told, rf"refused: {shut}: cannot be read: .*by you")
        self.assertEqual(told.count(f"refused: {sealed}/"), 3)
        self.assertEqual(len(self.json("store", "list", "--db", database)), 40)

    def test_a_document_s_words_cannot_drive_the_terminal(self):
        evil = self.home / "evil"
        self.make(1, folder=evil)
        [path] = evil.glob("*.json")
        document = json.loads(path.read_text())
        document["machine"]["cpu_model"] = "evil\x1b[31m\x9b5m\u202e\nzzz"
        path.write_text(json.dumps(document))
        told = self.tokroof("ingest", evil, "--author", "ada").stdout
        for command in (["store", "list"], ["query", "cpus"], ["query", "trust"], ["store", "check"]):
            told += self.tokroof(*command).stdout
        self.assertIn("evil", told)
        self.assertEqual([sign for sign in ("\x1b", "\x9b", "\u202e", "\nzzz") if sign in told], [])

    def test_what_is_no_file_is_refused_instead_of_waited_for(self):
        pipe = self.home / "pipe"
        os.mkfifo(pipe)
        for command in (["query", "cpus"], ["store", "list"], ["store", "check"], ["store", "rebuild"], ["store", "export"],
                        ["ingest", self.folder]):
            for path, what in ((pipe, "named pipe"), (self.folder, "folder"), ("/dev/null", "device")):
                self.assertIn(what, self.tokroof(*command, "--db", path, code=7).stderr)
        fresh = self.home / "fresh.sqlite"
        for path, what in ((pipe, "named pipe"), (self.folder, "folder"), ("/dev/zero", "device"), (self.home / "none", "no such")):
            told = self.tokroof("store", "restore", path, "--db", fresh, code=4).stderr
            self.assertIn(what, told)
            self.assertIn(str(path), told)
        self.assertFalse(fresh.exists())
        export = self.tokroof("store", "export").stdout
        self.tokroof("store", "restore", "/dev/stdin", "--db", fresh, input=export)
        self.assertEqual(self.head("--db", fresh), self.head())

    def test_a_document_that_no_table_holds_is_named_by_rebuild_and_restore(self):
        lines = [json.loads(line) for line in self.tokroof("store", "export").stdout.splitlines()]
        text = '{"schema":"another"}'
        last = dict(lines[-1], sequence=6, prev_hash=lines[-1]["entry_hash"], document=json.loads(text),
                    content_sha256=hashlib.sha256(text.encode()).hexdigest())
        last["entry_hash"] = hashlib.sha256(
            (last["prev_hash"] + last["content_sha256"] + last["received_utc"]).encode()).hexdigest()
        lines[0].update(documents=6, head_hash=last["entry_hash"])
        export = self.home / "export.jsonl"
        export.write_text("".join(json.dumps(line) + "\n" for line in lines + [last]))
        fresh = self.home / "fresh.sqlite"
        self.assertIn("document 6: ", self.tokroof("store", "restore", export, "--db", fresh, code=4).stderr)
        made = self.tokroof("store", "rebuild", "--db", fresh, code=4)
        self.assertIn("document 6: ", made.stderr)
        self.assertIn("5 of 6 documents", made.stdout)
        self.assertEqual(len(self.json("store", "rebuild", "--db", fresh, code=4)["unread"]), 1)

    def test_without_a_store_it_says_what_to_do(self):
        for command in (["query", "cpus"], ["store", "rebuild"], ["store", "backup", "x"], ["store", "export"]):
            missing = self.home / "none.sqlite"
            self.assertIn("there is no store", self.tokroof(*command, "--db", missing, code=7).stderr)
            self.assertFalse(missing.exists())


class Query(Case):
    def setUp(self):
        super().setUp()
        self.make(42)  # of 40 machines
        self.tokroof("ingest", self.folder)

    def test_every_view_answers(self):
        views = [line.split()[0] for line in self.tokroof("query", "--help").stdout.split("Views:\n")[1].split("\ndocs/")[0].splitlines()]
        self.assertGreaterEqual(len(views), 12)
        for view in views:
            if view not in ("cpu", "model", "claim"):
                self.assertEqual(self.json("query", view)["tables"][0]["name"], view)

    def test_cpus_and_models_count_what_is_stored(self):
        rows = self.rows("cpus")
        self.assertEqual(len(rows), 40)
        self.assertEqual(sum(row["documents"] for row in rows), 42)
        self.assertEqual([row["model"] for row in self.rows("models")], ["coreflow_1_9m"])

    def test_figures_are_those_of_the_documents(self):
        document = json.loads((self.folder / "00000007.json").read_text())
        warm = next(figure for figure in document["derived"]["decode"] if figure["arm"] == "warm")
        rows = self.rows("decode", "--cpu", "synthetic cpu 7", "--mode", "warm")
        self.assertEqual(len(rows), 1)
        self.assertAlmostEqual(rows[0]["tokens_per_s"], warm["tokens_per_s"]["median"], delta=1e-6 * rows[0]["tokens_per_s"])
        self.assertEqual(rows[0]["figures"], 1, "the A/A arm is none")
        tables = {table["name"]: table["rows"] for table in self.json("query", "cpu", "CPU 7")["tables"]}
        self.assertEqual({row["cpu_model"] for row in tables["decode"]}, {"Synthetic CPU 7"})
        self.assertEqual({row["level"] for row in tables["roofs"]}, {"l1", "l2", "l3", "dram"})
        self.assertEqual(len(self.json("query", "model", "coreflow_1_9m")["tables"][0]["rows"]), 80)

    def test_what_is_not_there_is_code_12_and_names_the_list(self):
        self.assertIn("query cpus", self.tokroof("query", "cpu", "Ryzen", code=12).stderr)
        self.assertIn("query models", self.tokroof("query", "model", "coreflow", code=12).stderr)
        self.assertIn("query claims", self.tokroof("query", "claim", "x", code=12).stderr)

    def test_bad_questions_are_one_line_and_code_2(self):
        for arguments in (["cpux"], ["cpu"], ["cpus", "x"], [], ["--sql", ""], ["--sql", "DROP TABLE decode"], ["cpus", "--sql", "SELECT 1"],
                          ["--sql", "SELECT 1; SELECT 2"], ["--sql", "SELECT"], ["cpus", "--json", "--csv"], ["cpu", "Syn", "--csv"],
                          ["--sql", "SELECT 1", "--cpu", "x"], ["cpus", "--rows", "-1"], ["cpus", "--seconds", "x"],
                          *(["cpus", "--seconds", odd] for odd in ("nan", "-nan", "NaN", "inf", "0", "1e7")),
                          ["--sql", "ATTACH 'x' AS y"], ["--sql", "PRAGMA user_version = 7"], ["--sql", "SELECT load_extension('x')"]):
            self.tokroof("query", *arguments, code=2)
        self.tokroof("store", "check")

    def test_sql_answers_in_every_form_and_stops(self):
        sql = "SELECT cpu_model, max(tokens_per_s_median) AS best FROM decode GROUP BY cpu_model ORDER BY best DESC"
        rows = self.rows("--sql", sql, "--rows", "3")
        self.assertEqual(len(rows), 3)
        table = list(csv.reader(io.StringIO(self.tokroof("query", "--sql", sql, "--csv").stdout)))
        self.assertEqual(table[0], ["cpu_model", "best"])
        self.assertEqual(float(table[1][1]), rows[0]["best"])
        self.assertIn("only the first 3", self.tokroof("query", "--sql", sql, "--rows", "3").stderr)
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
        self.assertIn("stopped after", self.tokroof("query", "--sql", endless, "--seconds", "0.2", code=2).stderr)

    def test_the_schema_lists_every_table(self):
        tables = {row["table"] for row in self.rows("--schema")}
        self.assertLessEqual({"documents", "decode", "roofs", "caches", "ratios", "forecasts", "forecast_errors", "imports"}, tables)


if __name__ == "__main__":
    unittest.main()
