"""The issue channel as a user meets it: submit, ingest, failure. Run by ctest: submit_test.py TOKROOF CLASS..."""
import getpass
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
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
        self.fails(2, "is empty", "submit", self.document, "--repository", "", "--send")
        for repository in ("x", "a/b/c", "/x", "x/", "-R/x", "a/-b", "a b/c", "https://github.com/a/b", "a/..", "$(id)/x", "ü/x"):
            self.fails(2, "OWNER/NAME", "submit", self.document, "--repository", repository, "--send")
        self.fails(2, "", "submit", self.document, "--send")
        self.fails(2, "", "submit", self.document, "--send", "--preview", "--repository", "o/r")
        self.fails(4, "cannot be read", "submit", self.home / "none.json", "--preview")
        self.fails(4, "", "submit", self.home, "--preview")
        self.assertFalse((self.home / "sent").exists())

    def test_a_name_with_a_newline_forges_no_line(self):
        folder = self.home / "named"
        folder.mkdir()
        shutil.copy(self.document, folder / "a\n+ forged: stored.json")
        (folder / "b\n+ forged: stored.json").write_text("{}")
        said = self.tokroof("ingest", folder).stdout
        self.assertEqual(len(said.splitlines()), 2, said)
        self.assertEqual(said.count("?+ forged"), 2, said)

    def test_an_interrupted_run_can_not_be_submitted(self):
        partial = self.home / "partial.json"
        partial.write_text('{"interrupted":true,"measured":{},"reason":"x","schema":"tokroof/partial/1"}\n')
        for command in (["submit", partial, "--preview"], ["submit", partial, "--repository", "o/r", "--send"]):
            self.fails(4, "a run that did not end is no result.*tokroof failure new --from", *command)
        self.assertIn("is no result", self.tokroof("ingest", partial).stdout)


class Failure(Home):
    """Failures of which nothing was measured: a document of this machine."""

    def made(self, *arguments, **environment):
        result = self.tokroof("failure", "new", "--json", *arguments, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        [path] = [path for path in (self.home / "submissions").rglob("*.json") if path.read_text() == result.stdout]
        return document, path

    def test_a_failure_is_first_class(self):
        document, path = self.made("--claimed", "it builds", "--observed", "it did not", "--source", "https://example.org/x",
                                   "--stage", "build", "--exit-code", "2")
        failure = document["failure"]
        self.assertEqual([document["kind"], document["protocol"]], ["failure", "failure"])
        self.assertEqual([failure[key] for key in ("claimed", "observed", "source", "stage", "exit_code")],
                         ["it builds", "it did not", "https://example.org/x", "build", 2])
        self.assertEqual(self.tokroof("validate", path).returncode, 0)
        [listed] = json.loads(self.tokroof("store", "list", "--json").stdout)
        self.assertEqual(listed["kind"], "failure")
        self.assertEqual(self.tokroof("store", "show", "1", "--json").stdout, path.read_text())
        self.assertEqual(self.tokroof("store", "check").returncode, 0)
        self.assertRegex(self.tokroof("show").stdout, r"(?s)^failure of .*\nclaimed +it builds\n.*\nstage +build, exit code 2\n.*nothing was measured\n$")
        body = self.home / "body"
        body.write_text(self.tokroof("submit", path, "--preview").stdout)
        taken = self.tokroof("ingest", "--issue-body", body, "--db", self.home / "other.sqlite", "--json")
        self.assertEqual([one["state"] for one in json.loads(taken.stdout)], ["stored"])
        self.assertEqual(json.loads(self.tokroof("ingest", path, "--json").stdout)[0]["state"], "already_there")
        address = self.tokroof("submit", path, "--repository", "o/r").stdout
        self.assertIn("template=failure.yml&labels=submission%2Cfailure&title=failure%20", address)

    def test_nothing_private_is_in_it(self):
        secrets = ["Engine-17", "ada_l", "/srv/people/ada_l", "00:1a:2b:3c:4d:5e", "10.1.2.3", "fe80::1c2d:3eff:fe4f:5a6b",
                   "/mnt/secret project/x.gguf", "ada@example.org", "123e4567-e89b-12d3-a456-426614174000",
                   "ghp_0123456789abcdefABCDEF"]
        log = self.home / "a log"
        real = [name for name in (getpass.getuser(), socket.gethostname(), os.path.expanduser("~")) if name not in ("root", "/")]
        log.write_text("".join(f"error at '{secret}': no\n" for secret in secrets[1:] + real) + "on (" + socket.gethostname() + ")\n")
        document, path = self.made("--claimed", " ".join(secrets[1:]), "--observed", "ada_l", "--log", log,
                                   USER="ada_l", HOME="/srv/people/ada_l", LOGNAME="ada_l")
        text = path.read_text()
        for secret in secrets[1:] + real + ["secret project", "people"]:
            self.assertNotRegex(text, r"(?<![A-Za-z0-9])" + re.escape(secret) + r"(?![A-Za-z0-9])")
        self.assertNotRegex(text.lower(), r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
        self.assertIn("error at '(path)': no\n", document["failure"]["log_excerpt"])
        self.assertEqual(self.tokroof("validate", path).returncode, 0)

    def test_a_document_with_words_that_were_not_scrubbed_is_refused(self):
        document, path = self.made("--claimed", "a", "--observed", "b")
        document["failure"]["log_excerpt"] = "at /home/ada/x"
        edited = self.home / "edited.json"
        edited.write_text(json.dumps(document))
        result = self.tokroof("validate", edited)
        self.assertEqual(result.returncode, 4)
        self.assertIn("R21 /failure/log_excerpt", result.stdout)
        self.assertNotIn("ada", result.stdout)
        self.assertIn("R21", self.tokroof("explain", "R21").stdout)

    def test_bad_command_lines_are_one_line(self):
        new = ["failure", "new", "--claimed", "x"]
        self.fails(2, "", "failure")
        self.fails(2, "claimed", "failure", "new")
        self.fails(2, "--observed", *new)
        self.fails(2, "--claimed", "failure", "new", "--claimed", " ", "--observed", "b")
        self.fails(2, "", *new, "--observed", "b", "--exit-code", "300")
        self.fails(2, "--stage", *new, "--observed", "b", "--stage", "s" * 65)
        self.fails(4, "cannot be read", *new, "--from", self.home / "none.json")
        self.fails(4, "cannot be read", *new, "--observed", "b", "--log", self.home / "none")
        self.fails(4, "", *new, "--from", self.home)
        self.fails(4, "of kind import", *new, "--from", self.document)
        for text in ("", "{}", '{"interrupted":true}', '{"interrupted":true,"schema":"tokroof/partial/1"}', "[" * 100_000, "\x00"):
            broken = self.home / "broken.json"
            broken.write_text(text)
            self.fails(4, "", *new, "--from", broken)
        self.assertEqual(list((self.home / "submissions").rglob("*.json")) if (self.home / "submissions").exists() else [], [])

    def test_a_dry_run_writes_nothing(self):
        result = self.tokroof("failure", "new", "--claimed", "a", "--observed", "b", "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((self.home / "submissions").exists())
        self.assertFalse((self.home / "store.sqlite").exists())


class Sign(Home):
    """Signatures of ours and of minisign itself, where it is installed."""

    SIGNATURES = ROOT / "harness/testdata/signatures"

    def sign(self, *arguments, **options):
        return self.tokroof("submit", self.document, "--sign", self.SIGNATURES / "plain.key", *arguments, **options)

    def test_a_signed_document_is_verified_and_a_changed_one_is_not(self):
        signed = self.sign()
        self.assertEqual((signed.returncode, signed.stdout), (0, ""), signed.stderr)
        self.assertIn(f"signed: {self.document}.minisig", signed.stderr)
        public = self.SIGNATURES / "plain.pub"
        line = public.read_text().splitlines()[1]
        for key in (public, line):
            result = self.tokroof("verify", self.document, "--key", key, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            told = json.loads(result.stdout)
            self.assertEqual(told["key"], "305192DDE10A0CB8")
            self.assertRegex(told["trusted_comment"], "^content [0-9a-f]{64}$")
        self.fails(3, "signed with key 305192DDE10A0CB8, not with", "verify", self.document, "--key", self.SIGNATURES / "locked.pub")
        self.document.write_text(self.document.read_text().replace("import", "impost", 1))
        self.fails(3, "not the one that was signed", "verify", self.document, "--key", public)

    def test_a_signature_travels_with_an_issue_and_is_verified_there(self):
        public, locked = self.SIGNATURES / "plain.pub", self.SIGNATURES / "locked.pub"
        bodies = {}
        for compact in ([], ["--compact"]):
            body = self.sign("--preview", *compact).stdout
            bodies[bool(compact)] = body
            self.assertEqual(body.count("```"), 2)
            for text in (body, body.replace("\n", "\r\n"), "\n".join("> " + line for line in body.split("\n")),
                         "Hello\n\n" + body + "\n-- \nA signature\n"):
                (self.home / "issue").write_text(text)
                [outcome] = json.loads(self.tokroof("ingest", "--issue-body", self.home / "issue", "--json").stdout)
                self.assertRegex(outcome["signed_by"], "^[0-9A-F]{16} sha256:[0-9a-f]{64}$")
            self.assertIn("signed with key " + outcome["signed_by"],
                          self.tokroof("ingest", "--issue-body", self.home / "issue", "--key", public).stdout)
            refused = self.tokroof("ingest", "--issue-body", self.home / "issue", "--key", locked)
            self.assertEqual((refused.returncode, refused.stderr), (4, ""))
            self.assertIn("signed with key 305192DDE10A0CB8, not with", refused.stdout)
        plain = bodies[False]
        for bad, what in ((re.sub(r'("created_utc":"20..-..-..T..:..:)(..)', r'\g<1>59', plain), "does not hold"),
                          (plain.replace("tokroof-minisig-base64\n", "tokroof-minisig-base64\n!"), "not whole"),
                          (re.sub(r"(tokroof-minisig-base64\n)[^`]*", r"\g<1>QUFB\n", plain), "not whole"),
                          (re.sub(r"(tokroof-minisig-base64\n.{40})[^`]*", r"\g<1>\n", plain), "not whole|no minisign")):
            (self.home / "issue").write_text(bad)
            refused = self.tokroof("ingest", "--issue-body", self.home / "issue")
            self.assertEqual(refused.returncode, 4, refused.stdout)
            self.assertRegex(refused.stdout, what)
        (self.home / "issue").write_text(self.tokroof("submit", self.document, "--preview").stdout)
        [outcome] = json.loads(self.tokroof("ingest", "--issue-body", self.home / "issue", "--json").stdout)
        self.assertEqual(outcome["signed_by"], "")
        refused = self.tokroof("ingest", "--issue-body", self.home / "issue", "--key", public)
        self.assertEqual(refused.returncode, 4)
        self.assertIn("not signed", refused.stdout)
        self.fails(2, "--key", "ingest", self.document, "--key", public)

    def test_what_minisign_signed_is_verified(self):
        result = self.tokroof("verify", self.SIGNATURES / "signed.txt", "--key", self.SIGNATURES / "plain.pub")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("of a test", result.stdout)
        older = self.tokroof("verify", self.SIGNATURES / "signed.txt", "--key", self.SIGNATURES / "plain.pub", "--signature",
                             self.SIGNATURES / "signed_legacy.minisig")
        self.assertEqual(older.returncode, 0, older.stderr)

    @unittest.skipUnless(shutil.which("minisign"), "minisign is not installed")
    def test_minisign_verifies_what_is_signed_here_and_the_other_way_round(self):
        self.sign()
        checked = subprocess.run(["minisign", "-V", "-m", self.document, "-p", self.SIGNATURES / "plain.pub"], text=True,
                                 capture_output=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn("content ", checked.stdout)
        subprocess.run(["minisign", "-S", "-m", self.document, "-s", self.SIGNATURES / "plain.key"], check=True, capture_output=True)
        self.assertEqual(self.tokroof("verify", self.document, "--key", self.SIGNATURES / "plain.pub").returncode, 0)

    def test_the_password_of_a_key_is_asked_and_not_told(self):
        key = self.SIGNATURES / "locked.key"
        signed = self.tokroof("submit", self.document, "--sign", key, text="hello\n")
        self.assertEqual(signed.returncode, 0, signed.stderr)
        self.assertNotIn("hello", signed.stderr)
        self.assertEqual(self.tokroof("verify", self.document, "--key", self.SIGNATURES / "locked.pub").returncode, 0)
        self.assertEqual(self.tokroof("submit", self.document, "--sign", key, text="").returncode, 4)

    def test_only_canonical_bytes_are_signed(self):
        self.document.write_text(json.dumps(json.loads(self.document.read_text()), indent=1))
        result = self.fails(4, "not as tokroof writes it", "submit", self.document, "--sign", self.SIGNATURES / "plain.key")
        self.assertFalse(pathlib.Path(f"{self.document}.minisig").exists(), result.stderr)

    def test_bad_command_lines_are_one_line(self):
        public = self.SIGNATURES / "plain.pub"
        self.fails(4, "minisig: cannot be read", "verify", self.document, "--key", public)
        self.fails(2, "key", "verify", self.document)
        self.sign()
        self.fails(4, "cannot be read", "verify", self.document, "--key", "RWnothing")
        self.fails(4, "no minisign public key", "verify", self.document, "--key", self.document)
        self.fails(4, "", "verify", self.document, "--key", self.home)
        self.fails(4, "no minisign signature", "verify", self.document, "--key", public, "--signature", self.document)
        self.fails(4, "no minisign secret key", "submit", self.document, "--sign", public)
        self.fails(4, "cannot be read", "submit", self.document, "--sign", self.home / "none")


class DyingRun(Home):
    """Real runs whose measuring process is killed, and what is told of them."""

    def test_a_run_that_dies_offers_the_exact_command_and_it_works(self):
        run = subprocess.Popen([TOKROOF, "run", "--quick"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TOKROOF_HOME=str(self.home)))
        deadline = time.monotonic() + 60
        killed = 0
        while run.poll() is None and time.monotonic() < deadline and not killed:
            for child in pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
                if b"decode" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGSEGV)
                    killed = int(child)
            time.sleep(0.001)
        out, err = run.communicate(timeout=120)
        self.assertTrue(killed)
        self.assertEqual((run.returncode, out), (1, ""), err)
        offers = [line for line in err.splitlines() if "tokroof failure new" in line]
        self.assertEqual(len(offers), 1, err)
        command = offers[0].split("to tell others: ")[1]
        [partial] = (self.home / "partial").glob("*.json")
        self.assertEqual(self.tokroof("submit", partial, "--preview").returncode, 4)
        folder = self.home / "path"
        folder.mkdir()
        (folder / "tokroof").symlink_to(TOKROOF)
        made = subprocess.run(["sh", "-c", command + " --json"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, TOKROOF_HOME=str(self.home), PATH=f"{folder}:{os.environ['PATH']}"))
        self.assertEqual(made.returncode, 0, made.stderr)
        document = json.loads(made.stdout)
        self.assertEqual([document["kind"], document["protocol"], document["failure"]["exit_code"]], ["failure", "quick", 1])
        self.assertIn("signal 11", document["failure"]["observed"])
        self.assertEqual(document["launches"][0]["purpose"], "probes")
        path = self.home / "failure.json"
        path.write_text(made.stdout)
        self.assertEqual(self.tokroof("validate", path).returncode, 0)
        self.assertEqual(json.loads(self.tokroof("store", "list", "--json").stdout)[0]["kind"], "failure")


if __name__ == "__main__":
    TOKROOF = sys.argv.pop(1)
    unittest.main(verbosity=2)
