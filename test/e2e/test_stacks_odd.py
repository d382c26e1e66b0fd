# SPDX-License-Identifier: Apache-2.0
"""Samples of programs that are hard on a sampler: names with escapes, deep recursion, thousands of threads, languages
that it does not read."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import envs
import pytest
from conftest import environment
from lab import wait_until
from marks import often
from test_query import ask

PROGRAMS = os.path.join(os.path.dirname(__file__), "programs")
PYTHON = os.path.realpath(sys.executable)


def test_odd_names_and_a_deep_recursion(lab):
    done = lab.record([PYTHON, os.path.join(PROGRAMS, "odd_names.py")])
    assert done.status == 0, done.err
    path = done.recording.path
    slept = "SELECT sum(duration_ns) / 1e9 AS s, max(is_cut) AS cut, max(line) AS line FROM stack_samples x "
    inside = (
        "WHERE x.state = 'slept' AND x.stack_id IN (WITH RECURSIVE inside(id) AS (SELECT id FROM stacks WHERE {0} "
        "UNION SELECT s.id FROM stacks s JOIN inside ON s.caller_id = inside.id) SELECT id FROM inside)"
    )
    # the innermost frames of the recursion are there, the others are said to be missing
    (deep,) = ask(lab, path, slept + inside.format("function = 'deep'"))
    assert deep["s"] > 0.4 and deep["cut"], deep
    (rows,) = ask(lab, path, "SELECT count(*) AS n FROM stacks WHERE function = 'deep' AND line = 18")
    assert 400 < rows["n"] < 1000
    # a name is there, and no terminal obeys it
    (odd,) = ask(lab, path, slept + inside.format("function LIKE 'clear%'"))
    assert odd["s"] > 0.4 and not odd["cut"], odd
    (named,) = ask(lab, path, "SELECT DISTINCT function, file FROM stacks WHERE function LIKE 'clear%'")
    assert "\u9f8d" in named["function"] and "red" in named["file"]
    text = lab.plain([lab.inftrace, "report", "--all", path])
    folded = lab.path("odd.folded")
    assert lab.plain([lab.inftrace, "export", path, "--to", "folded", "-o", folded]).status == 0
    with open(folded, newline="") as file:
        lines = file.read()
    page = lab.path("odd.html")
    assert lab.plain([lab.inftrace, "report", "--format", "html", "-o", page, path]).status == 0
    with open(page, newline="") as file:
        html = file.read()
    for shown in (text.out, lines, html):
        assert "\x1b" not in shown and "\r" not in shown
    assert "\u202e" not in text.out and "red" in lines and "<b>\u202e" not in html
    assert all(line.rpartition(" ")[2].isdigit() for line in lines.splitlines())
    json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("n", often(300, 5000))
def test_thousands_of_threads_are_sampled_in_turn(lab, n):
    if resource.getrlimit(resource.RLIMIT_NPROC)[0] not in (-1,) and resource.getrlimit(resource.RLIMIT_NPROC)[0] < n:
        pytest.skip("this user may not have so many threads")
    done = lab.record([lab.binaries.plain("threads", ("-O1", "-g")), str(n)])
    if done.status == 77:
        pytest.skip(f"this machine does not start {n} threads")
    assert done.status == 0, done.err
    path, took = done.recording.path, float(done.out)
    (main,) = ask(
        lab,
        path,
        "SELECT sum(cpu_ns) / 1e9 AS cpu, sum(duration_ns) / 1e9 AS s, max(duration_ns) / 1e9 AS longest "
        "FROM stack_samples WHERE tid = pid",
    )
    # what the first thread ran is known exactly, and it has its turn however many others there are
    assert abs(main["cpu"] - took) < 0.1 + took / 10, (main, took)
    assert main["longest"] < main["s"] / 2, main
    (others,) = ask(lab, path, "SELECT count(DISTINCT tid) AS n FROM stack_samples WHERE tid <> pid")
    assert others["n"] >= min(n, 100)
    said = ask(lab, path, "SELECT text FROM remarks WHERE text LIKE '%sampled in turn%'")
    assert said or n < 1000
    # a thread's stretches do not overlap
    assert not ask(
        lab,
        path,
        "SELECT * FROM (SELECT begin_ns, lag(time_ns) OVER (PARTITION BY pid, tid ORDER BY time_ns) AS before "
        "FROM stack_samples) WHERE before > begin_ns",
    )


def test_a_language_that_is_not_read_is_named(lab):
    """By the name of its program: this one only sleeps."""
    deno = lab.path("deno")
    shutil.copy(shutil.which("sleep"), deno)
    done = lab.record([deno, "2"])
    assert done.status == 0, done.err
    (row,) = ask(lab, done.recording.path, "SELECT text FROM remarks WHERE text LIKE '%JavaScript%'")
    assert row["text"].startswith("Cannot read functions of JavaScript in process ")
    assert row["text"].endswith(": its threads have stacks of machine code, with names that a /tmp/perf-PID.map has")


def test_a_v8_without_metadata_is_reported_whatever_its_name(lab):
    """A Node.js whose metadata for debuggers has other names; Electron exports it as little."""
    program = lab.path("electron")
    with open(envs.node("22"), "rb") as file:
        text = file.read()
    assert text.count(b"\0v8dbg_") > 100
    with open(program, "wb") as file:
        file.write(text.replace(b"\0v8dbg_", b"\0x8dbg_"))
    os.chmod(program, 0o755)
    done = lab.record([program, "-e", "setTimeout(() => {}, 2000)"])
    assert done.status == 0, done.err
    (row,) = ask(lab, done.recording.path, "SELECT text FROM remarks WHERE text LIKE '%JavaScript%'")
    assert row["text"].startswith("Cannot read functions of JavaScript in process ")
    assert row["text"].endswith(": its V8 lacks metadata for debuggers (v8dbg_*)")


def test_a_program_that_executes_itself_keeps_its_frames(lab):
    """The same file, elsewhere in memory."""
    done = lab.record([PYTHON, os.path.join(PROGRAMS, "exec_same.py")])
    assert done.status == 0, done.err
    sql = (
        "SELECT s.function, sum(x.duration_ns) / 1e9 AS s FROM stack_samples x JOIN stacks i ON i.id = x.stack_id "
        "JOIN stacks s ON s.id = i.caller_id WHERE i.function = 'spin' GROUP BY 1"
    )
    took = {row["function"]: row["s"] for row in ask(lab, done.recording.path, sql)}
    assert took["before"] > 0.5 and took["after"] > 0.5, took


@pytest.mark.in_turn(2)
def test_a_process_keeps_its_samples_until_their_names_are_known(lab):
    """Its track ends three seconds after it; whoever reads names may need longer on a busy machine."""
    command, path = lab.command(["sh", "-c", "read go; timeout 0.5 yes > /dev/null; echo ended; read go; exit 0"])
    process = lab.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def reader():
        for task in os.listdir("/proc/%d/task" % process.pid):
            with open("/proc/%d/task/%s/children" % (process.pid, task)) as children:
                for pid in children.read().split():
                    with contextlib.suppress(OSError), open("/proc/%s/comm" % pid) as comm:
                        if comm.read().strip() == "inftrace-names":
                            return int(pid)

    pid = wait_until(reader, process)
    os.kill(pid, signal.SIGSTOP)
    process.stdin.write(b"go\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"ended\n"
    time.sleep(4)
    os.kill(pid, signal.SIGCONT)
    _, err = process.communicate(b"go\n")
    assert process.returncode == 0 and b"stopped" not in err, err
    (row,) = ask(lab, path, "SELECT sum(duration_ns) / 1e9 AS s FROM stack_samples WHERE thread = 'yes'")
    assert row["s"] > 0.3
    assert not ask(lab, path, "SELECT text FROM remarks WHERE text LIKE '%stopped at%'")


def test_a_function_that_waits_has_its_own_frame(lab):
    """It has a large array, in which older calls of it left theirs, and is called twice."""
    done = lab.record([lab.binaries.plain("wait_twice", ("-O1", "-g"))])
    assert done.status == 0, done.err
    path = done.recording.path
    parts = {row["id"]: row for row in ask(lab, path, "SELECT id, caller_id, function FROM stacks")}
    took = {}
    for row in ask(lab, path, "SELECT stack_id, duration_ns / 1e9 AS s FROM stack_samples WHERE state = 'slept'"):
        names, at = [], parts.get(row["stack_id"])
        while at and at["function"] != "main":
            names.append(at["function"] or "?")
            at = parts.get(at["caller_id"])
        took[" ".join(names)] = took.get(" ".join(names), 0) + row["s"]
    assert took["poll waits inner waits outer"] > 0.4 and took["poll waits later"] > 0.4, took


def shares_of(seconds):
    whole = sum(seconds.values())
    return {name: 100 * s / whole for name, s in seconds.items()}


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/comm") as comm:
                if comm.read().startswith("python"):
                    return child
    return None


@pytest.mark.alone("it compares times of two profilers, which must both have a CPU when they want one")
@pytest.mark.full("it is alone for ten seconds")
def test_shares_are_those_of_the_program_and_of_py_spy(lab):
    """Both sample the same run."""
    spy, path, folded = environment(envs.py_spy), lab.path("shares.pftrace"), lab.path("py-spy.folded")
    program = [PYTHON, os.path.join(PROGRAMS, "shares.py")]
    recorder = lab.start(
        [lab.inftrace, "record", "-q", "-o", path, "--", *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert recorder.stdout.readline() == b"ready\n"
    peer = lab.start(
        [
            spy,
            "record",
            "--nonblocking",
            "-i",
            "-r",
            "100",
            "-d",
            "600",
            "-f",
            "raw",
            "-o",
            folded,
            "-p",
            child_of(recorder.pid),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert b"Sampling process" in peer.stdout.readline() + peer.stdout.readline()
    recorder.stdin.write(b"begin\n")
    recorder.stdin.flush()
    took = json.loads(recorder.stdout.readline())
    peer.send_signal(signal.SIGINT)
    peer.wait()
    recorder.stdin.close()
    assert recorder.wait() == 0
    sql = (
        "WITH RECURSIVE up(sample, stack) AS (SELECT id, stack_id FROM stack_samples WHERE tid = pid "
        "UNION SELECT sample, caller_id FROM up JOIN stacks s ON s.id = stack WHERE caller_id IS NOT NULL) "
        "SELECT sum(duration_ns) / 1e9 AS s FROM stack_samples WHERE id IN "
        "(SELECT sample FROM up JOIN stacks s ON s.id = stack WHERE s.function = '%s' AND s.file LIKE '%%/shares.py')"
    )
    ours = shares_of({name: ask(lab, path, sql % name)[0]["s"] for name in took})
    theirs = dict.fromkeys(took, 0)
    with open(folded) as file:
        for line in file:
            stack, _, n = line.rpartition(" ")
            for name in took:
                theirs[name] += int(n) if f";{name} (shares.py" in stack else 0
    theirs, truth = shares_of(theirs), shares_of(took)
    # py-spy misses samples while others use the CPUs: it is no truth then
    wrong, peers = (max(abs(of[name] - truth[name]) for name in took) for of in (ours, theirs))
    for name in took:
        print(f"{name}: {truth[name]:.1f} %, inftrace {ours[name]:.1f}, py-spy {theirs[name]:.1f}")
    assert wrong < 2 and wrong < peers + 1, (ours, theirs, truth)
