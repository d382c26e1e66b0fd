# SPDX-License-Identifier: Apache-2.0
"""Errors in a program are recorded with the runtime's own message, and the program fails as it does alone."""

import re


def said(done, what):
    """The runtime's message as the program received it, without the prefix that Python adds."""
    line = re.search(r"^%s \w+ \[ONNXRuntimeError\] : \d+ : [A-Z_]+ : (.*)$" % what, done.out, re.M).group(1)
    return line.strip()


def test_failing_runs_carry_the_runtimes_message(lab, each_wheel):
    done = lab.both(lab.python(each_wheel, "fail", lab.models))
    status = [slice.args["status"] for slice in done.recording.inferences]
    assert len(status) == done.counted[0] == 10
    assert sum(text != "ok" for text in status) == done.counted[1] == 8
    for what in ("throws 0", "refuses 0", "shape", "type"):
        assert any(said(done, what)[:150] in text for text in status), (what, status)


def test_a_kernel_that_throws_leaves_the_operators_before_it_whole(lab, each_wheel):
    recording = lab.both(lab.python(each_wheel, "fail", lab.models)).recording
    thrown = [slice for slice in recording.inferences if slice.args["model"] == "throws"]
    assert len(thrown) == 3
    for run in thrown:
        mine = {
            operator.name: operator
            for operator in recording.operators
            if operator.args["inference"] == run.args["inference"]
        }
        assert set(mine) == {"before", "thrower"}
        assert all(run.start <= operator.start <= operator.end <= run.end for operator in mine.values())
        assert mine["thrower"].args.get("status", "ok") != "ok"
        assert mine["before"].args.get("status", "ok") == "ok"


def test_sessions_that_cannot_be_made_say_why(lab, each_wheel):
    done = lab.both(lab.python(each_wheel, "fail", lab.models))
    failed = [slice.args["status"] for slice in done.recording.of("session") if slice.args["status"] != "ok"]
    assert len(done.recording.of("session")) == 5 and len(failed) == 2
    for what in ("missing", "garbage"):
        assert any(said(done, what)[:80] in text for text in failed), (what, failed)


def test_a_c_program_gets_and_shows_the_same_failures(lab, each_library):
    done = lab.both(lab.native("fail", each_library, lab.model("chain")))
    missing, wrong = (re.search("^%s (.*)$" % what, done.out, re.M).group(1) for what in ("missing", "wrong"))
    status = [slice.args["status"] for slice in done.recording.inferences]
    assert len(status) == 3 and status.count("ok") == 2
    assert any(wrong[:80] in text for text in status)
    assert any(missing[:80] in slice.args["status"] for slice in done.recording.of("session"))
