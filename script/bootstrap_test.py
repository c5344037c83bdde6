#!/usr/bin/env python3
"""Runs script/bootstrap in a copy of the scripts, with stand-ins for apt, dpkg and sudo that record what was asked."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
NOBODY = 65534

# What each stand-in does; $HERE is the folder of the test. `installed` lists package names, one a line.
STAND_INS = {
    "dpkg": 'echo amd64',
    "dpkg-query": 'for p in "$@"; do grep -qxF -- "$p" $HERE/installed && echo "$p amd64 installed"; done; true',
    "apt-cache": '[ -f $HERE/lists ]',
    "apt-get": 'echo "apt-get $*" >>$HERE/asked; case "$*" in'
               ' *update*) touch $HERE/lists;;'
               ' *install*) [ -f $HERE/broken ] && exit 100;'
               '   for p in "$@"; do echo "$p" >>$HERE/installed; done;;'
               ' *download*) [ -f $HERE/broken ] && exit 100; touch libvalijson-dev_1.0_all.deb;;'
               ' esac; true',
    "dpkg-deb": 'mkdir -p "$3/usr/include/valijson"; touch "$3/usr/include/valijson/validator.hpp"',
    "sudo": 'echo "sudo $*" >>$HERE/asked; case "$1" in -v) exit 0;; -n) shift;; esac; exec "$@"',
}


class Machine:
    """A made-up machine: its system, its packages, whether it has sudo. Removed when the test ends."""

    def __init__(self, test, system='ID=debian\nVERSION_ID="12"\n', sudo=False, lists=True):
        self.folder = tempfile.mkdtemp()
        test.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("tmp"))
        os.makedirs(self.path("repository/script"))
        shutil.copy(os.path.join(SCRIPTS, "bootstrap"), self.path("repository/script"))
        for name, body in STAND_INS.items():
            if name != "sudo" or sudo:
                self.write("bin/" + name, f"#!/bin/sh\nHERE={self.folder}\n{body}\n")
                os.chmod(self.path("bin/" + name), 0o755)
        for name in ("bash", "sh", "awk", "grep", "sed", "mktemp", "chmod", "chown", "id", "rm", "mv", "mkdir", "tail",
                     "env", "touch", "dirname", "cat"):
            os.symlink(shutil.which(name), self.path("bin/" + name))
        self.write("os-release", system)
        self.write("installed", "")
        self.write("asked", "")
        if lists:
            self.write("lists", "")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def command(self, arguments, user):
        if user and os.geteuid() == 0:
            for folder, _, files in os.walk(self.folder):
                for path in [folder] + [os.path.join(folder, f) for f in files]:
                    os.chown(path, NOBODY, NOBODY)
            prefix = [shutil.which("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        else:
            prefix = []
        return prefix + [self.path("repository/script/bootstrap")] + list(arguments)

    def environment(self):
        return {"PATH": self.path("bin"), "TOKROOF_OS_RELEASE": self.path("os-release"), "LC_ALL": "C",
                "TMPDIR": self.path("tmp")}

    def run(self, *arguments, user=False):
        """Runs without a terminal; returns the exit code and everything printed."""
        done = subprocess.run(self.command(arguments, user), env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.stdout = done.stdout
        return done.returncode, done.stdout + done.stderr

    def run_on_terminal(self, *arguments, answer=""):
        """Runs as an ordinary user on a terminal, types `answer`; returns the exit code and what the terminal showed."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(self.command(arguments, user=True), env=self.environment(), stdin=theirs, stdout=theirs,
                              stderr=theirs, close_fds=True) as process:
            os.close(theirs)
            os.write(ours, answer.encode())
            shown = b""
            while select.select([ours], [], [], 30)[0]:
                try:
                    part = os.read(ours, 4096)
                except OSError:
                    break
                if not part:
                    break
                shown += part
            process.wait(timeout=30)
        os.close(ours)
        return process.returncode, shown.decode()

    def asked_to_install(self):
        return [name for line in self.read("asked").splitlines()
                if line.startswith("apt-get") and " install " in line for name in line.split()]


def full(machine, test):
    """Gives the machine every package of --for all."""
    code, text = machine.run("--for", "all")
    test.assertEqual(code, 0, text)
    machine.write("asked", "")


@unittest.skipUnless(os.geteuid() == 0, "only root can play root")
class AsRoot(unittest.TestCase):
    def test_installs_what_is_missing_without_recommends(self):
        machine = Machine(self)
        code, text = machine.run()
        self.assertEqual(code, 0, text)
        names = machine.asked_to_install()
        self.assertIn("--no-install-recommends", names)
        self.assertIn("libhwloc-dev", names)
        self.assertNotIn("libgtest-dev", names)
        self.assertNotIn("clang-14", names)
        self.assertEqual(machine.stdout, "")

    def test_only_all_parts_of_the_tests_take_the_linters_and_the_emulator(self):
        for purpose, taken in (("test", False), ("all", True)):
            machine = Machine(self)
            code, text = machine.run("--for", purpose)
            self.assertEqual(code, 0, text)
            for package in ("clang-tidy-14", "libclang-rt-14-dev", "qemu-user"):
                self.assertEqual(package in machine.asked_to_install(), taken, (purpose, package))

    def test_installs_only_what_is_missing(self):
        machine = Machine(self)
        machine.write("installed", "cmake\nlibhwloc-dev\n")
        code, text = machine.run()
        self.assertEqual(code, 0, text)
        self.assertIn("libpapi-dev", machine.asked_to_install())
        self.assertNotIn("cmake", machine.asked_to_install())
        self.assertNotIn("libhwloc-dev", machine.asked_to_install())

    def test_test_and_all_add_packages(self):
        for purpose, name in (("test", "libgtest-dev"), ("test", "python3-jsonschema"), ("test", "python3-yaml"), ("all", "clang-tidy-14")):
            machine = Machine(self)
            self.assertEqual(machine.run("--for", purpose)[0], 0)
            self.assertIn(name, machine.asked_to_install())

    def test_never_installs_valijson_but_unpacks_its_headers(self):
        machine = Machine(self)
        self.assertEqual(machine.run()[0], 0)
        self.assertNotIn("libvalijson-dev", machine.asked_to_install())
        self.assertTrue(os.path.exists(machine.path("repository/build/valijson/usr/include/valijson/validator.hpp")))

    def test_is_silent_and_asks_for_nothing_the_second_time(self):
        machine = Machine(self)
        full(machine, self)
        for purpose in ("run", "test", "all"):
            self.assertEqual(machine.run("--for", purpose), (0, ""))
        self.assertEqual(machine.read("asked"), "")

    def test_reads_the_lists_first_when_apt_knows_nothing(self):
        machine = Machine(self, lists=False)
        self.assertEqual(machine.run()[0], 0)
        asked = machine.read("asked")
        self.assertLess(asked.index("update"), asked.index(" install "))

    def test_a_failed_installation_updates_once_and_then_stops_with_6(self):
        for lists in (True, False):
            machine = Machine(self, lists=lists)
            machine.write("broken", "")
            code, text = machine.run()
            self.assertEqual(code, 6, text)
            self.assertEqual(len(re.findall(r"\bupdate\b", machine.read("asked"))), 1)
            self.assertIn("apt-get install -y --no-install-recommends", text)

    def test_a_failed_download_stops_with_6_and_leaves_nothing(self):
        machine = Machine(self)
        full(machine, self)
        shutil.rmtree(machine.path("repository/build/valijson"))
        machine.write("broken", "")
        code, text = machine.run()
        self.assertEqual(code, 6, text)
        self.assertIn("libvalijson-dev", text)
        self.assertEqual(os.listdir(machine.path("repository/build")), ["bootstrap.log"])
        self.assertEqual(os.listdir(machine.path("tmp")), [])


class AsUser(unittest.TestCase):
    def test_without_sudo_lists_the_commands_and_stops_with_6(self):
        machine = Machine(self)
        code, text = machine.run(user=True)
        self.assertEqual(code, 6, text)
        self.assertIn("\n  apt-get install -y --no-install-recommends g++ cmake", text)
        self.assertEqual(machine.read("asked"), "")

    def test_with_sudo_but_no_terminal_stops_with_6(self):
        machine = Machine(self, sudo=True)
        code, text = machine.run(user=True)
        self.assertEqual(code, 6, text)
        self.assertIn("apt-get install", text)
        self.assertEqual(machine.read("asked"), "")

    def test_with_sudo_and_yes_needs_no_terminal(self):
        machine = Machine(self, sudo=True)
        code, text = machine.run("--yes", user=True)
        self.assertEqual(code, 0, text)
        self.assertIn("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get", machine.read("asked"))

    def test_on_a_terminal_shows_the_command_and_asks(self):
        machine = Machine(self, sudo=True)
        code, text = machine.run_on_terminal(answer="y\n")
        self.assertEqual(code, 0, text)
        self.assertIn("sudo apt-get install -y --no-install-recommends g++", text)
        self.assertIn("Run it now?", text)
        self.assertIn("libhwloc-dev", machine.asked_to_install())

    def test_on_a_terminal_no_means_no(self):
        for answer in ("n\n", "\n", "\x04"):
            machine = Machine(self, sudo=True)
            code, text = machine.run_on_terminal(answer=answer)
            self.assertEqual(code, 6, text)
            self.assertEqual(machine.read("asked"), "")

    def test_on_a_terminal_yes_skips_the_question(self):
        machine = Machine(self, sudo=True)
        code, text = machine.run_on_terminal("--yes")
        self.assertEqual(code, 0, text)
        self.assertNotIn("Run it now?", text)
        self.assertIn("libhwloc-dev", machine.asked_to_install())


class Elsewhere(unittest.TestCase):
    def test_another_system_gets_the_libraries_and_no_commands(self):
        for system in ('ID=fedora\nVERSION_ID=40\n', 'ID=debian\nVERSION_ID="11"\n', 'ID=arch\n', ''):
            machine = Machine(self, system=system, sudo=True)
            code, text = machine.run("--yes")
            self.assertEqual(code, 6, text)
            self.assertIn("not supported", text)
            self.assertIn("hwloc", text)
            self.assertNotRegex(text, r"apt|dnf|pacman|brew|sudo")
            self.assertEqual(machine.read("asked"), "")

    def test_ubuntu_is_said_to_be_untested(self):
        machine = Machine(self, system='ID=ubuntu\nVERSION_ID="24.04"\n')
        code, text = machine.run(user=True)
        self.assertEqual(code, 6, text)
        self.assertIn("nobody has tested", text)
        self.assertIn("apt-get install", text)


class Usage(unittest.TestCase):
    def test_wrong_arguments_are_2_and_do_nothing(self):
        for arguments in (("--for", "everything"), ("--for",), ("--quick",)):
            machine = Machine(self)
            code, text = machine.run(*arguments)
            self.assertEqual(code, 2, text)
            self.assertEqual(machine.read("asked"), "")


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main(argv=[sys.argv[0]])
