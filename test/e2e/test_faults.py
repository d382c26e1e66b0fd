# SPDX-License-Identifier: Apache-2.0
"""Kills at bad moments, full disks, small rings, cut files: no complete event is missing; targets are unharmed."""

import glob
import json
import os
import platform
import random
import re
import resource
import signal
import struct
import subprocess
import time

import pytest

import judge
from lab import PATIENCE, children_of, state_of, wait_until
from recording import Growing, Recording

KILLS = [
    *range(10),
    *[pytest.param(seed, marks=pytest.mark.full("each of 190 more moments takes a second")) for seed in range(10, 200)],
]

LINUX = [int(number) for number in re.findall(r"\d+", platform.release())[:2]]


def counters(path):
    """[(runs, time of the last end)] of programs/count.c, per thread."""
    with open(path, "rb") as file:
        data = file.read()
    return [struct.unpack_from("QQ", data, at) for at in range(0, len(data), 64)]


def wait_for_runs(lab, recorder, n):
    """Waits until the target of a recorder has made more than n runs."""
    wait_until(lambda: os.path.exists(lab.path("counters")) and n_over(lab) > n, recorder)


def n_over(lab):
    """Finished runs of programs/count.c, of all threads, at the time of the call."""
    return sum(runs for runs, _ in counters(lab.path("counters")))


def child_of(pid):
    return children_of(pid)[0]  # the recorder may read symbols in another one


def ended(recording):
    return [slice for slice in recording.inferences if slice.end is not None]


@pytest.mark.parametrize("seed", KILLS)
@pytest.mark.in_turn(3)
def test_a_target_killed_at_any_moment_loses_no_run_that_was_over(lab, library, seed):
    dice = random.Random(seed)
    threads, level = dice.choice([1, 1, 2, 8, 32]), dice.choice(["inference", "operator", "operator", "detail"])
    model, shape, length, operators, longest = dice.choice(
        [("heavy", "192x192", 192 * 192, 6, 0.3), ("chain", 256, 256, 20, 0.02)]
    )
    operators = operators if level != "inference" else 0
    program = lab.native("count", library, lab.model(model), shape, length, lab.path("counters"), threads, 0)
    command, path = lab.command(program, level)
    recorder = lab.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_runs(lab, recorder, 0)
    time.sleep(dice.random() * longest)
    target = child_of(recorder.pid)
    os.kill(target, signal.SIGKILL)
    _, err = recorder.communicate(timeout=PATIENCE)
    assert recorder.returncode == -9, err
    recording = Recording(path)
    lab.recordings.append(recording)
    over = n_over(lab)
    if not recording.lost:
        assert over <= len(ended(recording)) <= over + threads
        assert over * operators <= len(recording.operators) <= (over + threads) * operators
    else:
        assert len(ended(recording)) <= over + threads
        assert b"lost" in err
    assert len(recording.inferences) - len(ended(recording)) <= threads


@pytest.mark.skipif(LINUX < [6, 15], reason="this kernel tells parents alone how a process ended")
def test_a_crash_of_a_process_that_the_program_started_is_said(lab, library):
    program = lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"), 1, 0)
    command, path = lab.command(["/bin/sh", "-c", " ".join(program) + "; exit 0"])
    recorder = lab.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    growing = Growing(path)
    runs = wait_until(lambda: os.path.exists(path) and ended(growing.now()), recorder)
    os.kill(runs[0].track.pid, signal.SIGSEGV)
    _, err = recorder.communicate(timeout=PATIENCE)
    assert recorder.returncode == 0, err
    text = " ".join(lab.plain([lab.inftrace, "report", path]).out.split())
    assert "process %d was killed by SIGSEGV" % runs[0].track.pid in text
    sql = "select exit_status, signal from processes where pid = %d" % runs[0].track.pid
    rows = json.loads(lab.plain([lab.inftrace, "query", "--format", "json", path, sql]).out)
    assert rows == [{"exit_status": None, "signal": int(signal.SIGSEGV)}]


def test_a_killed_recorder_leaves_the_target_undisturbed_and_a_file_up_to_its_last_flush(lab, library):
    program = lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"))
    one = int(lab.plain([*program, "1", "1"]).out.split()[0], 16)
    os.unlink(lab.path("counters"))
    command, path = lab.command([*program, "2", "0"])
    with open(lab.path("target-out"), "w") as out:
        recorder = lab.start(command, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for_runs(lab, recorder, 100)
    target = child_of(recorder.pid)
    over_before = n_over(lab)
    growing = Growing(path)
    wait_until(lambda: len(ended(growing.now())) >= over_before, recorder)  # flushed while the program still runs
    recorder.kill()
    recorder.wait()
    over_then = n_over(lab)
    wait_until(lambda: n_over(lab) > over_then + 100)
    os.kill(target, signal.SIGUSR1)
    wait_until(lambda: state_of(target) in "XZ")
    runs = n_over(lab)
    with open(lab.path("target-out")) as out:
        assert out.read() == "%016x\nruns %d failed 0\n" % (one * runs & (1 << 64) - 1, runs)
    recording = Recording(path)
    assert over_before <= len(ended(recording)) <= over_then + 2
    assert recording.faults == [] and not judge.import_errors(path)


def test_what_a_killed_recorder_left_behind_is_removed_by_the_next_one(lab, library):
    program = lab.native("count", library, lab.model("tiny"), 4, 4, lab.path("counters"), 1, 0)
    command, _ = lab.command(program)
    recorder = lab.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    parents = ["/dev/shm", os.environ.get("XDG_RUNTIME_DIR", "/dev/shm"), "/tmp"]

    def left():
        return [path for parent in parents for path in glob.glob("%s/inftrace-%d-*" % (parent, recorder.pid))]

    wait_for_runs(lab, recorder, 10)
    assert left()
    target = child_of(recorder.pid)
    recorder.kill()
    recorder.wait()
    os.kill(target, signal.SIGKILL)
    wait_until(lambda: state_of(target) in "XZ")
    lab.record(lab.native("end", library, lab.model("tiny"), 4, 4, 3, "0"), name="next")
    assert not left()


def full_disk(lab, folder, library):
    program = lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"), 2, 500)
    plain = lab.plain(program)
    os.unlink(lab.path("counters"))
    path = os.path.join(folder, "full.pftrace")
    done = lab.plain([lab.inftrace, "record", "-o", path, "--level", "operator", "--", *program])
    assert (done.out, done.status) == (plain.out, plain.status), done.err
    # the disk may fill between two looks at it
    why = "the disk is almost full|cannot write the recording: No space left on device"
    assert len(re.findall("recording has stopped: (?:%s)" % why, done.err)) == 1, done.err
    recording = Recording(path)
    assert recording.faults == [] and not judge.import_errors(path)
    assert recording.inferences
    return recording


@pytest.mark.root
def test_a_full_disk_is_said_once_and_the_target_goes_on(lab, library):
    folder = lab.path("small")
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        recording = full_disk(lab, folder, library)
        assert recording.size <= 64 * 1024
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_limit_on_file_size_is_said_once_and_the_target_goes_on(lab, library):
    program = lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"), 2, 500)
    plain = lab.plain(program)
    os.unlink(lab.path("counters"))
    path = lab.path("limited.pftrace")
    done = lab.plain(
        [lab.inftrace, "record", "-o", path, "--level", "operator", "--", *program],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60 * 1024, 60 * 1024)),
    )
    assert (done.out, done.status) == (plain.out, plain.status), done.err
    assert done.err.strip(), "nothing was said"
    recording = Recording(path)
    assert recording.size <= 60 * 1024 and recording.faults == [] and not judge.import_errors(path)


# Phases of session creation that take one record: they are written when they have ended.
ENDED = ("set up session", "read file", "build graph", "create kernels", "hash packed weights", "finish session")


def records(recording):
    """How many records the agent wrote for the contents of the recording. An operator or a setup takes one. A run of
    the C API takes two, and may lack its end. The creation of a session takes one for each begin and end, and one for
    each weight."""
    runs = recording.inferences
    parts = [part for part in recording.of("specialize") if not part.name.startswith("pre-pack")]
    creation = (
        len(recording.of("session"))
        + sum("status" in session.args for session in recording.of("session"))
        + 2 * len(recording.of("load"))
        + sum(1 if phase.name in ENDED else 2 for phase in recording.of("phase"))
        + len(recording.of("specialize"))
        + sum("modified" in part.args or "capabilities" in part.args for part in parts)
        + len(recording.notes("released"))
    )
    return (
        len(recording.of("operator"))
        + len(recording.of("setup"))
        + len(runs)
        + sum(run.args.get("status") is not None for run in runs)
        + creation
    )


@pytest.mark.in_turn(2)
def test_a_ring_that_is_too_small_counts_what_it_lost_to_the_record(lab, library):
    program = lab.native("run", library, lab.model("many"), 4, 4, "run", 10, 4)
    whole = lab.record(program, options=["--ring-size", "16M"], name="whole").recording
    assert whole.lost == 0 and len(whole.operators) == 10 * 4 * 3000
    recording = lab.record(program, options=["--ring-size", "4K"]).recording
    assert recording.lost > 0 and recording.note("cost")["lost"] == recording.lost
    # 120,160 records and those of the session's creation; what a thread used is one more, for inferences that are read
    n_usage = 40 - sum("thread_cpu_ns" in slice.args for slice in recording.inferences)
    assert 0 <= records(recording) + recording.lost - records(whole) <= n_usage


def test_loss_is_told_to_the_user(lab, library):
    done = lab.record(lab.native("run", library, lab.model("many"), 4, 4, "run", 10, 4), options=["--ring-size", "4K"])
    assert re.search(r"\b%d\b" % done.recording.lost, done.err.replace(",", "")), done.err


@pytest.mark.parametrize(
    "n_judged", [8, pytest.param(40, marks=pytest.mark.full("the judge needs seconds for 40 files"))]
)
def test_a_file_cut_anywhere_is_read_up_to_there(lab, library, n_judged):
    recording = lab.record(lab.native("end", library, lab.model("chain"), 256, 256, 5, "0")).recording
    with open(recording.path, "rb") as file:
        data = file.read()
    dice = random.Random(5)
    last = 0
    cuts = sorted({0, 1, len(data) - 1, len(data)} | {dice.randrange(len(data)) for _ in range(40)})
    for at in cuts:
        path = lab.path("cut.pftrace")
        with open(path, "wb") as file:
            file.write(data[:at])
        part = Recording(path)
        assert part.faults == []
        assert len(part.slices) >= last
        last = len(part.slices)
    assert last == len(recording.slices)
    growing = Growing(lab.path("growing.pftrace"))
    assert growing.now() is None
    for begin, end in zip(cuts, cuts[1:]):
        with open(growing.path, "ab") as file:
            file.write(data[begin:end])
        assert growing.now().faults == []
    assert [repr(slice) for slice in growing.now().slices] == [repr(slice) for slice in recording.slices]
    assert growing.now().size == recording.size and growing.now().n_packets == recording.n_packets
    for at in dice.sample(cuts, n_judged):
        path = lab.path("cut.pftrace")
        with open(path, "wb") as file:
            file.write(data[:at])
        if at:
            assert not judge.import_errors(path), "cut at %d" % at


def test_an_existing_file_is_never_overwritten_without_force(lab, binaries):
    with open(lab.path("mine.pftrace"), "w") as out:
        out.write("precious")
    record = [lab.inftrace, "record", "--level", "operator"]
    done = lab.plain(record + ["-o", "mine.pftrace", "--", binaries.plain()])
    assert (done.status, done.out) == (3, "")
    assert "mine.pftrace" in done.err and "--force" in done.err
    assert open(lab.path("mine.pftrace")).read() == "precious"
    for name in ("inftrace.pftrace", "inftrace-2.pftrace", "inftrace-3.pftrace"):
        assert lab.plain(record + ["--", binaries.plain()]).status == 0
        assert Recording(lab.path(name)).notes("recording")
    assert lab.plain(record + ["-o", "mine.pftrace", "--force", "--", binaries.plain()]).status == 0
    assert Recording(lab.path("mine.pftrace")).notes("recording")


def test_a_recording_is_for_its_owner_only(lab, binaries):
    done = lab.record([binaries.plain()])
    assert os.stat(done.recording.path).st_mode & 0o777 == 0o600


def test_interrupting_the_recorder_ends_the_target_and_keeps_the_recording(lab, library):
    program = lab.native("count", library, lab.model("tiny"), 4, 4, lab.path("counters"), 1, 0)
    command, path = lab.command(program)
    # A shell starts background jobs with SIGINT ignored, and their children inherit that.
    recorder = lab.start(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for_runs(lab, recorder, 10)
    os.killpg(recorder.pid, signal.SIGINT)  # as a terminal does on Ctrl-C
    _, err = recorder.communicate(timeout=PATIENCE)
    assert recorder.returncode == -2, err
    recording = Recording(path)
    lab.recordings.append(recording)
    over = n_over(lab)
    assert over <= len(ended(recording)) + recording.lost and recording.note("exit")["signal"] == 2
