#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""privilege_test.py INFTRACE AGENT RUNNER LIBRARY: what an inftrace whose file grants capabilities (setcap) does for
another user. LIBRARY writes down the capabilities of the process that loads it. Needs root; skipped elsewhere."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

INFTRACE, AGENT, RUNNER, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:5])
RIGHTS = "cap_bpf,cap_perfmon,cap_sys_ptrace=ep"
NOBODY = 65534
NONE = "0" * 16


class Granted(unittest.TestCase):
    mode = 0o755

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="inftrace-granted-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        for path in (INFTRACE, AGENT, RUNNER, LIBRARY):
            shutil.copy(path, self.folder)
        self.program = os.path.join(self.folder, os.path.basename(INFTRACE))
        self.library = os.path.join(self.folder, os.path.basename(LIBRARY))
        os.chmod(self.library, 0o755)
        os.chown(self.program, 0, NOBODY)
        os.chmod(self.program, self.mode)
        subprocess.run(["setcap", RIGHTS, self.program], check=True)
        self.own = os.path.join(self.folder, "own")
        os.mkdir(self.own)
        os.chown(self.own, NOBODY, NOBODY)
        self.seen = os.path.join(self.own, "seen")

    def run_as_nobody(self, *words, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": self.own, "WHO_OUT": self.seen, **more}
        return subprocess.run(
            ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", self.program, *words],
            env=environment,
            cwd=self.own,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def other(self):
        """A program of root, in a folder that only root may enter."""
        folder = os.path.join(self.folder, "other")
        os.mkdir(folder, 0o700)
        with open(os.path.join(folder, "secret"), "w") as file:
            file.write("words of root")
        process = subprocess.Popen(["sleep", "600"], cwd=folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def capabilities_seen(self):
        with open(self.seen) as file:
            return dict(line.split() for line in file)


class GrantedToAll(Granted):
    def test_no_variable_makes_it_load_a_library(self):
        for variable in ("INFTRACE_NVML", "INFTRACE_AGENT", "INFTRACE_ORT"):
            self.run_as_nobody("doctor", **{variable: self.library})
        self.run_as_nobody("record", "--", "true", INFTRACE_NVML=self.library)
        self.assertFalse(os.path.exists(self.seen))

    def test_a_runtime_that_is_found_in_the_users_folders_is_loaded_without_capabilities(self):
        wheel = os.path.join(self.own, "onnxruntime", "capi")
        os.makedirs(wheel)
        shutil.copy(self.library, os.path.join(wheel, "libonnxruntime.so"))
        self.run_as_nobody("doctor", PYTHONPATH=self.own)
        seen = self.capabilities_seen()
        self.assertEqual((seen["CapPrm:"], seen["CapEff:"], seen["CapInh:"], seen["CapAmb:"]), (NONE,) * 4)

    def test_the_recorded_program_has_no_capabilities(self):
        done = self.run_as_nobody("record", "--quiet", "--", "grep", "-E", "Cap(Prm|Eff|Amb)", "/proc/self/status")
        self.assertEqual((done.returncode, [line.split()[1] for line in done.stdout.splitlines()]), (0, [NONE] * 3))

    def test_programs_of_others_are_out_of_reach(self):
        done = self.run_as_nobody("attach", str(self.other()))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "every user may execute this inftrace|cannot probe running programs")

    def test_setuid_is_refused(self):
        os.chmod(self.program, 0o4755)
        done = self.run_as_nobody("doctor", "--no-load")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot run setuid", done.stderr)


class GrantedToAGroup(Granted):
    mode = 0o750

    def test_no_file_is_written_or_read_through_a_process_of_another(self):
        pid = self.other()
        there = "/proc/%d/cwd/" % pid
        done = self.run_as_nobody("attach", "--output", there + "recording", str(pid))
        self.assertIn("Permission denied", done.stderr)
        done = self.run_as_nobody("report", there + "secret")
        self.assertIn("Permission denied", done.stderr)
        self.assertEqual(os.listdir(os.path.join(self.folder, "other")), ["secret"])

    def test_nothing_can_be_injected_into_a_program_with_more_rights(self):
        sleep = os.path.join(self.own, "sleep")
        shutil.copy(shutil.which("sleep"), sleep)
        subprocess.run(["setcap", "cap_net_raw=ep", sleep], check=True)
        more = subprocess.Popen(
            ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", sleep, "600"]
        )
        self.addCleanup(more.wait)
        self.addCleanup(more.kill)
        while os.path.basename(os.readlink("/proc/%d/exe" % more.pid)) != "sleep":
            pass
        done = self.run_as_nobody("attach", "--inject", str(more.pid))
        self.assertEqual(done.returncode, 3)
        self.assertIn("has more rights than you", done.stderr)

    def test_programs_of_others_can_be_looked_into(self):
        done = self.run_as_nobody("attach", str(self.other()))
        self.assertEqual(done.returncode, 3)
        self.assertNotRegex(done.stderr, "CAP_SYS_PTRACE|every user")


def why_not():
    if os.geteuid():
        return "needs root"
    if not shutil.which("setcap") or not shutil.which("setpriv"):
        return "needs setcap and setpriv"
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, stat.S_IRWXU)
        if subprocess.run(["setcap", RIGHTS, file.name], capture_output=True).returncode:
            return "files here cannot have capabilities"
    return None


if __name__ == "__main__":
    if why_not():
        print("skipped:", why_not())
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
