"""What a user sees of the command: help, bad input, a real quick run, an interrupted one. Run by ctest:

    cli_test.py PATH_OF_TOKROOF [unittest arguments]

Needs python3-jsonschema, the independent judge of what a run writes.
"""
import getpass
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: no python3-jsonschema (script/bootstrap --for test installs it)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKROOF = sys.argv.pop(1)
TOPOLOGIES = ROOT / "harness/testdata/topologies"
COMMANDS = ["info", "doctor", "probe", "models", "decode", "predict", "run", "explain", "validate", "show", "score", "import", "submit", "ingest",
            "store", "store list", "store show", "store check", "store rebuild", "store backup", "store export", "store restore", "query",
            "claim", "claim new", "claim check", "claim seal", "claim amend", "claim list", "claim show", "claim log", "claim verdict"]


def tokroof(*arguments, home=None, **environment):
    env = dict(os.environ, **environment)
    if home:
        env["TOKROOF_HOME"] = str(home)
    return subprocess.run([TOKROOF, *arguments], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL,
                          timeout=300)


def last_line(text):
    lines = text.rstrip("\n").split("\n")
    return lines[-1]


def recorded_machines():
    """Returns {file name: facts}, as hwloc's own tools tell them (testdata/topologies/expect.py)."""
    machines = {}
    for line in (TOPOLOGIES / "expected.txt").read_text().splitlines():
        if line.startswith("  "):
            facts.append(line[2:])
        else:
            facts = machines[line] = []
    return machines


class Help(unittest.TestCase):
    def test_every_subcommand_shows_an_example(self):
        for command in COMMANDS:
            result = tokroof(*command.split(), "--help")
            self.assertEqual(result.returncode, 0, command)
            self.assertIn("Example: tokroof " + command.split()[0], result.stdout)
            self.assertEqual(result.stderr, "")

    def test_the_hidden_subcommand_is_not_advertised(self):
        self.assertNotIn("launch", tokroof("--help").stdout)

    def test_without_a_subcommand_the_help_is_shown_and_the_exit_code_is_2(self):
        result = tokroof()
        self.assertEqual(result.returncode, 2)
        self.assertIn("Example", result.stdout)


class BadInput(unittest.TestCase):
    def refused(self, code, pattern, *arguments, **environment):
        with tempfile.TemporaryDirectory() as home:
            result = tokroof(*arguments, home=home, **environment)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertRegex(last_line(result.stderr), pattern)
            self.assertEqual(len(result.stderr.rstrip("\n").split("\n")), 1, result.stderr)
            self.assertEqual(result.stdout, "")
            left = [str(path) for path in pathlib.Path(home).rglob("*.json")]
            self.assertEqual(left, [], "half-written files")

    def test_names_that_do_not_exist_are_refused_with_the_nearest_one(self):
        self.refused(2, "did you mean 'coreflow_1_9m'", "decode", "coreflow_19m")
        self.refused(2, "did you mean 'coreflow_1_9m'", "predict", "coreflow_1_9")
        self.refused(2, "did you mean 'evict_flush'", "decode", "coreflow_1_9m", "--mode", "evict_flsh")
        self.refused(2, "did you mean 'load_latency'", "probe", "load_latncy")
        self.refused(2, "did you mean 'cache_capacity'", "probe", "cache_capasity")
        self.refused(2, "did you mean 'scalar'", "decode", "coreflow_1_9m", "--isa", "scaler")
        self.refused(2, "did you mean 'scalar'", "run", "--quick", TOKROOF_ISA="scaler")
        self.refused(2, "did you mean 'validate'", "validte", "x")

    def test_names_near_to_nothing_are_refused_without_a_guess(self):
        self.refused(2, "^tokroof: error: (?!.*did you mean)", "decode", "zzzzzzzzzzzzzzzz")

    def test_values_outside_their_range_are_refused(self):
        self.refused(2, "size '0'", "probe", "load_latency", "--size", "0")
        self.refused(2, "time '5'", "probe", "--budget", "5")
        self.refused(2, "size '16 apples'", "probe", "load_latency", "--size", "16 apples")
        self.refused(2, "positions '9:2'", "decode", "coreflow_1_9m", "--positions", "9:2")
        self.refused(2, "1024", "decode", "coreflow_1_9m", "--positions", "0:1024")
        self.refused(2, "launches", "decode", "coreflow_1_9m", "--launches", "0")
        self.refused(2, "moe_ternary_8m does not decode in float", "decode", "moe_ternary_8m", "--arithmetic", "float")
        self.refused(2, "--no-such-option", "info", "--no-such-option")
        self.refused(2, "core_clock.*--size", "probe", "core_clock", "--size", "16KiB")
        self.refused(2, "load_bandwidth.*--window", "probe", "load_bandwidth", "--window", "64KiB")
        self.refused(2, "pages", "probe", "load_latency", "--pages", "giant")
        self.refused(2, "operation", "probe", "load_bandwidth", "--operation", "scale")
        self.refused(2, "size '9 pears'", "probe", "load_latency", "--window", "9 pears")
        self.refused(6, "a core each", "probe", "dram_stream", "--threads", "4096")

    def test_a_size_that_memory_cannot_hold_is_refused(self):
        self.refused(6, "(?i)memory", "probe", "load_latency", "--size", "900GiB")

    def test_files_that_are_not_there_are_refused(self):
        self.refused(4, "no-such-file", "info", "--topology", "no-such-file.xml")
        self.refused(7, "no store|store.sqlite", "store", "list")

    def test_a_place_that_cannot_be_written_is_known_before_measuring(self):
        # A run that begins to measure has announced itself: that would be another line.
        self.refused(7, "/proc/no-such-folder", "run", "--quick", "--out", "/proc/no-such-folder")
        self.refused(7, "/proc/no-such-folder", "run", "--quick", "--db", "/proc/no-such-folder/store.sqlite")


class ClosedStreams(unittest.TestCase):
    def test_a_stderr_that_cannot_be_written_changes_nothing(self):
        for arguments in (["bogus"], ["decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1"]):
            for redirection in ("2>&-", "2>/dev/full"):
                command = " ".join([TOKROOF, *arguments, ">/dev/null", redirection])
                code = subprocess.run(["sh", "-c", command], timeout=60).returncode
                self.assertEqual(code, 2 if arguments == ["bogus"] else 0, command)

    def test_a_stdout_that_cannot_be_written_is_said(self):
        for arguments in (["--help"], ["--version"], ["models"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([TOKROOF, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(result.returncode, 7, arguments)
            self.assertIn("stdout", result.stderr)


class Explain(unittest.TestCase):
    def test_codes_are_explained(self):
        for code in ("R02", "P01", "aa_failed", "huge_pages", "p01"):
            result = tokroof("explain", code)
            self.assertEqual(result.returncode, 0, code)
            self.assertGreater(len(result.stdout), 80)

    def test_an_unknown_code_is_refused_with_the_nearest(self):
        result = tokroof("explain", "aa_faild")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'aa_failed'", result.stderr)


class Validate(unittest.TestCase):
    def judge(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            return tokroof("validate", file.name)

    def test_a_truncated_file_is_refused(self):
        example = next((ROOT / "schemas/examples/valid").glob("*.json")).read_text()
        result = self.judge(example[: len(example) // 2])
        self.assertEqual(result.returncode, 4)

    def test_a_file_that_cannot_be_read_does_not_hide_the_others(self):
        example = str(next((ROOT / "schemas/examples/invalid").glob("*.json")))
        result = tokroof("validate", "no-such-file.json", example)
        self.assertEqual(result.returncode, 4)
        self.assertIn("no-such-file.json", result.stdout)
        self.assertIn(example, result.stdout)

    def test_whole_numbers_may_be_written_with_a_point(self):
        text = (ROOT / "schemas/examples/valid/reproduction.json").read_text()
        result = self.judge(text.replace('"cores": 2,', '"cores": 2.0,', 1))
        self.assertNotIn("integer", result.stdout + result.stderr)

    def test_every_violation_is_listed_with_its_pointer(self):
        document = json.loads(next((ROOT / "schemas/examples/valid").glob("*.json")).read_text())
        document["suite"]["version"] = 7
        document["machine"]["cores"] = -1
        document["surprise"] = True
        result = self.judge(json.dumps(document))
        self.assertEqual(result.returncode, 4)
        for pointer in ("/suite/version", "/machine/cores", "surprise"):
            self.assertIn(pointer, result.stdout)

    def test_the_examples_are_judged_as_their_folder_says(self):
        for path in sorted((ROOT / "schemas/examples/valid").glob("*.json")):  # of the schema; their figures are invented
            self.assertEqual(json.loads(tokroof("validate", "--json", str(path)).stdout)[0]["violations"], [], path.name)
        for path in sorted((ROOT / "schemas/examples/invalid").glob("*.json")):
            self.assertEqual(tokroof("validate", str(path)).returncode, 4, path.name)


class Answers(unittest.TestCase):
    def test_json_answers_are_one_json_document(self):
        info = json.loads(tokroof("info", "--json").stdout)
        self.assertEqual(set(info) - {"chosen"},
                         {"caches", "cores", "pus", "allowed_pus", "core_kinds", "numa_nodes", "isa", "counters"})
        self.assertTrue(json.loads(tokroof("doctor", "--json").stdout))
        models = {model["model"]: model for model in json.loads(tokroof("models", "--json").stdout)}
        self.assertEqual(models["coreflow_1_9m"]["parameters"], 1879632)
        self.assertEqual(models["coreflow_1_9m"]["weight_bytes_per_token"], 1933600)

    def test_every_recorded_machine_is_shown_as_the_tools_of_hwloc_see_it(self):
        machines = recorded_machines()
        self.assertGreaterEqual(len(machines), 18)
        for name, facts in machines.items():
            info = json.loads(tokroof("info", "--topology", str(TOPOLOGIES / name), "--json").stdout)
            totals = f"cores {info['cores']} pus {info['pus']} allowed {len(info['allowed_pus'])} numa_nodes {info['numa_nodes']}"
            caches = {f"L{c['level']} {c['type']} {c['bytes']} bytes line {c['line_bytes']} ways {c['ways']} "
                      f"shared {c['shared_by_pus']} instances {c['instances']}" for c in info["caches"]}
            self.assertIn(totals, facts[0], name)
            self.assertEqual(caches, {fact.removeprefix("memory-side ") for fact in facts if "bytes" in fact}, name)
            self.assertNotIn("chosen", info, "no ISA is chosen for a machine that this is not")

    def test_nothing_is_measured_on_a_machine_that_this_is_not(self):
        recorded = str(TOPOLOGIES / "Intel-Haswell-2xXeon-E5-2680v3.xml")
        for command in (["probe", "core_clock"], ["decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1"]):
            result = tokroof(*command, HWLOC_XMLFILE=recorded)
            self.assertEqual((result.returncode, result.stdout), (6, ""), command)
            self.assertRegex(last_line(result.stderr), "cannot pin on the topology .*: it is not this machine's")
            self.assertEqual(tokroof(*command, "--topology", recorded).returncode, 2, "only info takes a recording")

    def test_one_launch_has_no_interval_and_float_is_named(self):
        text = tokroof("decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1", "--arithmetic", "float").stdout
        self.assertIn("float arithmetic", text)
        self.assertRegex(text, "positions 0.3, 1 launch\n")
        self.assertRegex(text, r"warm +[\d,]+ \[no interval\]")

    def test_every_kernel_table_runs_when_forced_or_says_what_the_cpu_lacks(self):
        smallest = ["decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1", "--json"]
        listed = last_line(tokroof(*smallest, "--isa", "no-such-table").stderr)
        tables = listed.split("this binary has ")[1].split(", ")
        info = json.loads(tokroof("info", "--json").stdout)
        self.assertIn(info["chosen"]["kernels"], tables)
        self.assertEqual(tables[0], "scalar")
        for isa in tables:
            for arguments, environment in ((["--isa", isa], {}), ([], {"TOKROOF_ISA": isa})):
                result = tokroof(*smallest, *arguments, **environment)
                lacking = re.search(f"ISA '{isa}' needs the CPU feature (\\w+), which this CPU lacks", result.stderr)
                if lacking:
                    self.assertEqual(result.returncode, 6)
                    self.assertNotIn(lacking[1], info["isa"])
                    continue
                self.assertEqual(result.returncode, 0, result.stderr)
                document = json.loads(result.stdout)
                self.assertEqual([plan["isa"] for plan in document["plans"]], [isa])
                self.assertEqual({decode["isa"] for decode in document["derived"]["decode"]}, {isa})
                self.assertEqual((document["suite"]["isa"], document["suite"]["isa_chosen_by"]), (isa, "forced"))

    def test_colour_and_marks_follow_the_terminal(self):
        plain = tokroof("doctor", LC_ALL="C", NO_COLOR="1").stdout
        self.assertTrue(plain.isascii() or "✔" not in plain)
        self.assertNotIn("\x1b", plain)


class Capacity(unittest.TestCase):
    def test_cache_capacity_tells_edges_with_intervals(self):
        result = tokroof("probe", "cache_capacity", "--samples", "3", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual({series["probe"] for series in document["launches"][0]["series"]},
                         {"load_bandwidth", "load_latency"})
        caches = document["derived"]["caches"]
        if not [c for c in json.loads(tokroof("info", "--json").stdout)["caches"] if c["type"] != "instruction"]:
            self.assertEqual(caches, [])
            return
        self.assertEqual({cache["method"].split()[-1] for cache in caches}, {"load_bandwidth", "load_latency"})
        for cache in caches:  # an edge with its interval, or the reason why there is none
            edge = cache["effective_bytes"]
            self.assertGreater(cache["reported_bytes"], 0)
            if "unavailable" in edge:
                self.assertTrue(edge["unavailable"])
            else:
                self.assertLess(0, edge["low"])
                self.assertLessEqual(edge["low"], edge["estimate"])
                self.assertLessEqual(edge["estimate"], edge["high"])
        self.assertTrue([cache for cache in caches if "estimate" in cache["effective_bytes"]], caches)


    def test_a_budget_is_kept_and_what_was_left_out_is_told(self):
        with tempfile.TemporaryDirectory() as home:
            started = time.monotonic()
            result = tokroof("probe", "--budget", "4s", "--sizes-per-octave", "16", home=home)
            seconds = time.monotonic() - started
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLess(seconds, 8)  # sanity, on a machine that others use, too
            self.assertRegex(result.stdout, r"to keep the budget of 4 s: .*(left out|skipped)")
            [path] = pathlib.Path(home).rglob("*.json")
            series = json.loads(path.read_text())["launches"][0]["series"]
            marked = [each for each in series if "budget_ns" in each.get("params", {})]
            self.assertTrue(marked)
            for each in marked:
                if each["status"] == "ok":
                    self.assertGreater(each["params"]["budget_skipped_sizes"], 0)
                    self.assertEqual(len(each["samples"]), len(each["sizes_bytes"]))
                else:
                    self.assertRegex(each["reason"], "budget of 4 s")
            self.assertEqual(tokroof("validate", str(path)).returncode, 0)


class QuickRun(unittest.TestCase):
    """One real run, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.home = pathlib.Path(cls.folder.name)
        started = time.monotonic()
        cls.result = tokroof("run", "--quick", home=cls.home)
        cls.seconds = time.monotonic() - started
        paths = list((cls.home / "submissions").rglob("*.json"))
        cls.path = paths[0] if len(paths) == 1 else None
        cls.text = cls.path.read_text() if cls.path else ""
        cls.document = json.loads(cls.text) if cls.text else {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_it_ends_with_a_table_and_the_place_of_the_document(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertIn(str(self.path), self.result.stdout)
        for word in ("warm", "evict_flush", "evict_read", "dram_roof", "cache_roof", "curve"):
            self.assertIn(word, self.result.stdout)

    def test_show_prints_what_the_run_did(self):
        tables, place = self.result.stdout.split("\nsubmission: ")
        digest = place.split()[-1]
        for which in ([], ["1"], [digest[:10]], [str(self.path)]):
            shown = tokroof("show", *which, home=self.home)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            heading, _, body = shown.stdout.partition(digest + "\n\n")
            self.assertTrue(heading.startswith("reproduction of " + self.document["created_utc"] + ", protocol quick"), heading)
            self.assertEqual(body, tables)

    def test_figures_are_held_against_the_level_that_could_serve_them(self):
        self.assertRegex(self.result.stdout, r"(?m)GB/s +of its roof +block.*\nwarm .* [0-9]+ % (l[123]|dram) ")
        self.assertRegex(self.result.stdout, r"(?m)^evict_flush .* [0-9]+ % dram ")
        roofs = {roof["level"]: roof["read_bytes_per_s"]["median"] for roof in self.document["derived"]["roofs"]}
        for mode in ("warm", "evict_flush"):
            [decode] = [one for one in self.document["derived"]["decode"] if one["arm"] == mode]
            share, level = re.search(rf"(?m)^{mode} .* ([0-9]+) % (\w+) ", self.result.stdout).groups()
            self.assertAlmostEqual(int(share), 100 * decode["weight_bytes_per_s"] / roofs[level], delta=0.51)
        without = tokroof("decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1", home=self.home)
        self.assertEqual(without.returncode, 0, without.stderr)
        self.assertNotIn("roof", without.stdout)

    def test_show_refuses_what_is_no_submission_in_one_line(self):
        forged = self.home / "forged"
        document = json.loads(self.text)
        document["derived"]["decode"][0]["tokens_per_s"]["median"] *= 2
        forged.write_text(json.dumps(document))
        for which, code, word in (("none.json", 4, "none.json"), ("99", 4, "99"), (str(forged), 4, "R02"), ("/dev/null", 4, "/dev/null")):
            refused = tokroof("show", which, home=self.home)
            self.assertEqual((refused.returncode, refused.stdout), (code, ""), refused.stderr)
            self.assertIn(word, refused.stderr)
            self.assertEqual(refused.stderr.count("\n"), 1)

    def test_it_shows_no_progress_without_a_terminal(self):
        self.assertNotIn("\r", self.result.stderr)
        self.assertNotIn("\x1b", self.result.stdout + self.result.stderr)

    def test_the_document_is_small_canonical_and_named_by_its_content(self):
        # A busy machine disturbs many samples, and the lists of them grow: what else there is must leave them room.
        marks = sum(len(json.dumps(series.get("disturbed", {}), separators=(",", ":")))
                    for launch in self.document["launches"] for series in launch["series"])
        self.assertLessEqual(len(self.text) - marks, 39_200)
        if marks < 800:
            self.assertLessEqual(len(self.text), 40_000)
        canonical = self.text.rstrip("\n")
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        self.assertEqual(self.path.name, f"{self.document['machine']['machine_key'][:8]}-{digest[:8]}.json")

    def test_the_document_is_valid_for_the_independent_judge(self):
        schema = json.loads((ROOT / "schemas/submission.schema.json").read_text())
        jsonschema.Draft7Validator(schema).validate(self.document)
        self.assertEqual(tokroof("validate", str(self.path)).returncode, 0)

    def test_the_document_tells_nothing_private(self):
        secrets = [socket.gethostname(), os.path.expanduser("~"), str(ROOT), str(self.home)]
        user = getpass.getuser()
        if len(user) >= 3:
            secrets.append(f'"{user}"')
        for path in pathlib.Path("/sys/class/net").glob("*/address"):
            address = path.read_text().strip()
            if address and address != "00:00:00:00:00:00":
                secrets.append(address)
        for name in ("product_serial", "board_serial", "product_uuid"):
            try:
                secrets.append(pathlib.Path("/sys/class/dmi/id", name).read_text().strip())
            except OSError:
                pass
        for secret in filter(lambda text: len(text) >= 2, secrets):
            found = re.search(r"(?<![A-Za-z0-9])" + re.escape(secret) + r"(?![A-Za-z0-9])", self.text, re.IGNORECASE)
            self.assertIsNone(found, secret)
        self.assertIsNone(re.search(r"([0-9a-f]{2}:){5}[0-9a-f]{2}", self.text, re.IGNORECASE), "a MAC address")

    def test_forecasts_were_fixed_before_any_decode(self):
        first_decode = min(launch["start_ns"] for launch in self.document["launches"] if launch["purpose"] == "decode")
        self.assertTrue(self.document["forecasts"])
        for forecast in self.document["forecasts"]:
            self.assertLess(forecast["made_ns"], first_decode)

    def test_own_events_came_back_through_papi(self):
        tokens = [launch["counters"]["tokens"] for launch in self.document["launches"]
                  if launch["purpose"] == "decode" and "counters" in launch]
        self.assertTrue(tokens)  # launches with the same counts leave them out
        for count in tokens:
            self.assertEqual(count, 4 * 2 * 959)  # the timed tokens of four arms, two passes

    def test_every_launch_was_right_before_it_was_fast(self):
        golden = self.document["plans"][0]["golden"]
        for launch in self.document["launches"]:
            if launch["purpose"] == "decode":
                self.assertEqual(launch["golden_got"], golden)

    def test_flushing_costs_time(self):
        ratios = {ratio["name"]: ratio["speed_ratio"]["median"] for ratio in self.document["derived"]["ratios"]}
        self.assertLess(ratios["evict_flush/warm"], 1)

    def test_the_store_holds_it_whole(self):
        listed = json.loads(tokroof("store", "list", "--json", home=self.home).stdout)
        self.assertEqual(len(listed), 1)
        shown = tokroof("store", "show", "1", "--json", home=self.home).stdout
        self.assertEqual(shown, self.text)
        self.assertEqual(tokroof("store", "check", home=self.home).returncode, 0)

    def test_a_forecast_uses_the_stored_probes(self):
        started = time.monotonic()
        result = tokroof("predict", "coreflow_1_9m", "--json", home=self.home)
        self.assertLess(time.monotonic() - started, 5)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["probed_utc"], self.document["created_utc"])
        self.assertTrue(answer["forecasts"])

    def test_it_was_quick(self):
        self.assertLessEqual(self.seconds, 120, "twice what the issue promises on a quiet machine")


class Interrupted(unittest.TestCase):
    def run_on_a_terminal(self, home):
        """Runs on a pty and presses Ctrl-C once it decodes; returns the exit code and what was shown."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TOKROOF_HOME=str(home), TERM="xterm", LC_ALL="C.UTF-8")
            os.execv(TOKROOF, [TOKROOF, "run", "--quick"])
        shown, started, pressed = b"", time.monotonic(), False
        while time.monotonic() - started < 120:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:
                    break
            if not pressed and b"round 1 of" in shown:
                os.write(terminal, b"\x03")
                pressed = True
        else:
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")

    def test_ctrl_c_leaves_a_marked_partial_file_and_no_result(self):
        with tempfile.TemporaryDirectory() as home:
            code, shown = self.run_on_a_terminal(home)
            self.assertEqual(code, 130, shown)
            self.assertIn("left", shown)  # progress with an estimate
            partial = list(pathlib.Path(home, "partial").glob("*.json"))
            self.assertEqual(len(partial), 1)
            document = json.loads(partial[0].read_text())
            self.assertIs(document["interrupted"], True)
            self.assertEqual(document["measured"]["launches"][0]["purpose"], "probes")
            self.assertEqual(tokroof("validate", str(partial[0])).returncode, 4)
            self.assertEqual(list(pathlib.Path(home).rglob("submissions/**/*.json")), [])
            self.assertEqual(json.loads(tokroof("store", "list", "--json", home=home).stdout), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
