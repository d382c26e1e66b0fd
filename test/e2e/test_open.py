# SPDX-License-Identifier: Apache-2.0
"""Sessions that a fork inherits, and inferences that never end: what comes first in the report."""

import json

import pytest


def report_of(lab, recording, *args):
    done = lab.plain([lab.inftrace, "report", *args, recording.path])
    assert done.status == 0, done.err
    return done.out


@pytest.mark.parametrize("how", ["ends", "hangs"])
def test_a_session_of_the_parent_is_named_in_a_fork(lab, wheel, how):
    done = lab.record(lab.python(wheel, "forked", how, lab.model("chain")))
    parent, child = map(int, done.out.split())
    report = json.loads(report_of(lab, done.recording, "--json"))
    (forked,) = [found["figures"] for found in report["insights"] if found["kind"] == "forked"]
    assert forked["created_in_pid"] == parent and forked["missing_pool_threads"] >= 1
    sessions = [session for model in report["models"] for session in model["sessions"]]
    assert sorted(session["created_in_pid"] or 0 for session in sessions) == [0, parent]
    ended = [found["figures"] for found in report["insights"] if found["kind"] == "never_ended"]
    text = " ".join(report_of(lab, done.recording).split())
    assert "process %d created it at" % parent in text
    assert not any(found["kind"] == "idle_cores" for found in report["insights"])
    if how == "ends":
        assert not ended and "did not end" not in text
        return
    assert ended[0]["pid"] == child and ended[0]["lasted_ns"] > 1e9
    assert text.startswith("1 inference of chain ran for") and "and did not end (process %d)" % child in text
    # what waited for a CPU is a part of the inferences that ended
    not_ended = sum(model["inferences"]["not_ended_ns"] for model in report["models"])
    own = sum(model["inferences"]["wall_ns"] for model in report["models"])
    time = report["recording"]["time"]
    assert not_ended > 1e9 and time["waiting_ns"] <= own + 1e6 and time["first_ns"] <= own + 1e6
