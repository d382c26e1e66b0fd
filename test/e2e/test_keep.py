# SPDX-License-Identifier: Apache-2.0
"""Recordings that last: only the newest part is kept, and operators are thinned out."""

import glob
import json
import os
import shutil
import signal
import struct
import subprocess

import pytest

import judge
from lab import wait_until
from recording import Recording


def report(lab, path, *options):
    return lab.plain([lab.inftrace, "report", "--no-pager", *options, path])


def as_json(lab, path):
    return json.loads(report(lab, path, "--json").out)


def segments_of(path):
    return sorted(glob.glob(path + ".d/*.pftrace"))


@pytest.fixture
def endless(lab, library):
    """A program that runs a model until it gets SIGUSR1."""
    return lab.native("count", library, lab.model("heavy"), "192x192", 192 * 192, lab.path("counters"), 2, 0)


def n_over(lab):
    """Finished runs of the endless program."""
    with open(lab.path("counters"), "rb") as file:
        data = file.read()
    return sum(struct.unpack_from("Q", data, at)[0] for at in range(0, len(data), 64))


class Keeping:
    """A recorder that goes on until a signal."""

    def __init__(self, lab, program, *options, name="recording"):
        command, self.path = lab.command(program, options=options, name=name)
        self.lab = lab
        self.process = lab.start(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, text=True
        )

    def newest(self):
        """The number of the segment that is being written."""
        return max((int(os.path.basename(path)[:8]) for path in segments_of(self.path)), default=0)

    def wait_number(self, n):
        """Until the n-th segment is being written, and the one before it began after a run of the program was over."""
        wait_until(lambda: os.path.exists(self.lab.path("counters")) and n_over(self.lab), self.process)
        n = max(n, self.newest() + 2)
        wait_until(lambda: self.newest() >= n, self.process)

    def end(self):
        """Ends the program."""
        for child in open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)).read().split():
            os.kill(int(child), signal.SIGUSR1)
        return self.process.communicate()[1]

    def kill(self):
        """The recorder alone; the program is ended."""
        children = open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)).read().split()
        self.process.kill()
        self.process.wait()
        for child in children:
            os.kill(int(child), signal.SIGUSR1)


def test_the_newest_part_is_one_sound_file(lab, endless):
    keeping = Keeping(lab, endless, "--keep", "1s")
    keeping.wait_number(25)
    assert len(segments_of(keeping.path)) <= 13
    said = keeping.end()
    assert keeping.process.returncode == 0, said
    assert "inftrace report " + keeping.path in said
    assert not os.path.exists(keeping.path + ".d")
    recording = Recording(keeping.path)
    lab.recordings.append(recording)
    assert recording.inferences and len(recording.notes("created")) == len(recording.notes("recording")) == 1
    assert {slice.args["model"] for slice in recording.inferences} == {"heavy"}
    assert recording.note("exit")["exit_status"] == 0
    kept = as_json(lab, keeping.path)["recording"]["kept"]
    assert kept["newest"] == "1s" and kept["segments_dropped"] >= 12 and kept["dropped_ns"] > 1e9
    assert "The recording keeps the newest 1s; " in " ".join(report(lab, keeping.path).out.split())


def test_slices_that_begin_in_one_segment_end_in_the_next(lab, endless):
    keeping = Keeping(lab, endless, "--keep", "30s")
    keeping.wait_number(3)
    keeping.end()
    recording = Recording(keeping.path)
    lab.recordings.append(recording)
    assert len(recording.inferences) == n_over(lab)
    assert all(slice.end is not None for slice in recording.slices)
    assert len(recording.operators) == 6 * len(recording.inferences)
    assert as_json(lab, keeping.path)["recording"]["kept"] is None


@pytest.mark.parametrize("n", [12, 13, 17])
@pytest.mark.in_turn(3)
def test_a_killed_recorder_leaves_segments_that_are_read_as_one(lab, endless, n):
    keeping = Keeping(lab, endless, "--keep", "1s")
    keeping.wait_number(n)
    keeping.kill()
    found = as_json(lab, keeping.path)
    assert found["recording"]["kept"]["newest"] == "1s"
    (model,) = found["models"]
    assert model["name"] == "heavy" and model["inferences"]["count"] > 0
    assert found["losses"]["ends_without_begin"] == found["losses"]["events_out_of_order"] == 0
    assert report(lab, keeping.path + ".d", "--json").status == 0
    # each of them is a recording for other tools, and one behind the other they are one, too
    for path in segments_of(keeping.path):
        assert not judge.import_errors(path)
    with open(lab.path("joined.pftrace"), "wb") as joined:
        for path in segments_of(keeping.path):
            with open(path, "rb") as part:
                shutil.copyfileobj(part, joined)
    assert not judge.import_errors(lab.path("joined.pftrace"))
    assert as_json(lab, lab.path("joined.pftrace"))["models"][0]["inferences"]["count"] == model["inferences"]["count"]


def test_two_recorders_beside_each_other_do_not_share_segments(lab, endless):
    first = Keeping(lab, endless, "--keep", "1s")
    first.wait_number(2)
    wait_until(lambda: os.path.exists(lab.path("counters")) and n_over(lab) > 10, first.process)
    second = lab.plain([lab.inftrace, "record", "-o", first.path, "--keep", "1s", "--", *endless])
    assert second.status == 3 and "its segments are in" in second.err
    third = lab.plain([lab.inftrace, "record", "-o", first.path, "--force", "--keep", "1s", "--", *endless])
    assert third.status == 3 and "another recorder" in third.err
    first.end()
    assert Recording(first.path).inferences


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_full_disk_leaves_what_was_recorded(lab, library):
    disk = lab.path("disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", disk]).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        program = lab.native("run", library, lab.model("heavy"), "192x192", 192 * 192, "run", 3000, 2)
        path = disk + "/full.pftrace"
        done = lab.plain(
            [lab.inftrace, "record", "-o", path, "--no-compress", "--thin", "1", "--keep", "1h", "--", *program]
        )
        assert done.counted == (6000, 0)
        assert done.err.count("recording has stopped: the disk is almost full") == 1, done.err
        assert "the segments stay in" in done.err or os.path.exists(path)
        assert as_json(lab, path)["models"][0]["inferences"]["count"] > 0
    finally:
        subprocess.run(["umount", "--lazy", disk])


def test_operators_of_one_inference_in_n_are_kept_and_totals_scaled(lab, library):
    runs, operators = 1000, 20
    program = lab.native("run", library, lab.model("chain"), 256, 256, "run", runs // 2, 2)
    done = lab.record(program, options=["--thin", "8"])
    recording = done.recording
    assert len(recording.inferences) == runs
    weights = [slice.args["weight"] for slice in recording.inferences]
    assert set(weights) == {0, 1, 8}
    with_operators = {operator.args["inference"] for operator in recording.operators}
    assert with_operators == {slice.args["inference"] for slice in recording.inferences if slice.args["weight"]}
    assert len(recording.operators) == operators * len(with_operators)
    found = as_json(lab, recording.path)
    thinned = found["recording"]["operators_thinned"]
    assert thinned["least"] == thinned["most"] == 8
    assert thinned["inferences_sampled"] == weights.count(8) and thinned["inferences_slow_or_failed"] == weights.count(
        1
    )
    in_operators = found["models"][0]["operators"]
    first = sum(slice.args.get("first", 0) for slice in recording.inferences)
    assert abs(in_operators["inferences"] - (runs - first)) < 8
    assert sum(node["calls"] for node in in_operators["nodes"]) == operators * in_operators["inferences"]
    slowest = max(recording.inferences, key=lambda slice: slice.end - slice.start)
    assert slowest.args["weight"]
    text = " ".join(report(lab, recording.path).out.split())
    assert "Operators of 1 in 8 inferences were kept, and of " in text and "totals of operators are scaled" in text


def test_a_signal_dumps_what_is_kept_while_recording_goes_on(lab, endless):
    keeping = Keeping(lab, endless, "--keep", "1s", "--dump-when", "signal", "--dump-after", "300ms")
    wait_until(lambda: os.path.exists(lab.path("counters")) and n_over(lab) > 100, keeping.process)
    dump = keeping.path.replace(".pftrace", ".dump-0001.pftrace")
    keeping.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: os.path.exists(dump), keeping.process)
    in_dump = Recording(dump)
    lab.recordings.append(in_dump)
    assert {slice.args["model"] for slice in in_dump.inferences} == {"heavy"}
    (note,) = in_dump.notes("dump")
    after = [slice.start for slice in in_dump.inferences if slice.start > note.start]
    assert note.args["text"] == "SIGUSR1" and after
    n = n_over(lab)
    wait_until(lambda: n_over(lab) > n + 100, keeping.process)
    said = keeping.end()
    assert "dump: %s (SIGUSR1)" % dump in said
    assert max(slice.start for slice in Recording(keeping.path).inferences) > max(after)
    assert as_json(lab, dump)["recording"]["dumps"][0]["path"] == dump


def test_slow_inferences_dump_a_bounded_number_of_times(lab, endless):
    options = ["--keep", "1s", "--dump-when", "p50>1ns,error", "--dump-after", "0s", "--max-dumps", "2"]
    keeping = Keeping(lab, endless, *options)
    pattern = keeping.path.replace(".pftrace", ".dump-*.pftrace")
    wait_until(lambda: len(glob.glob(pattern)) == 2, keeping.process)
    n = n_over(lab)
    wait_until(lambda: n_over(lab) > n + 1000, keeping.process)
    keeping.end()
    assert len(glob.glob(pattern)) == 2
    assert as_json(lab, keeping.path)["recording"]["dumps_not_made"] > 0
    for path in glob.glob(pattern):
        lab.recordings.append(Recording(path))


@pytest.mark.parametrize(
    "options, message",
    [
        (["--keep", "1m", "--dump-when", "p99>>50ms"], "--dump-when 'p99>>50ms': at character 5: expected a time"),
        (["--dump-when", "error"], "--dump-when needs --keep"),
        (["--keep", "10"], "--keep needs a duration such as 10m or 2h, or a size"),
        (["--keep", "10ms"], "--keep must be at least 1s"),
        (["--keep", "1K"], "--keep must be at least 1M"),
        (["--keep", "1m", "--max-size", "1M"], "--keep and --max-size contradict each other"),
        (["--thin", "0"], "--thin must be auto, or a number between 1 and 1024"),
    ],
)
def test_options_that_make_no_sense_are_refused(lab, options, message):
    done = lab.plain([lab.inftrace, "record", *options, "--", "true"])
    assert done.status == 2 and message in done.err


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_operators_are_thinned_out_as_far_as_the_disk_demands(lab, endless):
    disk = lab.path("disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8M", "tmpfs", disk]).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        keeping = Keeping(lab, endless, "--thin", "auto", name="disk/recording")

        def is_thinned():
            if not os.path.exists(keeping.path) or not os.path.getsize(keeping.path):
                return False
            thinned = as_json(lab, keeping.path)["recording"]["operators_thinned"]
            return thinned and thinned["most"] >= 4

        wait_until(is_thinned, keeping.process)
        keeping.end()
        recording = Recording(keeping.path)
        assert [note.args["count"] for note in recording.notes("thinned")][:2] == [2, 4]
        assert {1, 4} <= {slice.args.get("weight", 1) for slice in recording.inferences}
        assert as_json(lab, keeping.path)["recording"]["operators_thinned"]["most"] >= 4
    finally:
        subprocess.run(["umount", "--lazy", disk])
