#!/usr/bin/env python3
"""Runs a build on a CPU of 2010 without AVX, as qemu-user emulates it: nothing may be executed that it lacks.

    westmere_test.py BUILD_FOLDER [unittest arguments]

What asks cpuid sees the emulated CPU; topology, pinning and memory are the host's, and PAPI finds no events. The
child that `decode` and `run` start leaves the emulator (qemu executes the file behind /proc/self/exe as the host
does), hence the launches here are called directly.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
TOKROOF = BUILD / "harness/cli/tokroof"
# vpaddb ymm0, ymm0, ymm0; ret: one AVX2 instruction, called as a C function.
AVX2_CALL = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("c5fdfcc0c3"))
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""


def emulated(*command, cpu="Westmere", **environment):
    return subprocess.run(["qemu-x86_64", "-cpu", cpu, *map(str, command)], capture_output=True, text=True, cwd=ROOT,
                          env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, timeout=300, check=False)


class Emulator(unittest.TestCase):
    """Without these two the other tests would prove nothing."""

    def test_avx2_is_an_illegal_instruction(self):
        self.assertEqual(emulated(sys.executable, "-c", AVX2_CALL).returncode, -signal.SIGILL)

    def test_avx2_would_run_on_a_newer_cpu(self):
        result = emulated(sys.executable, "-c", AVX2_CALL, cpu="max")
        self.assertEqual(result.returncode, 0, result.stderr)


class Westmere(unittest.TestCase):
    def tables(self):
        """Returns the names of all kernel tables: the error that refuses an unknown one lists them."""
        return emulated(TOKROOF, "decode", "coreflow_1_9m", "--isa", "no-such-table").stderr.strip().split(
            "this binary has ")[1].split(", ")

    def launched(self, *arguments):
        result = emulated(TOKROOF, "launch", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_logits_are_the_golden_ones_and_only_scalar_runs(self):
        # Float on the large model would take two minutes: without FMA, each multiply-add is a function of the C library.
        result = emulated(BUILD / "models/models_test", "--gtest_filter=*golden*:*Golden*-*12_6m_float")
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr)
        ran = re.findall(r"^\[ +(OK|SKIPPED) \] every_isa/golden\.\w+/(\w+) \(", result.stdout, re.MULTILINE)
        self.assertTrue([name for verdict, name in ran if verdict == "OK"])
        for verdict, name in ran:
            self.assertEqual(verdict == "OK", name.startswith("scalar_"), name)

    def test_scalar_is_chosen(self):
        result = emulated(TOKROOF, "info", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        info = json.loads(result.stdout)
        self.assertEqual(info["chosen"], {"kernels": "scalar", "streams": "scalar"})
        self.assertEqual([name for name in info["isa"] if "avx" in name or name == "fma"], [])
        self.assertIn("Westmere", emulated(TOKROOF, "info").stdout)

    def test_a_launch_decodes_on_scalar(self):
        started = emulated(TOKROOF, "decode", "coreflow_1_9m", "--positions", "0:3", "--launches", "1", "--json")
        self.assertEqual(started.returncode, 0, started.stderr)
        plan = json.loads(started.stdout)["plans"][0]
        self.assertEqual(plan["isa"], "scalar")
        launch = self.launched("--purpose", "decode", "--plan", json.dumps(plan))
        self.assertEqual(launch["golden_got"], plan["golden"])

    def test_probes_read_and_chase(self):
        sizes = ["--size", "16384", "--size", "65536", "--samples", "3"]
        launch = self.launched("--purpose", "probes", "--probe", "load_bandwidth", "--probe", "load_latency", *sizes)
        self.assertEqual([series["status"] for series in launch["series"]], ["ok", "ok"])

    def test_tables_that_the_cpu_lacks_are_refused(self):
        tables = self.tables()
        self.assertIn("avx2", tables)
        for isa in set(tables) - {"scalar"}:
            for arguments, environment in ((["--isa", isa], {}), ([], {"TOKROOF_ISA": isa})):
                result = emulated(TOKROOF, "decode", "coreflow_1_9m", *arguments, **environment)
                self.assertEqual((result.returncode, result.stdout), (6, ""), isa)
                self.assertRegex(result.stderr, rf"\A[^\n]*ISA '{isa}' needs the CPU feature \w+, which this CPU lacks\n\Z")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=2)
