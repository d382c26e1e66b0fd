# SPDX-License-Identifier: Apache-2.0
"""Session creation is explained: phases between the runtime's known functions, in wheels and Node packages, at a
launch, by injection and from outside. Shares are the best of several creations: other programs may take the CPU between
two phases."""

import json
import os
import re
import shutil

import pytest

from onnx import TensorProto, helper, save

import envs
from attaching import Server, attach, python_server
from conftest import environment

WHEELS = [
    "1.18",
    "1.22",
    *[pytest.param(key, marks=pytest.mark.full("two more wheels")) for key in envs.MORE_WHEELS],
    "newest",
]
MOST_UNEXPLAINED = 0.05
# First occurrences; "|": where weights are copied depends on the version.
ORDER = "create providers,register kernels,create transformers,(copy weights|prepare graph),resolve graph,"
ORDER += "look up kernels,plan memory,"
ORDER += "(copy weights|initialize weights),create kernels,pre-pack weights,finish session"
FROM_OUTSIDE = ORDER.replace(",pre-pack weights,finish session", "").replace("create providers,", "")


def length(slice):
    return slice.end - slice.start


def unexplained(session):
    return 1 - sum(length(part) for part in session.children) / length(session)


def top(session):
    """Names of the phases directly inside, in order, without repetition."""
    return list(dict.fromkeys(part.name for part in session.children if part.kind == "phase"))


def phases(session, name):
    return [slice for slice in below(session) if slice.kind == "phase" and slice.name == name]


def below(slice):
    for child in slice.children:
        yield child
        yield from below(child)


def adds_up(session):
    """Slices of one level do not overlap, and lie inside of the one around them."""
    for slice in [session, *below(session)]:
        at = slice.start
        for child in slice.children:
            assert at <= child.start <= child.end <= slice.end, (slice, child)
            at = child.end


def creations(recording):
    sessions = [session for session in recording.of("session") if session.end]
    for session in sessions:
        adds_up(session)
    return sessions


def report(lab, recording):
    done = lab.plain([lab.inftrace, "report", "--json", recording.path])
    assert done.status == 0, done.err
    return json.loads(done.out)


def create(lab, wheel, how, model="planned", sessions=4, **more):
    return lab.both(
        lab.python(wheel, "create", how, lab.model(model), "--sessions", sessions, "--pool", 2), **more
    ).recording


@pytest.mark.parametrize("key", WHEELS)
@pytest.mark.in_turn(3)
def test_at_most_a_twentieth_is_unexplained(lab, key):
    wheel = environment(envs.wheel, key)
    recording = create(lab, wheel, "file")
    sessions = creations(recording)
    assert len(sessions) == 4 and "status" not in recording.note("runtime")
    assert min(unexplained(session) for session in sessions) <= MOST_UNEXPLAINED
    for session in sessions:
        (load,) = [part for part in session.children if part.kind == "load"]
        assert [part.name for part in load.children] == ["parse model", "build graph"]
        assert load.children[0].args["bytes"] == os.path.getsize(lab.model("planned"))
        assert {part.name for part in load.children[0].children} == {"read file"}
        names = ",".join(name for name in top(session) if name not in ("set up session", "assign nodes"))
        assert re.fullmatch(ORDER, names) or re.fullmatch(ORDER.replace("resolve graph,look", "look"), names), names
        assert bool(phases(session, "hash packed weights")) == (wheel.minor >= 22)
        assert all(phase.inside("phase").name == "pre-pack weights" for phase in phases(session, "hash packed weights"))
        (plan,) = phases(session, "plan memory")
        assert (plan.args["count"] > 50000) == (wheel.minor < 32)
    (model,) = report(lab, recording)["models"]
    for session in model["sessions"]:
        assert sum(session["phases"].values()) == session["creation_ns"]
        assert session["phases"]["plan_memory_ns"] > 0 and session["phases"]["other_ns"] == 0
    assert model["creation"]["planner_lookups"] == sum(
        phase.args["count"] for session in sessions for phase in phases(session, "plan memory")
    )


@pytest.mark.in_turn(2)
def test_a_planner_that_compares_is_found_and_one_that_does_not_is_not(lab, wheel):
    def finding(recording):
        return [insight for insight in report(lab, recording)["insights"] if insight["kind"] == "slow_planner"]

    (slow,) = finding(create(lab, environment(envs.wheel, "1.22"), "file", sessions=6))
    assert slow["figures"]["comparisons"] > 25000 and slow["figures"]["creation_share"] >= 0.25
    assert "enable_mem_reuse" in slow["next"]
    assert finding(create(lab, wheel, "file", sessions=2, name="newest")) == [] or wheel.minor < 32


@pytest.mark.in_turn(2)
def test_weights_that_are_copied_are_found_and_mapped_ones_are_not(lab, wheel):
    def finding(recording):
        told = report(lab, recording)
        (model,) = told["models"]
        assert model["bytes"] == os.path.getsize(model["path"])
        return [insight for insight in told["insights"] if insight["kind"] == "weights_copied"]

    (inside,) = finding(create(lab, wheel, "file", "weights"))
    assert inside["figures"]["copying_ns"] > 0 and "external data" in inside["next"]
    assert finding(create(lab, wheel, "file", "weights_beside", name="beside")) == []


@pytest.mark.parametrize("key", ["1.20", "newest"])
def test_node_is_explained_as_well(lab, key):
    node = environment(envs.node_package, key)
    program = [node.node, envs.PROGRAMS + "/infer.js", lab.model("planned"), "80600", "1"]
    shares = []
    while not shares or (min(shares) > MOST_UNEXPLAINED and len(shares) < 5):
        recording = lab.both(program, env=node.script_env, name="node-%d" % len(shares)).recording
        (session,) = creations(recording)
        assert {"read file", "plan memory", "look up kernels", "create kernels"} <= {
            part.name for part in below(session)
        }
        shares.append(unexplained(session))
    assert min(shares) <= MOST_UNEXPLAINED


@pytest.mark.parametrize("key", WHEELS)
@pytest.mark.in_turn(3)
def test_sessions_created_after_an_injection_are_explained(lab, key):
    server = python_server(lab, environment(envs.wheel, key), "planned", program="renew")
    recording = attach(lab, "--inject", server.pid, n=18).recording  # three of each session
    server.end()
    sessions = [session for session in creations(recording)[1:] if not session.args.get("partial")]
    assert len(sessions) > 3
    assert min(unexplained(session) for session in sessions) <= MOST_UNEXPLAINED
    for session in sessions:
        assert {"read file", "build graph", "plan memory", "create kernels"} <= {part.name for part in below(session)}


def broken(lab, how):
    """A model whose session fails: nowhere to be found, half a file, or an operator without a kernel, found behind the
    load."""
    path, model = lab.path(how + ".onnx"), lab.model("planned")
    if how == "half":
        with open(model, "rb") as whole, open(path, "wb") as out:
            out.write(whole.read()[: os.path.getsize(model) // 2])
    elif how == "no-kernel":
        ends = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [4]) for name in "xy"]
        graph = helper.make_graph([helper.make_node("Erf", ["x"], ["y"])], how, ends[:1], ends[1:])
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


@pytest.mark.parametrize("key", ["1.15", *WHEELS])
@pytest.mark.in_turn(2)
def test_sessions_created_while_attached_are_explained_from_outside(lab, key):
    wheel = environment(envs.wheel, key)
    server = python_server(lab, wheel, "planned", "--broken", broken(lab, "half"), program="renew")
    attached = attach(lab, server.pid, n=18)  # three of each session
    server.end()
    assert "not recorded" not in attached.err
    sessions = [session for session in creations(attached.recording)[1:] if not session.args.get("partial")]
    whole = [session for session in sessions if session.args["status"] == "ok"]
    failed = [session for session in sessions if session.args["status"] != "ok"]
    assert len(whole) > 3 and len(failed) > 2
    assert min(unexplained(session) for session in whole) <= MOST_UNEXPLAINED
    for session in whole:
        (load,) = [part for part in session.children if part.kind == "load"]
        assert [part.name for part in load.children] == ["parse model", "build graph"]
        names = ",".join(name for name in top(session) if name != "pre-pack weights")
        assert re.fullmatch(FROM_OUTSIDE, names), names
    for session in failed:
        assert {part.kind for part in session.children} <= {"load"}


@pytest.mark.parametrize(
    "key, how", [("1.18", "no-kernel"), ("1.22", "half"), ("newest", "missing"), ("newest", "no-kernel")]
)
@pytest.mark.in_turn(2)
def test_creations_that_throw_while_attached_do_the_program_no_harm(lab, key, how):
    server = python_server(lab, environment(envs.wheel, key), "chain", "--broken", broken(lab, how), program="renew")
    attached = attach(lab, server.pid, n=60)
    server.end()  # all outputs are equal, and it did not die
    assert int(re.search(r"refused (\d+)", server.out).group(1)) >= 20
    sessions = [session for session in creations(attached.recording) if not session.args.get("partial")]
    failed = [session for session in sessions if session.args["status"] != "ok"]
    assert len(sessions) - len(failed) > 10 and (how == "missing" or len(failed) > 10)
    if how == "no-kernel":
        assert all([part for part in session.children if part.kind == "specialize"] for session in failed)


@pytest.mark.parametrize("key", ["1.20", "newest"])
@pytest.mark.in_turn(2)
def test_node_is_explained_from_outside(lab, key):
    node = environment(envs.node_package, key)
    server = Server(
        lab,
        [node.node, envs.PROGRAMS + "/serve.js", lab.model("planned"), "80600", lab.path("times"), "again"],
        env=node.script_env,
    )
    attached = attach(lab, server.pid, n=6)
    server.end()
    sessions = [session for session in creations(attached.recording)[1:] if not session.args.get("partial")]
    assert min(unexplained(session) for session in sessions) <= MOST_UNEXPLAINED


@pytest.mark.parametrize("key", ["1.18", "newest"])
@pytest.mark.parametrize("how", ["bytes", "ort"])
@pytest.mark.in_turn(2)
def test_models_that_no_file_is_parsed_for(lab, key, how):
    sessions = creations(create(lab, environment(envs.wheel, key), how))[-4:]
    for session in sessions:
        assert [part for part in session.children if part.kind == "load"] and not phases(session, "read file")
        assert phases(session, "plan memory") and phases(session, "create kernels")
    assert min(unexplained(session) for session in sessions) <= MOST_UNEXPLAINED


@pytest.mark.parametrize("key", ["1.18", "newest"])
def test_a_subgraph_has_a_plan_of_its_own(lab, key):
    for session in creations(create(lab, environment(envs.wheel, key), "file", "loop", sessions=1)):
        assert len(phases(session, "plan memory")) == len(phases(session, "create kernels")) == 2


def test_sessions_created_at_a_time_keep_their_phases_apart(lab, wheel):
    program = lab.python(wheel, "create", "threads", lab.model("planned"), "--sessions", 2, "--threads", 3)
    sessions = creations(lab.both(program).recording)
    assert len(sessions) == 6 and min(unexplained(session) for session in sessions) <= MOST_UNEXPLAINED
    for session in sessions:
        assert len(phases(session, "plan memory")) == len(phases(session, "register kernels")) == 1


@pytest.mark.parametrize("key", ["1.18", "newest"])
@pytest.mark.in_turn(2)
def test_a_creation_that_fails_shows_where(lab, key):
    sessions = creations(create(lab, environment(envs.wheel, key), "broken", sessions=2))
    assert len(sessions) == 2
    for session in sessions:
        assert session.args["status"] != "ok"
        assert {part.kind for part in session.children} <= {"load", "phase"}
        (load,) = [part for part in session.children if part.kind == "load"]
        assert load.children[0].name == "parse model"
        assert not phases(session, "plan memory")


def test_level_inference_shows_all_phases_but_those_of_kernels(lab, wheel):
    for session in creations(create(lab, wheel, "file", sessions=2, level="inference")):
        assert phases(session, "plan memory") and phases(session, "create kernels, pre-pack weights")
        assert not phases(session, "pre-pack weights")


def test_a_file_that_is_replaced_is_another_model(lab, wheel):
    """Of the same size: its last change tells. What lies there afterwards is loaded again without being replaced."""
    path = lab.path("here.onnx")
    shutil.copy(lab.model("chain"), path)
    done = lab.record(lab.python(wheel, "replaced", path, lab.model("chain")))
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    found = [(model["replaced"], model["inferences"]["count"], len(model["sessions"])) for model in report["models"]]
    assert sorted(found) == [(0, 4, 1), (1, 8, 2)], found
    text = lab.plain([lab.inftrace, "report", done.recording.path]).out
    assert "here (file replaced)" in text, text
    rows = lab.plain([lab.inftrace, "query", "--format", "csv", done.recording.path, "SELECT replaced FROM models"]).out
    assert sorted(rows.split()) == ["0", "1", "replaced"]


@pytest.mark.in_turn(2)
def test_the_pools_of_hundreds_of_sessions_are_counted_whole(lab, wheel):
    """256 threads have a line each; the CPU time of all is read, a few times a second."""
    program = lab.python(wheel, "create", "kept", lab.model("chain"), "--sessions", 450, "--pool", 2)
    recording = lab.record(program, options=["--interval", "20ms"], judged=False).recording
    threads = [value for track, _, value in recording.counters if track.name == "pool threads"]
    assert 256 < max(threads) <= 450
