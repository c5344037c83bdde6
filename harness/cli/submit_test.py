"""The issue channel as a user meets it: submit, ingest, failure. Run by ctest: submit_test.py TOKROOF CLASS..."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORTS = ROOT / "harness/testdata/imports"
TOKROOF = ""


class Home(unittest.TestCase):
    """A home of its own, and a document in it."""

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.home)
        self.document = self.imported("readme_b5163_or_later.json")
        self.path = f"{self.home}/bin:{os.environ['PATH']}"

    def tokroof(self, *arguments, text=None, **environment):
        environment = {"PATH": self.path if hasattr(self, "path") else os.environ["PATH"]} | environment
        return subprocess.run([TOKROOF, *map(str, arguments)], text=True, input=text, capture_output=True, check=False,
                              timeout=120, env=dict(os.environ, TOKROOF_HOME=str(self.home)) | environment)

    def imported(self, name):
        made = self.tokroof("import", "--from", "llama-bench", IMPORTS / name, "--json", "--dry-run")
        path = self.home / f"{name}.document.json"
        path.write_text(made.stdout)
        json.loads(made.stdout)
        return path

    def fails(self, code, pattern, *arguments, **environment):
        """The command ends with this code and one line that matches."""
        result = self.tokroof(*arguments, **environment)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertRegex(result.stderr, "^tokroof: error: .*" + pattern)
        return result


class Submit(Home):
    def fake_gh(self, body="echo https://github.com/octo-org/tokroof/issues/42"):
        """A gh that keeps its arguments and the body it was given."""
        path = self.home / "bin/gh"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" >{self.home}/arguments\nread -t 1 line && echo "$line" >{self.home}/asked\n'
                        f'while [[ $# -gt 0 ]]; do [[ $1 == --body-file ]] && cat "$2" >{self.home}/sent; shift; done\n{body}\n')
        path.chmod(0o755)

    def sent(self):
        return (self.home / "sent").read_bytes().decode()

    def test_what_is_sent_is_what_the_preview_shows(self):
        self.fake_gh()
        for options in ([], ["--compact"]):
            preview = self.tokroof("submit", self.document, "--preview", *options)
            result = self.tokroof("submit", self.document, "--repository", "octo-org/tokroof", "--send", *options)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, "https://github.com/octo-org/tokroof/issues/42\n")
            self.assertEqual(self.sent(), preview.stdout)
            arguments = (self.home / "arguments").read_text().splitlines()
            self.assertEqual(arguments[:4], ["issue", "create", "--repo", "octo-org/tokroof"])
            self.assertRegex(arguments[5], "^import [0-9a-f]{12}$")
            self.assertEqual(arguments[-4:], ["--label", "submission", "--label", "reproduction"])
        self.assertFalse((self.home / "asked").exists(), "gh must not read our stdin")

    def test_what_is_sent_comes_back_as_the_same_document(self):
        self.fake_gh()
        self.tokroof("submit", self.document, "--repository", "o/r", "--send")
        taken = self.tokroof("ingest", "--issue-body", self.home / "sent", "--json")
        self.assertEqual(taken.returncode, 0, taken.stderr)
        digest = json.loads(taken.stdout)[0]["content_sha256"]
        self.assertEqual(self.tokroof("store", "show", digest[:12], "--json").stdout, self.document.read_text())

    def test_without_gh_the_error_tells_the_other_way(self):
        empty = self.home / "empty"
        empty.mkdir()
        result = self.fails(6, "gh is not installed", "submit", self.document, "--repository", "o/r", "--send", PATH=str(empty))
        address, path = re.search(r"open (https://\S+) and paste (\S+) there", result.stderr).groups()
        self.assertIn("template=reproduction.yml", address)
        self.assertIn("labels=submission%2Creproduction", address)
        self.assertLessEqual(len(address), 8191)
        self.assertEqual(pathlib.Path(path).read_text(), self.tokroof("submit", self.document, "--preview").stdout)

    def test_a_gh_that_fails_is_said_with_its_own_words(self):
        for body, word in (("echo 'HTTP 401: Bad credentials' >&2; exit 4", "gh ended with 4"), ("kill -KILL $$", "signal 9")):
            self.fake_gh(body)
            result = self.tokroof("submit", self.document, "--repository", "o/r", "--send")
            self.assertEqual((result.returncode, result.stdout), (6, ""))
            self.assertIn(word, result.stderr)
            self.assertIn("nothing was sent", result.stderr)
        not_a_program = self.home / "bin/gh"
        not_a_program.write_text("")
        not_a_program.chmod(0o644)
        self.assertEqual(self.tokroof("submit", self.document, "--repository", "o/r", "--send").returncode, 6)

    def test_nothing_is_sent_unless_told(self):
        self.fake_gh()
        for options in (["--preview"], ["--repository", "o/r"], ["--preview", "--repository", "o/r"]):
            self.assertEqual(self.tokroof("submit", self.document, *options).returncode, 0)
        self.assertFalse((self.home / "sent").exists())

    def test_the_address_carries_no_data(self):
        result = self.tokroof("submit", self.document, "--repository", "octo-org/tokroof")
        address = result.stdout.splitlines()[0]
        self.assertRegex(address, r"^https://github\.com/octo-org/tokroof/issues/new\?template=reproduction\.yml"
                                  r"&labels=submission%2Creproduction&title=import%20[0-9a-f]{12}$")

    def test_bad_command_lines_are_one_line(self):
        self.fake_gh()
        for repository in ("", "x", "a/b/c", "/x", "x/", "-R/x", "a/-b", "a b/c", "https://github.com/a/b", "a/..", "$(id)/x", "ü/x"):
            self.fails(2, "OWNER/NAME", "submit", self.document, "--repository", repository, "--send")
        self.fails(2, "", "submit", self.document, "--send")
        self.fails(2, "", "submit", self.document, "--send", "--preview", "--repository", "o/r")
        self.fails(4, "cannot be read", "submit", self.home / "none.json", "--preview")
        self.fails(4, "", "submit", self.home, "--preview")
        self.assertFalse((self.home / "sent").exists())

    def test_an_interrupted_run_can_not_be_submitted(self):
        partial = self.home / "partial.json"
        partial.write_text('{"interrupted":true,"measured":{},"reason":"x","schema":"tokroof/partial/1"}\n')
        for command in (["submit", partial, "--preview"], ["submit", partial, "--repository", "o/r", "--send"]):
            self.fails(4, "a run that did not end is no result.*tokroof failure new --from", *command)
        self.assertIn("is no result", self.tokroof("ingest", partial).stdout)


if __name__ == "__main__":
    TOKROOF = sys.argv.pop(1)
    unittest.main(verbosity=2)
