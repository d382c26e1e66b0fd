# SPDX-License-Identifier: Apache-2.0
"""attach, --inject, next and record on aarch64: with kernels in a whole emulated machine (tools/boot-arm64.sh)."""

import collections
import glob
import json
import os
import shlex
import shutil
import subprocess

import pytest

import envs
from attaching import astray, missed
from conftest import environment
from lab import own_times, profile_operators
from recording import Recording
from test_attach import per_inference, whole

HERE = os.path.dirname(os.path.abspath(__file__))
BOOT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "boot-arm64.sh")
# The folders of kernels: tools/try-arm64.sh unpacks those for pages of 4 and 16 KiB, Debian has no other.
KERNELS = os.environ.get("INFTRACE_TEST_ARM64_KERNELS")
RUNS = 12

pytestmark = [
    pytest.mark.full("a whole machine is emulated"),
    pytest.mark.skipif(not KERNELS, reason="tools/try-arm64.sh --kernel runs it"),
]


def boot(pages, out, command):
    kernel = os.path.join(KERNELS, pages)
    if pages == "64k" and not os.path.exists(kernel):
        pytest.skip("no kernel has pages of 64 KiB here; tools/make-kernel-64k.sh makes one")
    done = subprocess.run(
        [BOOT, kernel, envs.ARM64, out, command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


class Guest:
    """What a boot has left."""

    def __init__(self, lab, pages, keys):
        self.folder = os.path.realpath(lab.path("guest"))
        os.mkdir(self.folder)
        words = ["python3", os.path.join(HERE, "arm64_guest.py"), lab.inftrace, "cnn.onnx", self.folder]
        words += ["%s=%s" % (key, environment(envs.wheel, key).python) for key in keys]
        for name in ("cnn.onnx", "cnn.npz"):
            shutil.copy(os.path.join(lab.models, name), self.folder)
        self.console = boot(pages, self.folder, "cd %s && %s" % (shlex.quote(self.folder), shlex.join(words)))
        self.lab = lab

    def path(self, name):
        return os.path.join(self.folder, name)

    def said(self, key):
        with open(self.path(key + ".json")) as file:
            return json.load(file)

    def recording(self, name):
        found = Recording(self.path(name + ".pftrace"))
        self.lab.recordings.append(found)
        return found

    def profile(self, key):
        (path,) = glob.glob(self.path(key + "-profile*.json"))
        return tuple(sorted(profile_operators(path)))


def check_attached(guest, key):
    said, times = guest.said(key)["attached"], own_times(guest.path(key + "-attached-times"))
    assert said["status"] == 0 and "differ 0\n" in said["out"], said
    assert said["differs"] == 0  # probes leave no byte behind
    for way in ("probes", "inject", "again"):
        assert said[way]["status"] == 0, said[way]["err"]
        recording = guest.recording("%s-%s" % (key, way))
        assert len(whole(recording)) >= RUNS - 4 and recording.lost == 0, said[way]["err"]
        assert set(map(tuple, per_inference(recording).values())) == {guest.profile(key)}, way
        assert {slice.args["model"] for slice in recording.inferences} == {"cnn"}
        assert {slice.args["provider"] for slice in recording.operators} == {"CPUExecutionProvider"}
        assert {slice.args["status"] for slice in whole(recording)} == {"ok"}
        assert astray(recording, times) == [] and missed(recording, times) == []


def check_rejecting(guest, key):
    """What a run has returned is read where it was returned: ok, or the runtime's message."""
    said, times = guest.said(key)["rejecting"], own_times(guest.path(key + "-rejecting-times"))
    assert said["status"] == 0 and "differ 0\n" in said["out"], said
    for way in ("rejected", "rejected-inject"):
        assert said[way]["status"] == 0, said[way]["err"]
        recording = guest.recording("%s-%s" % (key, way))
        statuses = collections.Counter(slice.args["status"] for slice in whole(recording))
        assert len(statuses) == 2 and statuses["ok"] >= 2, statuses
        (message,) = set(statuses) - {"ok"}
        assert "Invalid rank for input" in message and statuses[message] >= 2, statuses
        assert astray(recording, times) == [] and missed(recording, times) == []


def check_awaited(guest, key):
    said = guest.said(key)
    assert said["program"]["status"] == 0 and "runs %d failed 0\n" % RUNS in said["program"]["out"], said["program"]
    assert said["next"]["status"] == 0, said["next"]["err"]
    recording = guest.recording(key + "-next")
    assert recording.lost == 0 and len(whole(recording)) == RUNS
    assert len([slice for slice in recording.of("session") if slice.end]) == 1
    assert set(map(tuple, per_inference(recording).values())) == {guest.profile(key)}
    own = sorted(own_times(guest.path(key + "-next-times")))
    seen = sorted((slice.start, slice.end) for slice in recording.inferences)
    assert [(a, b) for a, b in zip(seen, own) if a[0] < b[0] or a[1] > b[1]] == []


def check_recorded(guest, key):
    said, own = guest.said(key)["record"], own_times(guest.path(key + "-record-times"))
    assert said["status"] == 0 and "runs %d failed 0\n" % RUNS in said["out"], said
    recording = guest.recording(key + "-record")
    assert recording.lost == 0 and len(whole(recording)) == RUNS
    assert set(map(tuple, per_inference(recording).values())) == {guest.profile(key)}
    assert astray(recording, own) == [] and missed(recording, own) == []
    assert said["report"]["status"] == 0, said["report"]["err"]
    (model,) = json.loads(said["report"]["out"])["models"]
    assert model["inferences"]["count"] == RUNS


@pytest.mark.parametrize(
    "pages, keys", [("4k", list(envs.WHEELS)), ("16k", ["newest"]), ("64k", ["newest"])], ids=["4k", "16k", "64k"]
)
def test_running_programs_are_seen_as_the_runtimes_own_profiler_sees_them(lab, pages, keys):
    guest = Guest(lab, pages, keys)
    for key in keys:
        check_attached(guest, key)
        check_rejecting(guest, key)
        check_awaited(guest, key)
        check_recorded(guest, key)


@pytest.mark.parametrize("pages", ["4k", "64k"])
def test_parts_that_need_the_kernel_pass_their_tests(pages, tmp_path):
    """Those that an emulator of programs cannot run, and those that the kernel's own way or size of pages may fail."""
    unit = os.path.join(os.path.dirname(os.environ["INFTRACE"]), "test", "unit")
    names = ["inject_code", "inject_place", "next", "recorder", "rights", "uprobe"]
    names += ["array", "html_recording", "peek", "perfetto_queue", "segment_folder"]
    tests = [os.path.join(unit, name + "_test") for name in names]
    boot(pages, str(tmp_path), " && ".join(map(shlex.quote, tests)))
