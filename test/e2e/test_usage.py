# SPDX-License-Identifier: Apache-2.0
"""CPU time, waits for a CPU, page faults and switches of inferences: recorded at every level where that is free."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import pytest

import envs
from attaching import Attaching, attach, python_server
from conftest import environment
from lab import own_times

KEYS = ("thread_cpu_ns", "faults", "switches")


@pytest.fixture
def shared_cpu():
    """A CPU on which another program computes all the time."""
    cpu = min(os.sched_getaffinity(0))
    hog = subprocess.Popen(
        [sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, [cpu])
    )
    yield cpu
    hog.kill()
    hog.wait()


def move(pid, cpu):
    """All threads of a process to one CPU."""
    for tid in os.listdir("/proc/%d/task" % pid):
        os.sched_setaffinity(int(tid), [cpu])


def known(recording, key):
    """Inferences seen whole that have this figure, but for the first of a session."""
    return [
        slice
        for slice in recording.inferences
        if slice.end and not slice.args.get("partial") and not slice.args.get("first") and key in slice.args
    ]


def whole(recording):
    return [slice for slice in recording.inferences if slice.end and not slice.args.get("partial")]


def check_waits(recording):
    """One thread that computes without blocking either has a CPU or waits for one. The two figures come from the
    kernel one after the other: a wait between them is in only one."""
    slices = known(recording, "run_queue_ns")
    took = sum(slice.end - slice.start for slice in slices)
    cpu = sum(slice.args["thread_cpu_ns"] for slice in slices)
    waited = sum(slice.args["run_queue_ns"] for slice in slices)
    assert len(slices) > len(whole(recording)) / 2
    assert all(len(known(recording, key)) > len(whole(recording)) / 2 for key in KEYS)
    assert 0.7 * took < cpu + waited < 1.3 * took
    assert waited > 0.2 * took
    assert sum(slice.args["switches"] for slice in slices) > 0


@pytest.mark.parametrize("level", ["inference", "operator"])
@pytest.mark.in_turn(2)
def test_waits_for_a_cpu_are_recorded_at_every_level(lab, wheel, shared_cpu, level):
    program = ["taskset", "-c", str(shared_cpu), *lab.python(wheel, "infer", "run", lab.model("long"), "--runs", 60)]
    done = lab.both(program, level=level)
    check_waits(done.recording)
    report = lab.plain([os.environ["INFTRACE"], "report", done.recording.path]).out
    assert re.search("[Ww]ait(ed|ing) for a CPU", " ".join(report.split("\n\n")[0].split()))


def check_own_clock(recording, times):
    """Inferences last as long as the program's own clock says, and the time without a CPU is a wait."""
    pairs = []
    for slice in whole(recording):
        mine = [b - a for a, b, _ in times if a <= slice.end and slice.start <= b]
        if mine:  # an injection may begin between two stamps
            pairs.append((mine[0], slice.end - slice.start))
    assert len(pairs) > 50
    # now and then the interpreter itself loses the CPU between its stamp and the runtime
    pairs = sorted(pairs, key=lambda pair: pair[0] - pair[1])[:-5]
    own, took = zip(*pairs)
    assert sum(took) > 0.97 * sum(own)
    assert sorted(took)[len(took) // 2] > 0.97 * sorted(own)[len(own) // 2]
    known_ones = known(recording, "run_queue_ns")
    waited = sum(slice.args["run_queue_ns"] for slice in known_ones)
    assert len(known_ones) > 0.8 * len(took)
    # three others and this program share the CPU
    assert waited > 0.5 * sum(slice.end - slice.start for slice in known_ones)
    assert waited + sum(slice.args["thread_cpu_ns"] for slice in known_ones) > 0.97 * sum(
        slice.end - slice.start for slice in known_ones
    )


@pytest.mark.parametrize("level", ["inference", "operator", "detail"])
@pytest.mark.in_turn(3)
def test_times_are_those_of_the_program_on_a_busy_cpu(lab, wheel, crowded_cpu, level):
    times = lab.path("times")
    program = lab.python(wheel, "infer", "run", lab.model("long"), "--runs", 60, "--times", times)
    done = lab.record(["taskset", "-c", str(crowded_cpu), *program], level=level, judged=False)
    check_own_clock(done.recording, own_times(times))


@pytest.mark.parametrize("level", ["inference", "operator", "detail"])
@pytest.mark.in_turn(3)
def test_times_of_short_inferences_are_those_of_a_c_program_on_a_busy_cpu(lab, library, crowded_cpu, level):
    """Of one that takes a millisecond, what Python does between its stamps and the runtime is too large a part."""
    times = lab.path("times")
    program = lab.native("run", library, lab.model("mapped"), "1x2048", 4096, "run", 200, 1, times)
    done = lab.record(["taskset", "-c", str(crowded_cpu), *program], level=level, judged=False)
    check_own_clock(done.recording, own_times(times))


def test_an_inference_in_python_lasts_as_long_as_the_call(lab, wheel):
    """Also where the package's part of it is larger than the runtime's; that is part of the setup."""
    times = lab.path("times")
    program = lab.python(wheel, "strided", lab.model("batch"), "--runs", 30, "--times", times)
    done = lab.record(program, level="inference")
    own = own_times(times)
    assert done.counted == (30, 0) and done.out.startswith("RuntimeError\nInvalidArgument\n"), done.out
    failed, *slices = done.recording.inferences
    assert len(slices) == len(own) == 30
    assert "status" in failed.args and failed.args["status"] != "ok", failed.args
    took, mine = [slice.end - slice.start for slice in slices], [b - a for a, b, _ in own]
    assert sum(took) > 0.97 * sum(mine)
    assert statistics.median(took) > 0.97 * statistics.median(mine)
    assert all(a <= slice.start and slice.end <= b for slice, (a, b, _) in zip(slices, own))


@pytest.mark.in_turn(2)
def test_times_are_those_of_a_running_program_on_a_busy_cpu(lab, wheel, crowded_cpu):
    server = python_server(lab, wheel, "long")
    move(server.pid, crowded_cpu)
    done = attach(lab, "--inject", server.pid, n=60)
    server.end()
    check_own_clock(done.recording, server.times())


def most_of(recording, medians, median):
    """What nine of ten inferences of the worker with this median take at most: slower ones are no exception."""
    (pid,) = [pid for pid in medians if medians[pid] == median]
    took = sorted(slice.end - slice.start for slice in known(recording, "tid") if slice.args["tid"] == pid)
    return took[len(took) * 9 // 10]


@pytest.mark.alone("two of the workers must have their CPU")
@pytest.mark.in_turn(2)
def test_a_worker_on_a_busy_cpu_is_named_among_the_others(lab, wheel, crowded_cpu):
    others = os.sched_getaffinity(0) - {crowded_cpu}
    if not others:
        pytest.skip("needs two CPUs")
    recording = lab.record(
        lab.python(wheel, "workers", lab.model("long"), crowded_cpu, min(others)), judged=False
    ).recording
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    (model,) = report["models"]
    assert (model["processes"], model["inferences"]["count"]) == (3, 120)
    findings = {insight["kind"]: insight["figures"] for insight in report["insights"]}
    medians = {
        pid: statistics.median(slice.end - slice.start for slice in known(recording, "tid") if slice.args["tid"] == pid)
        for pid in {slice.args["tid"] for slice in recording.inferences}
    }
    slowest, next_one = sorted(medians.values(), reverse=True)[:2]
    if slowest < 1.6 * next_one or slowest < 1.1 * most_of(recording, medians, next_one):
        assert "slow_process" not in findings or slowest > 1.4 * next_one, medians
        pytest.skip("both CPUs are as busy: %s" % medians)
    found = findings["slow_process"]
    assert found["pid"] == max(medians, key=medians.get)
    assert found["processes"] == 3 and found["ratio"] > 1.5
    if any(track.name.startswith("waited for ") for track, _, _ in recording.counters):
        assert "oversubscribed" not in findings  # strangers had what it waited for


def waited_for(recording, pid, name):
    """The most that a process waited for CPUs while a program of this name had them, in percent of the time."""
    values = [value for track, _, value in recording.counters if (track.name, track.pid) == ("waited for " + name, pid)]
    return max(values, default=0)


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_waits_for_a_cpu_are_recorded_from_outside(lab, wheel, shared_cpu):
    server = python_server(lab, wheel, "long")
    move(server.pid, shared_cpu)
    attaching = Attaching(lab, server.pid)
    attaching.wait_recorded(60)
    attaching.wait_recorded(lambda recording: waited_for(recording, server.pid, "python") > 0)
    recording = attaching.end().recording
    server.end()
    check_waits(recording)
    assert not [note for note in recording.notes("stopped") if note.args.get("source")]


@pytest.mark.root
def test_what_was_never_switched_had_the_cpu_all_the_time(lab, wheel):
    """As probes see it. On a machine that is busy enough there is none."""
    server = python_server(lab, wheel, "long", "--rest", 0.002)
    done = attach(lab, server.pid, n=60)
    server.end()
    still = [slice for slice in known(done.recording, "thread_cpu_ns") if not slice.args["switches"]]
    took = sum(slice.end - slice.start for slice in still)
    assert all(slice.args["run_queue_ns"] == 0 for slice in still)
    assert not still or 0.8 * took < sum(slice.args["thread_cpu_ns"] for slice in still) <= took


@pytest.mark.parametrize("key", ["1.15", "newest"])
def test_short_inferences_are_left_alone(lab, key):
    """Reading the figures would take longer than the half per cent: only the first inferences have them."""
    wheel = environment(envs.wheel, key)
    done = lab.both(lab.python(wheel, "infer", "run", lab.model("batch"), "--runs", 2000))
    note = done.recording.note("runtime")
    assert 0 < note["usage_ns"] < 1e6
    assert len(known(done.recording, "thread_cpu_ns")) < 200
    report = lab.plain([os.environ["INFTRACE"], "report", "--all", done.recording.path]).out
    assert "reading" in report


def test_detail_reads_them_of_every_inference(lab, wheel):
    done = lab.both(lab.python(wheel, "infer", "run", lab.model("batch"), "--runs", 500), level="detail")
    assert len(known(done.recording, "run_queue_ns")) == len(
        [s for s in whole(done.recording) if not s.args.get("first")]
    )


@pytest.fixture
def half_a_cpu(tmp_path):
    """A cgroup with a quota of half a CPU: a prefix that brings a program into it."""
    for root, write in (
        ("/sys/fs/cgroup/cpu", lambda folder: (folder / "cpu.cfs_quota_us").write_text("50000")),
        ("/sys/fs/cgroup", lambda folder: (folder / "cpu.max").write_text("50000 100000")),
    ):
        folder = pathlib.Path(root, "inftrace-test-%d" % os.getpid())
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            write(folder)
        except OSError:
            folder.rmdir()
            continue
        yield ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(folder / "cgroup.procs")]
        folder.rmdir()
        return
    pytest.skip("no cgroup can be made here")


@pytest.mark.alone("beside others it gets less of the CPUs than its quota")
@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_quota_that_is_used_up_is_named_first(lab, wheel, half_a_cpu):
    program = lab.python(wheel, "infer", "run", lab.model("long"), "--runs", 150)
    recording = lab.record([*half_a_cpu, *program], judged=False).recording
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    assert report["recording"]["usable_cpus"] == 0.5  # also once the program has ended
    stat = dict(line.split() for line in pathlib.Path(half_a_cpu[-1]).with_name("cpu.stat").read_text().splitlines())
    throttled_ns = int(stat["throttled_time"]) if "throttled_time" in stat else 1000 * int(stat["throttled_usec"])
    waited_ns = sum(slice.args["run_queue_ns"] for slice in known(recording, "run_queue_ns"))
    if 2 * int(stat["nr_throttled"]) < int(stat["nr_periods"]) or 2 * throttled_ns < waited_ns:
        pytest.skip("others left it less than its quota: %s, it waited %d ns" % (stat, waited_ns))
    text = " ".join(lab.plain([lab.inftrace, "report", recording.path]).out.split("\n\n")[0].split())
    assert re.search(r"^Its cgroup may use 0\.50 CPUs and was throttled in \d+ of \d+ periods", text), text
    found = {insight["kind"]: insight for insight in report["insights"]}
    assert found["throttled"]["figures"]["quota_cpus"] == 0.5
    assert found["throttled"]["next"].startswith("a larger quota")  # it has one thread at work
    assert "waits_for_cpu" not in found and "oversubscribed" not in found


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_the_cpus_that_a_program_may_use_are_those_of_its_quota(lab, wheel, half_a_cpu):
    """In doctor, top, attach and the report."""
    cpus = os.cpu_count()
    line = re.search("  CPUs +(.*)", lab.plain([*half_a_cpu, lab.inftrace, "doctor", "--no-load"]).out).group(1)
    assert line == "0.50 of %d CPUs, by the quota of its cgroup" % cpus
    server = python_server(lab, wheel, "tiny", prefix=half_a_cpu)
    shown = lab.plain([lab.inftrace, "top", "--json", "-d", "3s", str(server.pid)])
    last = json.loads(shown.out.splitlines()[-1])
    assert (last["cpus"], [process["usable_cpus"] for process in last["processes"]]) == (cpus, [0.5]), shown
    attached = lab.plain([lab.inftrace, "attach", "-d", "2s", "-o", lab.path("attached.pftrace"), str(server.pid)])
    said = "(%d), which may use 0.50 of %d CPUs, by the quota of its cgroup; Ctrl-C" % (server.pid, cpus)
    assert said in attached.err
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", lab.path("attached.pftrace")]).out)
    assert (report["recording"]["cpus"], report["recording"]["usable_cpus"]) == (cpus, 0.5)
    text = " ".join(lab.plain([lab.inftrace, "report", lab.path("attached.pftrace")]).out.split())
    assert re.search(r" resources .*, 0\.\d+ CPUs used of 0\.50 that it may use ", text), text
    server.end()
