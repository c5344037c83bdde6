"""What a user sees of `tokroof models`: listing, adding a model of one's own, exporting weights. Run by ctest:

    models_test.py PATH_OF_TOKROOF [unittest arguments]
"""
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

TOKROOF = sys.argv.pop(1)
MODEL = {
    "schema": "tokroof/model/1", "name": "my_hybrid", "vocab": 1000, "d": 96, "ff": 200,
    "blocks": ["conv", "attention"], "repeat": 2, "heads": 6, "kv_heads": 2, "head_dim": 16, "context": 256,
    "softcap": 30, "position_last": 95
}


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"

    def tokroof(self, *arguments, **options):
        env = dict(os.environ, TOKROOF_HOME=str(self.home))
        return subprocess.run([TOKROOF, *map(str, arguments)], capture_output=True, text=True, env=env,
                              stdin=subprocess.DEVNULL, timeout=300, **options)

    def refused(self, code, pattern, *arguments, **options):
        result = self.tokroof(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, pattern)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(result.stdout, "")

    def succeeds(self, *arguments):
        result = self.tokroof(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def listed(self, *names):
        return {model["model"]: model for model in json.loads(self.succeeds("models", *names, "--json"))}

    def write(self, **changes):
        model = dict(MODEL, **changes)
        path = self.folder / (model["name"] + ".json")
        path.write_text(json.dumps(model))
        return path


class List(Command):
    def test_names_choose_what_is_listed_in_their_order(self):
        models = list(self.listed("coreflow_x512kib", "coreflow_1_9m"))
        self.assertEqual(models, ["coreflow_x512kib", "coreflow_1_9m"])
        self.assertIn("coreflow_x512kib", self.succeeds("models", "coreflow_x512kib"))
        self.assertNotIn("coreflow_12_6m", self.succeeds("models", "coreflow_x512kib"))

    def test_a_model_of_the_family_weighs_what_its_name_says(self):
        for kib in (128, 4096, 266240, 1048576):
            name = f"coreflow_x{kib}kib"
            self.assertLess(abs(self.listed(name)[name]["weight_bytes_per_token"] / (kib * 1024) - 1), 0.025)

    def test_names_that_do_not_exist_are_refused(self):
        self.refused(2, "did you mean 'coreflow_1_9m'", "models", "coreflow_1.9m")
        self.refused(2, "from 128 to 1048576 KiB", "models", "coreflow_x100kib")

    def test_help_of_each_subcommand_ends_with_an_example(self):
        for command in ("add", "export"):
            self.assertIn("Example: tokroof models " + command, self.succeeds("models", command, "--help"))


class Add(Command):
    def test_an_added_model_is_listed_and_accepted_by_name(self):
        self.assertNotIn("my_hybrid", self.listed())
        self.assertIn("added as", self.succeeds("models", "add", self.write()))
        self.assertFalse(self.listed()["my_hybrid"]["built_in"])
        self.assertEqual(self.listed("my_hybrid")["my_hybrid"]["blocks"], 4)
        self.assertTrue((self.home / "models" / "my_hybrid.json").exists())

    def test_the_same_model_again_changes_nothing(self):
        self.succeeds("models", "add", self.write())
        self.assertIn("is already", self.succeeds("models", "add", self.write()))

    def test_what_is_no_model_is_refused_with_the_place(self):
        self.refused(4, "/kv_heads: 4, expected a divisor of heads", "models", "add", self.write(kv_heads=4))
        self.refused(4, "/blocks/1: \"mamba\", expected", "models", "add", self.write(blocks=["conv", "mamba"]))
        self.refused(4, "cannot be read", "models", "add", self.folder / "none.json")
        self.refused(4, "another model already .built in", "models", "add", self.write(name="coreflow_1_9m"))
        self.succeeds("models", "add", self.write())
        self.refused(4, "another model already", "models", "add", self.write(ff=100))
        self.assertEqual([path.name for path in (self.home / "models").iterdir()], ["my_hybrid.json"])

    def test_a_submission_is_no_model_and_a_model_no_submission(self):
        result = self.tokroof("validate", self.write())
        self.assertEqual(result.returncode, 4)
        self.assertIn("/schema", result.stdout)


class Export(Command):
    def test_files_have_the_published_sizes_and_the_digest_that_is_printed(self):
        for bytes_, arguments in ((1965250, ["coreflow_1_9m", "--with-draft-head"]), (1935202, ["coreflow_1_9m"]),
                                  (12773890, ["coreflow_12_6m"])):
            path = self.folder / f"{bytes_}.i8"
            told = json.loads(self.succeeds("models", "export", arguments[0], path, *arguments[1:], "--json"))
            self.assertEqual(path.stat().st_size, bytes_)
            self.assertEqual(told["file_bytes"], bytes_)
            self.assertEqual(told["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())

    def test_seeds_make_different_weights_and_the_same_seed_the_same(self):
        def export(name, *arguments):
            self.succeeds("models", "export", "coreflow_x128kib", self.folder / name, *arguments)
            return (self.folder / name).read_bytes()
        self.assertEqual(export("a"), export("b", "--seed", "1"))
        self.assertNotEqual(export("c", "--seed", "2"), export("d"))

    def test_a_file_is_overwritten_only_when_forced(self):
        path = self.folder / "weights.i8"
        path.write_text("precious")
        self.refused(2, "--force", "models", "export", "coreflow_x128kib", path)
        self.assertEqual(path.read_text(), "precious")
        self.succeeds("models", "export", "coreflow_x128kib", path, "--force")
        self.assertGreater(path.stat().st_size, 100000)

    def test_a_full_disk_is_one_line_and_leaves_nothing_behind(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        self.refused(7, "weights.i8: cannot be written .*free some space", "models", "export", "coreflow_x128kib",
                     self.folder / "weights.i8", preexec_fn=limit)
        self.assertEqual(list(self.folder.iterdir()), [])
        precious = self.folder / "old.i8"
        precious.write_text("precious")
        self.refused(7, "cannot be written", "models", "export", "coreflow_x128kib", precious, "--force",
                     preexec_fn=limit)
        self.assertEqual(precious.read_text(), "precious")
        self.assertEqual(list(self.folder.iterdir()), [precious])

    def test_a_folder_that_may_not_be_written_is_one_line(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        self.folder.chmod(0o755)
        plain_user = (lambda: os.setresuid(65534, 65534, 65534)) if os.geteuid() == 0 else None
        self.refused(7, "closed/weights.i8: cannot be written .Permission denied", "models", "export",
                     "coreflow_x128kib", closed / "weights.i8", preexec_fn=plain_user)
        self.assertEqual(list(closed.iterdir()), [])

    def test_a_draft_head_that_the_model_has_not_is_refused(self):
        self.refused(2, "has no draft head", "models", "export", "coreflow_12_6m", self.folder / "x.i8",
                     "--with-draft-head")


class Decode(Command):
    def decoded(self, *arguments):
        document = json.loads(self.succeeds("decode", *arguments, "--launches", 2, "--json"))
        self.assertTrue(all(series["status"] == "ok" for launch in document["launches"]
                            for series in launch["series"]), document["launches"])
        return document

    def test_an_added_model_decodes_and_the_document_has_no_expected_digest(self):
        self.succeeds("models", "add", self.write())
        document = self.decoded("my_hybrid")
        self.assertEqual(document["plans"][0]["model"], "my_hybrid")
        self.assertNotIn("golden", document["plans"][0])
        self.assertEqual(len({launch["golden_got"] for launch in document["launches"]}), 1)

    def test_a_model_of_the_family_decodes_on_every_table_alike(self):
        got = {launch["golden_got"] for isa in ("scalar", None)
               for launch in self.decoded("coreflow_x256kib", "--positions", "0:31",
                                          *(["--isa", isa] if isa else []))["launches"]}
        self.assertEqual(len(got), 1)

    def test_weights_that_are_no_file_are_refused_instead_of_waited_for(self):
        pipe = self.folder / "pipe.i8"
        os.mkfifo(pipe)
        for path, what in ((pipe, "named pipe"), (self.folder, "folder"), ("/dev/zero", "device"), (self.folder / "none", "cannot be read")):
            result = subprocess.run([TOKROOF, "decode", "coreflow_1_9m", "--weights", str(path), "--positions", "0:1"],
                                    capture_output=True, text=True, timeout=60, check=False,
                                    env={**os.environ, "TOKROOF_HOME": str(self.folder / "home")})
            self.assertEqual((result.returncode, result.stdout), (4, ""), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(what, result.stderr)
            self.assertIn(str(path), result.stderr)

    def test_exported_weights_decode_as_the_synthetic_ones_do(self):
        path = self.folder / "weights.i8"
        self.succeeds("models", "export", "coreflow_1_9m", path, "--with-draft-head")
        of_file = self.decoded("--weights", path, "--positions", "0:31")
        synthetic = self.decoded("coreflow_1_9m", "--positions", "0:31")
        self.assertEqual(of_file["launches"][0]["golden_got"], synthetic["launches"][0]["golden_got"])
        self.assertEqual(of_file["plans"][0]["weights"], hashlib.sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    unittest.main()
