# SPDX-License-Identifier: Apache-2.0
"""Models in ONNX Runtime's own format (.ort), written by the runtime itself: inftrace model runs them, and recordings
of programs that load them say nothing of phases that the runtime does not have for them."""

import json
import os
import shutil

import pytest

import envs
from conftest import environment

SAVE = """
import sys, onnxruntime
options = onnxruntime.SessionOptions()
options.optimized_model_filepath = sys.argv[2]
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
options.add_session_config_entry("session.save_model_format", "ORT")
onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
"""


def saved(lab, wheel, model):
    path = lab.path(model + ".ort")
    done = lab.plain([wheel.python, "-c", SAVE, lab.model(model), path])
    assert done.status == 0, done.err
    with open(path, "rb") as file:
        assert file.read(8)[4:] == b"ORTM"
    return path


def run(lab, wheel, *args, status=0):
    few = ["--runtime", wheel.library, "--rounds", "1", "-d", "200ms", "--warm-up-max", "100ms"]
    done = lab.plain([lab.inftrace, "model", *args, *few])
    assert done.status == status, done.err
    return done


@pytest.mark.parametrize("key", ["1.22", "newest"])
@pytest.mark.in_turn(2)
def test_a_model_in_the_format_of_the_runtime_runs(lab, key):
    wheel = environment(envs.wheel, key)
    path = saved(lab, wheel, "chain")
    report = json.loads(run(lab, wheel, path, "--json").out)
    (timed,) = report["runs"]
    assert timed["error"] is None and timed["latency"]["count"] > 10
    assert sorted(op["name"] for op in timed["operators"]["list"]) == ["link_%02d" % i for i in range(20)]
    model = report["model"]
    assert model["name"] == "chain" and model["file_bytes"] == os.path.getsize(path)
    assert "(.ort)" in model["graph_missing"]
    assert {model[key] for key in ("nodes", "parameters", "flops", "bytes", "weight_bytes", "opset")} == {None}


@pytest.mark.in_turn(2)
def test_a_batch_size_works_and_one_that_cannot_is_rejected_by_the_runner(lab, wheel):
    (timed,) = json.loads(run(lab, wheel, saved(lab, wheel, "batch"), "--batch-size", "3", "--json").out)["runs"]
    assert timed["error"] is None and "[3," in timed["shapes"][0]["shape"]
    done = run(lab, wheel, saved(lab, wheel, "chain"), "--batch-size", "3", status=3)
    assert "no input has a free first dimension" in done.err


@pytest.mark.in_turn(2)
def test_both_formats_of_a_model_are_compared_and_agree(lab, wheel):
    path = saved(lab, wheel, "cnn")
    report = json.loads(run(lab, wheel, lab.model("cnn"), path, "--json").out)
    assert [run["label"] for run in report["runs"]] == ["cnn.onnx", "cnn.ort"]
    assert [model["graph_missing"] is None for model in report["models"]] == [True, False]
    assert {output["agrees"] for output in report["runs"][1]["outputs"]} == {True}
    assert not report["verdict"].startswith("cnn and cnn")
    (row,) = [node for node in report["nodes"] if node["name"] == "softmax"]
    assert [one["how"] for one in row["runs"]] == ["same", "same"] and row["op_type"] == "Softmax", row


@pytest.mark.in_turn(2)
def test_the_format_is_known_by_its_bytes_and_the_page_says_what_is_missing(lab, wheel):
    path = shutil.move(saved(lab, wheel, "cnn"), lab.path("renamed.bin"))
    text = " ".join(run(lab, wheel, path).out.split())
    assert "graph not known: only ONNX Runtime reads its own format (.ort)" in text
    done = lab.plain([lab.inftrace, "model", path, "--dry-run"])
    assert done.status == 3 and "run it without --dry-run" in done.err


def test_its_creation_has_one_load_and_no_advice_on_parsing(lab, wheel):
    path = saved(lab, wheel, "heavy")
    code = "import sys, onnxruntime; onnxruntime.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider'])"
    recording = lab.record([wheel.python, "-c", code, path]).recording
    (session,) = [slice for slice in recording.slices if slice.kind == "session"]
    names = [part.name for part in session.children]
    assert names.count("load") == 1 and not {"read file", "parse model", "build graph"} & set(names)
    done = lab.plain([lab.inftrace, "report", recording.path, "--format", "json"])
    assert "weights_copied" not in {insight["kind"] for insight in json.loads(done.out)["insights"]}
