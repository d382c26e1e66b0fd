# SPDX-License-Identifier: Apache-2.0
"""inftrace model with several models, runtimes, threads, batches and levels of optimization, in one report."""

import glob
import json
import os
import re

import onnx
import pytest

import envs
from conftest import environment

FEW = ("-n", 4, "--rounds", 2, "--warm-up-max", "200ms")


def run(lab, models, *args, status=0):
    """The report as JSON of models that run a few times."""
    words = [lab.inftrace, "model", *[path if "/" in path else lab.model(path) for path in models]]
    done = lab.plain([*words, *[str(arg) for arg in (*FEW, *args)], "--json"])
    assert done.status == status, done.err
    return json.loads(done.out)


def labels(report):
    return [one["label"] for one in report["runs"]]


@pytest.mark.in_turn(2)
def test_threads_are_runs_in_turn(lab, library):
    report = run(lab, ["cnn"], "--runtime", library, "-x", "1,2", "-o", lab.path("kept"))
    one, two = report["runs"]
    assert labels(report) == ["1 thread", "2 threads"] and (one["threads"], two["threads"]) == (1, 2)
    assert two["differs"] == {"threads": "2"} and two["outputs_against"] == "1 thread"
    assert all(output["agrees"] for output in two["outputs"])
    # the second round goes backwards, so that the rounds of two lie between those of one
    starts = sorted(
        (at, label)
        for label, samples in (("one", one["samples"]), ("two", two["samples"]))
        for at in samples["start_monotonic_ns"]
    )
    order = [label for i, (_, label) in enumerate(starts) if not i or starts[i - 1][1] != label]
    assert order == ["one", "two", "one"]
    # operators of both, joined
    assert all(len(node["runs"]) == 2 for node in report["nodes"])
    assert any(node["runs"][1]["speed"]["ratio"] for node in report["nodes"])
    assert {os.path.basename(path) for path in glob.glob(lab.path("kept/*"))} == {"report.html", "report.json"} | {
        label + suffix + ".pftrace" for label in ("1-thread", "2-threads") for suffix in ("", "-round2", "-operators")
    }
    assert {setting["name"]: setting["value"] for setting in report["settings"]}["intra-op-threads"] == "1,2"


def test_runtimes_are_named_by_their_versions(lab):
    newest, old = environment(envs.wheel, "newest").library, environment(envs.wheel, "1.22").library
    report = run(lab, ["cnn"], "--runtime", old + "," + newest, "--level", "inference")
    versions = [one["version"] for one in report["runs"]]
    assert labels(report) == ["runtime " + version for version in versions] and versions[0].startswith("1.22")
    assert [one["runtime_path"] for one in report["runs"]] == [os.path.realpath(old), os.path.realpath(newest)]
    assert report["runs"][1]["outputs"][0]["agrees"]


@pytest.mark.in_turn(2)
def test_batches_are_compared_by_the_item(lab, library):
    report = run(lab, ["batch"], "--runtime", library, "-b", "1,8", "--rounds", 1, "--report", lab.path("report.txt"))
    one, eight = report["runs"]
    assert labels(report) == ["batch 1", "batch 8"] and eight["batch_size"] == 8
    assert [len(each["shapes"]) for each in (one, eight)] == [1, 1]
    assert eight["shapes"][0]["shape"].startswith("x float32[8,8]")
    assert eight["speed_of"] == "item" and eight["items_per_second"] == pytest.approx(8 * eight["per_second"])
    assert eight["speed"]["ratio"] == pytest.approx(
        8 * one["latency"]["mean_ns"] / eight["latency"]["mean_ns"], rel=1e-6
    )
    # an output of another shape is compared with nothing
    assert eight["outputs_against"] is None and "same names, types and shapes" in eight["outputs_missing"]
    assert "per item" in open(lab.path("report.txt")).read()


def named_as_quantized(path, to):
    """The same model with the names that quantizing gives its nodes."""
    model = onnx.load(path)
    for node in model.graph.node:
        node.name += "_quant"
    onnx.save(model, to)
    return to


@pytest.mark.in_turn(2)
def test_models_are_compared_by_outputs_and_nodes(lab, library):
    other = named_as_quantized(lab.model("cnn"), lab.path("other.onnx"))
    report = run(lab, ["cnn", other, "batch"], "--runtime", library, "--rounds", 1)
    assert labels(report) == ["cnn.onnx", "other.onnx", "batch.onnx"]
    assert [os.path.basename(model["path"]) for model in report["models"]] == labels(report)
    _, second, third = report["runs"]
    assert second["outputs_against"] == "cnn.onnx" and second["outputs"][0]["agrees"]
    assert third["outputs_against"] is None and third["outputs_missing"]
    both = [node for node in report["nodes"] if all(each["how"] for each in node["runs"][:2])]
    assert len(both) >= 5 and not any(node["name"].endswith("_quant") for node in both)
    assert report["verdict"].startswith("3 models: ")


@pytest.mark.in_turn(2)
def test_combinations_have_a_run_each_and_columns_for_what_differs(lab, library):
    report = run(
        lab,
        ["batch"],
        *("--runtime", library, "-x", "1,2", "--optimization", "none,all", "--level", "inference", "--rounds", 1),
        *("--report", lab.path("report.txt"), "--report", lab.path("report.html")),
    )
    assert labels(report) == [
        "%d thread%s, optimization %s" % (n, "s" if n > 1 else "", level) for n in (1, 2) for level in ("none", "all")
    ]
    text = open(lab.path("report.txt")).read()
    assert re.search(r"^  threads  optimization .* speed$", text, re.M)
    assert re.search(r"^  2        none ", text, re.M)
    assert "<th" in open(lab.path("report.html")).read()


def test_what_cannot_work_is_refused_before_anything_runs(lab, library):
    for models, args, words in (
        (["cnn"], ["-b", "1,8"], "no input of %s has a free first dimension" % lab.model("cnn")),
        (["cnn"], ["-x", "1,2,3,4,5", "--optimization", "none,basic,extended,all"], "cannot compare 20 runs"),
        (["cnn"], ["--runtime", lab.path("nowhere")], lab.path("nowhere")),
        (["cnn", "none"], [], "none.onnx"),
        (["cnn", "tiny"], ["--dry-run"], "one model at a time"),
    ):
        done = lab.plain([lab.inftrace, "model", *map(lab.model, models), *args, "--report", lab.path("report.json")])
        assert done.status in (2, 3) and done.out == "" and words in done.err, done.err
        assert not os.path.exists(lab.path("report.json"))


def test_a_run_that_fails_is_a_row_and_the_others_go_on(lab, library):
    report = run(
        lab,
        ["cnn"],
        "--runtime",
        library,
        "--ep",
        "cpu,nothere",
        "-x",
        "1,2",
        "--rounds",
        1,
        "-o",
        lab.path("kept"),
        status=1,
    )
    assert [one["error"] is None for one in report["runs"]] == [True, True, False, False]
    assert not glob.glob(lab.path("kept/*nothere*")) and glob.glob(lab.path("kept/cpu-2-threads.pftrace"))


@pytest.mark.in_turn(2)
def test_a_run_that_fails_leaves_nothing_behind(lab, library):
    """One that the runtime rejects at once, and one that fails in an inference."""
    os.mkdir(lab.path("here"))
    words = ["env", "-C", lab.path("here"), lab.inftrace, "model", "-n", "4", "--rounds", "2", "--runtime", library]
    for args in (
        [lab.model("cnn"), "--ep", "nothere", "-o", "run.pftrace", "--outputs", "outputs", "--report", "r.html"],
        [lab.model("cnn"), "--ep", "nothere", "--save", "--outputs", "outputs"],
        [lab.model("throws"), "-o", "folder", "--outputs", "outputs"],
        [lab.model("throws"), "-x", "1,2", "-o", "run.pftrace", "--outputs", "outputs"],
    ):
        done = lab.plain([*words, *args])
        assert done.status == 3 and (done.err or "failed" in done.out), done.err
        assert os.listdir(lab.path("here")) == [], args
    done = lab.plain([*words, lab.model("cnn"), lab.model("throws"), "--save", "--outputs", "outputs"])
    assert done.status == 1, done.err
    folder, outputs = sorted(os.listdir(lab.path("here")))
    assert re.match(r"2-models-\d{4}-\d\d-\d\d$", folder) and outputs == "outputs"
    assert os.listdir(lab.path("here/outputs")) == ["cnn.onnx"]
    assert sorted(os.listdir(lab.path("here/" + folder))) == [
        "cnn.onnx-operators.pftrace",
        "cnn.onnx-round2.pftrace",
        "cnn.onnx.pftrace",
        "report.html",
        "report.json",
    ]


def scaled(report, factor, to):
    """The report as if each run had taken that many times as long."""
    for one in report["runs"]:
        for key in ("mean_ns", "mean_interval_95_ns", "p50_ns"):
            one["latency"][key] = one["latency"][key] and one["latency"][key] * factor
        one["first_inference_ns"] *= factor
    with open(to, "w") as out:
        json.dump(report, out)
    return to


@pytest.mark.in_turn(2)
def test_a_baseline_tells_slower_from_faster(lab, library):
    """Far enough from today's times that a busy machine does not matter."""
    few = ("--runtime", library, "--level", "inference", "-n", 40, "--rounds", 4)
    report = run(lab, ["heavy"], *few, "-o", lab.path("old"))
    fast = scaled(json.loads(json.dumps(report)), 1e-3, lab.path("fast.json"))
    slow = scaled(report, 1e3, lab.path("slow.json"))
    now = run(lab, ["heavy"], *few, "--baseline", fast, "--threshold", "50%", status=1)
    assert re.search(r"compared with \S+: new is x \S+ slower than base: \S+ on cpu takes ", now["verdict"])
    assert now["baseline"]["notes"] == [] and now["baseline"]["path"] == fast
    assert now["baseline"]["says"] == "worse" and now["baseline"]["is_regression"]
    assert now["runs"][0]["speed_since_baseline"]["is_different"] and now["runs"][0]["mean_before_ns"] > 0
    # without a threshold it is only reported
    run(lab, ["heavy"], *few, "--baseline", fast)
    now = run(lab, ["heavy"], *few, "--baseline", slow, "--threshold", 0, "--report", lab.path("report.txt"))
    assert re.search(r": new is (9\d(\.\d)?|100) % faster than base: \S+ on cpu takes ", now["verdict"]), now["verdict"]
    assert "Compared with the baseline" in open(lab.path("report.txt")).read()
    # a folder of --save or -o, other settings, runs that it does not have
    now = run(lab, ["heavy"], *few, "-x", "1,2", "--baseline", lab.path("old"))
    assert "cannot compare: base and new have no model in common" in now["verdict"]
    (note,) = now["baseline"]["notes"]
    assert note.startswith("settings: ") and "intra-op-threads 1,2" in note.partition("; now ")[2]


@pytest.mark.in_turn(2)
def test_a_baseline_is_a_diff_of_both_reports(lab, library):
    few = ("--runtime", library, "--level", "operator", "-n", 40)
    run(lab, ["tiny"], *few, "-o", lab.path("old"))
    now = run(lab, ["tiny"], *few, "--baseline", lab.path("old"), "-o", lab.path("new"))
    files = [os.path.join(lab.path(name), "report.json") for name in ("old", "new")]
    done = lab.plain([lab.inftrace, "diff", "--json", *files])
    assert done.status in (0, 1), done.err
    diff = json.loads(done.out)
    assert diff.pop("base")[0].pop("file") == files[0] and diff.pop("new")[0].pop("file") == files[1]
    assert diff["models"] and diff == {key: now["baseline"][key] for key in diff}


def test_what_is_no_baseline_is_refused_before_anything_runs(lab, library):
    with open(lab.path("broken.json"), "w") as out:
        out.write('{"runs": [')
    for args, words in (
        (["--baseline", lab.path("broken.json")], "broken.json"),
        (["--baseline", lab.path("none.json")], "none.json: No such file"),
        (["--threshold", "5"], "--threshold needs --baseline"),
        (["--baseline", lab.path("broken.json"), "--threshold", "much"], "'much' as --threshold"),
    ):
        done = lab.plain([lab.inftrace, "model", lab.model("tiny"), "--runtime", library, *args])
        assert done.status in (2, 3) and done.out == "" and words in done.err, done.err
