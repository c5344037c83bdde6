"""What a user sees of `tokroof claim` and `run --claim`. Run by ctest:

    claim_test.py PATH_OF_TOKROOF [unittest arguments]

Claims, Ledger need no measurement; Measured runs a small claim on this machine.
"""
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

TOKROOF = sys.argv.pop(1)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.claims = self.folder / "claims"
        self.claims.mkdir()
        self.home = self.folder / "home"

    def tokroof(self, *arguments, **environment):
        env = {**os.environ, "TOKROOF_HOME": str(self.home), "LC_ALL": "C.UTF-8", **environment}
        return subprocess.run([TOKROOF, *map(str, arguments)], capture_output=True, text=True, env=env,
                              stdin=subprocess.DEVNULL, timeout=300)

    def claim(self, *arguments):
        return self.tokroof("claim", *arguments, "--claims", self.claims)

    def succeeds(self, *arguments):
        result = self.claim(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result.stdout

    def refused(self, code, pattern, *arguments):
        result = self.claim(*arguments)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.assertRegex(result.stderr + result.stdout, pattern)

    def write(self, claim_id, **changes):
        """Writes a claim that could be sealed, with changes."""
        if not (self.claims / f"{claim_id}.json").exists():
            self.succeeds("new", claim_id)
        path = self.claims / f"{claim_id}.json"
        claim = json.loads(path.read_text())
        for key in ("hypothesis", "source", "published", "control", "support_means"):
            claim[key] = claim[key].strip("<>")
        claim.update(changes)
        path.write_text(json.dumps(claim, indent=2))
        return path

    def sealed(self, claim_id, **changes):
        path = self.write(claim_id, **changes)
        self.succeeds("seal", claim_id)
        return path

    def ledger(self):
        return (self.claims / "ledger.jsonl").read_text().splitlines(keepends=True)

    def listed(self):
        return {entry["id"]: entry for entry in json.loads(self.succeeds("list", "--json"))}


class Claims(Command):
    def test_a_template_is_refused_until_it_is_filled_in(self):
        self.succeeds("new", "fast")
        self.refused(4, "template's words", "check")
        self.refused(4, "template's words", "seal", "fast")
        self.write("fast")
        self.assertIn("may be sealed", self.succeeds("check"))
        self.refused(2, "is there already", "new", "fast")
        self.refused(4, "/id: found", "new", "Not-A-Name")

    def test_a_claim_that_cannot_lose_or_lacks_power_is_refused_with_the_sum(self):
        path = self.write("fast")
        good = json.loads(path.read_text())
        for change, why in (({"support": {"low": 2.0, "high": 20}}, r"cannot lose: no value of the support 2 … 20"),
                            ({"true_value": 2.001}, r"underpowered: .*probability 0\.\d+"),
                            ({"quantity": "tokens_per_s[mode=spin]"}, "no arm spin")):
            part = dict(good["parts"][0], **change)
            self.write("fast", parts=[part])
            self.refused(4, why, "check", "fast")
            self.refused(4, why, "seal", "fast")
        self.assertFalse((self.claims / "ledger.jsonl").exists())
        self.write("fast", parts=good["parts"], launches=2)
        self.refused(4, "underpowered", "seal", "fast")

    def test_a_due_day_that_has_passed_is_refused_by_check_as_by_seal(self):
        self.write("fast", due_utc="2020-01-01T00:00:00Z")
        self.refused(4, "has passed", "check", "fast")
        self.refused(4, "has passed", "seal", "fast")

    def test_sealing_lists_the_seal_and_happens_once(self):
        self.sealed("fast")
        entry = self.listed()["fast"]
        self.assertEqual(entry["state"], "sealed")
        self.assertRegex(entry["seal"], "^[0-9a-f]{64}$")
        self.refused(2, "was sealed", "seal", "fast")
        self.assertIn(entry["seal"], self.succeeds("show", "fast"))
        self.assertIn("| `fast` |", self.succeeds("list", "--markdown"))
        self.write("slow")
        self.assertIsNone(self.listed()["slow"]["seal"])

    def test_nothing_is_judged_before_it_is_measured_and_drafts_never(self):
        self.write("fast")
        self.refused(2, "is a draft", "verdict", "fast")
        self.refused(2, "there is no claim 'fest' in .*did you mean 'fast'", "verdict", "fest")
        self.succeeds("seal", "fast")
        self.refused(12, "it takes 10 launches", "verdict", "fast")
        self.assertEqual(self.tokroof("run", "--claim", "fast", "--launches", 3, "--claims", self.claims).returncode, 2)

    def test_files_that_are_none_are_invalid_input(self):
        self.sealed("fast")
        self.refused(4, "a file", "amend", "fast", "--file", self.claims, "--reason", "a folder is no claim")
        self.refused(4, "file", "new", "a" * 300)

    def test_a_store_that_is_named_and_not_there_is_an_error(self):
        self.sealed("fast")
        self.refused(12, "nothing to judge", "verdict", "fast")
        self.refused(7, "there is no store yet", "verdict", "fast", "--db", self.folder / "typo.sqlite")

    def test_overdue_claims_are_listed(self):
        due = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
        self.sealed("fast", due_utc=due)
        self.assertEqual(self.listed()["fast"]["state"], "sealed")
        time.sleep(3)
        self.assertEqual(self.listed()["fast"]["state"], "overdue")
        self.write("late", due_utc=due)
        self.refused(4, "has passed", "seal", "late")

    def test_a_census_is_judged_without_a_run(self):
        part = {"name": "share", "quantity": "cpu_share[level=l3, bytes=1048576]", "region": {"low": 0.5},
                "support": {"low": 0.01, "high": 1}, "true_value": 0.6, "false_value": 0.4, "spread": 0}
        path = self.write("most_have_l3", parts=[part], test="exact", launches=1, population=[], exclusions=[])
        claim = json.loads(path.read_text())
        del claim["plans"], claim["golden"]
        path.write_text(json.dumps(claim))
        told = self.claim("check", "most_have_l3").stdout
        digest = re.search('lacks "cpu_catalogue": "([0-9a-f]{64})"', told).group(1)
        path.write_text(json.dumps(dict(claim, golden={"cpu_catalogue": digest})))
        self.succeeds("seal", "most_have_l3")
        self.assertIn("supported", self.succeeds("verdict", "most_have_l3", "--record"))
        self.assertEqual(self.listed()["most_have_l3"]["state"], "supported")
        self.assertIn("**supported**", self.succeeds("list", "--markdown"))
        result = self.tokroof("run", "--claim", "most_have_l3", "--claims", self.claims)
        self.assertEqual(result.returncode, 2)
        self.assertIn("needs no run", result.stderr)

    def test_an_amendment_supersedes_and_keeps_what_it_supersedes(self):
        path = self.sealed("fast")
        old = path.read_text()
        new = self.folder / "new.json"
        new.write_text(old.replace('"launches": 10', '"launches": 20'))
        self.succeeds("amend", "fast", "--file", new, "--reason", "twice as many")
        rows = [json.loads(line) for line in self.ledger()]
        self.assertEqual([row["kind"] for row in rows], ["seal", "amend"])
        self.assertEqual(rows[1]["supersedes"], rows[0]["seal"])
        self.assertEqual(self.listed()["fast"]["seal"], rows[1]["seal"])
        kept = list((self.claims / "superseded").glob("*.json"))
        self.assertEqual([file.read_text() for file in kept], [old])
        self.assertIn("twice as many", self.succeeds("log"))
        self.refused(2, "what was sealed", "amend", "fast", "--file", new, "--reason", "again")
        for reason in ("", "  ", "x" * 301):
            self.refused(2, "--reason", "amend", "fast", "--file", new, "--reason", reason)
        new.write_text(old.replace('"launches": 10', '"launches": 30'))
        self.refused(2, "no UTF-8", "amend", "fast", "--file", new, "--reason", os.fsdecode(b"\xff"))
        self.succeeds("check")
        kept[0].write_text(old.replace("10", "11", 1))
        self.refused(3, "altered after it was sealed", "check")


    def test_an_amendment_that_fails_changes_nothing(self):
        old = self.sealed("fast").read_text()
        new = self.folder / "new.json"
        new.write_text(old.replace('"launches": 10', '"launches": 20'))
        with open(self.claims / "ledger.jsonl.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused(7, "another tokroof", "amend", "fast", "--file", new, "--reason", "more")
            self.assertEqual((self.claims / "fast.json").read_text(), old)
        self.succeeds("check")
        new.write_text(re.sub('"due_utc": "[0-9]*', '"due_utc": "2020', new.read_text()))
        self.refused(4, "has passed", "amend", "fast", "--file", new, "--reason", "late")
        self.succeeds("check")

    def test_the_log_is_one_array(self):
        self.assertEqual(json.loads(self.succeeds("log", "--json")), [])
        self.write("fast")
        self.succeeds("seal", "fast", "--seen", "three runs of this machine")
        self.write("slow")
        self.succeeds("seal", "slow")
        self.assertEqual([row["claim"] for row in json.loads(self.succeeds("log", "--json"))], ["fast", "slow"])
        self.assertIn("three runs of this machine", self.succeeds("log"))
        self.assertIn("| `fast` † |", self.succeeds("list", "--markdown"))

    def test_a_file_that_cannot_be_read_is_named(self):
        path = self.write("fast")
        path.chmod(0)
        self.folder.chmod(0o755)
        user = {"user": 65534} if os.geteuid() == 0 else {}
        result = subprocess.run([TOKROOF, "claim", "list", "--claims", self.claims], capture_output=True, text=True,
                                env=dict(os.environ, TOKROOF_HOME=str(self.home)), timeout=60, **user)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("fast.json: cannot be read", result.stderr)


class Ledger(Command):
    def test_what_is_no_ledger_of_another_clone_is_refused_by_its_name(self):
        self.sealed("fast")
        whole = (self.claims / "ledger.jsonl").read_bytes()
        other = self.folder / "other.jsonl"
        for code, text in ((4, b""), (4, b"x\n"), (4, b"\0\xff\x7fELF" * 9), (4, whole.replace(b"\n", b"\r\n")), (4, b"{}\n"),
                           (3, whole + b"x\n"), (3, whole + whole), (3, whole + b"{")):
            other.write_bytes(text)
            self.refused(code, re.escape(str(other)) + ": ", "merge", other)
        self.succeeds("check")

    def test_a_row_that_nests_too_deep_is_tampering_and_no_crash(self):
        self.sealed("fast")
        deep = '{"verdict":' + "[" * 300000 + "]" * 300000 + "}\n"
        whole = self.ledger()
        (self.claims / "ledger.jsonl").write_text("".join(whole) + deep)
        self.refused(3, "is no ledger row", "list")
        (self.claims / "ledger.jsonl").write_text("".join(whole))
        (self.claims / "ledger.head").write_text(deep)
        self.refused(3, "does not say how many rows", "list")

    def test_a_sealed_claim_altered_by_one_byte_is_tampering_everywhere(self):
        path = self.sealed("fast")
        path.write_text(path.read_text().replace('"low": 2.0', '"low": 2.1'))
        for command in (["check"], ["list"], ["show", "fast"], ["verdict", "fast"], ["seal", "fast"], ["log"]):
            self.refused(3, "fast.json: altered after it was sealed", *command)
        self.assertEqual(self.tokroof("run", "--claim", "fast", "--claims", self.claims).returncode, 3)

    def test_spacing_is_no_part_of_a_claim(self):
        path = self.sealed("fast")
        path.write_text(json.dumps(json.loads(path.read_text())))
        self.succeeds("check")

    def test_a_sealed_claim_that_is_gone_is_tampering(self):
        self.sealed("fast").unlink()
        self.refused(3, "and gone", "check")

    def test_rows_removed_or_reordered_are_tampering(self):
        for name in ("one", "two", "three"):
            self.sealed(name)
        rows = self.ledger()
        for changed in (rows[1:], [rows[0], rows[2]], rows[:2], [rows[1], rows[0], rows[2]], [],
                        rows[:2] + [rows[2].replace("three", "there")]):
            (self.claims / "ledger.jsonl").write_text("".join(changed))
            self.refused(3, "the ledger is not what was written", "check")
        (self.claims / "ledger.jsonl").unlink()
        self.refused(3, "the ledger is not what was written", "list")
        (self.claims / "ledger.jsonl").write_text("".join(rows))
        self.succeeds("check")
        (self.claims / "ledger.head").unlink()
        self.refused(3, "ledger.head: gone", "check")


    def forged(self, **members):
        """Appends a row whose hashes are right."""
        rows = self.ledger()
        last = json.loads(rows[-1])
        row = dict(last, row=last["row"] + 1, prev_hash=last["hash"], **members)
        del row["hash"]
        line = lambda value: json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        row["hash"] = hashlib.sha256(line(row).encode()).hexdigest()
        (self.claims / "ledger.jsonl").write_text("".join(rows) + line(row) + "\n")
        (self.claims / "ledger.head").write_text(line({"rows": row["row"], "hash": row["hash"]}) + "\n")

    def test_a_row_of_the_future_is_named_with_the_remedy(self):
        self.sealed("fast")
        whole = self.ledger()
        self.forged(kind="verdict", utc="2099-01-01T00:00:00Z", verdict=self.verdict("fast"))
        for command in (["list"], ["check"], ["verdict", "fast"]):
            self.refused(6, "row 2 of the ledger is of 2099-01-01T00:00:00Z, .*restore ledger.jsonl", *command)
        (self.claims / "ledger.jsonl").write_text("".join(whole))

    def verdict(self, claim_id, **changes):
        machine = {"cpu_model": "a | b", "verdict": "supported", "unproven": False, "parts": [], "controls": []}
        return dict({"claim": claim_id, "seal": json.loads(self.ledger()[-1])["seal"], "verdict": "supported",
                     "unproven": False, "machines": [machine]}, **changes)

    def test_a_row_of_a_verdict_that_is_none_is_tampering_and_no_crash(self):
        self.sealed("fast")
        whole, head = self.ledger(), (self.claims / "ledger.head").read_text()
        for changes in ({"machines": [{}]}, {"machines": []}, {"verdict": "splendid"}, {"claim": "slow"}):
            (self.claims / "ledger.jsonl").write_text("".join(whole))
            (self.claims / "ledger.head").write_text(head)
            self.forged(kind="verdict", verdict=self.verdict("fast", **changes))
            for command in (["list", "--markdown"], ["list"], ["log"]):
                self.refused(3, "row 2 tells no verdict", *command)
        (self.claims / "ledger.jsonl").write_text("".join(whole))
        self.forged(kind="verdict", utc="soon", verdict=self.verdict("fast"))
        self.refused(3, "has a time that is none", "list")

    def test_the_board_is_a_table_whatever_was_published(self):
        self.sealed("fast", published="2 | 3 times\nas fast")
        self.forged(kind="verdict", verdict=self.verdict("fast"))
        board = self.succeeds("list", "--markdown").splitlines()
        self.assertEqual(len(board), 3, board)
        cells = [re.findall(r"(?<!\\)\|", line) for line in board]
        self.assertEqual([len(each) for each in cells], [9, 9, 9])

    def test_of_simultaneous_seals_one_wins_and_no_alarm_is_raised(self):
        for turn in range(4):
            self.write(f"fast{turn}")
            env = dict(os.environ, TOKROOF_HOME=str(self.home))
            seals = [subprocess.Popen([TOKROOF, "claim", "seal", f"fast{turn}", "--claims", str(self.claims)], env=env,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
            told = [process.communicate(timeout=60) for process in seals]
            self.assertEqual(sorted(process.returncode for process in seals), [0, 2, 2, 2, 2, 2], told)
        self.succeeds("check")


class Measured(Command):
    """Takes some seconds of measuring each."""

    def small(self):
        """A claim of four launches over few positions that any machine supports: warm decode has a speed."""
        part = {"name": "speed", "quantity": "tokens_per_s[mode=warm]", "region": {"low": 100},
                "support": {"low": 1, "high": 1e9}, "true_value": 1000, "false_value": 10, "spread": 0.1}
        dram = dict(part, name="dram", quantity="read_bytes_per_s[level=dram]", region={"low": 1e8},
                    support={"low": 1e6, "high": 1e12}, true_value=1e9, false_value=1e7)
        plan = {"name": "main", "model": "coreflow_1_9m", "positions": "0:63", "arms": ["warm", "aa", "evict_flush"]}
        return dict(parts=[part, dram], plans=[plan], launches=4, population=[], exclusions=[], probes=["dram_stream"])

    def run_claim(self, claim_id):
        return self.tokroof("run", "--claim", claim_id, "--claims", self.claims)

    def test_a_run_takes_what_is_registered_and_the_verdict_follows(self):
        self.sealed("fast", **self.small())
        result = self.run_claim("fast")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tokroof claim verdict fast", result.stdout)
        document = json.loads(next((self.home / "submissions").rglob("*.json")).read_text())
        self.assertEqual(document["protocol"], "claim")
        self.assertEqual(document["claim"]["seal"], self.listed()["fast"]["seal"])
        self.assertEqual(document["verdicts"], [])
        purposes = [launch["purpose"] for launch in document["launches"]]
        self.assertEqual(purposes.count("decode"), 4)
        self.assertEqual(purposes.count("round_probes"), 4)
        self.assertEqual(purposes.count("round_probes_again"), 4)
        verdict = self.claim("verdict", "fast", "--json")
        self.assertIn(verdict.returncode, (0, 11), verdict.stderr)  # 11: a neighbour spoilt a control
        found = json.loads(verdict.stdout)
        self.assertEqual(found["verdict"], "supported")
        self.assertEqual(len(found["machines"][0]["parts"][0]["values"]), 4)
        # A second run is a replication; the first decides.
        self.assertEqual(self.run_claim("fast").returncode, 0)
        again = json.loads(self.claim("verdict", "fast", "--json").stdout)
        self.assertEqual(again["machines"][0]["document"], found["machines"][0]["document"])
        self.assertEqual(len(again["machines"][0]["replications"]), 1)
        self.assertEqual(again["runs"], {"begun": 2, "abandoned": 0})
        # From files, the same.
        filed = json.loads(self.claim("verdict", "fast", "--json", "--from", self.home / "submissions").stdout)
        self.assertEqual(filed, again)

    def test_figures_that_were_altered_or_seen_elsewhere_are_told(self):
        self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        rows = [json.loads(line) for line in self.ledger()]
        self.assertEqual([row["kind"] for row in rows], ["seal", "run", "finished"])
        file = next((self.home / "submissions").rglob("*.json"))
        document = json.loads(file.read_text())
        self.assertIn(rows[2]["content_sha256"][:8], file.name)
        # It finished: nobody can abandon it now.
        self.refused(2, "that run finished", "abandon", "fast", document["nonce"], "--reason", "slow")
        # One derived number altered, in a file.
        altered = self.folder / "altered"
        altered.mkdir()
        document["derived"]["roofs"][0]["size_bytes"] += 1
        (altered / "x.json").write_text(json.dumps(document))
        self.refused(3, "not the one that its run finished with", "verdict", "fast", "--from", altered)
        # A look with a copy of the ledger.
        copy = self.folder / "copy"
        shutil.copytree(self.claims, copy)
        peek = self.tokroof("run", "--claim", "fast", "--claims", copy, "--db", copy / "s.sqlite", "--out", copy)
        self.assertEqual(peek.returncode, 0, peek.stderr)
        found = json.loads(self.claim("verdict", "fast", "--json").stdout)
        self.assertTrue(found["unproven"])
        self.assertIn("on this computer, and the ledger does not tell of it", found["doubts"][0])
        # The store's text edited behind its triggers.
        with sqlite3.connect(self.home / "store.sqlite") as store:
            for (name,) in store.execute("select name from sqlite_master where type = 'trigger'").fetchall():
                store.execute(f'drop trigger "{name}"')
        self.refused(3, "store.sqlite: ", "verdict", "fast")

    def test_a_run_whose_document_cannot_be_stored_counts_all_the_same(self):
        self.sealed("fast", **self.small())
        self.tokroof("store", "check")
        process = subprocess.Popen([TOKROOF, "run", "--claim", "fast", "--claims", str(self.claims)],
                                   env=dict(os.environ, TOKROOF_HOME=str(self.home)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while '"run"' not in (self.claims / "ledger.jsonl").read_text():
            time.sleep(0.05)
        with sqlite3.connect(self.home / "store.sqlite", isolation_level=None) as store:
            store.execute("begin immediate")
            out, err = process.communicate(timeout=200)
            store.execute("rollback")
        self.assertEqual(process.returncode, 7, err)
        self.assertIn("the run finished and counts: judge it with tokroof claim verdict fast --from", err)
        self.assertEqual(json.loads(self.ledger()[-1])["kind"], "finished")
        verdict = json.loads(self.claim("verdict", "fast", "--json", "--from", self.home / "submissions").stdout)
        self.assertEqual(verdict["verdict"], "supported")

    def test_data_of_before_an_amendment_do_not_count(self):
        path = self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        new = self.folder / "new.json"
        new.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
        self.succeeds("amend", "fast", "--file", new, "--reason", "another seed")
        self.refused(12, "another seal of this claim: exploratory", "verdict", "fast")

    def test_a_run_taken_aside_and_an_earlier_one_that_is_missing_prove_nothing(self):
        self.sealed("fast", **self.small())
        aside = self.folder / "aside"
        shutil.copytree(self.claims, aside)
        self.assertEqual(self.tokroof("run", "--claim", "fast", "--claims", aside).returncode, 0)
        self.refused(11, "does not tell of the start of the run", "verdict", "fast")
        # And where it was announced, leaving its document out is noticed.
        shutil.rmtree(self.home)
        self.assertEqual(self.run_claim("fast").returncode, 0)
        shutil.rmtree(self.home)
        time.sleep(1.1)
        self.assertEqual(self.run_claim("fast").returncode, 0)
        self.refused(11, "a run was begun .* on machine .*, and its document is not here", "verdict", "fast")

    def test_a_finished_run_whose_document_is_gone_is_no_run_that_was_never_made(self):
        self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        self.assertEqual(self.listed()["fast"]["state"], "measured")
        self.assertEqual(self.listed()["fast"]["runs"], {"begun": 1, "finished": 1, "abandoned": 0})
        empty = self.folder / "empty"
        empty.mkdir()
        self.refused(11, "its document is not here .*finished.*--from", "verdict", "fast", "--from", empty)
        self.refused(11, "its document is not here", "verdict", "fast", "--from", empty, "--record")
        self.assertNotIn("verdict", [json.loads(line)["kind"] for line in self.ledger()])

    def test_a_verdict_is_not_washed_clean_by_an_amendment(self):
        claim = self.small()
        claim["parts"][0].update(region={"low": 9e6}, true_value=9.9e6, false_value=1000, support={"low": 1, "high": 1e7},
                                 spread=0.01)
        path = self.sealed("fast", **claim)
        self.assertNotIn("†", self.succeeds("list", "--markdown"))
        self.assertEqual(self.run_claim("fast").returncode, 0)
        self.assertIn("falsified", self.claim("verdict", "fast", "--record").stdout)
        old = self.listed()["fast"]["seal"]
        new = self.folder / "new.json"
        claim["parts"][0].update(region={"low": 100}, true_value=1000, false_value=10)
        new.write_text(json.dumps(dict(json.loads(path.read_text()), **claim)))
        self.succeeds("amend", "fast", "--file", new, "--reason", "better wording")
        self.assertEqual(self.run_claim("fast").returncode, 0)
        said = self.claim("verdict", "fast", "--record")
        self.assertIn(said.returncode, (0, 11), said.stderr)
        before = f"falsified( \\(unproven\\))? under seal {old[:8]}"
        for told in (said.stdout, self.succeeds("list"), self.succeeds("show", "fast")):
            self.assertRegex(told, before)
        self.assertIn("better wording", said.stdout)
        self.assertRegex(self.succeeds("list", "--markdown"), rf"`fast` † .*supported.*; before: {before}")
        entry = self.listed()["fast"]
        self.assertEqual([(one["seal"], one["verdict"]) for one in entry["earlier"]], [(old, "falsified")])
        self.assertEqual(entry["amendments"][0]["reason"], "better wording")
        found = json.loads(self.claim("verdict", "fast", "--json").stdout)
        self.assertEqual(found["earlier"][0]["verdict"], "falsified")

    def test_load_on_the_measured_pu_leaves_a_verdict_unproven(self):
        self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        pu = json.loads(next((self.home / "submissions").rglob("*.json")).read_text())["conditions"]["pinned_pu"]
        claim = self.small()
        self.sealed("loaded", **dict(claim, seed=4))
        burner = subprocess.Popen(["taskset", "-c", str(pu), sys.executable, "-c", "while True: pass"])
        try:
            self.assertEqual(self.run_claim("loaded").returncode, 0)
        finally:
            burner.kill()
            burner.wait()
        self.refused(11, "something else ran on the measured PU|some task waited for a CPU", "verdict", "loaded")

    def test_a_claims_run_shares_the_machine_with_no_other_measuring_command(self):
        self.sealed("fast", **self.small())
        probe = subprocess.Popen([TOKROOF, "probe"], env=dict(os.environ, TOKROOF_HOME=str(self.home)),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.7)
        refused = self.run_claim("fast")
        probe.kill()
        probe.wait()
        self.assertEqual(refused.returncode, 6, refused.stderr)
        self.assertIn("must have the machine to itself", refused.stderr)
        self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
        self.assertEqual([json.loads(line)["kind"] for line in self.ledger()], ["seal"])
        process = subprocess.Popen([TOKROOF, "run", "--claim", "fast", "--claims", str(self.claims)],
                                   env=dict(os.environ, TOKROOF_HOME=str(self.home)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while '"run"' not in (self.claims / "ledger.jsonl").read_text():
            time.sleep(0.02)
        for command in (("run", "--claim", "fast", "--claims", self.claims), ("run", "--quick"), ("probe",), ("bench",),
                        ("decode", "coreflow_1_9m")):
            refused = self.tokroof(*command)
            self.assertEqual(refused.returncode, 6, f"{command}: {refused.stderr}")
            self.assertIn("measures a claim", refused.stderr)
        # Nor is a run that lives abandoned behind its back.
        nonce = json.loads(self.ledger()[-1])["nonce"]
        self.refused(2, "is being measured by process", "abandon", "fast", nonce, "--reason", "slow")
        self.assertEqual(process.wait(timeout=200), 0)

    def test_a_run_that_was_abandoned_elsewhere_while_it_measured_ends_without_an_alarm(self):
        self.sealed("fast", **self.small())
        process = subprocess.Popen([TOKROOF, "run", "--claim", "fast", "--claims", str(self.claims)],
                                   env=dict(os.environ, TOKROOF_HOME=str(self.home)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while '"run"' not in (self.claims / "ledger.jsonl").read_text():
            time.sleep(0.02)
        nonce = json.loads(self.ledger()[-1])["nonce"]
        elsewhere = self.tokroof("claim", "abandon", "fast", nonce, "--reason", "seen from another computer", "--claims",
                                 self.claims, TOKROOF_HOME=str(self.folder / "other"))
        self.assertEqual(elsewhere.returncode, 0, elsewhere.stderr)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(out, "")
        self.assertIn("ended this run in the ledger", err)
        self.assertNotIn("--reason", err)

    def test_a_document_of_another_origin_blocks_nothing(self):
        self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        before = self.claim("verdict", "fast", "--json")
        file = next((self.home / "submissions").rglob("*.json"))
        mixed = self.folder / "mixed"
        mixed.mkdir()
        shutil.copy(file, mixed)
        foreign = json.loads(file.read_text())
        foreign["claim"]["seal"] = "9" * 64
        foreign["nonce"] = "9" * 32
        (mixed / "foreign.json").write_text(json.dumps(foreign))
        copy = json.loads(file.read_text())
        copy["nonce"] = "8" * 32
        (mixed / "copy.json").write_text(json.dumps(copy))
        after = self.claim("verdict", "fast", "--json", "--from", mixed)
        self.assertEqual(after.returncode, before.returncode, after.stderr)
        found = json.loads(after.stdout)
        self.assertEqual(len(found.pop("left_out")), 2)
        self.assertEqual(found, json.loads(before.stdout))

    def test_another_clones_runs_are_taken_in_and_count(self):
        self.sealed("fast", **self.small())
        clone = self.folder / "clone"
        shutil.copytree(self.claims, clone)
        away = dict(TOKROOF_HOME=str(self.folder / "away"))
        result = self.tokroof("run", "--claim", "fast", "--claims", clone, **away)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.write("mine")
        self.succeeds("seal", "mine")  # both ledgers have grown
        documents = self.folder / "away" / "submissions"
        self.refused(12, "claim merge", "verdict", "fast", "--from", documents)
        told = self.succeeds("merge", clone / "ledger.jsonl")
        self.assertIn("2 rows taken", told)
        self.assertIn("nothing to take", self.succeeds("merge", clone / "ledger.jsonl"))
        verdict = self.claim("verdict", "fast", "--from", documents)
        self.assertIn(verdict.returncode, (0, 11), verdict.stderr)
        self.assertNotIn("does not tell of", verdict.stdout)
        self.refused(4, "no such file|cannot be read|there is no", "merge", clone / "nothing.jsonl")
        self.succeeds("check")

    def test_fidelity_is_measured_and_judged_exactly(self):
        part = {"name": "logits", "quantity": "fidelity[model=coreflow_1_9m, figure=rms_difference_sigmas]",
                "region": {"high": 0.05}, "support": {"low": 1e-6, "high": 10}, "true_value": 0.01, "false_value": 0.1,
                "spread": 0}
        path = self.write("faithful", parts=[part], launches=1, test="exact", fidelity=["coreflow_1_9m"], population=[])
        claim = json.loads(path.read_text())
        del claim["plans"]
        golden = claim.pop("golden")
        path.write_text(json.dumps(claim))
        self.refused(4, 'lacks "coreflow_1_9m"', "check", "faithful")
        path.write_text(json.dumps(dict(claim, golden=golden)))
        self.assertIn("falsified when one lies outside", self.succeeds("show", "faithful"))
        self.succeeds("seal", "faithful")
        result = self.run_claim("faithful")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(next((self.home / "submissions").rglob("*.json")).read_text())
        self.assertEqual([launch["purpose"] for launch in document["launches"]], ["fidelity"])
        self.assertIn("supported", self.succeeds("verdict", "faithful"))

    def test_a_document_under_a_seal_that_the_ledger_lacks_is_tampering(self):
        self.sealed("fast", **self.small())
        self.assertEqual(self.run_claim("fast").returncode, 0)
        for name in ("ledger.jsonl", "ledger.head"):
            (self.claims / name).unlink()
        time.sleep(1.1)
        self.write("fast", seed=3)
        self.succeeds("seal", "fast")
        self.refused(3, "which the ledger in .* does not hold", "verdict", "fast")

    def test_an_interrupted_run_keeps_and_shows_nothing(self):
        self.sealed("fast", **self.small())
        process = subprocess.Popen([TOKROOF, "run", "--claim", "fast", "--claims", str(self.claims)],
                                   env=dict(os.environ, TOKROOF_HOME=str(self.home)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(2)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(out, "")
        self.assertIn("nothing of it is kept", err)
        self.assertEqual(list(self.home.rglob("*.json")), [])
        self.refused(12, "nothing to judge", "verdict", "fast")
        self.assertEqual([json.loads(line)["kind"] for line in self.ledger()], ["seal", "run", "abandoned"])

    def test_a_killed_run_is_doubted_until_it_is_abandoned_by_hand(self):
        self.sealed("fast", **self.small())
        process = subprocess.Popen([TOKROOF, "run", "--claim", "fast", "--claims", str(self.claims)],
                                   env=dict(os.environ, TOKROOF_HOME=str(self.home)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while '"run"' not in (self.claims / "ledger.jsonl").read_text():
            time.sleep(0.05)
        process.kill()
        process.wait()
        nonce = json.loads(self.ledger()[-1])["nonce"]
        self.assertEqual(self.run_claim("fast").returncode, 0)
        found = json.loads(self.claim("verdict", "fast", "--json").stdout)
        self.assertIn("its document is not here", found["doubts"][0])
        self.refused(2, "no run", "abandon", "fast", "0" * 32, "--reason", "x")
        self.succeeds("abandon", "fast", nonce, "--reason", "killed")
        found = json.loads(self.claim("verdict", "fast", "--json").stdout)
        self.assertNotIn("doubts", found)
        self.assertEqual(found["runs"], {"begun": 2, "abandoned": 1})

    def test_forced_kernels_are_refused_for_fidelity_and_probes_too(self):
        part = {"name": "argmax", "quantity": "fidelity[model=coreflow_1_9m, figure=clear_match_ratio]",
                "region": {"low": 1}, "support": {"low": 0.01, "high": 1}, "true_value": 1, "false_value": 0.9,
                "spread": 0}
        path = self.write("right", parts=[part], fidelity=["coreflow_1_9m"], launches=1, test="exact", population=[])
        claim = json.loads(path.read_text())
        del claim["plans"]
        path.write_text(json.dumps(claim))
        self.succeeds("seal", "right")
        result = self.tokroof("run", "--claim", "right", "--claims", self.claims, TOKROOF_ISA="scalar")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("leave TOKROOF_ISA unset", result.stderr)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one PU is all cores")
    def test_all_cores_are_all_that_the_machine_has(self):
        claim = self.small()
        self.sealed("all", **dict(claim, plans=[dict(claim["plans"][0], threads=0)]))
        pu = str(max(os.sched_getaffinity(0)))
        result = subprocess.run(["taskset", "-c", pu, TOKROOF, "run", "--claim", "all", "--claims", str(self.claims)],
                                capture_output=True, text=True, env=dict(os.environ, TOKROOF_HOME=str(self.home)))
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("it is about all cores, and this process may use 1 of", result.stderr)

    def test_a_neighbour_that_is_not_there_is_told_before_the_run(self):
        claim = self.small()
        plan = dict(claim["plans"][0], placement="sibling")
        self.sealed("beside", **dict(claim, plans=[plan]))
        pu = str(max(os.sched_getaffinity(0)))
        result = subprocess.run(["taskset", "-c", pu, TOKROOF, "run", "--claim", "beside", "--claims", str(self.claims)],
                                capture_output=True, text=True, env=dict(os.environ, TOKROOF_HOME=str(self.home)))
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("no allowed PU is a sibling", result.stderr)

    def test_a_machine_outside_the_population_is_refused(self):
        self.sealed("elsewhere", **dict(self.small(), population=["l1_bytes > 1000000000"]))
        result = self.run_claim("elsewhere")
        self.assertEqual(result.returncode, 6)
        self.assertIn("outside its population", result.stderr)


class Registered(unittest.TestCase):
    """The claims, documents and verdicts of this repository."""
    root = pathlib.Path(__file__).resolve().parents[2]

    def tokroof(self, *arguments):
        with tempfile.TemporaryDirectory() as home:
            return subprocess.run([TOKROOF, "claim", *arguments], cwd=self.root, capture_output=True, text=True,
                                  env=dict(os.environ, TOKROOF_HOME=home, LC_ALL="C.UTF-8"), stdin=subprocess.DEVNULL,
                                  timeout=300)

    def test_verdicts_are_those_that_the_committed_documents_give(self):
        rows = [json.loads(line) for line in (self.root / "analysis/claims/ledger.jsonl").read_text().splitlines()]
        current = {row["claim"]: row["seal"] for row in rows if row["kind"] in ("seal", "amend")}
        recorded = {row["claim"]: row for row in rows if row["kind"] == "verdict" and row["seal"] == current[row["claim"]]}
        self.assertTrue(recorded)
        for claim_id, row in recorded.items():
            with self.subTest(claim_id):
                result = self.tokroof("verdict", claim_id, "--from", "submissions", "--json")
                self.assertIn(result.returncode, (0, 10, 11), result.stderr)
                judged, told = json.loads(result.stdout), row["verdict"]
                self.assertEqual(judged["verdict"], told["verdict"])
                self.assertEqual(judged["unproven"], told["unproven"])
                for now, then in zip(judged["machines"], told["machines"], strict=True):
                    self.assertEqual(now.get("document"), then.get("document"))  # a census has none
                    self.assertEqual([part["verdict"] for part in now["parts"]], [part["verdict"] for part in then["parts"]])

    def test_the_board_of_the_readme_is_what_the_ledger_says(self):
        result = self.tokroof("list", "--markdown")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(result.stdout.strip(), (self.root / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
