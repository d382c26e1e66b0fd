# SPDX-License-Identifier: Apache-2.0
"""Several recorders on one machine: in pid namespaces that share /dev/shm, of several users, on one program, one inside
the other. None harms another."""

import json
import os
import signal
import struct
import subprocess

import pytest

from attaching import Attaching, attach
from lab import PATIENCE, children_of, state_of, wait_until
from recording import Growing, Recording

REST_US = 10000
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
# pids begin anew in it, and /dev/shm stays the machine's
NAMESPACE = ["unshare", "-m", "-p", "-f", "--mount-proc"]


class Background:
    """inftrace record of a program that runs until it is told to end."""

    def __init__(self, lab, library, name, prefix=()):
        self.lab, self.counters = lab, lab.path("counters-" + name)
        program = lab.native("soak", library, lab.model("chain"), 256, 256, self.counters, 2, REST_US)
        command, self.path = lab.command(program, name=name)
        self.process = lab.start([*prefix, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait_recorded(10)

    def wait_recorded(self, n):
        growing = Growing(self.path)
        wait_until(lambda: len(getattr(growing.now(), "inferences", ())) > n, self.process)

    def family(self):
        """Its pid, that of its first child, the first one's of that, and so on: a recorder's others read files."""
        pids = [self.process.pid]
        while children_of(pids[-1]):
            pids += children_of(pids[-1])[:1]
        return pids

    def end(self):
        """The recording, which has every run."""
        os.kill(self.family()[-1], signal.SIGUSR1)
        _, self.said = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, self.said
        recording = Recording(self.path)
        self.lab.recordings.append(recording)
        with open(self.counters, "rb") as file:
            _, n_ended, _ = struct.unpack("3Q", file.read())
        assert len(recording.inferences) == n_ended and recording.lost == 0, self.said
        return recording

    def kill_recorder(self):
        """The program goes on, and is killed then."""
        family = self.family()
        os.kill(family[-2], signal.SIGKILL)
        wait_until(lambda: state_of(family[-2]) in "XZ")
        if state_of(family[-1]) not in "XZ":
            os.kill(family[-1], signal.SIGKILL)
        self.process.wait(PATIENCE)


def short(lab, library, name, prefix=()):
    command, path = lab.command(lab.native("end", library, lab.model("chain"), 256, 256, 10, "0"), name=name)
    done = lab.plain([*prefix, *command])
    assert done.status == 0, done.err
    recording = Recording(path)
    lab.recordings.append(recording)
    assert len(recording.inferences) == 10 and recording.lost == 0


@pytest.mark.root
def test_in_pid_namespaces_that_share_memory(lab, library):
    if lab.plain([*NAMESPACE, "true"]).status:
        pytest.skip("pid namespaces are not allowed here")
    first = Background(lab, library, "first", prefix=NAMESPACE)
    killed = Background(lab, library, "killed", prefix=NAMESPACE)
    killed.kill_recorder()
    for round in range(3):
        short(lab, library, "short-%d" % round, prefix=NAMESPACE)
    short(lab, library, "outside")
    first.wait_recorded(len(Recording(first.path).inferences) + 100)
    first.end()


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_of_two_users(public):
    ours = Background(public, public.library, "ours")
    theirs = Background(public, public.library, "theirs", prefix=NOBODY)
    killed = Background(public, public.library, "killed", prefix=NOBODY)
    killed.kill_recorder()
    short(public, public.library, "next-of-ours")
    short(public, public.library, "next-of-theirs", prefix=NOBODY)
    for recorder in (ours, theirs):
        recorder.wait_recorded(len(Recording(recorder.path).inferences) + 100)
        recorder.end()


@pytest.mark.root
def test_on_one_program(lab, library):
    recorder = Background(lab, library, "recorder")
    pid = recorder.family()[-1]
    probes = [Attaching(lab, pid, name="probes-%d" % number) for number in range(2)]
    for attached in probes:
        attached.wait_recorded(50)
    refused = attach(lab, "--inject", pid, status=3)
    assert "was it started under inftrace record" in refused.err
    probes[0].process.kill()
    probes[0].process.wait()
    probes[1].wait_recorded(len(Recording(probes[1].path).inferences) + 50)
    seen = probes[1].end().recording
    whole = recorder.end()
    assert seen.lost == 0
    own = sorted((slice.start, slice.end) for slice in whole.inferences)
    for slice in seen.inferences:
        assert not slice.end or any(begin < slice.end and slice.start < end for begin, end in own)
    assert 50 < len(seen.inferences) < len(own)


def test_one_inside_the_other(lab, library):
    """The inner one records the program. The outer one says that it did not see it."""
    command, path = lab.command([], options=("--interval", "20ms"), name="outer")
    inner = Background(lab, library, "inner", prefix=command)
    growing = Growing(path)
    wait_until(lambda: any("soak" in track.name for track in growing.now().tracks.values()), inner.process)
    inner.end()
    assert "0 inferences" in inner.said and "was not seen" in inner.said
    report = json.loads(lab.plain([lab.inftrace, "report", "--format", "json", path]).out)
    states = [process["state"] or "" for process in report["processes"]]
    assert any(
        state.endswith("soak did was not seen: another recorder of inftrace has its agent in it") for state in states
    )
