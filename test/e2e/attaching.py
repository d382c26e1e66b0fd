# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of attach: a program that serves until it is asked to end, and inftrace attached to it."""

import bisect
import os
import re
import signal
import subprocess

import envs
from conftest import environment
from lab import PATIENCE, own_times, wait_until
from recording import Growing, Recording


class Server:
    """A running program that has printed "ready". end() closes its standard input and checks its results."""

    def __init__(self, lab, args, env=None, times=None, prefix=(), **more):
        self.lab, self.times_path = lab, times
        self.err_path = lab.path("server-%d-stderr" % len(lab.started))
        with open(self.err_path, "wb") as err:
            self.process = lab.start(
                [*prefix, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True, **more
            )
        assert self.process.stdout.readline() == "ready\n", open(self.err_path, errors="replace").read()
        self.pid = self.process.pid
        self.out = self._times = None

    def end(self):
        """(runs, failed), counted by the program."""
        self.out, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, open(self.err_path, errors="replace").read()
        assert re.search(r"^differ 0$", self.out, re.M), self.out
        runs, failed = re.findall(r"^runs (\d+) failed (\d+)$", self.out, re.M)[-1]
        return int(runs), int(failed)

    def times(self):
        """The times that the program measured itself; call it after end()."""
        self._times = self._times or own_times(self.times_path)
        return self._times


def python_server(lab, wheel, model, *options, program="serve", **more):
    times = lab.path("times-%d" % len(lab.started))
    models = [lab.model(name) for name in ([model] if isinstance(model, str) else model)]
    return Server(
        lab,
        [
            wheel.python,
            os.path.join(envs.PROGRAMS, program + ".py"),
            *models,
            "--times",
            times,
            *[str(option) for option in options],
        ],
        times=times,
        **more,
    )


def native_server(lab, library, model, shape, out_len, threads=1, linked=False, rest_us=1000, **more):
    """programs/serve.c, which without a rest takes a CPU for each thread from the other tests."""
    times = lab.path("times-%d" % len(lab.started))
    return Server(
        lab,
        lab.native("serve", library, lab.model(model), shape, out_len, threads, times, rest_us, linked=linked),
        times=times,
        **more,
    )


class Forking:
    """programs/fork.c, which forks one child after the other until it is asked to end."""

    def __init__(self, lab, library, runs):
        self.runs, self.path = runs, lab.path("fork-out")
        program = lab.native("fork", library, lab.model("chain"), 256, 256)
        self.expected = lab.plain([*program, "1", "1"]).out.split()[-1]
        with open(self.path, "wb") as out:
            self.process = lab.start(
                [*program, "0", str(runs)], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL
            )
        wait_until(lambda: os.path.getsize(self.path), self.process)

    def n_children(self):
        """Those that have ended."""
        with open(self.path) as out:
            return sum(line.startswith("parent") for line in out)

    def wait_children(self, n):
        """Waits until n more children have been forked and have ended."""
        enough = self.n_children() + n + 1  # one may be running
        wait_until(lambda: self.n_children() >= enough, self.process)

    def end(self):
        """Checks that every child ran and that results of children and parent equal those without inftrace."""
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0
        with open(self.path) as out:
            lines = out.read().splitlines()
        n, odd = divmod(len(lines), self.runs + 3)
        assert n and not odd
        for i in range(n):
            status = "status %d" % (i & 63)
            expected = [status, *["child %d %s" % (i, self.expected)] * self.runs, status, "parent " + self.expected]
            assert lines[i * len(expected) : (i + 1) * len(expected)] == expected


def magika_server(lab):
    """A program with the runtime linked in, busy for longer than any test takes."""
    with open(lab.path("magika-out"), "wb") as out:
        program = lab.start(
            [environment(envs.magika), "-r", "/usr/share", "/usr/lib"], stdout=out, stderr=subprocess.DEVNULL
        )
    wait_until(lambda: os.path.getsize(lab.path("magika-out")), program)
    return program


class Attached:
    """A finished run of inftrace attach."""

    def __init__(self, lab, status, out, err, path):
        self.status, self.out, self.err = status, out, err
        self.recording = Recording(path) if os.path.exists(path) else None
        if self.recording:
            lab.recordings.append(self.recording)


def attach_command(lab, *words, name="attached", duration=None, n=None, level="operator"):
    """The command line of inftrace attach: it ends after `duration` seconds, after n inferences, or on a signal."""
    path = lab.path(name + ".pftrace")
    command = [lab.inftrace, "attach", "-o", path, "--force", "--level", level]
    limits = (["-d", "%dms" % (duration * 1000)] if duration else []) + (["-n", str(n)] if n else [])
    return command + limits + [str(word) for word in words], path


def attach(lab, *words, prefix=(), status=0, duration=None, n=None, **more):
    """Runs inftrace attach until it ends: by default when enough inferences are recorded, however long that takes."""
    command, path = attach_command(lab, *words, duration=duration, n=n if n or duration else 200, **more)
    done = lab.plain([*prefix, *command])
    assert done.status == status, done.err
    return Attached(lab, done.status, done.out, done.err, path)


class Attaching:
    """inftrace attach in the background."""

    def __init__(self, lab, *words, prefix=(), **more):
        self.lab = lab
        command, self.path = attach_command(lab, *words, **more)
        if os.path.isfile(self.path):  # of an earlier round: it might be read on while it is written anew
            os.unlink(self.path)
        self.err_path = lab.path("attaching-%d-stderr" % len(lab.started))
        with open(self.err_path, "wb") as err:
            self.process = lab.start([*prefix, *command], stdout=subprocess.DEVNULL, stderr=err)

    @property
    def err(self):
        with open(self.err_path, errors="replace") as file:
            return file.read()

    def wait_said(self, text):
        wait_until(lambda: text in self.err, self.process, lambda: self.err)

    def wait_recorded(self, is_enough):
        """Waits until enough(recording) holds for the growing file. A number: until that many inferences have ended."""
        growing = Growing(self.path, at_most=128 << 10 if isinstance(is_enough, int) else None)

        def is_there():
            recording = growing.now()
            if isinstance(is_enough, int):
                return recording and sum(slice.end is not None for slice in recording.inferences) >= is_enough
            return recording and is_enough(recording)

        wait_until(is_there, self.process, lambda: self.err)

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.wait()

    def wait(self):
        status = self.process.wait(PATIENCE)
        return Attached(self.lab, status, "", self.err, self.path)


def astray(recording, times, by_thread=True, pid=None):
    """The faults of a recording of a part of a program's runs. Between the first and the last recorded inference of
    each thread, every run must be recorded, inside the interval that the program measured. The end of the recording may
    cut the last one."""
    faults = []
    seen = {}
    for slice in recording.of("inference", pid):
        seen.setdefault(slice.args["tid"] if by_thread else None, []).append(slice)
    for thread, slices in seen.items():
        own = sorted(time for time in times if thread in (None, time[2]))
        slices.sort(key=lambda slice: slice.start)
        at = bisect.bisect_right(own, (slices[0].start, 1 << 62, 0)) - 1
        for number, slice in enumerate(slices):
            run = own[at + number] if 0 <= at + number < len(own) else (0, 0)
            is_cut = slice.end is None and number == len(slices) - 1
            if not (
                run[0] <= slice.start <= (slice.end or slice.start) <= run[1] and (slice.end is not None or is_cut)
            ):
                faults.append(
                    "thread %s: inference %d of %d, %s..%s, is not in run %s"
                    % (thread, number, len(slices), slice.start, slice.end, run)
                )
                break
    return faults


def missed(recording, times):
    """Runs of any thread that lie wholly between the begin of the first recorded inference and the end of the last one,
    and are not recorded."""
    slices = [slice for slice in recording.inferences if slice.end]
    begin, end = min(slice.start for slice in slices), max(slice.end for slice in slices)
    within = [time for time in times if time[0] >= begin and time[1] <= end]
    starts = {}
    for slice in recording.inferences:
        starts.setdefault(slice.args["tid"], []).append(slice.start)
    for own in starts.values():
        own.sort()

    def is_there(begin, end, thread):
        own = starts.get(thread, [])
        at = bisect.bisect_left(own, begin)
        return at < len(own) and own[at] <= end

    return [time for time in within if not is_there(*time)]
