# SPDX-License-Identifier: Apache-2.0
"""Kernels of Level Zero under the operators that launched them, with a loader and a libpti_view that are not real
(test/fake/pti): they make the records that Intel documents, in awkward forms. Not tried on a GPU."""

import os
import signal
import subprocess

import pytest
from attaching import attach, python_server
from lab import PATIENCE, children_of, wait_until
from recording import Growing, Recording
from test_kernels import KERNELS, OPERATORS, WHOLE, check_attribution, kernels_of, losses, node_of, of_calls, program


def environment(lab, words="", **more):
    folder = os.path.join(os.path.dirname(lab.inftrace), "test/fake/pti")
    return {"LD_LIBRARY_PATH": folder, "FAKE_DRIVER": "libze_loader.so.1", "FAKE_PTI": words, **more}


def wrong_of(kernels):
    return [kernel for kernel in kernels if kernel.args.get("operator") != node_of(kernel)]


def test_kernels_are_under_their_operators(lab, wheel):
    done = lab.both(program(lab, wheel), level="operator", options=["--kernels"], env=environment(lab))
    recording = done.recording
    kernels = check_attribution(recording, 5)
    assert not recording.lost and not recording.notes("stopped")
    note = recording.note("device clock")
    assert note["source"] == "PTI" and int(note["error_ns"]) < 1000000
    first = [kernel for kernel in kernels if kernel.args["operator"] == "k2" and kernel.args["inference"] == 1]
    assert [kernel.name for kernel in sorted(first, key=lambda kernel: kernel.start)] == [
        f"test::kernel_of_k2<float, {i}>" for i in range(3)
    ]
    assert {tuple(kernel.track.path()[-2:]) for kernel in kernels} == {("GPU 0", "queue 1"), ("GPU 0", "queue 2")}
    copies = [slice for slice in recording.of("kernel") if slice.name.startswith("memcpy")]
    assert len(copies) == 5
    assert {(slice.args["bytes"], slice.args["direction"]) for slice in copies} == {(65536, "to the device")}
    assert of_calls(recording) == {
        "zeCommandListAppendLaunchKernel": 5 * (sum(KERNELS.values()) - KERNELS["k8"]),
        "zeCommandListImmediateAppendCommandListsExp": 5,
        "zeCommandListAppendMemoryCopy": 5,
        "zeCommandListHostSynchronize": 10,
    }
    assert {slice.track.path()[-2] for slice in recording.of("call")} == {"Level Zero calls"}


@pytest.mark.parametrize("words", ["future", "zero=10,hostile"])
def test_records_may_be_of_any_release_and_in_any_order(lab, wheel, words):
    done = lab.record(
        program(lab, wheel, runs=30, threads=2), options=["--kernels"], env=environment(lab, words), level="detail"
    )
    n_all = 60 * (sum(KERNELS.values()) + 1)
    n = losses(lab, done.recording, "without times")
    assert n == (n_all // 10 if "zero" in words else 0)
    if n:
        assert len(done.recording.of("kernel")) == n_all - n
        kernels = kernels_of(done.recording)
        evil = [kernel for kernel in kernels if "evil" in kernel.args.get("symbol", kernel.name)]
        assert evil and not wrong_of(kernel for kernel in kernels if kernel not in evil)
    else:
        check_attribution(done.recording, 60)
    assert bool(losses(lab, done.recording, "not known here")) == ("future" in words)


@pytest.mark.in_turn(3)
def test_what_finds_no_buffer_is_counted(lab, wheel):
    """A library that gives buffers back too late: the program goes on, and what is recorded is right."""
    done = lab.both(program(lab, wheel, runs=20), options=["--kernels"], env=environment(lab, "slow"))
    assert not wrong_of(kernel for kernel in kernels_of(done.recording) if kernel.name != "(name lost)")


def test_one_sentence_says_why_there_are_no_kernels(lab, wheel):
    without = lab.path("driver")
    os.mkdir(without)
    loader = os.path.join(environment(lab)["LD_LIBRARY_PATH"], "libze_loader.so.1")
    os.symlink(loader, os.path.join(without, "libze_loader.so.1"))
    for env, why in (
        (environment(lab, "refuse=51"), "ZE_ENABLE_TRACING_LAYER=1"),
        (environment(lab, "refuse=200"), "PTI refuses with error 200 in ptiViewEnable"),
        ({**environment(lab), "LD_LIBRARY_PATH": without}, "libpti_view was not found: pip install intel-pti"),
    ):
        done = lab.both(program(lab, wheel), options=["--kernels"], env=env)
        note = done.recording.note("stopped")
        assert note["source"] == "kernels" and why in note["text"]
        assert not done.recording.of("kernel") and len(done.recording.operators) == 5 * OPERATORS


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
    assert "before PTI had told them" in recording.note("device clock")["text"]
    kernels = [kernel for kernel in kernels_of(recording) if "operator" in kernel.args]
    assert kernels and not wrong_of(kernels)


@pytest.mark.in_turn(3)
def test_a_child_of_fork_disturbs_nothing(lab, wheel):
    library = lab.binaries.shared("launch_ops")
    words = lab.python(wheel, "children", "os.fork", lab.model("launches"), "--library", library, "--threads", 1)
    done = lab.both(words, options=["--kernels"], env=environment(lab))
    assert done.out.count("parent") == 3 and "status 0" in done.out
    assert {node_of(kernel) for kernel in kernels_of(done.recording)} == set(KERNELS)


def test_the_programs_own_profiler_gets_pti(lab, wheel):
    done = lab.both(
        program(lab, wheel, name="profiles_itself"), options=["--kernels"], env=environment(lab), level="operator"
    )
    assert "subscribed 0" in done.out
    assert "profiles by PTI" in done.recording.note("stopped")["text"]
    kernels = kernels_of(done.recording)
    assert len(kernels) == 5 * sum(KERNELS.values()) and len(done.recording.inferences) == 10
    assert not wrong_of(kernels)


@pytest.mark.in_turn(3)
def test_injection_begins_and_ends_it(lab, wheel):
    library = lab.binaries.shared("launch_ops")
    server = python_server(lab, wheel, "launches", "--rest", 0.01, "--library", library, env=environment(lab))
    for _ in range(2):
        done = attach(lab, "--inject", "--kernels", server.pid, n=60)
        kernels = [kernel for kernel in kernels_of(done.recording) if "operator" in kernel.args]
        assert len(kernels) > 10 * sum(KERNELS.values()) and not wrong_of(kernels)
    server.end()


def test_each_injection_says_why_there_are_no_kernels(lab, wheel):
    library = lab.binaries.shared("launch_ops")
    server = python_server(
        lab, wheel, "launches", "--rest", 0.01, "--library", library, env=environment(lab, "refuse=52")
    )
    for _ in range(2):
        done = attach(lab, "--inject", "--kernels", server.pid, n=60)
        said = [note.args["text"] for note in done.recording.notes("stopped")]
        assert sum("too old for PTI" in text for text in said) == 1 and not done.recording.of("kernel"), said
    server.end()


def test_a_program_that_profiles_by_pti_from_the_begin_keeps_it(lab, wheel):
    done = lab.both(program(lab, wheel, name="profiles_first"), options=["--kernels"], env=environment(lab))
    assert int(done.out.split()[-1]) > 5 * sum(KERNELS.values()) * 64  # bytes
    assert "profiles by PTI" in done.recording.note("stopped")["text"] and not done.recording.of("kernel")


def test_one_library_tells_of_kernels_and_others_keep_quiet(lab, wheel):
    """A GPU of NVIDIA beside one of Intel, with and without its library; and an NPU, which has no kernels."""
    cuda = os.path.join(os.path.dirname(lab.inftrace), "test/fake/cuda")
    pti = environment(lab)["LD_LIBRARY_PATH"]
    only_loader = lab.path("loader")
    os.mkdir(only_loader)
    os.symlink(os.path.join(pti, "libze_loader.so.1"), os.path.join(only_loader, "libze_loader.so.1"))
    for folders in ((cuda, pti), (cuda, only_loader)):
        words = program(lab, wheel, more=["--load", "libze_loader.so.1", "zeInit"])
        done = lab.record(words, options=["--kernels"], env={"LD_LIBRARY_PATH": ":".join(folders)})
        check_attribution(done.recording, 5, WHOLE)
        assert not done.recording.notes("stopped") and done.recording.note("device clock")["source"] == "CUPTI"
    env = environment(lab, LD_LIBRARY_PATH=only_loader, FAKE_ZE="npu")
    done = lab.record(program(lab, wheel), options=["--kernels"], env=env)
    assert not done.recording.notes("stopped") and not done.recording.of("kernel")
