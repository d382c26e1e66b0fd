# SPDX-License-Identifier: Apache-2.0
"""Kernels of ROCm under the operators that launched them, with a HIP and a rocprofiler-sdk that are not real
(test/fake/rocm): they make the records that ROCm documents, in awkward forms. Not tried on a GPU."""

import collections
import os
import signal
import subprocess

import pytest
from attaching import attach, python_server
from lab import PATIENCE, children_of, wait_until
from recording import Growing, Recording
from test_kernels import KERNELS, check_attribution, kernels_of, losses, node_of, of_calls, program

FAKES = "test/fake/rocm"


def environment(lab, words="", **more):
    folder = os.path.join(os.path.dirname(lab.inftrace), FAKES)
    return {"LD_LIBRARY_PATH": folder, "FAKE_DRIVER": "libamdhip64.so.6", "FAKE_ROCM": words, **more}


def test_kernels_are_under_their_operators(lab, wheel):
    done = lab.both(program(lab, wheel), level="operator", options=["--kernels"], env=environment(lab))
    recording = done.recording
    kernels = check_attribution(recording, 5)
    assert not recording.lost and not recording.notes("stopped")
    note = recording.note("device clock")
    assert note["source"] == "rocprofiler-sdk" and int(note["error_ns"]) < 1000000
    first = [kernel for kernel in kernels if kernel.args["operator"] == "k2" and kernel.args["inference"] == 1]
    assert [kernel.name for kernel in sorted(first, key=lambda kernel: kernel.start)] == [
        f"test::kernel_of_k2<float, {i}>" for i in range(3)
    ]
    assert first[0].args["grid"] == "108x1x1" and first[0].args["block"] == "256x1x1"
    assert first[0].args["registers"] == 40 and first[0].args["shared_bytes"] == 512
    assert {tuple(kernel.track.path()[-2:]) for kernel in kernels} == {("GPU 0", "queue 7"), ("GPU 0", "queue 8")}
    copies = [slice for slice in recording.of("kernel") if slice.name.startswith("memcpy")]
    assert {(slice.args["bytes"], slice.args["direction"]) for slice in copies} == {(65536, "to the device")}
    assert len(copies) == 5 and {tuple(slice.track.path()[-2:]) for slice in copies} == {("GPU 0", "copies")}
    assert of_calls(recording) == {
        "hipLaunchKernel": 5 * (sum(KERNELS.values()) - KERNELS["k8"]),
        "hipGraphLaunch": 5,
        "hipMemcpyAsync": 5,
        "hipStreamSynchronize": 10,
    }
    assert {slice.track.path()[-2] for slice in recording.of("call")} == {"HIP calls"}


@pytest.mark.parametrize("words", ["version=401,zero=10", "future,drop=1"])
def test_records_may_be_of_any_release_and_in_any_order(lab, wheel, words):
    done = lab.record(
        program(lab, wheel, runs=30, threads=2), options=["--kernels"], env=environment(lab, words), level="detail"
    )
    n = losses(lab, done.recording, "without times")
    assert n == (60 * (sum(KERNELS.values()) + 1) // 10 if "zero" in words else 0)
    kernels = kernels_of(done.recording)
    if n:
        assert len(done.recording.of("kernel")) == 60 * (sum(KERNELS.values()) + 1) - n
        assert not [kernel for kernel in kernels if kernel.args.get("operator") != node_of(kernel)]
    else:
        check_attribution(done.recording, 60)
    assert bool(losses(lab, done.recording, "not known here")) == ("future" in words)
    assert bool(losses(lab, done.recording, "rocprofiler-sdk dropped")) == ("drop" in words)


@pytest.mark.in_turn(3)
def test_hostile_records_are_counted(lab, wheel):
    done = lab.both(program(lab, wheel, runs=20), options=["--kernels"], env=environment(lab, "hostile"))
    kernels = kernels_of(done.recording)
    assert len(kernels) == 20 * sum(KERNELS.values())
    evil = [kernel for kernel in kernels if "evil" in kernel.args.get("symbol", kernel.name)]
    assert len(evil) == len(kernels) // 10
    assert not [kernel for kernel in kernels if kernel not in evil and kernel.args.get("operator") != node_of(kernel)]
    assert losses(lab, done.recording, "not known here")


def test_one_sentence_says_why_there_are_no_kernels(lab, wheel):
    """Without the library ROCm would end the program, if it found a tool: the agent is none then."""
    without = lab.path("driver")
    os.mkdir(without)
    hip = os.path.join(os.path.dirname(lab.inftrace), FAKES, "libamdhip64.so.6")
    os.symlink(hip, os.path.join(without, "libamdhip64.so.6"))
    for env, why in (
        (environment(lab, "version=30000"), "rocprofiler-sdk 3.0 is not known here"),
        (environment(lab, "version=300"), "install one of ROCm 6.2"),
        (environment(lab, "refuse=16"), "refuses with error 16 in rocprofiler_create_buffer"),
        ({**environment(lab), "LD_LIBRARY_PATH": without}, "librocprofiler-sdk was not found: install"),
    ):
        done = lab.both(program(lab, wheel), options=["--kernels"], env=env)
        note = done.recording.note("stopped")
        assert note["source"] == "kernels" and why in note["text"]
        assert not done.recording.of("kernel") and len(done.recording.inferences) == 5
    done = lab.record(
        program(lab, wheel), options=["--no-kernels"], env={**environment(lab), "LD_LIBRARY_PATH": without}
    )
    assert not done.recording.notes("stopped") and len(done.recording.inferences) == 5


@pytest.mark.in_turn(3)
def test_what_a_killed_program_launched_last_is_said_to_be_unknown(lab, wheel):
    words = lab.python(wheel, "serve", lab.model("launches"), "--library", lab.binaries.shared("launch_ops"))
    command, path = lab.command(words, options=["--kernels"])
    process = lab.start(command, env=environment(lab), stdin=subprocess.PIPE)
    growing = Growing(path)
    wait_until(lambda: growing.now() and growing.now().of("kernel"), process)
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    process.wait(PATIENCE)
    recording = Recording(path)
    lab.recordings.append(recording)
    assert "before rocprofiler-sdk had told them" in recording.note("device clock")["text"]
    kernels = [kernel for kernel in kernels_of(recording) if "operator" in kernel.args]
    assert kernels and not [kernel for kernel in kernels if kernel.args["operator"] != node_of(kernel)]


@pytest.mark.in_turn(3)
def test_a_child_of_fork_disturbs_nothing(lab, wheel):
    library = lab.binaries.shared("launch_ops")
    words = lab.python(wheel, "children", "os.fork", lab.model("launches"), "--library", library, "--threads", 1)
    done = lab.both(words, options=["--kernels"], env=environment(lab))
    assert done.out.count("parent") == 3 and "status 0" in done.out
    kernels = collections.Counter(node_of(kernel) for kernel in kernels_of(done.recording))
    assert set(kernels) == set(KERNELS)


@pytest.mark.in_turn(3)
def test_a_running_program_is_too_late(lab, wheel):
    server = python_server(lab, wheel, "launches", "--library", lab.binaries.shared("launch_ops"), env=environment(lab))
    done = attach(lab, "--inject", "--kernels", server.pid, n=20)
    (note,) = [note for note in done.recording.notes("stopped") if note.args.get("source") == "kernels"]
    assert "start it with inftrace record" in note.args["text"]
    server.end()
