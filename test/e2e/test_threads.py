# SPDX-License-Identifier: Apache-2.0
"""Threads that are unlike others: cancelled ones, and those of real-time priority."""

import pytest


@pytest.mark.parametrize("level", ["inference", "operator", "detail"])
@pytest.mark.in_turn(6)
def test_threads_are_cancelled_where_they_are_alone(lab, each_library, level):
    done = lab.both(lab.native("cancel", each_library, lab.model("chain"), 256, 256, 10), level=level)
    assert done.out.endswith("runs 30 failed 0\ncancelled 10\n")
    assert len(done.recording.inferences) == 30
    assert len(done.recording.operators) == (0 if level == "inference" else 600)


@pytest.mark.root
@pytest.mark.parametrize("level", ["operator", "detail"])
def test_threads_of_real_time_priority_and_others_share_a_cpu(lab, library, level):
    done = lab.both(lab.native("real_time", library, lab.model("chain"), 256, 256, 8), level=level)
    if done.out == "not allowed\n":
        pytest.skip("real-time priorities are not allowed here")
    runs, _ = done.counted
    assert len(done.recording.inferences) == runs == 8 * 5 * 20
    assert done.recording.lost == 0 and len(done.recording.operators) == 20 * runs
