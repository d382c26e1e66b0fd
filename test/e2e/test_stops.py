# SPDX-License-Identifier: Apache-2.0
"""Time in which a program was stopped, traced or frozen: exact, visible, and no operator's."""

import json
import os
import signal

import pytest
from lab import wait_until
from recording import Growing, Recording
from test_query import ask
from test_view import table, view

WORDS = {
    "signal": "in which the process was stopped by a signal (such as SIGSTOP)",
    "group": "in which the process was stopped by a signal (such as SIGSTOP)",
    "tracer": " held the process as its tracer",
    "freezer": "in which the cgroup of the process was frozen",
}


SAID = {
    "signal": "stopped by a signal",
    "group": "stopped by a signal",
    "tracer": "held by python as its tracer",
    "freezer": "frozen with its cgroup",
}
NAMES = {"signal": "stopped", "group": "stopped", "killed": "stopped", "tracer": "traced", "freezer": "frozen"}
ROOTS = ("/sys/fs/cgroup/freezer", "/sys/fs/cgroup", "/sys/fs/cgroup/unified")


def freezers():
    """A new cgroup that can be frozen, of each version that this machine has."""
    for root in ROOTS:
        folder = "%s/inftrace-test-%d" % (root, os.getpid())
        try:
            os.mkdir(folder)
        except OSError:
            continue
        if os.path.exists(folder + "/freezer.state") or os.path.exists(folder + "/cgroup.freeze"):
            yield folder
        os.rmdir(folder)


class Halted:
    """A program that was halted, and what its recording says of that."""

    def __init__(self, lab, wheel, how, lengths, env=None, around=(), **more):
        env = dict(env or {}, HALTS=lab.path("halts"))
        command = lab.python(wheel, "halted", how, lab.model("long"), *lengths)
        plain = lab.plain(command, env=env, **more)
        done = lab.record([*around, *command], env=env, **more)
        assert (done.out, done.status) == (plain.out, plain.status), done.err
        assert how == "killed" or done.out.endswith(" runs while halted 0\n"), done.out
        self.lab, self.how, self.recording = lab, how, done.recording
        with open(lab.path("halts")) as file:
            self.halts = [[int(word) for word in line.split()] for line in file]
        # inftrace next, which another test runs, holds each program for a moment
        halts = done.recording.of("halt")
        own = [slice for slice in halts if slice.args.get("text") != "inftrace-next"]
        self.n_halts = len(halts)
        self.slices = sorted(own, key=lambda slice: slice.start)
        self.said = SAID[how]
        if len(own) != len(halts):
            self.said = "held by a debugger or tracer" if how == "tracer" else "stopped, held or frozen"

    def check_bounds(self):
        """A slice lies within its halt; what its arguments say lies around it. A long halt has one."""
        seen = []
        for slice in self.slices:
            assert slice.name == slice.track.name == NAMES[self.how], slice
            (halt,) = [halt for halt in self.halts if halt[0] <= slice.start < halt[3]]
            assert slice.end <= halt[3], (slice, halt)
            assert slice.args["from_ns"] <= halt[1] and slice.args["until_ns"] >= halt[2], (slice, halt)
            seen.append(halt)
        assert len(seen) == len({halt[0] for halt in seen}), self.slices
        assert [halt for halt in self.halts if halt[2] - halt[1] > 200e6] == [
            halt for halt in seen if halt[2] - halt[1] > 200e6
        ], (self.halts, self.slices)
        return seen

    def report(self, *options):
        return self.lab.plain([self.lab.inftrace, "report", *options, self.recording.path]).out

    def check_report(self):
        """The inference is said to have been halted, and no operator is blamed."""
        report = json.loads(self.report("--json"))
        (model,) = report["models"]
        runs, operators = model["inferences"], model["operators"]
        slow = runs["slowest"][0]
        causes = {part["cause"]: part for part in slow["why"]["parts"]}
        assert slow["duration_ns"] > 0.28e9 and slow["halted"] == NAMES[self.how], slow
        assert slow["halted_ns"] <= slow["duration_ns"] and slow["halted_at_most_ns"] >= slow["halted_ns"], slow
        assert WORDS[self.how] in causes["stopped"]["words"] and causes["stopped"]["ns"] > 0.2e9, slow
        assert not {"one_operator", "operators", "idle_process"} & set(causes), slow
        assert 1 <= runs["halted"] <= len(report["recording"]["halts"]) == self.n_halts, report["recording"]
        around = [
            operator
            for operator in self.recording.operators
            if any(operator.start < slice.start and slice.end < operator.end for slice in self.slices)
        ]
        assert sum(kind["halted"] for kind in operators["types"]) >= len(around), (operators["types"], around)
        assert max(node["duration"]["max_ns"] for node in operators["nodes"]) < 0.2e9, operators["nodes"]
        parts = ("operators_ns", "setup_ns", "halted_ns", "unattributed_ns")
        assert sum(operators[part] for part in parts) == operators["wall_ns"] and operators["halted_ns"] > 0.28e9
        waited = sum(slice.args.get("run_queue_ns", 0) for slice in self.recording.inferences)
        assert operators["unattributed_ns"] < 0.2e9 + waited, operators
        verdict = self.report().splitlines()[0]
        assert " in which " in verdict and "process was " + self.said in verdict, verdict
        html = self.report("--format", "html")
        assert self.said in html and " left out of the figures of operators" in html
        self.check_tables(operators)

    def query(self, sql):
        command = [self.lab.inftrace, "query", "--format", "json", self.recording.path, sql]
        return json.loads(self.lab.plain(command).out)

    def check_tables(self, operators):
        """SQL and the page say the same."""
        halts = self.query("SELECT name, begin_ns, end_ns, from_ns, until_ns FROM halts ORDER BY begin_ns")
        assert len(halts) == self.n_halts, halts
        wanted = [
            {
                "name": slice.name,
                "begin_ns": slice.start,
                "end_ns": slice.end,
                "from_ns": slice.args["from_ns"],
                "until_ns": slice.args["until_ns"],
            }
            for slice in self.slices
        ]
        assert [halt for halt in halts if halt in wanted] == wanted, halts
        (of,) = self.query(
            "SELECT sum(is_halted) AS n, max(CASE is_halted WHEN 0 THEN duration_ns END) AS most FROM operators"
        )
        (stats,) = self.query("SELECT sum(calls_halted) AS n, max(max_ns) AS most FROM operator_stats")
        assert stats["n"] == sum(node["halted"] for node in operators["nodes"]) <= of["n"], (of, stats)
        assert stats["most"] == max(node["duration"]["max_ns"] for node in operators["nodes"]), stats
        (run,) = self.query("SELECT halted_ns, duration_ns FROM inferences ORDER BY duration_ns DESC LIMIT 1")
        assert 0.2e9 < run["halted_ns"] <= run["duration_ns"], run
        with view(self.lab, self.recording.path) as get:
            nodes = table(get, "operators")
            assert sum(node["halted"] or 0 for node in nodes) == of["n"], nodes
            assert max(node["max_ns"] for node in nodes) == of["most"], nodes
            assert NAMES[self.how] in {track["name"] for track in get("recording.json")["tracks"]}
            (model,) = get("icicle")["children"]
            parts = {part["name"]: part["ns"] for part in model["children"]}
            assert parts["process stopped"] > 0.28e9 and sum(parts.values()) == model["ns"], parts


@pytest.mark.parametrize("around", [(), ("sh", "-c", '"$@"; exit $?', "sh")], ids=["child", "grandchild"])
@pytest.mark.in_turn(2)
def test_a_stop_by_a_signal_is_seen_and_no_operators(lab, wheel, around):
    halted = Halted(lab, wheel, "signal", [300, 300, 30, 30], around=around)
    seen = halted.check_bounds()
    assert around or len(seen) == 4, halted.slices  # the kernel tells the parent at once
    halted.check_report()


def test_a_stop_of_the_program_with_its_recorder_is_seen(lab, wheel):
    """As Ctrl-Z does it."""
    halted = Halted(lab, wheel, "group", [500, 500], start_new_session=True)
    assert len(halted.check_bounds()) == 2, halted.slices
    halted.check_report()


@pytest.mark.root
def test_a_process_that_a_tracer_holds_is_seen_and_no_operators(lab, wheel):
    halted = Halted(lab, wheel, "tracer", [300, 300])
    halted.check_bounds()
    assert halted.slices[0].args["text"].startswith("python"), halted.slices
    halted.check_report()


@pytest.mark.root
def test_a_frozen_cgroup_is_seen_and_no_operators(lab, wheel):
    n = 0
    for folder in freezers():
        halted = Halted(lab, wheel, "freezer", [300, 300, 30], env={"FREEZER": folder})
        halted.check_bounds()
        halted.check_report()
        (row,) = ask(
            lab,
            halted.recording.path,
            "SELECT max(duration_ns) AS ns FROM stack_samples WHERE state = 'was stopped' AND call = 'frozen'",
        )
        assert row["ns"] and row["ns"] > 2e8, "its samples say so, too"
        n += 1
    if not n:
        pytest.skip("no cgroup can be frozen here")


def test_a_worker_that_is_stopped_and_killed_keeps_what_was_recorded(lab, wheel):
    worker = lab.python(wheel, "halted", "killed", lab.model("long"), 300)
    done = lab.record(["sh", "-c", '"$@"; echo status $?', "sh", *worker], env={"HALTS": lab.path("halts")})
    assert done.out == "status 137\n" and done.recording.lost == 0, done.err
    assert sum(slice.end is not None for slice in done.recording.inferences) > 3
    (stop,) = [slice for slice in done.recording.of("halt") if slice.args.get("text") != "inftrace-next"]
    assert stop.end - stop.start > 0.2e9, stop
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    (halt,) = [halt for halt in report["recording"]["halts"] if halt["tracer"] != "inftrace-next"]
    (process,) = [process for process in report["processes"] if process["inferences"]]
    assert halt["pid"] == process["pid"] and halt["what"] == "stopped"


def test_a_recorder_that_is_killed_has_recorded_a_stop(lab, wheel):
    command, path = lab.command(lab.python(wheel, "halted", "signal", lab.model("long"), 3000))
    recorder = lab.start(command, env={"HALTS": lab.path("halts")})
    recording = Growing(path)
    wait_until(lambda: recording.now() and recording.now().of("halt"), recorder)
    os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    (stop,) = Recording(path).of("halt")
    assert stop.end is None and stop.name == "stopped", stop
    wait_until(lambda: os.path.exists(lab.path("halts")))
