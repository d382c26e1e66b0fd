# SPDX-License-Identifier: Apache-2.0
"""inftrace diff with real recordings and results: what differs is found and named, and nothing else is."""

import json
import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROWS, WIDTH, SLOW = 200, 192, 7


def branches(lab, name, columns=WIDTH):
    """A model of 12 MatMul with a Sin behind each, all of the same size but one, which makes so many columns.

    The inputs stay the same: of other ones diff would say that they changed."""
    random = np.random.default_rng(3)
    nodes, inputs, outputs, weights, feeds = [], [], [], [], {}
    for i in range(12):
        shape, width = [ROWS, WIDTH], columns if i == SLOW else WIDTH
        weight = random.standard_normal((WIDTH, width)).astype(np.float32)
        weights.append(numpy_helper.from_array(weight, "w%d" % i))
        inputs.append(helper.make_tensor_value_info("x%d" % i, TensorProto.FLOAT, shape))
        outputs.append(helper.make_tensor_value_info("z%d" % i, TensorProto.FLOAT, [ROWS, width]))
        nodes.append(helper.make_node("MatMul", ["x%d" % i, "w%d" % i], ["y%d" % i], name="/layer%d/MatMul" % i))
        nodes.append(helper.make_node("Sin", ["y%d" % i], ["z%d" % i], name="/layer%d/Sin" % i))
        feeds["x%d" % i] = random.standard_normal(shape).astype(np.float32)
    graph = helper.make_graph(nodes, "branches", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="inftrace-test")
    model.ir_version = 7
    os.makedirs(lab.path(name), exist_ok=True)
    path = lab.path(os.path.join(name, "branches.onnx"))
    onnx.save(model, path)
    np.savez(lab.path(os.path.join(name, "branches.npz")), **feeds)
    return path


def record(lab, wheel, model, name, runs=160, level="operator"):
    lab.record(lab.python(wheel, "infer", "run", model, "--runs", runs), level=level, name=name, judged=False)
    return lab.path(name + ".pftrace")


def compare(lab, base, new, *options):
    """(the JSON, the exit status) of base and new, which are lists of files."""
    sides = [word for path in base for word in ("--base", path)] + list(new)
    done = lab.plain([lab.inftrace, "diff", "--json", *options, *sides])
    assert done.status in (0, 1) and not done.err, done.err
    return json.loads(done.out), done.status


def named(diff, says=("worse", "better")):
    """The names of the operators and figures that are said to differ."""
    found = []
    for model in diff["models"]:
        found += [row["base"]["name"] for row in model["operators"] if row["time_ns"]["says"] in says]
        found += [key for key, value in {**model["figures"], **model["phases"]}.items() if value["says"] in says]
    return found + [row["name"] for row in diff["resources"] if row["max"]["says"] in says]


@pytest.mark.alone("it compares the times of recordings")
@pytest.mark.in_turn(2)
def test_a_slower_operator_is_named_and_one_program_does_not_differ(lab, wheel):
    same, slower = branches(lab, "same"), branches(lab, "slower", columns=2 * WIDTH)
    a, b, c = (record(lab, wheel, model, name) for model, name in ((same, "a"), (same, "b"), (slower, "c")))
    diff, status = compare(lab, [a], [b])
    assert (named(diff), status) == ([], 0), diff["verdict"]
    assert diff["says"] in ("no_difference", "cannot_tell")
    diff, status = compare(lab, [a], [c])
    assert status == 1 and diff["is_regression"]
    worse = named(diff, ("worse",))
    assert "/layer7/MatMul" in worse and "slower" in diff["verdict"]
    assert {name for name in worse if name.startswith("/")} <= {"/layer7/MatMul", "/layer7/Sin"}
    rows = {row["base"]["name"]: row for row in diff["models"][0]["operators"]}
    assert len(rows) == 24 and rows["/layer7/MatMul"]["joined_by"] == "name"
    assert rows["/layer7/MatMul"]["time_ns"]["change"] == pytest.approx(1, abs=0.5)
    diff, status = compare(lab, [c], [a])
    assert status == 0 and "/layer7/MatMul" in named(diff, ("better",))


@pytest.mark.alone("it compares the times of recordings")
@pytest.mark.in_turn(2)
def test_a_recording_without_operators_or_cut_off_says_what_cannot_be_compared(lab, wheel):
    model = branches(lab, "same")
    whole, shallow = record(lab, wheel, model, "whole"), record(lab, wheel, model, "shallow", level="inference")
    with open(whole, "rb") as file, open(lab.path("cut.pftrace"), "wb") as cut:
        cut.write(file.read()[: os.path.getsize(whole) * 2 // 3])
    diff, status = compare(lab, [whole], [shallow])
    assert status == 0 and diff["differing"] == ["level"]
    assert "level inference" in diff["models"][0]["operators_missing"]
    assert diff["models"][0]["figures"]["median"]["change"] is not None
    diff, _ = compare(lab, [whole], [lab.path("cut.pftrace")])
    assert any("cut off" in note for note in diff["new"][0]["notes"])
    assert len(diff["models"][0]["operators"]) == 24 and diff["models"][0]["operators_missing"] is None


@pytest.mark.in_turn(2)
def test_results_of_model_are_compared(lab, wheel, library):
    command = [lab.inftrace, "model", lab.model("chain"), "--runtime", library, "--json", "-d", "300ms"]
    done = lab.plain(command)
    assert done.status == 0, done.err
    with open(lab.path("result.json"), "w", encoding="utf-8") as file:
        file.write(done.out)
    result = json.loads(done.out)
    diff, status = compare(lab, [lab.path("result.json")], [lab.path("result.json")])
    assert (named(diff), status) == ([], 0)
    assert diff["base"][0]["is_result"] and diff["base"][0]["runtime"].startswith("onnxruntime ")
    (model,) = diff["models"]
    assert model["figures"]["median"]["base"] == pytest.approx(result["runs"][0]["latency"]["p50_ns"])
    assert model["figures"]["creation"]["new"] == pytest.approx(result["runs"][0]["creation"]["duration_ns"])
    assert len(model["operators"]) == len(result["runs"][0]["operators"]["list"])


@pytest.mark.full("it makes 110 recordings")
def test_one_program_does_not_differ_50_times_and_5_percent_are_found(lab, wheel):
    same, slower = branches(lab, "same"), branches(lab, "slower", columns=WIDTH * 105 // 100)
    recorded = [record(lab, wheel, same, "same%d" % i, runs=300) for i in range(100)]
    alarms = [named(compare(lab, [a], [b])[0]) for a, b in zip(recorded[::2], recorded[1::2])]
    assert [alarm for alarm in alarms if alarm] == []
    base, slow = [], []
    for i in range(5):
        base.append(record(lab, wheel, same, "base%d" % i, runs=500))
        slow.append(record(lab, wheel, slower, "slow%d" % i, runs=500))
    diff, status = compare(lab, base, slow)
    assert status == 1 and "/layer7/Sin" in named(diff, ("worse",)), diff["verdict"]
