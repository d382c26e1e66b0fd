# SPDX-License-Identifier: Apache-2.0
"""Clocks that jump while a program is recorded: times stay right, and the recording says what happened."""

import json
import mmap
import os
import signal
import struct
import subprocess

import pytest

from lab import PATIENCE, wait_until
from recording import Recording
from test_faults import child_of, ended, n_over, wait_for_runs

SECOND = 10**9
HOUR = 3600 * SECOND


class Clocks:
    """The recorder's clocks: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME."""

    def __init__(self, lab):
        self.path, self.by = lab.path("clocks"), [0, 0, 0]
        with open(self.path, "wb") as file:
            file.write(bytes(24))
        library = lab.binaries.shared("shift_clocks", ["-ldl"])
        self.env = {"LD_PRELOAD": library, "SHIFT_CLOCKS": self.path}

    def shift(self, *by):
        self.by = [old + new for old, new in zip(self.by, by)]
        with open(self.path, "r+b") as file, mmap.mmap(file.fileno(), 24) as memory:
            memory[:] = struct.pack("3q", *self.by)


def uses_the_counter():
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    return os.path.exists(path) and open(path).read().strip() == "tsc"


def changes_in(lab, path):
    """{what: by how much} of the clock changes that a recording tells of so far."""
    report = json.loads(subprocess.check_output([lab.inftrace, "report", "--json", path]))
    report = json.loads(subprocess.check_output([lab.inftrace, "report", "--json", path]))
    return {change["what"]: change["by_ns"] for change in report["recording"]["clock_changes"]}


def n_recorded(lab, path):
    report = json.loads(subprocess.check_output([lab.inftrace, "report", "--json", path]))
    return sum(model["inferences"]["count"] for model in report["models"])


def test_times_stay_right_when_clocks_jump(lab, library):
    clocks = Clocks(lab)
    program = lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"), 2, 0)
    command, path = lab.command(program, "operator")
    recorder = lab.start(command, env=clocks.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_runs(lab, recorder, 5)
    wait_until(lambda: n_recorded(lab, path) >= 5, recorder)  # what waits in rings has no time yet
    expected = {"suspended": 120 * SECOND, "wall clock set": -7 * SECOND}
    if uses_the_counter():
        clocks.shift(HOUR, HOUR, HOUR)  # the counter has lost an hour
        expected["counter jumped"] = -HOUR
        wait_until(lambda: "counter jumped" in changes_in(lab, path), recorder)
        wait_for_runs(lab, recorder, n_over(lab) + 5)
    clocks.shift(0, 120 * SECOND, 120 * SECOND)  # a suspend in which the counter stood still
    wait_until(lambda: "suspended" in changes_in(lab, path), recorder)
    clocks.shift(0, 0, -7 * SECOND)  # somebody sets the time of day
    wait_until(lambda: set(changes_in(lab, path)) == set(expected), recorder)
    wait_for_runs(lab, recorder, n_over(lab) + 5)
    os.kill(child_of(recorder.pid), signal.SIGUSR1)
    _, err = recorder.communicate(timeout=PATIENCE)
    assert recorder.returncode == 0, err
    recording = Recording(path)
    lab.recordings.append(recording)
    assert len(ended(recording)) == n_over(lab)
    assert not recording.lost and "moved" not in recording.note("cost")

    # CLOCK_MONOTONIC has gone an hour ahead: only for what was running then, and nothing is squeezed
    for slices in (recording.inferences, recording.operators):
        assert sum(slice.end - slice.start > HOUR / 2 for slice in slices) <= 2
    assert sum(slice.end == slice.start for slice in recording.operators) <= len(recording.operators) / 100
    found = changes_in(lab, path)
    assert set(found) == set(expected)
    for what, by_ns in expected.items():
        assert found[what] == pytest.approx(by_ns, abs=SECOND / 2), what
    if uses_the_counter():
        for tid in {slice.args["tid"] for slice in recording.inferences}:
            own = sorted((slice.start, slice.end) for slice in recording.inferences if slice.args["tid"] == tid)
            assert all(before[1] <= after[0] for before, after in zip(own, own[1:]))
            assert HOUR < own[-1][1] - own[0][0] < HOUR + PATIENCE * SECOND
    text = " ".join(subprocess.check_output([lab.inftrace, "report", path], text=True).split())
    assert "was suspended for 2 min" in text and "was set back by 7" in text
