# SPDX-License-Identifier: Apache-2.0
"""C programs that link the runtime, open it, open it twice and close it; short-lived threads; signals; forks."""

import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

import pytest

import envs
from conftest import environment, often
from lab import PATIENCE, inside_own_times, names_and_types, own_times
from recording import Recording

CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "opened"])
@pytest.mark.parametrize("way", ["run", "async", "bound"])
@pytest.mark.in_turn(6)
def test_every_way_to_run_is_seen_with_all_its_operators(lab, each_library, way, linked):
    if way == "async" and re.search(r"\.1\.1[45]\.", each_library):
        pytest.skip("no RunAsync before 1.16")
    done = lab.both(
        lab.native("run", each_library, lab.model("chain"), 256, 256, way, 5, 3, lab.path("times"), linked=linked)
    )
    recording = done.recording
    assert len(recording.inferences) == done.counted[0] == 15
    assert names_and_types(recording.operators) == sorted(CHAIN * 15)
    assert recording.note("created")["model_path"] == lab.model("chain")
    if way != "async":
        assert inside_own_times(recording, own_times(lab.path("times"))) == []
        return
    # each request waits in the pool's queue and runs while its caller waits for it
    slack = recording.note("clock")["error_ns"]
    asked = [(slice.start - slice.args["pool_queue_ns"], slice.end) for slice in recording.inferences]
    for begin, end, _ in own_times(lab.path("times")):
        assert any(begin - slack <= a and b <= end + slack for a, b in asked), (begin, end, asked)
    assert sum(slice.args["pool_queue_ns"] for slice in recording.inferences) > 0


@pytest.mark.parametrize("level", ["operator", "detail"])
@pytest.mark.in_turn(3)
def test_shapes_and_batch_of_a_run_are_those_of_its_inputs(lab, each_library, level):
    program = lab.native("run", each_library, lab.model("cnn"), "1x3x32x32", 10, "run", 3, 1)
    for slice in lab.both(program, level=level).recording.inferences:
        assert slice.args["batch"] == 1
        assert slice.args["shapes"].split("->")[0] == "float32[1x3x32x32]"


@pytest.mark.parametrize("n", often(100000, 500000))
@pytest.mark.in_turn(2)
def test_shapes_that_are_new_in_each_run_are_recorded_without_end(lab, library, n):
    """Those after the first 80,000 pass through a ring of texts, which has room for 200,000."""
    recording = lab.both(lab.native("shapes", library, lab.model("cache"), n), level="inference").recording
    assert recording.lost == 0
    shapes = {slice.args["inference"]: slice.args["shapes"] for slice in recording.inferences}
    assert shapes == {run: "float32[1x8x%dx0]" % run for run in range(1, n + 1)}


def test_operators_are_those_of_the_runtimes_own_profiler(lab, each_library):
    program = lab.native("run", each_library, lab.model("cnn"), "1x3x32x32", 10, "run", 5, 1)
    recording = lab.both(program).recording
    assert names_and_types(recording.operators) == sorted(
        lab.profile(program, env={"TEST_PROFILE": lab.path("profile")})
    )


@pytest.mark.parametrize("n", often(1000, 10000))
def test_sessions_created_used_and_released_again_and_again(lab, library, n):
    recording = lab.both(lab.native("churn", library, lab.model("tiny"), 4, 4, n)).recording
    assert recording.lost == 0
    assert len(recording.of("session")) == len(recording.notes("released")) == len(recording.inferences) == n
    assert len(recording.operators) == n


def growth(lab):
    """KiB that the program took in half of its life, from its second quarter to its last. The least of each."""
    with open(lab.path("memory")) as file:
        sizes = [int(line) for line in file]
    quarter = len(sizes) // 4
    return min(sizes[-quarter:]) - min(sizes[quarter : 2 * quarter])


def churn(lab, library, model, size, n):
    """A program of n sessions, 16 at a time, whose objects get ever new addresses."""
    # one arena: how many the C library makes depends on which threads meet
    env = {"TEST_CONFIG": "session.intra_op.allow_spinning", "MALLOC_ARENA_MAX": "1"}
    return lab.native("churn", library, lab.model(model), size, size, n, 16, lab.path("memory")), env


@pytest.mark.in_turn(2)
def test_sessions_that_come_and_go_take_no_more_and_more_memory(lab, library):
    program, env = churn(lab, library, "chain", 256, 2000)
    recording = lab.both(program, env=env).recording
    assert recording.lost == 0
    assert len(recording.of("session")) == len(recording.inferences) == 2000
    assert names_and_types(recording.operators) == sorted(CHAIN * 2000)
    assert growth(lab) < 400


@pytest.mark.full("200,000 sessions take minutes")
def test_sessions_that_come_and_go_for_days_take_no_more_and_more_memory(lab, library):
    n = 200000
    program, env = churn(lab, library, "tiny", 4, n)
    command, path = lab.command(program)
    assert lab.plain(command, env=env, timeout=20 * PATIENCE).status == 0
    assert growth(lab) < 400
    report = json.loads(subprocess.check_output([lab.inftrace, "report", "--json", path]))
    (model,) = report["models"]
    assert model["creation"]["sessions"] == model["inferences"]["count"] == n
    assert [(row["op_type"], row["calls"]) for row in model["operators"]["types"]] == [("Relu", n)]
    assert report["losses"]["lost_events"] == 0
    assert report["cost"]["recorder_peak_bytes"] < 32 << 20


@pytest.mark.parametrize("n", often(60, 1000))
@pytest.mark.in_turn(2)
def test_a_runtime_that_is_opened_at_ever_new_addresses_takes_no_more_and_more_memory(lab, n):
    library = environment(envs.wheel, "1.22").library
    done = lab.both(lab.native("reopen", library, lab.model("tiny"), 4, 4, n, lab.path("memory")))
    assert done.out.count("gone") == n
    assert len(done.recording.inferences) == n
    assert growth(lab) < 40 * n


@pytest.mark.parametrize("n", often(4000, 100000))
def test_another_library_that_comes_and_goes_takes_no_more_and_more_memory(lab, binaries, library, n):
    other = binaries.shared("relocated", ('-DNAME="0"',))
    done = lab.both(lab.native("reload", library, lab.model("chain"), 256, 256, n, lab.path("memory"), other))
    assert "opened %d" % n in done.out
    assert len(done.recording.inferences) == 8 and len(done.recording.notes("runtime")) == 1
    assert growth(lab) < 64


@pytest.mark.in_turn(2)
def test_a_runtime_that_is_closed_and_opened_again_is_seen_each_time(lab, each_library):
    done = lab.both(lab.native("reopen", each_library, lab.model("chain"), 256, 256, 5))
    assert done.out.count("gone") == 5  # an agent that kept the library loaded would change the program
    assert len(done.recording.inferences) == 5
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 5)


def test_two_versions_of_the_runtime_in_one_process_are_both_seen(lab, library):
    second = environment(envs.wheel, "1.22").library
    recording = lab.both(lab.native("two_versions", library, lab.model("chain"), 256, 256, 50, second)).recording
    assert len(recording.inferences) == 100
    assert collections.Counter(slice.args["session"] for slice in recording.inferences) == {1: 50, 2: 50}
    assert names_and_types(recording.operators) == sorted(CHAIN * 100)
    assert {note.args["path"] for note in recording.notes("runtime")} == {library, second}


@pytest.mark.parametrize("n", often(8000, 1000000))
def test_threads_that_live_for_one_run_are_all_seen_and_cost_no_more_than_others(lab, library, n):
    program = lab.native("short_threads", library, lab.model("tiny"), 4, 4, n)
    plain, (command, path) = lab.plain(program, timeout=20 * PATIENCE), lab.command(program)
    done = lab.plain(command, timeout=20 * PATIENCE)
    assert (done.out, done.status) == (plain.out, plain.status), done.err
    report = json.loads(subprocess.check_output([lab.inftrace, "report", "--json", path]))
    assert report["models"][0]["inferences"]["count"] == n and report["losses"]["lost_events"] == 0
    assert report["losses"]["events_moved_later"] == 0
    assert os.path.getsize(path) < 250 * n  # names are not told again for each thread
    assert report["cost"]["recorder_peak_bytes"] < 32 << 20
    if n <= 20000:
        recording = Recording(path)
        lab.recordings.append(recording)
        assert len(recording.operators) == n
        assert len(recording.tracks) < 200


def test_signals_10000_times_a_second_disturb_nothing(lab, library):
    recording = lab.both(lab.native("signals", library, lab.model("cnn"), "1x3x32x32", 10, 2000)).recording
    assert len(recording.inferences) == 2000
    per_run = collections.Counter(operator.args["inference"] for operator in recording.operators)
    assert len(per_run) == 2000 and len(set(per_run.values())) == 1


def test_forked_children_record_into_rings_of_their_own(lab, library):
    done = lab.both(lab.native("fork", library, lab.model("chain"), 256, 256, 5, 4))
    recording, background = done.recording, int(re.search(r"background (\d+)", done.err).group(1))
    counts = collections.Counter(slice.track.pid for slice in recording.inferences)
    parent = recording.of("session")[0].track.pid
    assert counts.pop(parent) == 5 + background
    assert sorted(counts.values()) == [4] * 5
    operators = collections.Counter(operator.track.pid for operator in recording.operators)
    assert operators == {pid: 20 * n for pid, n in list(counts.items()) + [(parent, 5 + background)]}
    assert {slice.args["model"] for slice in recording.inferences} == {"chain"}


@pytest.mark.parametrize(
    "how,status",
    [("37", 37), ("_exit", 9), ("abort", -6), ("segv", -11), ("kill", -9), ("term", -15), ("leak", 0), ("0", 0)],
)
@pytest.mark.in_turn(2)
def test_however_a_program_ends_nothing_is_lost_and_its_status_is_passed_on(lab, library, how, status):
    done = lab.both(lab.native("end", library, lab.model("chain"), 256, 256, 30, how))
    assert done.status == status
    recording = done.recording
    assert len(recording.inferences) == 30 and all(slice.end for slice in recording.inferences)
    assert names_and_types(recording.operators) == sorted(CHAIN * 30)
    end = recording.note("exit")
    assert end.get("exit_status") == (status if status >= 0 else None)
    assert end.get("signal") == (-status if status < 0 else None)


@pytest.mark.parametrize("how", ["closefds", "clearenv"])
def test_a_program_that_closes_every_descriptor_or_clears_its_environment_is_still_recorded(lab, library, how):
    done = lab.both(lab.native("end", library, lab.model("chain"), 256, 256, 30, how))
    assert len(done.recording.inferences) == 60
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 60)


@pytest.mark.skipif(bool(envs.ARM64), reason="the shell is for another processor than the agent")
def test_pipelines_of_a_shell_are_followed(lab, library):
    program = " ".join(lab.native("end", library, lab.model("chain"), 256, 256, 3, "0"))
    done = lab.both(["/bin/sh", "-c", "%s | wc -l; %s | cat; exit 7" % (program, program)])
    assert done.status == 7 and done.out.splitlines()[0].strip() == "3"
    assert len(done.recording.inferences) == 6 and len(done.recording.pids) == 2


def test_a_program_without_a_model_says_so_and_loses_nothing(lab, binaries):
    done = lab.both([binaries.plain()])
    assert done.recording.slices == []
    assert "no runtime" in done.recording.note("process")["state"]
    assert re.search("no(ne)? .*runtime", done.err)
    assert lab.both([binaries.plain(), "x"], name="second").status == 5


def test_a_static_program_runs_and_the_recording_says_why_it_is_empty(lab, binaries):
    done = lab.both([binaries.plain(args=("-static",))])
    assert done.recording.slices == []
    assert "static" in done.recording.note("process")["state"]
    assert "static" in done.err


def test_a_python_program_without_a_model_is_left_as_it_is(lab, wheel):
    done = lab.both(lab.python(wheel, "no_model"))
    assert "to stderr" in done.err and done.recording.slices == []


@pytest.mark.root
def test_a_setuid_program_is_run_unchanged_and_not_recorded(lab, library):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            pytest.skip("/tmp is mounted nosuid")
        binary, *rest = lab.native("end", library, lab.model("chain"), 256, 256, 3, "0")
        args = [shutil.copy(path, folder) for path in (binary, library, lab.model("chain"))] + rest[2:]
        try:
            os.chown(args[0], 65534, 65534)
        except OSError as error:
            pytest.skip("cannot give a file to another user here: %s" % error)
        os.chmod(args[0], 0o6755)
        done = lab.both(args)
    assert done.recording.slices == []
    assert "setuid" in done.recording.note("process")["state"] and "setuid" in done.err


def test_a_program_that_is_not_there_is_an_error_with_a_reason(lab):
    done = lab.plain(
        [lab.inftrace, "record", "-o", lab.path("x.pftrace"), "--level", "operator", "--", "/no/such/program"]
    )
    assert done.status == 3
    assert "/no/such/program" in done.err and "no such file" in done.err.lower()
    assert len(done.err.strip().splitlines()) <= 2


@pytest.mark.parametrize(
    "program,args", [("churn", [300]), ("reopen", [3]), ("short_threads", [500]), ("signals", [300]), ("fork", [3, 3])]
)
@pytest.mark.in_turn(2)
def test_the_deepest_level_changes_nothing_and_counts_the_same(lab, library, program, args):
    command = lab.native(program, library, lab.model("chain"), 256, 256, *args)
    counts = []
    for level in ("operator", "detail"):
        recording = lab.both(command, level=level, name=level).recording
        assert recording.lost == 0
        own = [
            slice
            for slice in recording.inferences
            if slice.track.pid != recording.of("session")[0].track.pid or program != "fork"
        ]
        counts.append(len(own))
        assert len(recording.operators) == 20 * len(recording.inferences)
    assert counts[0] == counts[1] == {"fork": 9}.get(program, args[0])


def test_a_disabled_agent_does_nothing(lab, library):
    done = lab.both(lab.native("end", library, lab.model("chain"), 256, 256, 3, "0"), env={"INFTRACE_DISABLE": "1"})
    assert done.recording.slices == []
