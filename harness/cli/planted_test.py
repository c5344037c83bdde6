"""What `tokroof compare` and script/count-instructions say of an executable with a planted fault. Run by ctest:

    planted_test.py PATH_OF_TOKROOF PATH_OF_TOKROOF_WRONG_AVX2 [unittest arguments]

The second is the product but for one code that its avx2 table rounds to the wrong side (planted_fault.cpp).
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOKROOF, WRONG = sys.argv.pop(1), sys.argv.pop(1)
COUNT = pathlib.Path(__file__).resolve().parents[2] / "script/count-instructions"


def has_avx2():
    return subprocess.run([TOKROOF, "counts", "coreflow_1_9m", "--isa", "avx2", "--positions", "0:0"],
                          capture_output=True).returncode == 0


@unittest.skipUnless(has_avx2(), "this CPU lacks AVX2")
class WrongRounding(unittest.TestCase):
    def compare(self, isa):
        with tempfile.TemporaryDirectory() as home:
            result = subprocess.run([TOKROOF, "compare", "--binary", TOKROOF, "--binary", WRONG, "--isa", isa, "--launches", "2",
                                     "--positions", "0:63", "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                    timeout=200, env={**os.environ, "TOKROOF_HOME": home})
        report = json.loads(result.stdout)
        return result, report["machines"][0]["decodes"][0], report["counts"][0]

    def test_in_its_own_isa_it_is_wrong_and_not_slow(self):
        result, decode, counts = self.compare("avx2")
        self.assertEqual(result.returncode, 8, result.stdout + result.stderr)
        self.assertEqual(decode["verdict"], "wrong")
        self.assertFalse({"speed_ratio", "new_tokens_per_s", "old_tokens_per_s"} & set(decode), "a wrong kernel has no speed")
        self.assertEqual([change["what"] for change in counts["changes"]], ["logits_sha256"])

    def test_in_another_isa_nothing_is_wrong(self):
        result, decode, counts = self.compare("scalar")
        self.assertNotEqual(result.returncode, 8)
        self.assertNotEqual(decode["verdict"], "wrong")
        self.assertEqual((counts["word"], counts["changes"]), ("same", []))

    @unittest.skipUnless(shutil.which("valgrind") and shutil.which("objdump"), "valgrind is not installed")
    def test_its_instructions_are_others_in_that_isa_alone(self):
        # The difference of two lengths is asked of one, that two runs agree of the other: an emulator takes its time.
        for isa, word, more in (("avx2", "changed", ["--tokens", "1:1", "--once"]), ("avx2_rowmajor", "same", ["--tokens", "0:0"])):
            result = subprocess.run([COUNT, TOKROOF, WRONG, "--isa", isa, "--json", *more],
                                    capture_output=True, text=True, timeout=280)
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            row, = report["executed"]
            self.assertEqual(row["word"], word, row)
            self.assertEqual(row["instructions"][1] > row["instructions"][0], word == "changed", row)
            self.assertEqual(report["compiled"], [], "it wraps a kernel and changes none")


class Counting(unittest.TestCase):
    @unittest.skipUnless(shutil.which("objdump"), "objdump is not installed")
    def test_one_changed_byte_of_a_kernel_is_one_changed_function_whatever_the_isa(self):
        loader = importlib.machinery.SourceFileLoader("count_instructions", str(COUNT))
        count = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(count)
        name, (address, _) = next((name, place) for name, place in count.kernel_symbols(TOKROOF).items()
                                  if "avx512::rms_norm" in name or "scalar::rms_norm" in name)
        section = re.search(r" \.text +PROGBITS +(\w+) (\w+) ", subprocess.run(["readelf", "-SW", TOKROOF], capture_output=True,
                                                                              text=True).stdout)
        code = bytearray(pathlib.Path(TOKROOF).read_bytes())
        code[address - int(section[1], 16) + int(section[2], 16)] = 0xcc  # int3
        with tempfile.TemporaryDirectory() as folder:
            patched = pathlib.Path(folder, "tokroof")
            patched.write_bytes(code)
            changes = count.changed(count.compiled(TOKROOF), count.compiled(patched))
        self.assertEqual([change["function"] for change in changes], [name])

    def refused(self, code, pattern, *arguments):
        result = subprocess.run([COUNT, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, pattern)
        self.assertEqual(result.stdout, "")

    @unittest.skipUnless(shutil.which("valgrind") and shutil.which("objdump"), "valgrind is not installed")
    def test_what_cannot_be_counted_is_said_in_one_line(self):
        self.refused(2, "FIRST:LAST", TOKROOF, "--tokens", "3:1")
        self.refused(1, "^count-instructions: [^\n]*exit code 2[^\n]*nosuch[^\n]*\n$", TOKROOF, "--model", "nosuch")
        self.refused(1, "^count-instructions: [^\n]*\n$", "/bin/true")
        self.refused(1, "^count-instructions: [^\n]*\n$", "/no/such/file")


if __name__ == "__main__":
    unittest.main()
