#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""started_test.py INFTRACE AGENT PROGRAM LIBRARY PRELOADED: however a program is started, and whatever it does to its
environment, its user or its root, its inferences are recorded, or the report says that they are not. AGENT has the
made-up runtime of LIBRARY; PRELOADED writes to the file in WHO_OUT when it is loaded."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

INFTRACE, AGENT, PROGRAM, LIBRARY, PRELOADED = (os.path.abspath(path) for path in sys.argv[1:6])
N = 7
RUN = [PROGRAM, LIBRARY, str(N)]

# Loads the runtime, makes a session, forks; the child does what is in the middle, then runs the session.
WORKER = """
import ctypes, os, resource, sys
library = ctypes.CDLL(sys.argv[1])
library.fake_session_new.restype = ctypes.c_void_p
library.fake_session_run.argtypes = [ctypes.c_void_p]
session = library.fake_session_new(b"made-up model")
child = os.fork()
if not child:
    %s
    for _ in range(int(sys.argv[2])):
        library.fake_session_run(session)
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1])
"""


class Started(unittest.TestCase):
    prefix = []

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="inftrace-started-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o711)

    def record(self, command, *options, status=0, **more):
        path = os.path.join(self.folder, "a.pftrace")
        done = subprocess.run(
            [*self.prefix, INFTRACE, "record", "--json", *options, "--force", "--output", path, "--", *command],
            env={**os.environ, "INFTRACE_AGENT": AGENT, **more},
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        report = subprocess.run(
            [INFTRACE, "report", "--json", path], stdout=subprocess.PIPE, text=True, timeout=120, check=True
        )
        self.summary = json.loads(done.stderr[done.stderr.index("{") :])
        return json.loads(report.stdout)

    def count(self, report):
        return sum(model["inferences"]["count"] for model in report["models"])

    def check_all(self, command, **more):
        report = self.record(command, **more)
        self.assertEqual(self.count(report), N, report["verdict"])
        self.assertIn("nothing lost", report["verdict"], [process["state"] for process in report["processes"]])

    def test_a_launcher_may_change_the_environment(self):
        python = [sys.executable, "-c"]
        for launcher in (
            ["env", "-i"],
            ["env", "LD_PRELOAD=" + PRELOADED],
            ["sh", "-c", 'unset LD_PRELOAD INFTRACE_DIR; "$0" "$@"; exit $?'],
            [*python, "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], env={}))"],
            [*python, "import os, sys; os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], {}), 0)"],
            [*python, "import os, sys; os.environ.clear(); os.execv(sys.argv[1], sys.argv[1:])"],
            [*python, "import os, sys; os.execve(os.open(sys.argv[1], os.O_RDONLY), sys.argv[1:], {})"],
        ):
            with self.subTest(launcher=launcher):
                self.check_all([*launcher, *RUN])

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_words_of_exec_arrive_whole(self):
        """execl and its kin, whose words are arguments of their own."""
        source = os.path.join(self.folder, "execl.c")
        with open(source, "w") as file:
            file.write(
                "#include <string.h>\n#include <unistd.h>\nint main(int argc, char **argv)\n{\n"
                "char *none[] = { NULL };\n"
                'if (!strcmp(argv[1], "l")) execl(argv[2], argv[2], argv[3], argv[4], (char *)0);\n'
                'if (!strcmp(argv[1], "lp")) execlp(argv[2], argv[2], argv[3], argv[4], (char *)0);\n'
                "return execle(argv[2], argv[2], argv[3], argv[4], (char *)0, none);\n}\n"
            )
        program = os.path.join(self.folder, "execl")
        subprocess.run(["cc", "-o", program, source], check=True)
        for form in ("l", "lp", "le"):
            with self.subTest(form=form):
                self.check_all([program, form, *RUN])

    def test_a_long_list_of_libraries_is_not_cut(self):
        out = os.path.join(self.folder, "out")
        names = [os.path.join(self.folder, "%03d-" % i + "x" * 90 + ".so") for i in range(12)]
        for name in names:
            shutil.copy(PRELOADED, name)
        self.check_all(RUN, LD_PRELOAD=":".join(names), ASAN_OPTIONS=":".join(["color=never"] * 100), WHO_OUT=out)
        with open(out) as file:
            self.assertEqual(sum(line.startswith("CapEff") for line in file), 2 * len(names))  # inftrace, too

    @unittest.skipIf(os.geteuid(), "needs root")
    def test_a_forked_worker_may_give_up_its_rights(self):
        root = os.path.join(self.folder, "root")
        os.mkdir(root)
        for change in ("os.setgid(65534); os.setuid(65534)", "os.chroot(%r)" % root, "os.setresuid(1, 1, 1)"):
            with self.subTest(change=change):
                self.check_all([sys.executable, "-c", WORKER % change, LIBRARY, str(N)])

    def test_a_forked_worker_that_cannot_be_seen_is_reported(self):
        change = "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
        report = self.record([sys.executable, "-c", WORKER % change, LIBRARY, str(N)])
        self.assertEqual((self.count(report), report["losses"]["processes_not_seen"]), (0, 1))
        self.assertIn("What 1 process did was not seen", report["verdict"])
        self.assertNotIn("othing lost", report["verdict"])

    @unittest.skipIf(os.geteuid(), "needs root")
    def test_a_program_of_another_user_that_cannot_be_seen_is_reported(self):
        report = self.record(["setpriv", "--reuid", "65534", "--clear-groups", "sleep", "0.2"])
        self.assertEqual(self.summary["processes_not_seen"], 1)
        self.assertIn("What sleep did was not seen. The agent could not start", report["verdict"])

    def test_what_goes_on_without_the_program_is_reported(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        wait = ["sh", "-c", 'exec > "$0" 2>&1 < /dev/null; read line < "$1"', os.devnull, pipe]
        report = self.record(["setsid", "--fork", *wait])
        with open(pipe, "w") as file:
            file.write("end\n")
        self.assertEqual(report["losses"]["processes_left_running"], 1)
        self.assertEqual(self.summary["processes_left_running"], 1)
        self.assertIn("1 process that the program started went on, not recorded", report["verdict"])

    def test_what_goes_on_without_the_program_can_be_waited_for(self):
        report = self.record(["setsid", "--fork", "sh", "-c", 'sleep 0.5; "$@"', "sh", *RUN], "--wait")
        self.assertEqual(self.count(report), N)
        self.assertIn("nothing lost", report["verdict"])

    @unittest.skipIf(os.geteuid(), "needs root")
    def test_shared_memory_may_be_small_or_missing(self):
        for options in ("size=1m", "ro"):
            with self.subTest(options=options):
                mount = 'mount -t tmpfs -o %s none /dev/shm && exec "$@"' % options
                self.prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, "sh"]
                self.check_all(RUN)

    def test_a_folder_that_is_locked_belongs_to_another_recorder(self):
        """Its PID may mean nothing here. A folder of one that was killed goes; one that may be locked soon stays."""
        died = subprocess.Popen(["true"])
        died.wait()
        folders = [tempfile.mkdtemp(prefix="inftrace-%d-" % died.pid, dir="/dev/shm") for _ in range(4)]
        for folder in folders[:2]:
            os.utime(folder, (0, 0))
        os.chmod(folders[2], 0o1700)  # new, and was locked
        lock = os.open(folders[0], os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH)
        self.check_all(RUN)
        self.assertEqual([os.path.exists(folder) for folder in folders], [True, False, False, True])
        os.close(lock)
        os.rmdir(folders[0])
        os.rmdir(folders[3])

    def test_a_folder_that_is_removed_is_made_again(self):
        """As logind does when the user logs out (RemoveIPC)."""
        remove = 'rm -rf "$INFTRACE_DIR"; while [ ! -d "$INFTRACE_DIR" ]; do sleep 0.01; done; "$@"'
        self.assertEqual(self.count(self.record(["sh", "-c", remove, "sh", *RUN])), N)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
