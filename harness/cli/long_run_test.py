"""Runs that are interrupted, stopped, killed and gone on with, and the processes that measure. Run by ctest:

    long_run_test.py PATH_OF_TOKROOF [unittest arguments]

Each full run here is a short one: one model, one or two launches of each plan.
"""
import contextlib
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

TOKROOF = sys.argv.pop(1)
SHORT = ["run", "--full", "--model", "coreflow_1_9m", "--launches"]


def tokroof(*arguments, home):
    return subprocess.run([TOKROOF, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                          env=dict(os.environ, TOKROOF_HOME=str(home)))


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def state(pid):
    """Returns the state letter of a process (proc(5)); "" when there is none of that id."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until(true, seconds, what):
    started = time.monotonic()
    while not true():
        if time.monotonic() - started > seconds:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def documents(home):
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(home, "submissions").rglob("*.json"))]


def partials(home):
    return sorted(pathlib.Path(home, "partial").glob("*.json"))


class Job:
    """A command in the foreground of a terminal, under a shell with job control (a small one of our own)."""

    def __init__(self, home, *arguments):
        reports, told = os.pipe()
        orders, self.orders = os.pipe()
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.environ.update(TOKROOF_HOME=str(home), TERM="xterm", LC_ALL="C.UTF-8", COLUMNS="120")
            self.be_the_shell([TOKROOF, *arguments], told, orders)
        os.close(told)
        os.close(orders)
        self.reports, self.shown = os.fdopen(reports), ""
        self.pid = int(self.reports.readline())

    @staticmethod
    def be_the_shell(command, told, orders):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(command[0], command)
        with contextlib.suppress(OSError):
            os.setpgid(job, job)
        os.write(told, b"%d\n" % job)
        while True:
            status = os.waitpid(job, os.WUNTRACED)[1]
            os.write(told, b"%d\n" % status)
            if not os.WIFSTOPPED(status):
                os._exit(0)
            os.read(orders, 1)
            os.tcsetpgrp(0, job)
            os.killpg(job, signal.SIGCONT)

    def press(self, key):
        os.write(self.terminal, key)

    def go_on(self):
        os.write(self.orders, b"c")

    def read(self, seconds):
        """Takes what is on the screen within so much time; False at its end."""
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.shown += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                return False
        return True

    def until_shown(self, text, seconds=120):
        started = time.monotonic()
        while text not in self.shown:
            if not self.read(0.1) or time.monotonic() - started > seconds:
                raise AssertionError(f"'{text}' was not shown: {self.shown}")

    def status(self, seconds=200):
        """Returns the next status (waitpid(2)) that the shell sees, reading the screen meanwhile."""
        started = time.monotonic()
        while not select.select([self.reports], [], [], 0)[0]:
            self.read(0.1)
            if time.monotonic() - started > seconds:
                raise AssertionError(f"the job does not change: {self.shown}")
        return int(self.reports.readline())

    def exit_code(self):
        status = self.status()
        while self.read(0.2) and select.select([self.terminal], [], [], 0)[0]:
            pass
        return os.waitstatus_to_exitcode(status)

    def measuring(self):
        """Returns the process that measures, waiting for it."""
        wait_until(lambda: children(self.pid), 20, "a measuring process")
        return children(self.pid)[0]

    def close(self):
        for pid in (self.pid, self.shell):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        os.close(self.terminal)
        self.reports.close()
        os.close(self.orders)


class Home(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def job(self, *arguments):
        job = Job(self.home, *arguments)
        self.addCleanup(job.close)
        return job

    def check_whole(self, document, launches):
        """A document of a run that was paused holds every launch once, and says that it was paused."""
        taken = sorted((launch["plan"], launch["round"]) for launch in document["launches"] if launch["purpose"] == "decode")
        self.assertEqual(taken, [(plan, round_) for plan in range(len(document["plans"])) for round_ in range(launches)])
        self.assertEqual(document["launches"][-1]["purpose"], "roofs_after")
        self.assertIn("paused", [flag["code"] for flag in document["derived"]["flags"]])
        path = next(pathlib.Path(self.home, "submissions").rglob("*.json"))
        checked = tokroof("validate", str(path), home=self.home)
        self.assertEqual(checked.returncode, 0, checked.stdout)


class Processes(Home):
    def test_measuring_happens_in_a_session_of_its_own_with_its_own_priority(self):
        job = self.job("decode", "coreflow_1_9m", "--launches", "3", "--json")
        child = job.measuring()
        wait_until(lambda: os.getsid(child) == child, 5, "setsid")
        self.assertNotEqual(os.getsid(job.pid), child)
        group = pathlib.Path(f"/proc/{child}/autogroup")
        told = []
        if group.exists():
            wait_until(lambda: told.append(group.read_text()) or "nice -20" in told[-1] or len(told) > 20, 10, "a nice")
        self.assertEqual(job.exit_code(), 0, job.shown)
        document = json.loads(re.search(r"\{.*\}", job.shown.replace("\r\n", ""))[0])
        nice = document["conditions"]["autogroup_nice"]
        if isinstance(nice, int):
            self.assertIn(f"nice {nice}", told[-1])
        else:
            self.assertTrue(nice["unavailable"])
            self.assertFalse(any("nice -20" in line for line in told))

    def test_nothing_is_left_when_the_parent_is_killed(self):
        job = self.job(*SHORT, "1")
        job.until_shown("round 1 of")
        child = job.measuring()
        os.kill(job.pid, signal.SIGKILL)
        wait_until(lambda: state(child) in ("", "Z"), 5, "the measuring process to die with its parent")

    def test_a_stopped_one_dies_with_its_parent_too(self):
        job = self.job(*SHORT, "1")
        job.until_shown("round 1 of")
        child = job.measuring()
        job.press(b"\x1a")
        self.assertTrue(os.WIFSTOPPED(job.status()))
        wait_until(lambda: state(child) == "T", 2, "the measuring process to stop")
        os.kill(job.pid, signal.SIGKILL)
        wait_until(lambda: state(child) in ("", "Z"), 5, "the measuring process to die with its parent")

    def test_signals_reach_it_through_its_parent(self):
        for sent in (signal.SIGTERM, signal.SIGHUP):
            job = self.job("probe", "load_bandwidth", "--samples", "50")
            child = job.measuring()
            os.kill(job.pid, sent)
            self.assertEqual(job.exit_code(), 130, job.shown)
            self.assertIn(state(child), ("", "Z"))

    def test_ctrl_z_stops_a_probe_and_it_is_taken_again(self):
        job = self.job("probe", "core_clock", "load_bandwidth", "--samples", "20", "--json")
        child = job.measuring()
        job.press(b"\x1a")
        self.assertTrue(os.WIFSTOPPED(job.status()))
        wait_until(lambda: state(child) == "T", 2, "the measuring process to stop")
        time.sleep(0.5)
        job.go_on()
        self.assertEqual(job.exit_code(), 0, job.shown)
        self.assertIn("the launch that was running is taken again", job.shown)
        document = json.loads(re.search(r"\{.*\}", job.shown.replace("\r\n", ""))[0])
        self.assertEqual([pause["cause"] for pause in document["interruptions"]], ["stopped"])
        self.assertGreater(document["interruptions"][0]["paused_ns"], 400_000_000)


class Paused(Home):
    def test_ctrl_z_pauses_a_run_and_roofs_are_read_again(self):
        job = self.job(*SHORT, "2")
        job.until_shown("round 1 of")
        child = job.measuring()
        job.press(b"\x1a")
        status = job.status()
        self.assertTrue(os.WIFSTOPPED(status), status)
        wait_until(lambda: state(child) == "T", 2, "the measuring process to stop")
        time.sleep(1)
        job.go_on()
        self.assertEqual(job.exit_code(), 0, job.shown)
        document, = documents(self.home)
        self.check_whole(document, 2)
        pause, = document["interruptions"]
        self.assertEqual(pause["cause"], "stopped")
        self.assertGreater(pause["paused_ns"], 900_000_000)
        self.assertEqual(document["launches"][pause["before_launch"]]["purpose"], "roofs_resumed")

    def test_ctrl_c_prints_how_to_go_on_and_going_on_keeps_what_was_measured(self):
        job = self.job(*SHORT, "2")
        job.until_shown("round 2 of")
        job.press(b"\x03")
        self.assertEqual(job.exit_code(), 130, job.shown)
        kept = json.loads(partials(self.home)[0].read_text())
        self.assertIs(kept["interrupted"], True)
        self.assertGreaterEqual(len(kept["measured"]["launches"]), 3)
        self.assertEqual(documents(self.home), [])
        self.assertEqual(tokroof("validate", str(partials(self.home)[0]), home=self.home).returncode, 4)
        command = re.search(r"go on with: tokroof (run --full --resume \S+)", job.shown)[1].split()
        self.assertEqual(command[-1], str(partials(self.home)[0]))

        result = tokroof(*command, home=self.home)
        self.assertEqual(result.returncode, 0, result.stderr)
        document, = documents(self.home)
        self.check_whole(document, 2)
        self.assertEqual(document["nonce"], kept["measured"]["nonce"])
        self.assertTrue(document["launches"][:len(kept["measured"]["launches"])] == kept["measured"]["launches"])
        pause, = document["interruptions"]
        self.assertEqual((pause["cause"], pause["before_launch"]), ("resumed", len(kept["measured"]["launches"])))
        self.assertEqual(document["launches"][pause["before_launch"]]["purpose"], "roofs_resumed")
        self.assertEqual(list(pathlib.Path(self.home, "partial").iterdir()), [], "nothing is left to go on with")

    def test_a_killed_run_goes_on_too_without_naming_its_file(self):
        job = self.job(*SHORT, "1")
        wait_until(lambda: job.read(0.1) and partials(self.home) and partials(self.home)[0].stat().st_size and
                   json.loads(partials(self.home)[0].read_text())["measured"]["launches"], 60, "the probes to be kept")
        os.kill(job.pid, signal.SIGKILL)
        job.status()
        result = tokroof("run", "--full", "--resume", home=self.home)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_whole(documents(self.home)[0], 1)


class GoingOn(Home):
    """A run that was interrupted once; each test looks at a copy of its file."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        process = subprocess.Popen([TOKROOF, *SHORT, "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=dict(os.environ, TOKROOF_HOME=cls.folder.name))
        wait_until(lambda: partials(cls.folder.name) and partials(cls.folder.name)[0].stat().st_size and
                   json.loads(partials(cls.folder.name)[0].read_text())["measured"]["plans"], 90, "a launch to be kept")
        process.send_signal(signal.SIGINT)
        process.wait()
        cls.path = partials(cls.folder.name)[0]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def refused(self, code, pattern, change, arguments=()):
        """Changes a copy of the partial run and asserts that it cannot be gone on with."""
        partial = json.loads(self.path.read_text())
        change(partial)
        copy = self.home / "partial" / self.path.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(json.dumps(partial))
        result = tokroof("run", "--full", "--resume", str(copy), *arguments, home=self.home)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr.rstrip("\n"), "^tokroof: error: [^\n]*" + pattern + "[^\n]*$")
        self.assertEqual(documents(self.home), [])
        self.assertTrue(copy.exists(), "a run that is refused is not lost")

    def test_what_moved_since_is_refused_with_one_line(self):
        def changing(*keys, to):
            def change(partial):
                for key in keys[:-1]:
                    partial = partial[key]
                self.assertNotEqual(partial[keys[-1]], to)
                partial[keys[-1]] = to
            return change
        zeros = "0" * 64
        self.refused(6, "another build", changing("measured", "suite", "binary_sha256", to=zeros))
        self.refused(6, "another machine", changing("measured", "machine", "machine_key", to=zeros))
        self.refused(6, "started again", changing("resume", "boot_id", to="another"))
        self.refused(6, "governor", changing("measured", "conditions", "governor", to="another"))
        self.refused(6, "measuring PU", changing("measured", "conditions", "pinned_pu", to=4095))
        self.refused(6, "clock", changing("measured", "conditions", "clock_source", to="sundial"))
        self.refused(6, "plans", changing("measured", "plans", 0, "position_last", to=100))

    def test_what_is_no_unfinished_run_is_refused(self):
        self.refused(4, "no unfinished run", lambda partial: partial.update(schema="tokroof/submission/1"))
        self.refused(4, "no unfinished run", lambda partial: partial["measured"].pop("suite"))
        self.refused(4, "only a full run", lambda partial: partial.pop("resume"))
        self.refused(2, "excludes", lambda partial: None, ["--launches", "7"])

    def test_nothing_to_go_on_with_is_said(self):
        for arguments, code, pattern in ((["--full", "--resume"], 2, "no unfinished full run"),
                                         (["--resume"], 2, "only a full run"),
                                         (["--full", "--resume", "/no/such/file"], 4, "cannot be read")):
            result = tokroof("run", *arguments, home=self.home)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertRegex(result.stderr, pattern)

    def test_two_processes_do_not_go_on_with_one_run(self):
        shutil.copytree(self.path.parent, self.home / "partial")
        copy = self.home / "partial" / self.path.name
        job = self.job("run", "--full", "--resume", str(copy))
        job.until_shown("goes on after")
        result = tokroof("run", "--full", "--resume", str(copy), home=self.home)
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertIn("another tokroof works on this run", result.stderr)


class NothingIsLost(Home):
    def test_a_store_that_is_busy_at_the_end_loses_nothing(self):
        job = self.job(*SHORT, "1")
        job.until_shown("round 1 of")
        blocker = sqlite3.connect(self.home / "store.sqlite", isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        self.assertEqual(job.exit_code(), 7, job.shown)
        self.assertIn("go on with: tokroof run --full --resume", job.shown)
        blocker.execute("ROLLBACK")
        blocker.close()
        before = documents(self.home)
        result = tokroof("run", "--full", "--resume", home=self.home)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(documents(self.home) == before, "the same document, not another one")
        self.assertEqual(len(json.loads(tokroof("store", "list", "--json", home=self.home).stdout)), 1)

    def test_a_full_disk_keeps_the_launches_before(self):
        job = self.job(*SHORT, "1")
        job.until_shown("round 1 of")
        kept = json.loads(partials(self.home)[0].read_text())["measured"]["launches"]
        resource.prlimit(job.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        self.assertEqual(job.exit_code(), 7, job.shown)
        self.assertIn("free some space", job.shown)
        after = json.loads(partials(self.home)[0].read_text())["measured"]["launches"]
        self.assertTrue(after == kept)
        result = tokroof("run", "--full", "--resume", home=self.home)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(documents(self.home)[0]["launches"][:len(kept)] == kept)


if __name__ == "__main__":
    unittest.main(verbosity=2)
