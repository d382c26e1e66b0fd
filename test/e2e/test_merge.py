# SPDX-License-Identifier: Apache-2.0
"""inftrace import of several files: a recording and the runtime's own profile of the same run, on one clock."""

import glob
import json
import os
import re
import statistics

import pytest

from recording import Recording


def operators_by_process(path):
    recording = Recording(path)
    assert not recording.faults
    found = {}
    for operator in recording.operators:
        found.setdefault(operator.track.process, []).append(operator)
    return [sorted(operators, key=lambda operator: operator.start) for operators in found.values()]


def test_a_profile_of_the_runtime_agrees_with_the_recording_of_the_same_run(lab, wheel):
    done = lab.record(lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 30, "--profile", lab.path("own")))
    (profile,) = glob.glob(lab.path("own-0*.json"))
    renamed, merged = lab.path("profile.json"), lab.path("merged.pftrace")
    os.rename(profile, renamed)  # so that its name says nothing
    said = lab.plain([lab.inftrace, "import", done.recording.path, renamed, "-o", merged])
    assert said.status == 0, said.err
    assert re.search(r"^profile.json: placed by 30 inferences that both have, to [\d.]+ us$", said.err, re.MULTILINE)

    ours, theirs = operators_by_process(merged)
    assert len(ours) == len(theirs) == len(done.recording.operators) > 30
    assert statistics.median(abs(left.start - right.start) for left, right in zip(ours, theirs)) < 10_000

    report = json.loads(lab.plain([lab.inftrace, "report", "--json", merged]).out)
    first, second = report["recording"]["merged"]
    assert (first["moved_by_ns"], first["error_ns"]) == (0, 0)
    assert second["file"] == "profile.json" and second["common_inferences"] == 30
    # the profile began while the recording did
    assert done.recording.inferences[0].start - 60e9 < second["moved_by_ns"] < done.recording.inferences[0].start
    assert sorted(process["name"] for process in report["processes"])[-1] == "python (recording.pftrace)"


@pytest.mark.alone("the runtime reads the date and its clock one after the other")
def test_the_name_of_a_profile_places_it(lab, wheel):
    done = lab.record(lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 2, "--profile", lab.path("own")))
    (profile,) = glob.glob(lab.path("own-0*.json"))
    merged = lab.path("merged.pftrace")
    said = lab.plain([lab.inftrace, "import", profile, done.recording.path, "-o", merged])
    assert said.status == 0, said.err
    resolution = 1e6 if re.search(r"_\d{3}\.json$", profile) else 1e9
    assert (
        "placed by its start time, which its name has, to %s" % ("21.0 ms" if resolution == 1e6 else "1.02 s")
        in said.err
    )
    ours, theirs = sorted(operators_by_process(merged), key=lambda operators: "CPU" in operators[0].track.name)
    apart = [abs(left.start - right.start) for left, right in zip(ours, theirs)]
    assert len(ours) == len(theirs) and statistics.median(apart) < resolution + 20e6
