# SPDX-License-Identifier: Apache-2.0
"""A model in several workers of a program is one model: its count, its percentiles, its findings."""

import json
import os
import re
import shutil

import pytest

from test_view import table, view

RUNS = 20


def report_of(lab, path, *options):
    return json.loads(lab.plain([lab.inftrace, "report", "--json", *options, path]).out)


def percentile(values, share):
    """The nearest rank."""
    values = sorted(values)
    return values[max(0, -(-len(values) * share // 100) - 1)]


def by_process(recording, model):
    """{pid: inferences of a model, without the first of their session}"""
    found = {}
    for slice in recording.inferences:
        if slice.args["model"] == model and not slice.args.get("first"):
            found.setdefault(slice.track.pid, []).append(slice)
    return found


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.in_turn(3)
def test_workers_of_a_pool_run_one_model(lab, wheel, method):
    program = lab.python(wheel, "pools", method, 4, RUNS, lab.model("chain"), lab.model("wide"))
    done = lab.record(program)
    assert done.out == "[0, 0, 0, 0]\n", done.err
    report = report_of(lab, done.recording.path)
    assert sorted((model["name"], model["processes"]) for model in report["models"]) == [("chain", 4), ("wide", 4)]
    for model in report["models"]:
        assert model["inferences"]["count"] == 4 * RUNS
        assert [worker["inferences"] for worker in model["workers"]] == [RUNS] * 4
        assert [worker["p50_ns"] for worker in model["workers"]] == sorted(
            percentile([slice.end - slice.start for slice in slices], 50)
            for slices in by_process(done.recording, model["name"]).values()
        )
        own = [
            slice.end - slice.start
            for slice in done.recording.inferences
            if slice.args["model"] == model["name"] and not slice.args.get("first")
        ]
        latency = model["inferences"]["latency"]
        assert len(own) == latency["count"] == 4 * (RUNS - 1)
        assert (latency["p50_ns"], latency["p90_ns"]) == (percentile(own, 50), percentile(own, 90))
    kinds = [(finding["kind"], finding["model"]) for finding in report["insights"]]
    assert len(kinds) == len(set(kinds)), kinds
    with view(lab, done.recording.path) as get:
        rows = {row["model"]: row for row in table(get, "models")}
        for model in report["models"]:
            row, inferences = rows.pop(model["name"]), model["inferences"]
            assert (row["processes"], row["pid"], row["program"]) == (4, None, model["program"])
            assert (row["inferences"], row["rate"]) == (inferences["count"], pytest.approx(inferences["per_second"]))
            assert [row[name] for name in ("p50_ns", "p90_ns", "p99_ns")] == [
                inferences["latency"][name] for name in ("p50_ns", "p90_ns", "p99_ns")
            ]
            apart = table(get, "processes", "&model=" + model["name"])
            assert {row["pid"]: row["p50_ns"] for row in apart} == {
                worker["pid"]: worker["p50_ns"] for worker in model["workers"]
            }
        assert not rows
    # sessions and inferences are numbered in each process: of the slowest it is told which
    text = lab.plain([lab.inftrace, "report", "--slowest", "2", done.recording.path]).out
    told = {int(pid) for pid in re.findall(r"x the median, at [^,]+, process (\d+),", text)}
    assert told <= {slow["pid"] for model in report["models"] for slow in model["inferences"]["slowest"]}
    assert told or "x the median" not in text
    apart = report_of(lab, done.recording.path, "--by", "process")
    assert sorted(model["name"] for model in apart["models"]) == ["chain"] * 4 + ["wide"] * 4
    assert {model["inferences"]["count"] for model in apart["models"]} == {RUNS}
    alone = lab.record(lab.python(wheel, "pools", method, 1, RUNS, lab.model("chain"), lab.model("wide")), name="alone")
    compared = json.loads(
        lab.plain([lab.inftrace, "diff", "--format", "json", alone.recording.path, done.recording.path]).out
    )
    assert len(compared["models"]) == 2 and not compared["models_only_in_base"] + compared["models_only_in_new"]


@pytest.mark.full("32 workers of 10 models")
def test_many_workers_make_a_report_as_short_as_one(lab, wheel):
    models = []
    for i in range(10):
        for suffix in (".onnx", ".npz"):
            shutil.copy(os.path.splitext(lab.model("chain"))[0] + suffix, lab.path("chain%d%s" % (i, suffix)))
        models.append(lab.path("chain%d.onnx" % i))
    lines = {}
    for workers in (1, 32):
        done = lab.record(lab.python(wheel, "pools", "fork", workers, RUNS, *models), name="of%d" % workers)
        assert done.status == 0
        report = report_of(lab, done.recording.path)
        assert len(report["models"]) == 10
        assert {model["inferences"]["count"] for model in report["models"]} == {workers * RUNS}
        lines[workers] = len(lab.plain([lab.inftrace, "report", done.recording.path]).out.splitlines())
    assert lines[32] < lines[1] + 15, lines


@pytest.mark.full("100 processes")
def test_a_hundred_processes_are_one_model(lab, wheel):
    done = lab.record(lab.python(wheel, "pools", "fork", 100, RUNS, lab.model("chain")), judged=False)
    assert done.status == 0
    (model,) = report_of(lab, done.recording.path)["models"]
    assert (model["processes"], model["inferences"]["count"]) == (100, 100 * RUNS)
    assert len(lab.plain([lab.inftrace, "report", done.recording.path]).out.splitlines()) < 60
    with view(lab, done.recording.path) as get:
        assert len(table(get, "models")) == 1 and len(table(get, "processes")) == 100
