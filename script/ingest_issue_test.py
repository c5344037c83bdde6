#!/usr/bin/env python3
"""Runs script/ingest-issue on payloads of `issues` events, friendly and hostile, with the built tokroof, in git
repositories of its own; and reads the workflows and issue forms. Run by ctest: ingest_issue_test.py TOKROOF CLASS..."""
import copy
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

try:
    import yaml
except ImportError:
    yaml = None

SCRIPTS = pathlib.Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
TOKROOF = ""
EVENT = json.loads((SCRIPTS / "testdata/issues_opened.json").read_text())
FORM = ("### Submission\n\n{}\n\n### Remarks\n\n{}\n\n### Before you send it\n\n"
        "- [X] `tokroof validate RESULT.json` says valid\n- [X] It is what tokroof wrote, unedited\n")
EVIL = ["`; touch {0}; `", "$(touch {0})", "${{{{ github.token }}}}", "'; touch {0} #", "\"; touch {0}; \"", "| touch {0}",
        "\n::set-env name=PATH::/evil\n", "@everyone @octocat", "[click](https://evil.example)", "<img src=x onerror=1>",
        "<!-- -->", "\u202egnp.exe", "fixes #1", "--repo /etc", "-rf"]


def tokroof(*arguments, home, text=None):
    environment = dict(os.environ, TOKROOF_HOME=str(home))
    return subprocess.run([TOKROOF, *map(str, arguments)], env=environment, input=text, capture_output=True, text=True,
                          check=False, timeout=120)


def git(folder, *arguments):
    identity = {f"GIT_{role}_{what}": "a@b.invalid" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return subprocess.run(["git", "-C", str(folder), *arguments], env=dict(os.environ, **identity), check=True,
                          capture_output=True, text=True).stdout


def event(body, **changes):
    """A payload whose issue has this body; changes name members of the issue, or action."""
    made = copy.deepcopy(EVENT)
    made["action"] = changes.pop("action", "opened")
    if made["action"] == "edited":
        made["changes"] = {"body": {"from": "before"}}
    made["issue"]["body"] = body
    login = changes.pop("login", None)
    if login:
        made["issue"]["user"]["login"] = made["sender"]["login"] = login
    made["issue"].update(changes)
    return made


class Channel(unittest.TestCase):
    """A folder with documents, and a repository with a remote."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        imports = ROOT / "harness/testdata/imports"
        cls.good = cls.imported("llama-bench", imports / "readme_b5163_or_later.json")
        cls.other = cls.imported("llama-bench", imports / "md_ryzen7950x_llama3.2_1b.md")
        too_fast = cls.folder / "too_fast.md"
        too_fast.write_text(
            "| model | size | params | backend | threads | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n"
            "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CPU | 8 | tg128 | 9000.00 ± 1.00 |\n")
        cls.refuted = cls.imported("llama-bench", too_fast, "--cpu", "AMD Ryzen 9 7950X")

    @classmethod
    def imported(cls, program, path, *more):
        made = tokroof("import", "--from", program, path, "--json", "--dry-run", *more, home=cls.folder / "home")
        document = cls.folder / (path.stem + ".document.json")
        document.write_text(made.stdout)
        json.loads(made.stdout)
        return document

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.remote, self.repo = self.here / "remote", self.here / "repo"
        git(self.here, "init", "--quiet", "--bare", "--initial-branch=main", str(self.remote))
        git(self.here, "clone", "--quiet", str(self.remote), str(self.repo))
        git(self.repo, "checkout", "--quiet", "-B", "main")
        (self.repo / "README").write_text("a repository\n")
        git(self.repo, "add", "README")
        git(self.repo, "commit", "--quiet", "-m", "begin")
        git(self.repo, "push", "--quiet", "origin", "HEAD:main")
        self.begin = git(self.repo, "rev-parse", "HEAD").strip()
        self.comments = self.here / "comments"
        self.comments.mkdir()
        self.fake_gh()

    def fake_gh(self, body="exit 0"):
        """A gh that keeps what it was called with, and the comment."""
        folder = self.here / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / "gh"
        path.write_text(f'#!/bin/bash\nn=$(ls {self.comments} | wc -l)\nprintf "%s\\n" "$@" >{self.comments}/$n\n'
                        f'all="$*"\nwhile [[ $# -gt 0 ]]; do [[ $1 == --body-file ]] && cp "$2" {self.here}/comment\n'
                        f'[[ $1 == body=@* ]] && cp "${{1#body=@}}" {self.here}/edited; shift; done\n{body}\n')
        path.chmod(0o755)

    def run_script(self, payload, *options, repo=None, **environment):
        path = self.here / "event.json"
        path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
        variables = dict(os.environ, TOKROOF=TOKROOF, PATH=f"{self.here}/bin:{os.environ['PATH']}") | environment
        return subprocess.run([str(SCRIPTS / "ingest-issue"), str(path), "--repo", str(repo or self.repo), *options],
                              env=variables, capture_output=True, check=False, timeout=120, cwd=self.here,
                              encoding="utf-8")

    def body(self, document, *options):
        made = tokroof("submit", document, "--preview", *options, home=self.folder / "home")
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def stored(self, repo=None):
        folder = (repo or self.repo) / "submissions"
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))

    def assert_untouched(self):
        self.assertEqual(git(self.repo, "rev-parse", "HEAD").strip(), self.begin)
        self.assertEqual(git(self.repo, "status", "--porcelain"), "")

    def assert_inert(self, text):
        """Outside of code spans nothing of a comment may mention, link, refer or be a tag or a command of the runner."""
        self.assertNotIn("\n::", "\n" + text)
        plain = re.sub(r"`[^`\n]*`", "", text)
        self.assertNotIn("`", plain)
        for bad in ("@", "://", "<", "#", "${{", "$(", "evil", "\u202e", "]("):
            self.assertNotIn(bad, plain)


class Issues(Channel):
    def test_an_opened_issue_is_committed_with_its_sender_and_answered(self):
        result = self.run_script(event(self.body(self.good)))
        self.assertEqual(result.returncode, 0, result.stderr)
        [name] = self.stored()
        self.assertRegex(name, r"^[0-9]{8}/import-[0-9a-f]{8}\.json$")
        self.assertEqual((self.repo / "submissions" / name).read_text(), self.good.read_text())
        origin = json.loads((self.repo / "submissions" / name).with_suffix(".origin").read_text())
        self.assertEqual(origin, {"author": "octocat", "id": 583231, "issue": 42})
        self.assertIn(f"**Accepted** as `submissions/{name}`", result.stdout)
        self.assert_inert(result.stdout)
        self.assertEqual(git(self.repo, "status", "--porcelain"), "")
        self.assertEqual(git(self.repo, "log", "--format=%s", "-1").strip(),
                         f"submissions: take {name[9:-5]} of issue 42")

    def test_a_signed_document_says_with_which_key(self):
        keys = ROOT / "harness/testdata/signatures"
        body = self.body(self.good, "--sign", keys / "plain.key")
        result = self.run_script(event(body))
        self.assertRegex(result.stdout, r"evidence level `[A-D]`, signed with key `305192DDE10A0CB8 sha256:[0-9a-f]{64}`")
        [name] = self.stored()
        origin = json.loads((self.repo / "submissions" / name).with_suffix(".origin").read_text())
        self.assertRegex(origin.pop("signed_by"), "^305192DDE10A0CB8 sha256:[0-9a-f]{64}$")
        self.assertEqual(origin, {"author": "octocat", "id": 583231, "issue": 42})
        taken = tokroof("ingest", self.repo / "submissions", "--json", home=self.here / "home")
        self.assertEqual([one["author"] for one in json.loads(taken.stdout)], ["octocat#583231"])
        other = self.run_script(event(self.body(self.other).replace("```\n", "tokroof-minisig-base64\n" + body.partition(
            "tokroof-minisig-base64\n")[2]), number=43))
        self.assertIn("**Refused.**", other.stdout)
        self.assertIn("does not hold", other.stdout)
        self.assertIn(", not signed", self.run_script(event(self.body(self.other), number=44)).stdout)

    def test_who_is_renamed_stays_the_same_author(self):
        for document, login, number in ((self.good, "ada", 43), (self.other, "ada-renamed", 44)):
            result = self.run_script(event(self.body(document), login=login, number=number))
            self.assertEqual(result.returncode, 0, result.stderr)
        origins = [json.loads((self.repo / "submissions" / name).with_suffix(".origin").read_text()) for name in self.stored()]
        self.assertEqual({origin["author"] for origin in origins}, {"ada", "ada-renamed"})
        self.assertEqual({origin["id"] for origin in origins}, {583231})
        home = self.here / "store"
        taken = tokroof("ingest", self.repo / "submissions", "--json", home=home)
        self.assertEqual({one["author"] for one in json.loads(taken.stdout)}, {"ada#583231", "ada-renamed#583231"})
        told = tokroof("query", "trust", "--json", home=home)
        self.assertEqual(told.returncode, 0, told.stderr)
        rows = json.loads(told.stdout)["tables"][0]["rows"]
        self.assertEqual([(row["state"], row["corroborated_by"]) for row in rows], [("plausible", None)] * 2)

    def test_a_second_event_on_the_issue_adds_nothing_and_says_the_same(self):
        body = self.body(self.good)
        first = self.run_script(event(body))
        head = git(self.repo, "rev-parse", "HEAD")
        for action in ("edited", "labeled", "reopened"):
            again = self.run_script(event(body + "\nthanks", action=action))
            self.assertEqual((again.returncode, again.stdout), (0, first.stdout), again.stderr)
        self.assertEqual(git(self.repo, "rev-parse", "HEAD"), head)

    def test_the_same_document_in_another_issue_counts_once(self):
        self.run_script(event(self.body(self.good)))
        head = git(self.repo, "rev-parse", "HEAD")
        again = self.run_script(event(self.body(self.good, "--compact"), number=43, login="someone-else"))
        self.assertIn("**Already there**", again.stdout)
        self.assertIn("R06", again.stdout)
        self.assertEqual(git(self.repo, "rev-parse", "HEAD"), head)
        self.assertEqual(len(self.stored()), 1)

    def test_an_edited_issue_with_another_document_is_another_document(self):
        self.run_script(event(self.body(self.good)))
        self.run_script(event(self.body(self.other), action="edited"))
        self.assertEqual(len(self.stored()), 2)

    def test_every_way_a_body_arrives_gives_the_same_document(self):
        plain = self.body(self.good)
        block = plain[plain.index("```"):]
        bodies = {
            "crlf": plain.replace("\n", "\r\n"),
            "packed": self.body(self.good, "--compact"),
            "form": FORM.format(plain, "_No response_"),
            "form, crlf": FORM.format(plain, "a\n```\nlog of mine\n```").replace("\n", "\r\n"),
            "form with a second block in the remarks": FORM.format(block, "```\nmy log\n### Submission\n```"),
            "quoted": "\n".join("> " + line for line in plain.splitlines()),
            "around it": f"Hello @everyone,\n\n{block}\n\n$(reboot) `reboot` ${{{{ github.token }}}}",
            "at the limit": plain + "x" * (65_000 - len(plain)),
        }
        seen = set()
        for name, body in bodies.items():
            result = self.run_script(event(body), "--dry-run")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("**Accepted**", result.stdout, name)
            self.assert_inert(result.stdout)
            seen.add(result.stdout)
        self.assertEqual(len(seen), 1)
        self.assert_untouched()

    def test_what_holds_no_document_is_refused_with_what_to_do(self):
        block = self.body(self.good)
        cases = {
            None: "0 fenced blocks", "": "0 fenced blocks", "hello": "0 fenced blocks", block + block: "2 fenced blocks",
            FORM.format("_No response_", "```\n{}\n```"): "0 fenced blocks",
            FORM.format(block, "") + FORM.format(block, ""): "2 fenced blocks",
            block[:-6]: "does not end", "```\n```": "empty", "```json\n{}\n```": "schema",
            "```json\n{\"a\":1,\"a\":2}\n```": "each key once", "```\n" + "x" * 65_000 + "\n```": "refused",
            "```text\ntokroof-zstd-base64\nAAAA\n```": "unpack", "```\n" + "[" * 20_000 + "\n```": "refused",
            "\ud800 ```": "0 fenced blocks", "```\n\x00\n```": "refused",
        }
        for body, word in cases.items():
            result = self.run_script(event(body))
            self.assertEqual(result.returncode, 0, (body, result.stderr))
            self.assertIn("**Refused.** Nothing was stored.", result.stdout)
            if word != "refused":
                self.assertIn(word, result.stdout)
            self.assertIn("edit the issue", result.stdout)
            self.assert_inert(result.stdout)
        self.assert_untouched()

    def test_an_attached_file_is_not_fetched_and_the_answer_says_what_to_do(self):
        for link in ("[result.json](https://github.com/user-attachments/files/17912345/result.json)",
                     "https://github.com/octo-org/tokroof/files/123/result.json"):
            result = self.run_script(event(FORM.format(link, "")))
            self.assertIn("**Not taken yet**: the document is attached", result.stdout)
            self.assertIn("--compact", result.stdout)
            self.assertNotIn("17912345", result.stdout)
            self.assert_inert(result.stdout.replace("issue 42", ""))
        self.assert_untouched()
        taken = self.run_script(event(FORM.format(link, "")), "--document", str(self.good))
        self.assertIn("**Accepted**", taken.stdout)
        self.assertEqual(len(self.stored()), 1)
        missing = self.run_script(event(""), "--document", str(self.here / "none.json"))
        self.assertEqual((missing.returncode, missing.stdout), (4, ""))

    def test_a_named_pipe_is_refused_instead_of_waited_for(self):
        pipe, empty = self.here / "pipe", self.here / "empty.json"
        os.mkfifo(pipe)
        empty.write_text(json.dumps(event("")))
        for arguments in ([pipe], [empty, "--document", pipe], [self.here], [empty, "--document", self.here]):
            result = subprocess.run([str(SCRIPTS / "ingest-issue"), *map(str, arguments), "--repo", str(self.repo)],
                                    env=dict(os.environ, TOKROOF=TOKROOF), stdin=subprocess.DEVNULL, text=True,
                                    capture_output=True, check=False, timeout=60)
            self.assertEqual((result.returncode, result.stdout), (4, ""), result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(str(arguments[-1]), result.stderr)
        piped = subprocess.run([str(SCRIPTS / "ingest-issue"), "/dev/stdin", "--dry-run", "--repo", str(self.repo)],
                               env=dict(os.environ, TOKROOF=TOKROOF), input=empty.read_text(), text=True,
                               capture_output=True, check=False, timeout=60)
        self.assertEqual(piped.returncode, 0, piped.stderr)
        self.assertIn("**Refused.**", piped.stdout)

    def test_an_implausible_document_is_not_committed_and_the_sum_is_shown(self):
        result = self.run_script(event(self.body(self.refuted)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("**Quarantined** as implausible", result.stdout)
        self.assertIn("P20", result.stdout)
        self.assert_inert(result.stdout)
        self.assert_untouched()

    def test_nothing_of_a_hostile_issue_is_run_or_echoed(self):
        trap = self.here / "trap"
        for evil in EVIL:
            evil = evil.format(trap)
            document = json.loads(self.good.read_text())
            document[evil] = evil
            for body in (evil, f"```{evil}\n{{}}\n```", f"```\n{json.dumps(document)}\n```", f"```\n{evil}\n```",
                         f"```\n{evil}", FORM.format(evil, evil)):
                result = self.run_script(event(body, title=evil, action="edited"))
                self.assertEqual(result.returncode, 0, (body, result.stderr))
                self.assertIn("**Refused.**", result.stdout)
                self.assert_inert(result.stdout)
            good = self.run_script(event(self.body(self.good) + evil.replace("`", ""), title=evil), "--dry-run")
            self.assertIn("**Accepted**", good.stdout)
            self.assert_inert(good.stdout)
        self.assertFalse(trap.exists())
        self.assert_untouched()

    def test_an_author_or_a_number_that_cannot_be_is_an_error_of_the_event(self):
        body = self.body(self.good)
        for changes in ({"login": "../../x"}, {"login": "a\nb"}, {"login": "$(id)"}, {"login": "x" * 60}, {"number": "7; id"},
                        {"number": None}, {"number": True}, {"number": -1}, {"user": {"login": None}}, {"user": {}}):
            result = self.run_script(event(body, **changes))
            self.assertEqual((result.returncode, result.stdout), (4, ""), changes)
            self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assert_untouched()
        for changes, author in (({"user": None}, "ghost"), ({"login": "renovate[bot]"}, "renovate[bot]"),
                                ({"login": "octo_corp"}, "octo_corp")):
            git(self.repo, "reset", "--quiet", "--hard", self.begin)
            self.assertEqual(self.run_script(event(body, **changes)).returncode, 0)
            [name] = self.stored()
            origin = json.loads((self.repo / "submissions" / name).with_suffix(".origin").read_text())
            self.assertEqual(origin["author"], author)

    def test_other_events_ask_for_nothing(self):
        body = self.body(self.good)
        of_a_comment = event(body) | {"action": "created", "comment": {"body": body}}
        of_a_pull = event(body, pull_request={"url": "https://api.github.com/repos/octo-org/tokroof/pulls/42"})
        push = {name: EVENT[name] for name in ("repository", "sender")} | {"ref": "refs/heads/main", "commits": []}
        cases = [of_a_comment, of_a_pull, push, {}, event(body) | {"issue": None}, event(body, labels=[]),
                 event(body, labels=None), event(body, labels=[{"name": "submissions"}, {"name": None}, None]),
                 event(body, labels="submission"), event(body, action="closed"), event(body, action="deleted"),
                 event(body, action=["opened"]), event(body, action=None)]
        for payload in cases:
            result = self.run_script(payload)
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
            self.assertIn("nothing to do", result.stderr)
        self.assert_untouched()

    def test_what_is_no_event_is_one_line_and_exit_code_4(self):
        for text in ("", "[]", "7", "{", "\x00", "[" * 100_000):
            result = self.run_script(text)
            self.assertEqual((result.returncode, result.stdout), (4, ""), text[:10])
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        (self.here / "event.json").unlink()
        gone = subprocess.run([str(SCRIPTS / "ingest-issue"), str(self.here / "event.json")], capture_output=True, text=True,
                              check=False)
        self.assertEqual(gone.returncode, 4)

    def test_without_a_repository_or_a_tokroof_it_says_so(self):
        payload = event(self.body(self.good))
        self.assertEqual(self.run_script(payload, repo=self.here).returncode, 6)
        self.assertEqual(self.run_script(payload, TOKROOF="/nonexistent").returncode, 6)

    def test_a_tokroof_that_fails_is_our_mistake_and_no_answer(self):
        broken = self.here / "broken"
        for body in ("exit 1", "kill -SEGV $$", "exit 7"):
            broken.write_text(f"#!/bin/bash\n{body}\n")
            broken.chmod(0o755)
            result = self.run_script(event(self.body(self.good)), TOKROOF=str(broken))
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)

    def test_a_file_of_the_same_first_digits_does_not_keep_a_document_out(self):
        self.run_script(event(self.body(self.good)))
        [name] = self.stored()
        (self.repo / "submissions" / name).write_text("{}\n")
        git(self.repo, "commit", "--quiet", "-am", "another document with these digits")
        result = self.run_script(event(self.body(self.good)))
        self.assertIn("**Accepted**", result.stdout)
        self.assertEqual(len(self.stored()), 2)


class Publishing(Channel):
    def called(self):
        return [path.read_text().splitlines() for path in sorted(self.comments.iterdir())]

    def remote_log(self):
        return git(self.remote, "log", "--format=%s", "main").splitlines()

    def test_the_commit_is_pushed_and_the_answer_left_as_the_one_comment(self):
        result = self.run_script(event(self.body(self.good)), "--publish")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(len(self.remote_log()), 2)
        listed, called = self.called()
        self.assertEqual(listed[:2], ["api", "graphql"])
        self.assertIn("number=42", listed)
        self.assertEqual(called[:4], ["issue", "comment", "42", "--body-file"])
        self.assertIn("**Accepted**", (self.here / "comment").read_text())

    def answered(self, *comments, edit="exit 0"):
        """What the last call of gh was, where the issue has these comments."""
        listing = self.here / "listing"
        listing.write_text("".join(json.dumps(dict(zip(("id", "viewerDidAuthor", "body"), one))) + "\n"
                                   for one in comments))
        self.fake_gh(f'[[ $all == *updateIssueComment* ]] && {{ {edit}; }}\n'
                     f'[[ $all == *viewerDidAuthor* ]] && cat {listing}\nexit 0')
        result = self.run_script(event("nothing"), "--publish")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.remote_log()), 1)
        return self.called()[-1]

    def test_the_first_answer_is_a_new_comment(self):
        self.assertEqual(self.answered()[:3], ["issue", "comment", "42"])
        text = (self.here / "comment").read_text()
        self.assertTrue(text.startswith("<!-- tokroof-ingest -->\n"), text)
        self.assertIn("**Refused.**", text)

    def test_what_the_caller_or_somebody_else_wrote_is_never_replaced(self):
        mark = "<!-- tokroof-ingest -->"
        called = self.answered(("A", True, "Thank you, I look at it."), ("B", False, f"{mark}\n**Accepted**"),
                               ("C", True, f"> {mark}\nwhy does it say this?"))
        self.assertEqual(called[:3], ["issue", "comment", "42"])
        self.assertNotIn("--edit-last", [word for call in self.called() for word in call])
        self.assertFalse((self.here / "edited").exists())

    def test_a_later_answer_replaces_the_earlier_one(self):
        called = self.answered(("A", True, "<!-- tokroof-ingest -->\n**Accepted**"), ("B", True, "Thank you."))
        self.assertIn("id=A", called)
        self.assertIn("**Refused.**", (self.here / "edited").read_text())
        self.assertFalse((self.here / "comment").exists())

    def test_where_the_earlier_answer_is_gone_a_new_one_is_left(self):
        called = self.answered(("A", True, "<!-- tokroof-ingest -->\n**Accepted**"), edit="exit 1")
        self.assertEqual(called[:3], ["issue", "comment", "42"])

    def test_a_comment_that_cannot_be_left_is_said(self):
        self.fake_gh("echo 'HTTP 403' >&2; exit 1")
        result = self.run_script(event("nothing"), "--publish")
        self.assertEqual(result.returncode, 7)
        self.assertIn("HTTP 403", result.stderr)

    def race(self, document, number):
        """Another run pushes while this one works, from a clone as shallow as that of a workflow."""
        mine = self.here / "mine"
        git(self.here, "clone", "--quiet", "--depth=1", f"file://{self.remote}", str(mine))
        self.run_script(event(self.body(document), number=number, login="first"), "--publish")
        return mine

    def test_what_another_run_pushed_meanwhile_stays(self):
        mine = self.race(self.other, 7)
        result = self.run_script(event(self.body(self.good)), "--publish", repo=mine)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.remote_log()), 3)
        self.assertEqual(len(self.stored(mine)), 2)
        self.assertIn("**Accepted**", (self.here / "comment").read_text())

    def test_of_two_runs_with_one_document_the_first_wins(self):
        mine = self.race(self.good, 7)
        result = self.run_script(event(self.body(self.good)), "--publish", repo=mine)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.remote_log()), 2)
        self.assertIn("**Already there**", (self.here / "comment").read_text())
        self.assertIn("first", git(self.remote, "show", f"main:{self.origin_of(mine)}"))

    def origin_of(self, repo):
        [name] = self.stored(repo)
        return f"submissions/{name[:-5]}.origin"

    def test_a_push_that_is_refused_leaves_no_comment(self):
        hook = self.remote / "hooks/pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
        result = self.run_script(event(self.body(self.good)), "--publish")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(self.called(), [])


class Measured(Channel):
    def test_a_run_is_answered_with_its_forecast_errors(self):
        run = tokroof("run", "--quick", "--launches", "2", "--json", home=self.folder / "home")
        self.assertEqual(run.returncode, 0, run.stderr)
        path = self.here / "run.json"
        path.write_text(run.stdout)
        document = json.loads(run.stdout)
        result = self.run_script(event(FORM.format(self.body(path, "--compact"), "")))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("**Accepted**", result.stdout)
        errors = document["derived"]["forecast_errors"]
        rows = [line.split(" | ") for line in result.stdout.splitlines() if re.match(r"\| `.* \| (yes|no) \|$", line)]
        self.assertEqual(len(rows), min(len(errors), 12))
        for row, error in zip(rows, errors):
            self.assertEqual(row[0], f"| `{error['id']}`")
            self.assertEqual(float(row[2]), round(error["measured_over_forecast"], 3))
        self.assertIn(f"of {len(errors)} forecasts held", result.stdout)
        self.assert_inert(result.stdout)
        [name] = self.stored()
        self.assertEqual(name[9:17], document["machine"]["machine_key"][:8])


class Functions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loader = importlib.machinery.SourceFileLoader("ingest_issue", str(SCRIPTS / "ingest-issue"))
        cls.script = importlib.util.module_from_spec(importlib.util.spec_from_loader("ingest_issue", loader))
        loader.exec_module(cls.script)

    def test_foreign_text_becomes_one_code_span(self):
        for text in EVIL + ["", "`", "``` ```", "a|b", "x" * 10_000, "\u2028@a", "\x00\x1b[31m", 7]:
            span = self.script.code(text)
            self.assertRegex(span, r"\A(`[^`|\n]+`|\(nothing\))\Z")
            self.assertLess(len(span), 310)

    def test_the_form_s_section_is_found_and_nothing_else_taken_for_it(self):
        section = self.script.submission_section
        self.assertEqual(section("### Submission\na\n### Remarks\nb\n"), "a\n")
        self.assertEqual(section("x\n### Submission\na\n"), "a\n")
        self.assertEqual(section("### Submission\n```\n### Remarks\n```\n"), "```\n### Remarks\n```\n")
        self.assertEqual(section("### Submission\n~~~~\n~~~\n### Remarks\n~~~~\n### Remarks"), "~~~~\n~~~\n### Remarks\n~~~~\n")
        for body in ("", "a\nb", "### Submission\na\n### Submission\nb\n", "```\n### Submission\n```\n", "#### Submission\na"):
            self.assertEqual(section(body), body)


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Workflows(unittest.TestCase):
    def load(self, name):
        with open(ROOT / ".github" / name, encoding="utf-8") as file:
            return yaml.safe_load(file)

    def steps(self, name):
        return [step for job in self.load(name)["jobs"].values() for step in job["steps"]]

    def test_no_command_line_holds_an_expression(self):
        for name in ("workflows/ci.yml", "workflows/ingest.yml"):
            commands = [step["run"] for step in self.steps(name) if "run" in step]
            self.assertTrue(commands)
            for command in commands:
                self.assertNotIn("${{", command)

    def test_the_issue_s_text_is_in_no_expression_at_all(self):
        text = (ROOT / ".github/workflows/ingest.yml").read_text()
        used = re.findall(r"\$\{\{(.*?)\}\}", text)
        self.assertEqual({expression.strip() for expression in used}, {"github.event.issue.number", "github.token"})

    def test_permissions_are_the_least(self):
        ci, ingest = self.load("workflows/ci.yml"), self.load("workflows/ingest.yml")
        self.assertEqual(ci["permissions"], {"contents": "read"})
        self.assertEqual(ingest["permissions"], {})
        self.assertEqual(ingest["jobs"]["ingest"]["permissions"], {"contents": "write", "issues": "write"})
        self.assertNotIn("permissions", ci["jobs"]["test"])
        for name in ("workflows/ci.yml", "workflows/ingest.yml"):
            for step in self.steps(name):
                if "checkout" in step.get("uses", ""):
                    self.assertIs(step["with"]["persist-credentials"], False)
        with_token = [step["name"] for step in self.steps("workflows/ingest.yml") if "token" in str(step.get("env", ""))]
        self.assertEqual(with_token, ["Take the document, answer"])

    def test_actions_are_pinned_to_commits(self):
        used = [step["uses"] for name in ("workflows/ci.yml", "workflows/ingest.yml") for step in self.steps(name)
                if "uses" in step]
        self.assertEqual(len(used), 2)
        for action in used:
            self.assertRegex(action, r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")

    def test_they_start_when_they_should(self):
        ci, ingest = self.load("workflows/ci.yml"), self.load("workflows/ingest.yml")  # YAML 1.1 reads `on` as true
        self.assertEqual(ingest[True], {"issues": {"types": ["opened", "edited", "reopened", "labeled"]}})
        self.assertIn("'submission'", ingest["jobs"]["ingest"]["if"])
        self.assertEqual(set(ci[True]), {"push", "pull_request"})
        self.assertIn("script/test", [step.get("run") for step in self.steps("workflows/ci.yml")])

    def test_what_they_run_is_there(self):
        for name in ("workflows/ci.yml", "workflows/ingest.yml"):
            for script in re.findall(r"script/[\w-]+", "\n".join(step.get("run", "") for step in self.steps(name))):
                self.assertTrue(os.access(ROOT / script, os.X_OK), script)

    def test_the_forms_ask_for_the_block_and_tell_about_privacy(self):
        for name in ("reproduction", "failure"):
            form = self.load(f"ISSUE_TEMPLATE/{name}.yml")
            self.assertEqual(set(form), {"name", "description", "title", "labels", "body"})
            self.assertEqual(form["labels"], ["submission", name])
            ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
            self.assertEqual(len(ids), len(set(ids)))
            for part in form["body"]:
                self.assertIn(part["type"], ("markdown", "textarea", "checkboxes"))
                self.assertEqual(set(part) - {"validations"} - {"id"}, {"type", "attributes"})
                if part["type"] == "markdown":
                    self.assertEqual(set(part["attributes"]), {"value"})
                    self.assertIn("Privacy", part["attributes"]["value"])
                    continue
                self.assertRegex(part["id"], r"^[A-Za-z0-9_-]+$")
                self.assertTrue(part["attributes"]["label"])
                # `render` would put the block into a second fence
                self.assertLessEqual(set(part["attributes"]), {"label", "description", "placeholder", "options"})
            submission = next(part for part in form["body"] if part.get("id") == "submission")
            self.assertEqual(submission["attributes"]["label"], "Submission")
            self.assertIs(submission["validations"]["required"], True)
            self.assertNotIn("```", submission["attributes"].get("placeholder", ""))


if __name__ == "__main__":
    TOKROOF = sys.argv.pop(1)
    if not shutil.which("git"):
        print("SKIPPED: git is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
