"""What a user sees of `tokroof bench`, of --pairs, of script/bench-kernels and of `decode --profile`. Run by ctest:

    bench_test.py PATH_OF_TOKROOF PATH_OF_TOKROOF_BENCH [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")
TOKROOF, BENCH = sys.argv.pop(1), sys.argv.pop(1)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


class Bench(unittest.TestCase):
    def test_help_ends_with_an_example(self):
        self.assertIn("Example: tokroof bench --benchmark_filter", run(TOKROOF, "bench", "--help").stdout)

    def test_arguments_are_passed_through(self):
        arguments = ["--benchmark_list_tests", "--benchmark_filter=gemv_i8/scalar"]
        direct = run(BENCH, *arguments)
        self.assertIn("gemv_i8/scalar/4096x144", direct.stdout)
        self.assertEqual(run(TOKROOF, "bench", *arguments).stdout, direct.stdout)
        refused = run(TOKROOF, "bench", "--no_such_flag")
        self.assertEqual(refused.returncode, 2, refused.stderr)

    def test_every_slot_is_there_for_every_isa(self):
        names = run(BENCH, "--benchmark_list_tests").stdout.split()
        streams = {"read", "read_ahead", "store", "store_nt", "copy", "triad"}
        self.assertLessEqual(streams, {name.split("/")[0] for name in names})
        slots = {name.split("/")[0] for name in names} - streams
        self.assertEqual(slots, {"gemv_i8", "gemv_float", "gemv_ternary", "gemv_group3", "gemv_group4", "quantise", "rms_norm",
                                 "conv_step", "silu_product", "softcap", "attention_scores", "softmax", "attention_values", "decode_step"})
        isas = {name.split("/")[1] for name in names if name.startswith("gemv_i8/")}
        self.assertIn("scalar", isas)
        for slot in slots:
            self.assertEqual({name.split("/")[1] for name in names if name.startswith(slot + "/")}, isas, slot)
        for shape in ["4096x144", "5184x396", "2048x1024", "4096x4096"]:
            self.assertIn(f"gemv_i8/scalar/{shape}", names)

    def test_counters_say_what_a_call_does(self):
        done = run(TOKROOF, "bench", "--benchmark_filter=^(gemv_i8/scalar/4096x144|decode_step/scalar/coreflow_1_9m)$",
                   "--benchmark_format=json", "--benchmark_min_time=0.01")
        gemv, step = json.loads(done.stdout)["benchmarks"]
        self.assertEqual((gemv["macs"], gemv["bytes_streamed"]), (4096 * 144, 4096 * 144 + 4 * 4096))
        self.assertEqual((step["tokens"], step["bytes_streamed"]), (1, 1933600))
        self.assertNotIn("tokens", gemv)

    @unittest.skipUnless(COMPARE.exists() and run("/usr/bin/python3", "-c", "import scipy").returncode == 0,
                         "Debian's libbenchmark-tools and python3-scipy are not installed")
    def test_its_json_is_what_google_benchmarks_own_compare_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [str(pathlib.Path(folder, name)) for name in ("old.json", "new.json")]
            for file in files:
                result = run(TOKROOF, "bench", "--benchmark_filter=quantise/scalar/144", "--benchmark_repetitions=10",
                             "--benchmark_min_time=0.001", f"--benchmark_out={file}", "--benchmark_out_format=json")
                self.assertEqual(result.returncode, 0, result.stderr)
            compared = run("/usr/bin/python3", str(COMPARE), "--no-color", "benchmarks", *files)
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertRegex(compared.stdout, r"quantise/scalar/144_pvalue +[0-9.]+ +[0-9.]+ +U Test, Repetitions: 10 vs 10")
        self.assertIn("OVERALL_GEOMEAN", compared.stdout)

    def test_results_that_cannot_be_written_are_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BENCH, "--benchmark_filter=^quantise/scalar/", "--benchmark_min_time=0.001"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 7)
        self.assertIn("cannot be written to stdout", done.stderr)

    def test_a_missing_executable_is_one_line_and_exit_6(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(TOKROOF, folder)
            done = run(alone, "bench", "--benchmark_list_tests")
            self.assertEqual(done.returncode, 6)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("there is no tokroof_bench beside", done.stderr)
            shutil.copy(BENCH, folder)
            self.assertEqual(run(alone, "bench", "--benchmark_list_tests").returncode, 0)


class Profile(unittest.TestCase):
    def test_every_op_has_its_time_and_its_bound(self):
        profile = json.loads(run(TOKROOF, "decode", "coreflow_1_9m", "--profile", "--json").stdout)
        self.assertEqual([(r["position_first"], r["position_last"]) for r in profile["ranges"]], [(65, 128), (896, 1023)])
        for of_range in profile["ranges"]:
            ops = of_range["ops"]
            self.assertEqual({name for name in ops if "bound_ns" in ops[name]}, {"gemv", "attention", "head"})
            self.assertEqual(set(ops) - {"gemv", "attention", "head"}, {"rest"})
            for name in ["gemv", "attention", "head"]:
                self.assertAlmostEqual(ops[name]["bound_ns"] / (ops[name]["bytes"] / profile["read_bytes_per_s"] * 1e9), 1)
            # Ops are parts of the step: they make up most of it, and no more than it.
            share = sum(op["token_ns"] for op in ops.values()) / of_range["profiled_token_ns"]
            self.assertTrue(0.8 < share < 1.1, share)
        self.assertEqual(len(profile["steps"]), 16)

    def test_what_it_does_not_look_at_is_refused(self):
        for option in [["--mode", "warm"], ["--positions", "1:2"], ["--launches", "3"]]:
            done = run(TOKROOF, "decode", "coreflow_1_9m", "--profile", *option)
            self.assertEqual(done.returncode, 2)
            self.assertIn("excludes", done.stderr)


class Pairs(unittest.TestCase):
    def test_bad_counts_are_refused(self):
        for arguments in [["--pairs"], ["--pairs", "2"], ["--pairs=x"], ["--pairs", "9", "--benchmark_filter=x"]]:
            done = run(BENCH, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("--pairs N", done.stderr)

    def test_every_isa_is_compared_with_the_stream_at_every_shape(self):
        result = json.loads(run(BENCH, "--pairs", "3").stdout)
        reads = [c for c in result["comparisons"] if c["kind"] == "read"]
        self.assertEqual(len(reads), 4 * len({c["isa"] for c in reads}))
        for comparison in reads:
            ratio, again = comparison["ratio"], comparison["read_again_ratio"]
            self.assertTrue(0 < ratio["low"] <= ratio["median"] <= ratio["high"], comparison)
            self.assertTrue(0.3 < again["median"] < 3, comparison)  # the control compares a thing with itself
            quotient = comparison["gemv_bytes_per_s"]["median"] / comparison["read_bytes_per_s"]["median"]
            self.assertTrue(0.3 < quotient / ratio["median"] < 3, comparison)

    def test_the_script_prints_both_tables_and_the_marks(self):
        done = run(ROOT / "script/bench-kernels", "--pairs", "7", "--bench", BENCH)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GEMV / read [95 %]", done.stdout)
        if "avx2 / avx2_rowmajor" in done.stdout:
            self.assertRegex(done.stdout, r"4096x144 +avx2 / avx2_rowmajor .*(OK|below)\?? \(bar 1\.30\)")
        self.assertEqual(run(ROOT / "script/bench-kernels", "--pairs", "6").returncode, 2)


if __name__ == "__main__":
    unittest.main()
