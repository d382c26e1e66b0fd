# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's own tools for its profiles on what `inftrace export --to ort` writes, beside the runtime's own profile
of the same run: the script profile_explorer, and the page perf_view in Chromium. Both come from the runtime's source
package."""

import collections
import csv
import glob
import json
import os
import subprocess

import envs
import judge
import pytest
from conftest import environment

PROFILES = os.path.join(os.path.dirname(envs.HERE), "data/ort_profile/good")
WEBGPU = "ort1.30.0-node-webgpu-intree-swiftshader-tinycnn"
RUNS = 20

# Runs the script on several profiles: importing pandas takes longer than all else.
EXPLORE = """
import runpy, sys
script, *profiles = sys.argv[1:]
for profile in profiles:
    sys.argv = [script, profile, "--start", "0", "--count", "1000", "--shape-sensitive", "--csv", profile]
    runpy.run_path(script, run_name="__main__")
"""


def exported(lab, path, name):
    out = lab.path(name)
    done = lab.plain([lab.inftrace, "export", path, "--to", "ort", "-o", out])
    assert done.status == 0, done.err
    return out


def both_profiles(lab, wheel, model, level="operator"):
    """The runtime's profile of a run, and the export of the recording of this run, which is returned third."""
    program = lab.python(wheel, "infer", "run", lab.model(model), "--runs", RUNS, "--profile", lab.path("own"))
    recording = lab.record(program, level=level).recording
    (own,) = glob.glob(lab.path("own-0*.json"))
    return own, exported(lab, recording.path, "ours.json"), recording


def explore(lab, *profiles):
    """[{(name, shapes): (microseconds, calls)}] for each profile, and the same of its kernels."""
    script = os.path.join(environment(envs.runtime_tools), "profile_explorer.py")
    done = lab.plain([environment(envs.tables), "-c", EXPLORE, script, *profiles])
    assert done.status == 0, done.err
    return [tuple(explored(profile, target) for target in ("cpu", "gpu")) for profile in profiles]


def explored(profile, target):
    path = "%s_%s_kernel_times.csv" % (profile, target)
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {
            (row["name"], row["input_type_shape"]): (int(row["duration"]), int(row["count"]))
            for row in csv.DictReader(file)
        }


def whole(label, names):
    """The one of these names that the label shows. In a narrow box its end is cut off."""
    if label in names:
        return label
    (name,) = {name for name in names if name.startswith(label)}
    return name


def treemaps(*profiles):
    """[{"cpu": {type: microseconds}, "gpu": {...}}] for each profile, as the page shows them."""
    browser, modules = environment(judge._browser), environment(judge.puppeteer)
    page = os.path.join(environment(envs.runtime_tools), "ort_perf_view.html")
    done = subprocess.run(
        ["node", os.path.join(envs.HERE, "perf_view.js"), browser, page, environment(envs.charts), *profiles],
        env=dict(os.environ, NODE_PATH=modules),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    names = {
        text
        for path in profiles
        for event in events_of(path)
        for text in event.get("args", {}).values()
        if isinstance(text, str)
    }
    return [
        {target: {whole(label, names): int(us) for label, us in boxes.items()} for target, boxes in seen.items()}
        for seen in json.loads(done.stdout)
    ]


def events_of(path):
    with open(path) as file:
        return json.load(file)


def sums(path, category, key="op_name"):
    """Of a profile: microseconds by type. A box without an area has no label."""
    found = collections.Counter()
    for event in events_of(path):
        if event["cat"] == category and key in event["args"]:
            found[event["args"][key]] += event["dur"]
    return {name: us for name, us in found.items() if us}


def test_profile_explorer_finds_the_same_in_a_recording_as_in_the_profile_of_the_run(lab, wheel):
    own, ours, recording = both_profiles(lab, wheel, "cnn", level="detail")
    (theirs, no_kernels), (found, none) = explore(lab, own, ours)
    assert not no_kernels and not none
    assert {key: calls for key, (_, calls) in found.items()} == {key: calls for key, (_, calls) in theirs.items()}
    assert sum(calls for _, calls in found.values()) == len(recording.operators)
    # the runtime's times contain what its profiler costs; its begins and ends are whole microseconds, too
    for key, (us, calls) in found.items():
        assert us <= theirs[key][0] + calls, key


@pytest.mark.in_turn(2)
def test_perf_view_shows_a_recording_as_it_shows_the_profile_of_the_run(lab, wheel):
    own, ours, recording = both_profiles(lab, wheel, "cnn")
    theirs, found = treemaps(own, ours)
    assert theirs == {"cpu": sums(own, "Node"), "gpu": {}}
    assert found == {"cpu": sums(ours, "Node"), "gpu": {}}
    calls = collections.Counter(operator.args["op_type"] for operator in recording.operators)
    assert set(found["cpu"]) <= set(theirs["cpu"]) <= set(calls)
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    reported = collections.Counter()
    for row in report["models"][0]["operators"]["types"]:
        reported[row["op_type"]] += row["duration"]["total_ns"] / 1000
    for row in report["operators_elsewhere"]:
        if row["where"] == "first_or_failed_inference":
            reported[row["op_type"]] += row["self_ns"] / 1000
    for name, us in reported.items():
        assert abs(found["cpu"].get(name, 0) - us) <= calls[name], name
        assert found["cpu"].get(name, 0) <= theirs["cpu"][name] + calls[name], name


def copied(lab, name):
    """The script needs shapes, which a file made by hand lacks."""
    events = events_of(os.path.join(PROFILES, name + ".json"))
    for event in events:
        if event["cat"] == "Node":
            for key in "input_type_shape", "output_type_shape":
                event["args"].setdefault(key, [])
    with open(lab.path(name + ".json"), "w") as out:
        json.dump(events, out)
    return out.name


@pytest.mark.in_turn(2)
def test_the_tools_show_an_imported_profile_as_they_show_the_profile_itself(lab):
    """Of a new version; with kernels of CUDA, OpenVINO and WebGPU."""
    names = "ort1.32.0-odd-names", "cuda", "ort1.31.1-openvino-plugin1.8.1-split", WEBGPU
    profiles = []
    for name in names:
        profile, recording = copied(lab, name), lab.path(name + ".pftrace")
        done = lab.plain([lab.inftrace, "import", profile, "-o", recording])
        assert done.status == 0, done.err
        profiles += [profile, exported(lab, recording, name + "-again.json")]
    explored, shown = explore(lab, *profiles), treemaps(*profiles)
    for name, theirs, ours, own, again in zip(names, explored[::2], explored[1::2], profiles[::2], profiles[1::2]):
        assert theirs[0] == ours[0] and ours[0], name
        kernels = [e for e in events_of(own) if e["cat"] in ("Kernel", "Api")]
        rows = [e for e in events_of(again) if e["cat"] in ("Kernel", "Api")]
        assert sorted(map(row_of, kernels)) == sorted(map(row_of, rows)), name
        if theirs[1]:  # plugins: the runtime writes kernels behind all runs, where the script does not look
            apart = {e["name"] for e in kernels if "parent_name" not in e["args"]}  # likewise in the export
            assert {key: value for key, value in theirs[1].items() if key[0] not in apart} == ours[1], name
    for name, theirs, ours, own in zip(names, shown[::2], shown[1::2], profiles[::2]):
        assert theirs["cpu"] == ours["cpu"] == sums(own, "Node"), name
        # the page leaves out OpenVINO's kernels, whose types have a name that it does not know
        assert ours["gpu"] == (theirs["gpu"] or sums(own, "Kernel", "ov_node_type")), name
    assert shown[3]["gpu"] and shown[5]["gpu"] and not shown[7]["gpu"]


def row_of(event):
    """What a script finds in a row of a kernel. Which operator it names is left out of a plugin's: it is not always the
    one that had the kernel."""
    plugin, runtime = ("ep", "ov_node_type", "ov_exec_type"), ("op_name", "parent_name", "stream")
    wanted = plugin if "ep" in event["args"] else runtime
    return event["cat"], event["name"], event["ts"], event["dur"], *(event["args"].get(key) for key in wanted)
