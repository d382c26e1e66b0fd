# SPDX-License-Identifier: Apache-2.0
"""Samples of threads: a program that spends known time in known lines, and what its recording says of that."""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import time

import pytest
from attaching import Attaching, python_server
from judge import query as judged
from lab import wait_until
from test_next import Waiting
from test_query import ask

PYTHON = os.path.realpath(sys.executable)
VERSIONS = os.path.expanduser("~/.pyenv/versions")
# What this machine has of CPython beside the one that runs the tests.
OTHERS = sorted(
    os.path.join(VERSIONS, name, "bin", "python3")
    for name in (os.listdir(VERSIONS) if os.path.isdir(VERSIONS) else ())
    if name.startswith("3.") and int(name.split(".")[1]) >= 8
)
PATHS = """WITH RECURSIVE up(sample, stack) AS (
    SELECT id, stack_id FROM stack_samples WHERE stack_id IS NOT NULL
    UNION ALL SELECT sample, caller_id FROM up JOIN stacks s ON s.id = stack WHERE caller_id IS NOT NULL)
    SELECT DISTINCT x.id, s.function, x.state, x.call, x.object, x.duration_ns, x.tid, x.line, x.holder_tid,
    h.function AS holder, s.line AS at FROM up JOIN stacks s ON s.id = stack JOIN stack_samples x ON x.id = sample
    LEFT JOIN stacks h ON h.id = x.holder_stack_id WHERE s.function IN (%s)"""


class Known:
    """The program's own times, and what was sampled of each of its functions."""

    def __init__(self, lab, python):
        program = os.path.join(os.path.dirname(__file__), "programs", "stacks.py")
        done = lab.record([python, program])
        assert done.status == 0, done.err
        self.path, self.took = done.recording.path, json.loads(done.out)
        names = [name for name in self.took if name not in ("port", "pid")] + ["burn", "Sleeper.sleep", "deep", "sleep"]
        rows = ask(lab, self.path, PATHS.replace("%s", ", ".join(f"'{name}'" for name in names)))
        self.rows = collections.defaultdict(list)
        for row in rows:
            self.rows[row["function"]].append(row)

    def main(self, function):
        """What the main thread did in a function."""
        return [row for row in self.rows[function] if row["tid"] == self.took["pid"]]

    def seconds(self, function, *states):
        return sum(row["duration_ns"] for row in self.main(function) if not states or row["state"] in states) / 1e9


ON_CPU = ("ran", "waited for a CPU")


def check(known):
    took = known.took
    for name in ("spin", "sleeps", "waits_for_lock", "waits_for_socket", "fights_for_gil"):
        assert abs(known.seconds(name) - took[name]) < 0.1 + took[name] / 10, name
    assert known.seconds("spin", *ON_CPU) > 0.8 * took["spin"]
    assert known.seconds("sleeps", "slept") > 0.3
    assert known.seconds("waits_for_lock", "waited for a thread") > 0.3
    (address,) = {row["object"] for row in known.main("waits_for_socket") if row["call"] == "recvfrom"}
    assert address == f"127.0.0.1:{took['port']}"
    assert known.seconds("waits_for_socket", "blocked in a system call") > 0.3
    pipes = [row for row in known.main("reads_pipe") if row["call"] == "read" and row["object"] == "a pipe"]
    assert sum(row["duration_ns"] for row in pipes) > 0.25e9
    stops = [row for row in known.main("is_stopped") if row["state"] == "was stopped"]
    assert {row["call"] for row in stops} == {"stopped"} and sum(row["duration_ns"] for row in stops) > 0.2e9
    waits = [row for row in known.rows["burn"] if row["state"] == "waited for the GIL"]
    assert len({row["tid"] for row in waits}) == 2 and sum(row["duration_ns"] for row in waits) > 0.3e9
    holders = [row for row in waits if row["holder"]]
    assert holders and {row["holder"] for row in holders} == {"burn"}
    assert all(row["holder_tid"] != row["tid"] for row in holders)


@pytest.fixture
def known(lab):
    return Known(lab, PYTHON)


def test_time_is_where_it_was_spent(lab, known):
    check(known)
    with open(os.path.join(os.path.dirname(__file__), "programs", "stacks.py")) as file:
        lines = file.read().splitlines()
    # the line that runs is one of the loop's, and the innermost of the sleeper's is its call
    assert {lines[row["line"] - 1].strip() for row in known.main("spin")} <= {
        "end = time.perf_counter() + 0.6",
        "while time.perf_counter() < end:",
        "pass",
    }
    (slept,) = {row["line"] for row in known.main("sleeps") if row["state"] == "slept"}
    assert lines[slept - 1].strip() == "time.sleep(0.4)"
    (counts,) = ask(
        lab,
        known.path,
        "SELECT count(*) AS n, sum(is_torn) AS torn, sum(is_cut) AS cut, sum(duration_ns) AS ns FROM stack_samples",
    )
    assert counts["torn"] <= min(counts["n"] / 20, 3 + counts["n"] / 100)
    assert counts["cut"] >= 1, "a recursion of 800 frames"
    # a thread's stretches do not overlap
    assert not ask(
        lab,
        known.path,
        "SELECT * FROM (SELECT begin_ns, lag(time_ns) OVER (PARTITION BY pid, tid ORDER BY time_ns) AS before "
        "FROM stack_samples) WHERE before > begin_ns",
    )
    # folded stacks have all of the time
    folded = lab.plain([lab.inftrace, "export", known.path, "--to", "folded", "-o", lab.path("folded")])
    assert folded.status == 0, folded.err
    with open(lab.path("folded")) as file:
        rows = [line.rstrip("\n").rpartition(" ") for line in file if " (samples);" in line]
    assert sum(int(ns) for _, _, ns in rows) == counts["ns"]
    (sleep,) = [stack for stack, _, _ in rows if stack.endswith(";slept") and ";Sleeper.sleep (" in stack]
    assert sleep.endswith(f"stacks.py:{slept});slept")
    # and so has Speedscope's file, a profile for each thread
    done = lab.plain([lab.inftrace, "export", known.path, "--to", "speedscope", "-o", lab.path("speedscope")])
    assert done.status == 0, done.err
    with open(lab.path("speedscope")) as file:
        whole = json.load(file)
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    profiles = [profile for profile in whole["profiles"] if profile["type"] == "sampled"]
    assert all(len(profile["samples"]) == len(profile["weights"]) for profile in profiles)
    assert sum(sum(profile["weights"]) for profile in profiles) == counts["ns"]
    (main,) = [profile for profile in profiles if f"thread {known.took['pid']}: samples" in profile["name"]]
    slept = [
        ns
        for stack, ns in zip(main["samples"], main["weights"])
        if [names[frame] for frame in stack[-2:]] == [f"Sleeper.sleep (stacks.py:{slept})", "slept"]
    ]
    assert sum(slept) > 0.3e9
    # Perfetto has the same samples
    ours = ask(lab, known.path, "SELECT count(*) AS n FROM stack_samples")
    theirs = judged(known.path, "SELECT count(*) AS n FROM perf_sample")
    assert [row["n"] for row in ours] == [int(row["n"]) for row in theirs]


class Places(Known):
    """The same of a program of machine code."""

    def __init__(self, lab, *options):
        done = lab.record([lab.binaries.plain("places", options)])
        assert done.status == 0, done.err
        self.path, self.took = done.recording.path, json.loads(done.out)
        names = [name for name in self.took if name != "pid"] + ["main", "add_up", "spin", "help"]
        rows = ask(lab, self.path, PATHS.replace("%s", ", ".join(f"'{name}'" for name in names)))
        self.rows = collections.defaultdict(list)
        for row in rows:
            self.rows[row["function"]].append(row)

    def check(self):
        for name in ("spin_long", "rest", "wait_for_lock", "wait_for_socket"):
            assert abs(self.seconds(name) - self.took[name]) < 0.1 + self.took[name] / 10, name
        assert self.seconds("spin_long", *ON_CPU) > 0.6 * self.took["spin_long"]
        assert self.seconds("rest", "slept") > 0.3
        assert self.seconds("wait_for_lock", "waited for a thread") > 0.3
        assert self.seconds("wait_for_socket", "blocked in a system call") > 0.3
        assert {row["call"] for row in self.main("wait_for_socket") if row["call"]} == {"recvfrom"}


def test_machine_code_has_its_functions_and_lines(lab):
    """Optimised, without frame pointers, with what the compiler put into other functions."""
    places = Places(lab, "-O2", "-g", "-fomit-frame-pointer")
    places.check()
    with open(os.path.join(os.path.dirname(__file__), "programs", "places.c")) as file:
        lines = file.read().splitlines()
    for function, says in (
        ("rest", "rests here"),
        ("wait_for_lock", "waits here"),
        ("wait_for_socket", "receives here"),
    ):
        at = {row["at"] for row in places.main(function) if row["state"] not in ON_CPU}
        assert [lines[line - 1].split("/*")[1].strip(" */") for line in at] == [says], function
    # what was inlined is there, in the function that contains it
    inlined = places.main("add_up")
    assert {lines[row["at"] - 1].strip() for row in inlined} <= {
        "for (unsigned long i = 0; i < n; i++)",
        "sum += i; /* spins here */",
    }
    assert {row["id"] for row in inlined} <= {row["id"] for row in places.main("spin")}
    assert sum(row["duration_ns"] for row in inlined) > 0.5e9 * places.took["spin_long"]
    # a thread's frames begin with its own function
    roots = ask(
        lab,
        places.path,
        "SELECT DISTINCT function FROM stacks WHERE caller_id IS NULL AND function IS NOT NULL ORDER BY 1",
    )
    assert [row["function"] for row in roots] == ["help", "main"]
    assert "add_up (places.c:" in lab.plain([lab.inftrace, "report", "--all", places.path]).out


def test_machine_code_without_optimisation_or_debug_information(lab):
    """By frame pointers that the blocked ones' have to be found, and by symbols alone."""
    places = Places(lab, "-O0", "-g0")
    places.check()
    assert {row["at"] for row in places.main("rest")} == {None}


HERE = "SELECT count(*) AS n FROM stacks WHERE file LIKE '%s'"


@pytest.mark.root
@pytest.mark.in_turn(1)
@pytest.mark.parametrize("way", [(), ("--inject",)], ids=["probes", "injected"])
def test_running_programs_are_sampled(lab, wheel, way):
    # at full speed the recording grows faster than it is asked
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    attaching = Attaching(lab, server.pid, *way)
    wait_until(
        lambda: (
            os.path.exists(attaching.path)
            and os.path.getsize(attaching.path)
            and ask(lab, attaching.path, HERE % "%/serve.py")[0]["n"]
        ),
        attaching.process,
    )
    attaching.end()
    server.end()


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_programs_that_come_next_are_sampled(lab, wheel):
    waiting = Waiting(lab, "--path", lab.own("infer"))
    program = lab.plain(lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 3000))
    assert program.status == 0, program.err
    assert ask(lab, waiting.end().path, HERE % "%/infer.py")[0]["n"]


def test_samples_are_beside_the_page_of_top(lab, wheel):
    path = lab.path("top.pftrace")
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 300)
    done = lab.plain([lab.inftrace, "top", "--json", "-o", path, "--", *program])
    assert done.status == 0, done.err
    assert ask(lab, path, HERE % "%/infer.py")[0]["n"]


@pytest.mark.full("versions that are too old are not on every machine")
def test_what_cannot_be_read_is_said(lab):
    python = os.path.join(VERSIONS, "3.7.16", "bin", "python3")
    if not os.path.exists(python):
        pytest.skip("there is no Python 3.7 here")
    done = lab.record([python, "-c", "import time; time.sleep(1)"])
    (row,) = ask(
        lab, done.recording.path, "SELECT text FROM remarks WHERE kind = 'unreadable' AND text LIKE '%stacks%'"
    )
    assert row["text"].startswith("Cannot read the stacks of process ")
    assert row["text"].endswith(": this Python is older than 3.8")
    assert ask(lab, done.recording.path, "SELECT * FROM stack_samples WHERE state = 'slept' AND stack_id IS NULL")


@pytest.mark.root
def test_a_program_that_forbids_it_while_it_runs_is_named(public):
    """PR_SET_DUMPABLE, as programs with secrets set it: another user's recorder may not read it from then on."""
    path = public.path("forbidden.pftrace")
    code = "import ctypes, time\ntime.sleep(1)\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nwhile True: time.sleep(0.01)"
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    recorder = public.start([*user, public.inftrace, "record", "-q", "-o", path, "--", "/usr/bin/python3", "-c", code])
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path), recorder)
    sql = "SELECT text FROM remarks WHERE text LIKE '%stacks%'"
    wait_until(lambda: ask(public, path, sql), recorder)
    (row,) = ask(public, path, sql)
    assert row["text"].endswith(": the kernel does not permit it (ptrace)")
    assert ask(public, path, "SELECT * FROM stack_samples WHERE state = 'slept' AND line = 2"), "before that it may"


@pytest.mark.full("each version takes five seconds")
@pytest.mark.parametrize("python", OTHERS, ids=lambda path: path.split("/")[-3])
def test_versions_of_python(lab, python):
    check(Known(lab, python))


def test_off(lab):
    done = lab.record([PYTHON, "-c", "import time; time.sleep(0.3)"], options=["--stacks", "off"])
    assert not ask(lab, done.recording.path, "SELECT * FROM stack_samples")
    done = lab.plain([lab.inftrace, "record", "--stacks", "0", "-o", lab.path("x"), "--", "true"])
    assert done.status == 2 and "--stacks must be off, or a number between 1 and 1000" in done.err
    assert not os.path.exists(lab.path("x"))


def test_recording_goes_on_in_a_file(lab):
    """What was recorded before a kill is there, also of threads that slept until then."""
    path = lab.path("killed.pftrace")
    program = [PYTHON, "-c", "import time\nprint(1, flush=True)\ntime.sleep(1000)"]
    recorder = lab.start(
        [lab.inftrace, "record", "-o", path, "--", *program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert recorder.stdout.readline() == b"1\n"
    sql = "SELECT sum(duration_ns) AS ns FROM stack_samples WHERE state = 'slept' AND line = 3"
    wait_until(lambda: (ask(lab, path, sql)[0]["ns"] or 0) > 1e9, recorder)
    recorder.kill()
    recorder.wait()
    assert ask(lab, path, sql)[0]["ns"] > 1e9


def sampler_of(pid):
    """The folder in /proc of a recorder's thread that samples; None: it has none yet."""
    for task in glob.glob("/proc/%d/task/*" % pid):
        with open(task + "/comm") as file:
            if file.read() == "inftrace-stacks\n":
                return task
    return None


def n_waits(task):
    with open(task + "/status") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])


def test_threads_that_wait_for_cpus_are_looked_at_half_as_often(lab, crowded_cpu):
    """Each look ends somebody's time slice."""
    command, _ = lab.command(["taskset", "-c", str(crowded_cpu), PYTHON, "-c", "while True: pass"])
    recorder = lab.start(command)
    wait_until(lambda: sampler_of(recorder.pid), recorder)
    task, rates = sampler_of(recorder.pid), []

    def is_slow():
        before, began = n_waits(task), time.monotonic()
        time.sleep(1)
        rates.append((n_waits(task) - before) / (time.monotonic() - began))
        return len(rates) >= 5 and max(rates[-3:]) < 75

    wait_until(is_slow, recorder, lambda: str(rates))
