# SPDX-License-Identifier: Apache-2.0
"""Options of `inftrace record` that change the contents of the file, with a real program."""

import json
import os
import re
import shutil
import subprocess

import pytest

from lab import names_and_types
from recording import Recording


@pytest.mark.root
def test_what_sudo_records_belongs_to_the_one_who_called_it(lab):
    """With --keep as well, and with lines of progress; a file that is overwritten stays whose it was."""
    caller = {"SUDO_UID": "1234", "SUDO_GID": "1235"}

    def owner(name, *options):
        to = ["--progress", lab.path("lines"), "-o", lab.path(name)]
        lab.plain([lab.inftrace, "record", "-q", *options, *to, "--", "true"], env=caller)
        assert os.stat(lab.path("lines")).st_uid == 1234
        status = os.stat(lab.path(name))
        return status.st_uid, status.st_gid

    assert owner("whole.pftrace") == owner("kept.pftrace", "--keep", "1h") == (1234, 1235)
    os.chown(lab.path("whole.pftrace"), 0, 0)
    assert owner("whole.pftrace", "--force") == (0, 0)


@pytest.fixture
def program(lab, library):
    return lab.native("run", library, lab.model("chain"), 256, 256, "run", 2000, 2)


@pytest.fixture
def slow(lab, library):
    """A program that works for about a second."""
    return lab.native("run", library, lab.model("heavy"), "192x192", 192 * 192, "run", 700, 2)


@pytest.mark.in_turn(2)
def test_compressed_recordings_hold_the_same_in_less_than_half(lab, program):
    plain = lab.record(program, options=["--no-compress"]).recording
    packed = lab.record(program, name="packed").recording
    assert len(packed.inferences) == len(plain.inferences) == 4000
    assert names_and_types(packed.operators) == names_and_types(plain.operators)
    assert packed.size < plain.size / 2


@pytest.mark.in_turn(2)
def test_plain_recordings_need_at_most_24_bytes_an_event(lab, program):
    """A slice is two events. Two of the 24 bytes are for the time, which needs more on a slow machine, where events are
    further apart. The calling line takes 9 bytes more for each inference."""
    recording = lab.record(program, options=["--no-compress", "--stacks", "off"]).recording
    callers = 9 * len(recording.inferences)
    assert (recording.size - recording.time_bytes - callers) / (2 * len(recording.slices)) <= 24 - 2


def test_rings_are_drained_while_the_file_takes_nothing(lab, slow):
    """The file is a pipe that is read only when the program has ended; rings of 64 KiB would be full by then. The
    program rests, so that the recorder need not have a CPU every 200 ms."""
    command, path = lab.command([*slow, "", "3000"], options=["--no-compress", "--ring-size", "64K"], name="stalled")
    os.mkfifo(path)
    process = lab.start(command, stdout=subprocess.PIPE)
    with open(path, "rb") as pipe:
        process.stdout.readline()  # the last thing that the program does
        with open(lab.path("read.pftrace"), "wb") as file:
            shutil.copyfileobj(pipe, file)
    assert process.wait() == 0
    recording = Recording(lab.path("read.pftrace"))
    assert recording.size > 128 << 10  # more than the pipe holds
    assert len(recording.inferences) == 1400 and not recording.of("lost")


@pytest.mark.in_turn(2)
def test_recording_stops_after_the_inferences_asked_for_and_the_program_goes_on(lab, slow):
    done = lab.both(slow, options=["--iterations", "50"])
    assert 50 <= len(done.recording.inferences) < done.counted[0] == 1400
    assert "--iterations" in done.recording.note("stopped")["text"]


@pytest.mark.in_turn(2)
def test_recording_stops_after_the_time_asked_for_and_the_program_goes_on(lab, slow):
    for ms in (300, 1000, 3000, 9000):  # a slow machine needs longer to reach the first inference
        done = lab.both(slow, options=["--duration", "%dms" % ms], name="for-%d" % ms)
        recording = done.recording
        if recording.inferences:
            break
    assert 0 < len(recording.inferences) < done.counted[0] == 1400
    (start,), (stop,) = ([note.start for note in recording.notes(topic)] for topic in ("recording", "stopped"))
    assert stop - start >= ms * 1e6 and max(slice.start for slice in recording.inferences) < stop


@pytest.mark.in_turn(2)
def test_recording_stops_at_the_size_asked_for_and_the_program_goes_on(lab, slow):
    done = lab.both(slow, options=["--no-compress", "--max-size", "200K"])
    assert 0 < len(done.recording.inferences) < done.counted[0] == 1400
    assert "--max-size" in done.recording.note("stopped")["text"]
    assert "recording has stopped: the recording has the size given by --max-size" in done.err
    assert done.recording.size < 400 << 10


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_recording_stops_while_a_part_of_the_disk_is_free(lab, slow):
    disk = lab.path("disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "tmpfs", disk]).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with open(disk + "/other", "wb") as file:
            file.write(bytes(3600 << 10))
        done = lab.both(slow, options=["--no-compress"], name="disk/recording", judged=False)
        assert done.recording.broken() == []
        assert 0 < len(done.recording.inferences) < done.counted[0] == 1400
        assert "the disk is almost full" in done.recording.note("stopped")["text"]
        assert done.err.count("recording has stopped: the disk is almost full") == 1
        assert "cannot write" not in done.err
        with open(disk + "/another", "wb") as file:
            file.write(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize))
        refused = lab.plain(lab.command(slow, name="disk/refused")[0])
        assert refused.status == 3 and "cannot record: the disk is almost full" in refused.err
    finally:
        subprocess.run(["umount", "--lazy", disk])


@pytest.mark.in_turn(2)
def test_resources_are_sampled_at_the_interval_asked_for(lab, slow):
    recording = lab.record(slow, options=["--interval", "50ms"], level="detail").recording
    (session,) = recording.of("session")

    def samples(name):
        return [
            (time, value)
            for track, time, value in recording.counters
            if track.name == name and track.pid == session.track.pid and time > session.end
        ]

    cpu = samples("cpu")
    gaps = sorted(b[0] - a[0] for a, b in zip(cpu, cpu[1:]))
    assert 40e6 < gaps[len(gaps) // 2] < 500e6  # a busy recorder is late; the default is one second
    # In per cent of a CPU since the previous sample. The process uses a little more than its threads measured for their
    # runs.
    used = sum(value / 100 * (b - a) for (a, _), (b, value) in zip(cpu, cpu[1:]))
    own = sum(
        run.args["thread_cpu_ns"] for run in recording.inferences if cpu[0][0] < run.start and run.end < cpu[-1][0]
    )
    assert 0.5 * used < own < 1.1 * used
    assert min(value for _, value in samples("rss")) > 10 << 20


def test_the_summary_for_machines_tells_the_same_as_the_file(lab, program):
    done = lab.both(program, options=["--json"])
    summary = json.loads(done.err)
    assert summary["inferences"] == 4000 and summary["exit_status"] == 0 and summary["lost"] == 0
    assert summary["path"] == done.recording.path and summary["bytes"] == done.recording.size


def test_quiet_is_quiet(lab, program):
    assert lab.both(program, options=["-q"]).err == ""


def test_the_summary_counts_inferences(lab, program):
    done = lab.both(program)
    assert re.search(r"\b4000 inferences\b", done.err)
    figures = re.search(r", (median [\d.]+ [um]s, p99 [\d.]+ m?u?s);", done.err).group(1)
    assert "inftrace report %s," % done.recording.path in done.err
    # those of the report: without the first inference, and by the same rank
    assert ": %s. " % figures in " ".join(lab.plain([lab.inftrace, "report", done.recording.path]).out.split())


def test_two_files_of_one_name_have_no_joint_latency(lab, wheel):
    models = []
    for name in ("chain", "cnn"):
        os.mkdir(lab.path(name))
        models.append(os.path.join(lab.path(name), "net.onnx"))
        for suffix in (".onnx", ".npz"):
            shutil.copy(lab.model(name)[: -len(".onnx")] + suffix, models[-1][: -len(".onnx")] + suffix)
    assert "median" not in lab.record(lab.python(wheel, "turns", *models, "--runs", 20)).err
    assert "median" in lab.record(lab.python(wheel, "turns", models[0], models[0], "--runs", 20)).err


def test_one_inference_is_no_plural(lab, library):
    assert " 1 inference in " in lab.record(lab.native("run", library, lab.model("chain"), 256, 256, "run", 1, 1)).err


def test_on_a_terminal_nothing_is_drawn_over_what_the_program_prints(lab):
    """Recorder and program share a pseudo-terminal; the line of progress would be printed every half second."""
    leader, follower = os.openpty()
    process = lab.start(
        [
            lab.inftrace,
            "record",
            "-o",
            lab.path("shared.pftrace"),
            "--",
            "sh",
            "-c",
            "printf begun; sleep 1.5; echo -ended",
        ],
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    assert process.wait(60) == 0
    said = os.read(leader, 65536)
    os.close(leader)
    assert said.startswith(b"begun-ended\r\n") and b"recording" not in said.split(b"\n")[0], said


@pytest.mark.in_turn(2)
def test_the_recorder_needs_little_memory_and_says_so_itself(lab, program):
    cost = lab.record(program).recording.note("cost")
    assert 0 < cost["recorder_peak_bytes"] <= 32 << 20
    assert cost["recorder_cpu_ns"] > 0 and 0 < cost["event_ns"] < 1000


def test_each_thread_that_calls_has_a_sum_of_its_own(lab, wheel):
    """Three threads run inferences, the first one creates the session: text, JSON and HTML divide the time of each."""
    recording = lab.record(
        lab.python(wheel, "infer", "run", lab.model("heavy"), "--threads", 3, "--runs", 60)
    ).recording
    done = lab.plain([lab.inftrace, "report", "--json", recording.path])
    report = json.loads(done.out)["recording"]
    ran = {}
    for inference in recording.inferences:
        ran.setdefault(inference.args["tid"], []).append(inference.end - inference.start)
    (first,) = [caller for caller in report["callers"] if caller["is_first_thread"]]
    others = {caller["tid"]: caller for caller in report["callers"] if not caller["is_first_thread"]}
    assert first["sessions"] == 1 and first["tid"] == first["pid"] and first["creating_ns"] > 0
    assert {tid: caller["inferences_ns"] for tid, caller in others.items()} == {
        tid: sum(took) for tid, took in ran.items() if tid != first["tid"]
    }
    assert len(others) == 3
    for caller in [*report["callers"], *report["caller_groups"]]:
        assert caller["wall_ns"] == caller["inferences_ns"] + caller["creating_ns"] + caller["outside_ns"]
        assert caller["first_ns"] + caller["waiting_ns"] <= caller["inferences_ns"]
    assert sorted(group["threads"] for group in report["caller_groups"]) == [1, 3]
    text = lab.plain([lab.inftrace, "report", recording.path]).out
    assert re.search(r"\n(threads)? +3 threads of python\S*, on average: ", text)
    html = lab.plain([lab.inftrace, "report", "--format", "html", recording.path]).out
    assert all(" %d<" % tid in html for tid in others)
