# SPDX-License-Identifier: Apache-2.0
"""Each finding of a recording has a program that shows it, and one beside it that does not; ten programs without a
fault have none."""

import glob
import json
import os
import re

import pytest

import envs
from attaching import attach_command, python_server
from conftest import environment

# Other programs that keep the machine busy cause these.
OF_A_BUSY_MACHINE = {"waits_for_cpu", "uneven"}
OPENVINO = "OpenVINOExecutionProvider"


def report_of(lab, program, **more):
    recording = lab.record(program, options=["--interval", "20ms"], judged=False, **more).recording
    done = lab.plain([lab.inftrace, "report", "--json", recording.path])
    assert done.status == 0, done.err
    return json.loads(done.out)


def findings(report):
    return {insight["kind"]: insight for insight in report["insights"]}


class Programs:
    """The programs of a finding: Python ones by name, with the newest runtime or with the one that has OpenVINO."""

    def __init__(self, lab):
        self.lab = lab

    def python(self, *args, key="newest"):
        program, how, model, *rest = args
        return self.lab.python(environment(envs.wheel, key), program, how, self.lab.model(model), *rest)

    def openvino(self, *args):
        return self.python(*args, key="openvino")

    def upper(self):
        """Its only operator is one of a library, which OpenVINO does not know."""
        path = environment(envs.wheel, "openvino").path
        (library,) = glob.glob(os.path.join(path, "lib/python3*/site-packages/onnxruntime_extensions/*.so"))
        return self.openvino("infer", "run", "custom", "--provider", OPENVINO, "--library", library)

    def on_one_cpu(self, *args):
        """Before others there, as far as the rights allow: what its threads wait for are its threads."""
        first = ["nice", "-n", "-20"] if not os.geteuid() else []
        return [*first, "taskset", "-c", str(min(os.sched_getaffinity(0))), *self.python(*args)]


PAIRS = {
    "profiled": (
        lambda p: p.python("infer", "run", "long", "--runs", 40, "--profile", p.lab.path("profile")),
        lambda p: p.python("infer", "run", "long", "--runs", 40),
        lambda figures: "/profile-0_2" in figures["file"],
    ),
    "created_again": (
        lambda p: p.python("create", "file", "many", "--sessions", 3),
        lambda p: p.python("create", "file", "many", "--sessions", 1),
        lambda figures: figures["creations"] == 3 and figures["avoidable_ns"] > 10e6,
    ),
    "loaded_twice": (
        lambda p: p.python("infer", "run", "heavy", "--sessions", 2, "--runs", 200),
        lambda p: p.python("create", "file", "heavy", "--sessions", 2),
        lambda figures: figures["sessions_at_a_time"] == 2 and figures["avoidable_ns"] > 0,
    ),
    "specialized_again": (
        lambda p: p.python("create", "file", "many", "--sessions", 6),
        lambda p: p.python("create", "ort", "many", "--sessions", 6),
        lambda figures: figures["creations"] == 6 and figures["creation_share"] >= 0.33,
    ),
    "registered_again": (
        lambda p: p.python("create", "processes", "chain", "--sessions", 12),
        lambda p: p.python("create", "heirs", "chain", "--sessions", 12),
        lambda figures: (figures["creations"], figures["processes"]) == (12, 12) and figures["creation_share"] >= 0.15,
    ),
    "spins_creating": (
        lambda p: p.python("create", "file", "many", "--sessions", 16, "--pool", 3),
        lambda p: p.python("create", "still", "many", "--sessions", 16, "--pool", 3),
        lambda figures: (figures["creations"], figures["threads_each"]) == (16, 2) and figures["cpu_ns"] >= 100e6,
    ),
    "slow_first": (
        lambda p: p.openvino("habits", "lazy", "guarded", "--runs", 20),
        lambda p: p.openvino("habits", "apart", "guarded", "--runs", 20),
        lambda figures: figures["first_ns"] >= 200e6,
    ),
    "idle_provider": (
        lambda p: p.upper(),
        lambda p: p.openvino("infer", "run", "cnn", "--provider", OPENVINO),
        lambda figures: figures["provider"] == OPENVINO,
    ),
    "partly_taken": (
        lambda p: p.openvino("infer", "run", "types", "--provider", OPENVINO),
        lambda p: p.openvino("infer", "run", "cnn", "--provider", OPENVINO),
        lambda figures: 0 < figures["nodes_taken"] < figures["nodes"] and figures["time_share_elsewhere"] >= 0.05,
    ),
    "moves_layout": (
        lambda p: p.python("habits", "good", "turned", "--runs", 20),
        lambda p: p.python("habits", "good", "heavy", "--runs", 20),
        lambda figures: (figures["operators_moving"], figures["operators"]) == (16, 24) and figures["time_share"] > 0.3,
    ),
    "tiny_operators": (
        lambda p: p.python("habits", "busy", "many", "--runs", 20),
        lambda p: p.python("habits", "busy", "heavy", "--runs", 20),
        lambda figures: figures["operators_tiny"] > 1500 and figures["outside_share"] >= 0.15,
    ),
    "unattributed": (
        lambda p: p.python("habits", "busy", "inputs", "--runs", 40),
        lambda p: p.python("habits", "busy", "heavy", "--runs", 40),
        lambda figures: figures["outside_share"] >= 0.15 and figures["outside_ns"] > 250e3,
    ),
    "oversubscribed": (
        lambda p: p.on_one_cpu("infer", "run", "long", "--threads", 8, "--runs", 20),
        lambda p: p.on_one_cpu("infer", "run", "long", "--threads", 1, "--runs", 20),
        lambda figures: figures["cpus"] == 1 and figures["threads"] >= 8 and figures["waiting_share"] > 0.5,
    ),
    "serialised": (
        lambda p: p.python("infer", "run_async", "heavy", "--threads", 4, "--runs", 25, "--pool", 2),
        lambda p: p.python("infer", "run_async", "heavy", "--threads", 1, "--runs", 100, "--pool", 2),
        lambda figures: figures["threads"] == 1 and figures["between_ns"] is None,
    ),
    "spinning": (
        lambda p: p.python("habits", "rare", "cnn", "--runs", 40, "--pool", 2),
        lambda p: p.python("habits", "quiet", "cnn", "--runs", 40, "--pool", 2),
        lambda figures: figures["pool_threads"] == 1 and figures["cpus_used"] > figures["cpus_spun_on"] >= 0.1,
    ),
    "subnormals": (
        lambda p: p.python("habits", "fading", "quotients", "--runs", 40),
        lambda p: p.python("habits", "busy", "quotients", "--runs", 80),
        lambda figures: (figures["inferences_with"], figures["inferences_without"]) == (40, 39),
    ),
    "fresh_memory": (
        lambda p: p.python("habits", "fresh", "spread", "--runs", 20),
        lambda p: p.python("habits", "busy", "spread", "--runs", 20),
        lambda figures: 12288 <= figures["faults_each"] < 14000 and figures["share"] > 0.1,
    ),
    "not_optimized": (
        lambda p: p.python("habits", "raw", "cnn", "--runs", 20),
        lambda p: p.python("habits", "good", "cnn", "--runs", 20),
        lambda figures: figures["nodes"] == 12,
    ),
    "memory_grows": (
        lambda p: p.python("habits", "keep", "turned", "--runs", 150),
        lambda p: p.python("habits", "good", "turned", "--runs", 150),
        lambda figures: 0.7 * 360e3 < figures["bytes_per_inference"] < 1.5 * 360e3,
    ),
    "waits_for_session": (
        lambda p: p.openvino("habits", "lock", "guarded", "--runs", 40),
        lambda p: p.openvino("habits", "apart", "guarded", "--runs", 40),
        lambda figures: figures["blocked_beside_others_ns"] > figures["blocked_alone_ns"] + 1e6,
    ),
    "small_batch": (
        lambda p: p.python("habits", "batches", "images", "--runs", 50),
        lambda p: p.python("habits", "good", "images", "--runs", 50),
        lambda figures: (figures["batch_size"], figures["batch_size_larger"]) == (1, 50),
    ),
}

# The places that the evidence names: nodes that fell back.
NAMED = {"idle_provider": "upper (StringUpper)", "partly_taken": "one_"}


# They compare means, which one long wait for a CPU changes.
OF_MEANS = {"spinning", "subnormals", "registered_again"}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.alone("it compares means") if kind in OF_MEANS else ()) for kind in PAIRS],
)
@pytest.mark.in_turn(3)
def test_a_program_shows_it_and_one_beside_it_does_not(lab, kind):
    shows, does_not, is_right = PAIRS[kind]
    with_it = findings(report_of(lab, shows(Programs(lab))))
    assert kind in with_it, with_it
    assert is_right(with_it[kind]["figures"]), with_it[kind]
    assert NAMED.get(kind, "") in with_it[kind]["evidence"]
    assert with_it[kind]["evidence"] and with_it[kind]["next"]
    assert kind not in findings(report_of(lab, does_not(Programs(lab)), name="beside"))


def test_the_size_that_slow_inferences_have_in_common_is_named(lab):
    """Every tenth input is larger, and takes longer. Where all are alike, no size makes some slow."""
    programs = Programs(lab)
    found = findings(report_of(lab, programs.openvino("habits", "odd", "guarded", "--runs", 60)))["input_sizes"]
    figures = found["figures"]
    assert (figures["inferences_of_size"], figures["inferences"]) == (5, 59), found
    assert figures["ratio"] > 10
    assert re.match("inputs of 400 take [0-9.]+ times those of 4$", found["finding"]), found
    beside = findings(report_of(lab, programs.openvino("habits", "even", "guarded", "--runs", 60), name="beside"))
    assert "input_sizes" not in beside
    assert "uneven" not in beside or beside["uneven"]["figures"]["cause"] != "input_shape"


@pytest.mark.alone("whether CPUs are idle is the question")
def test_one_caller_beside_idle_cpus_is_found_and_two_are_not(lab):
    programs = Programs(lab)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    report = report_of(lab, programs.python("habits", "busy", "long", "--runs", 60))
    (machine,) = [row for row in report["resources"] if row["name"] == "cpu" and row["pid"] is None]
    # what others use is not idle
    assert "idle_cores" in findings(report) or machine["with_inferences_mean"] > 60
    report = report_of(lab, programs.python("infer", "run", "long", "--threads", 2, "--runs", 30), name="beside")
    assert "idle_cores" not in findings(report)


@pytest.mark.root
@pytest.mark.parametrize("options", [[], ["--inject"]], ids=["probes", "inject"])
def test_a_running_program_has_findings_as_well(lab, wheel, options):
    server = python_server(lab, wheel, "planned")
    found = {}
    for n in (30, 300, 3000):  # three of them have to run without a wait for a CPU
        # to read operators of 3000 inferences in Python takes minutes on a busy machine: only inftrace reads them
        command, path = attach_command(lab, *options, server.pid, n=n)
        done = lab.plain(command)
        assert done.status == 0, done.err
        found = findings(json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out))
        if "tiny_operators" in found:
            break
    server.end()
    if "tiny_operators" not in found and found.get("waits_for_cpu", {"value": 0})["value"] > 0.8:
        pytest.skip("it hardly had a CPU: %s" % found["waits_for_cpu"]["evidence"])
    assert found["tiny_operators"]["figures"]["operators"] == 403


def test_a_profile_of_the_runtime_has_findings_as_well(lab, wheel):
    lab.plain(lab.python(wheel, "infer", "run", lab.model("many"), "--runs", 20, "--profile", lab.path("profile")))
    (path,) = glob.glob(lab.path("profile") + "*.json")
    done = lab.plain([lab.inftrace, "report", "--json", path])
    assert findings(json.loads(done.out))["tiny_operators"]["figures"]["operators"] == 3000


def good(model):
    return lambda p: p.python("habits", "good", model, "--runs", 40)


CLEAN = {
    "products": good("heavy"),
    "images": good("cnn"),
    "loop": good("loop"),
    "scan": good("scan"),
    "cache": good("cache"),
    "batch": good("images"),
    # more callers would wait for the one thread of the pool that runs them
    "async": lambda p: p.python("infer", "run_async", "heavy", "--threads", 1, "--runs", 100, "--pool", 2),
    "bound": lambda p: p.python("infer", "iobinding", "heavy", "--threads", 2, "--runs", 100),
    "c": lambda p: p.lab.native(
        "run", environment(envs.wheel, "newest").library, p.lab.model("heavy"), "192x192", 192 * 192, "run", 100, 2
    ),
    "older": lambda p: p.python("habits", "good", "cnn", "--runs", 40, key="1.18"),
}


@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.in_turn(3)
def test_a_program_without_a_fault_has_no_finding(lab, name):
    report = report_of(lab, CLEAN[name](Programs(lab)))
    assert sum(model["inferences"]["count"] for model in report["models"]) >= 40
    faults = {kind: found["evidence"] for kind, found in findings(report).items() if kind not in OF_A_BUSY_MACHINE}
    assert faults == {}


@pytest.mark.parametrize(("habit", "model"), [("busy", "heavy"), ("busy", "cnn"), ("good", "cnn")])
@pytest.mark.in_turn(1)
def test_a_busy_cpu_makes_no_finding_but_the_wait(lab, crowded_cpu, habit, model):
    programs = Programs(lab)
    program = ["taskset", "-c", str(crowded_cpu), *programs.python("habits", habit, model, "--runs", 200)]
    report = report_of(lab, program)
    found = findings(report)
    assert set(found) <= OF_A_BUSY_MACHINE, found
    # one that rests is served at once; waits of most short inferences are not read
    assert (habit, model) != ("busy", "heavy") or "waits_for_cpu" in found
    check_phases(report)


def check_phases(report):
    """Their sum is the whole. Returns them with that."""
    (creation,) = [model["creation"] for model in report["models"]]
    assert sum(creation["phases"].values()) == creation["duration"]["total_ns"]
    return creation["phases"], creation["duration"]["total_ns"]


@pytest.mark.in_turn(3)
def test_waits_for_a_busy_cpu_are_a_phase_of_the_creation(lab, crowded_cpu):
    """Of a model whose creation takes many time slices: a short one may have its CPU all the time."""
    program = Programs(lab).python("create", "file", "many", "--sessions", 1)
    phases, total_ns = check_phases(report_of(lab, ["taskset", "-c", str(crowded_cpu), *program]))
    assert phases["waiting_ns"] > 0.3 * total_ns
