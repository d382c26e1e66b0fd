# SPDX-License-Identifier: Apache-2.0
"""Runs programs with and without inftrace and compares them: the basis of every end-to-end test."""

import contextlib
import fcntl
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import envs
import judge
from recording import Recording

CFLAGS = [
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-pthread",
]
# Test programs get only these variables: the recorder must find its agent and keep its rings without any.
CLEAN = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
    "ORT_DISABLE_TELEMETRY": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",  # else numpy starts threads that spin: half of the CPU time of a short program
}
# Seconds before a test gives up waiting for an event that must come. It is long because a slow or busy machine is no
# fault.
PATIENCE = 300


def wait_until(is_so, process=None, why=lambda: ""):
    """Waits until is_so() returns something, and returns that. Fails if the process ends first; why() then describes
    the actual state."""
    deadline = time.monotonic() + PATIENCE
    while True:
        has_ended = process and process.poll() is not None  # checked first, so that nothing written last is missed
        begin = time.monotonic()
        found = is_so()
        if found:
            return found
        assert not has_ended, "ended with %s: %s" % (process.returncode, why())
        assert time.monotonic() < deadline, "timed out: %s" % why()
        time.sleep(
            max(0.01, time.monotonic() - begin)
        )  # a look that is dear takes at most half of a CPU from what it waits for


def is_in_turn(n):
    """Whether this test does now what each does in one commit of n, whichever commits the test itself is for."""
    turn, test = os.environ.get("INFTRACE_TEST_TURN"), os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    return turn is None or hashlib.sha256(("%s %s" % (turn, test)).encode()).digest()[0] % n == 0


def made_once(path, make):
    """Returns path, after make(path) unless it exists. Other tests wait meanwhile."""
    path = str(path)
    if not os.path.exists(path):
        with open(path + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path):
                make(path + ".new")
                os.rename(path + ".new", path)
    return path


def state_of(pid, tid=None):
    """The letter of the process's state in /proc; X if it has ended."""
    try:
        with open("/proc/%d/task/%d/stat" % (pid, tid or pid)) as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def children_of(pid):
    """PIDs of the children of a process's first thread, in the order of their start."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(child) for child in file.read().split()]


class Done:
    """A finished program. A negative status is a signal."""

    def __init__(self, args, status, out, err, usage=None):
        self.args, self.status, self.out, self.err, self.usage = args, status, out, err, usage
        self.recording = None

    @property
    def counted(self):
        """(runs, failed), counted by the program."""
        runs, failed = re.findall(r"^runs (\d+) failed (\d+)$", self.out, re.M)[-1]
        return int(runs), int(failed)


def kill_tree(pid):
    for path in glob.glob("/proc/%d/task/*/children" % pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(path) as file:
            for child in file.read().split():
                kill_tree(int(child))
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Lab:
    """A working folder, the models, the programs and the recorder."""

    def __init__(self, folder, models, binaries):
        self.folder, self.models, self.binaries, self.recordings = str(folder), str(models), binaries, []
        self.started = []
        self.inftrace = os.environ["INFTRACE"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, name):
        return os.path.join(self.models, name + ".onnx")

    # ---- programs

    def own(self, program):
        """Copies a Python program for this test alone and returns its path, for tests that find programs by name or
        path."""
        for name in (program + ".py", "ortprogram.py"):
            shutil.copy(os.path.join(envs.PROGRAMS, name), self.path(name))
        return self.path(program + ".py")

    def python(self, wheel, program, *args):
        """The command line of a Python program: of this test's own copy, if it has one."""
        own = self.path(program + ".py")
        path = own if os.path.exists(own) else os.path.join(envs.PROGRAMS, program + ".py")
        return [wheel.python, path] + [str(arg) for arg in args]

    def native(self, program, library, *args, linked=False):
        binary = self.binaries.linked(program, library) if linked else self.binaries.opened(program)
        return [binary, library] + [str(arg) for arg in args]

    # ---- running

    def start(self, args, env=None, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(args, env=dict(CLEAN, **(env or {})), cwd=self.folder, **more)
        self.started.append(process)
        return process

    def stop(self):
        """Kills programs that a failed test has left running, with their children: a recording that goes on would fill
        the disk."""
        for process in self.started:
            if process.poll() is None:
                kill_tree(process.pid)
                process.wait()

    def plain(self, args, env=None, stdin=None, timeout=PATIENCE, **more):
        """Runs a program without inftrace."""
        out, err = self.path("stdout"), self.path("stderr")
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            if stdin is not None:
                with open(self.path("stdin"), "wb") as file:
                    file.write(stdin)
                more["stdin"] = open(self.path("stdin"), "rb")
            process = self.start(args, env, stdout=out_file, stderr=err_file, **more)
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.stop()
                raise AssertionError("%s does not end:\n%s" % (args, open(err, errors="replace").read()))
        return Done(
            args, status, open(out, errors="surrogateescape").read(), open(err, errors="surrogateescape").read()
        )

    def command(self, args, level="operator", options=(), name="recording"):
        path = self.path(name + ".pftrace")
        return [self.inftrace, "record", "-o", path, "--force", "--level", level, *options, "--", *args], path

    def record(self, args, level="operator", options=(), name="recording", judged=True, **more):
        """Runs a program under inftrace. The recording is checked by the end of the test."""
        command, path = self.command(args, level, options, name)
        done = self.plain(command, **more)
        assert os.path.exists(path), "no recording: status %d\n%s" % (done.status, done.err)
        done.recording = Recording(path)
        if judged:
            self.recordings.append(done.recording)
        return done

    def both(self, args, **more):
        """Runs the program with and without inftrace: output and exit status must be equal."""
        options = {key: more.pop(key) for key in ("level", "options", "name", "judged") if key in more}
        expected = self.expected(args, **more)
        done = self.record(args, **options, **more)
        assert (done.out, done.status) == expected, done.err
        return done

    def expected(self, args, **more):
        """(output, exit status) of a program without inftrace. A command runs once for all tests: both() is for
        programs that always print the same."""
        words = ["times" if word == self.path("times") else word for word in args]  # a file that it writes
        if more or any(self.folder in word for word in words):  # what is in this folder may differ from test to test
            plain = self.plain(args, **more)
            return plain.out, plain.status

        def make(path):
            plain = self.plain(args)
            with open(path, "w") as out:
                json.dump([plain.out, plain.status], out)

        name = "plain-" + hashlib.sha256(json.dumps(words).encode()).hexdigest()
        with open(made_once(os.path.join(self.binaries.folder, name), make)) as kept:
            return tuple(json.load(kept))

    def judge(self):
        for recording in self.recordings:
            faults = recording.broken()
            assert not faults, faults
            if is_in_turn(4):  # trace_processor takes a tenth of a second of CPU for each
                assert not judge.import_errors(recording.path)

    # ---- the runtime's own profiler

    def profile(self, args, prefix="profile", env=None):
        """[(node name, operator type)] of the same program, recorded with the runtime's own profiler."""
        for old in glob.glob(self.path(prefix) + "*.json"):
            os.unlink(old)
        done = self.plain(args, env=env)
        assert done.status == 0, done.err
        return [event for path in glob.glob(self.path(prefix) + "*.json") for event in profile_operators(path)]


def profile_operators(path):
    """Parses line by line with a pattern: the runtime escapes nothing, so the file may be invalid JSON."""
    found = []
    with open(path, errors="replace") as file:
        for line in file:
            match = re.match(r'\{"cat" : "Node".*"name" :"(.*)_kernel_time","args" : \{(.*)\}\},?$', line)
            if match:
                found.append((match.group(1), re.search(r'"op_name" : "([^"]*)"', match.group(2)).group(1)))
    return found


def names_and_types(operators):
    return sorted((operator.name, operator.args["op_type"]) for operator in operators)


def own_times(path):
    """[(start, end, thread)] that a program measured itself; a program that never rests writes a million of them."""
    with open(path) as file:
        return list(zip(*[map(int, file.read().split())] * 3))


def inside_own_times(recording, times, by_thread=True):
    """Faults: each inference of the recording must lie in the interval that the program measured for it."""
    slack = recording.note("clock")["error_ns"]
    threads = {time[2] for time in times} if by_thread else {None}
    outside = []
    for thread in threads:
        own = sorted(time for time in times if thread in (None, time[2]))
        seen = sorted((slice.start, slice.end) for slice in recording.inferences if thread in (None, slice.args["tid"]))
        if len(own) != len(seen):
            outside.append("thread %s: %d inferences for %d runs" % (thread, len(seen), len(own)))
        outside += ["%s is not in %s" % (a, b) for a, b in zip(seen, own) if a[0] < b[0] - slack or a[1] > b[1] + slack]
    return outside


class Binaries:
    """The C programs, compiled when first used."""

    def __init__(self, folder):
        self.folder = str(folder)

    def _build(self, output, args):
        def make(path):
            done = subprocess.run(
                [shutil.which("cc") or "gcc", *CFLAGS, "-o", path, *args],
                cwd=envs.PROGRAMS,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert done.returncode == 0, done.stderr

        return made_once(output, make)

    def opened(self, program):
        return self._build(os.path.join(self.folder, program), [program + ".c", "ort.c", "runtime_opened.c", "-ldl"])

    def _by_sonames(self, libraries):
        """(a folder with these libraries under their sonames, arguments that link to them and find them by RUNPATH)."""
        where = os.path.join(self.folder, "lib-" + hashlib.sha256(":".join(libraries).encode()).hexdigest()[:8])
        os.makedirs(where, exist_ok=True)
        args = ["-L" + where, "-Wl,--enable-new-dtags,-rpath," + where, "-Wl,--no-as-needed"]
        for library in libraries:
            dynamic = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True).stdout
            soname = re.search(r"SONAME.*\[(.*)\]", dynamic).group(1)
            made_once(os.path.join(where, soname), lambda path, library=library: os.symlink(library, path))
            args.append("-l:" + soname)
        return where, args

    def linked(self, program, library, args=()):
        """A program linked to the library under its own soname and found by RUNPATH."""
        where, links = self._by_sonames([library])
        return self._build(os.path.join(where, program), [program + ".c", "ort.c", "runtime_linked.c", *links, *args])

    def against(self, program, libraries, args=()):
        """The same with several libraries, for a program that declares their functions itself."""
        where, links = self._by_sonames(libraries)
        return self._build(os.path.join(where, program), [program + ".c", *args, *links])

    def plain(self, program="plain", args=()):
        """A program that uses no runtime."""
        name = "-".join([program] + [arg.strip("-").replace("=", "-") for arg in args])
        return self._build(os.path.join(self.folder, name), [program + ".c", *args, "-ldl"])

    def shared(self, program, args=()):
        """A library."""
        name = "-".join([program] + [arg.strip("-").replace("=", "-") for arg in args])
        return self._build(os.path.join(self.folder, name + ".so"), [program + ".c", "-shared", "-fPIC", *args])

    def run_parent(self):
        source = os.path.join(os.path.dirname(envs.HERE), "..", "src")
        return self._build(
            os.path.join(self.folder, "run_parent"),
            [
                "run_parent.c",
                "-I" + source,
                os.path.join(source, "model/run/run_result.c"),
                os.path.join(source, "base/err.c"),
            ],
        )
