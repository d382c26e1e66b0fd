# SPDX-License-Identifier: Apache-2.0
"""Time in which a program was stopped, traced or frozen is no operator's."""

import json
import os

import pytest

WORDS = {
    "signal": "in which the process was stopped by a signal (SIGSTOP)",
    "tracer": "in which a debugger or tracer held the process",
    "freezer": "in which the cgroup of the process was frozen",
}


@pytest.fixture
def freezer():
    """A new cgroup that can be frozen."""
    for root in ("/sys/fs/cgroup/freezer", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        folder = "%s/inftrace-test-%d" % (root, os.getpid())
        try:
            os.mkdir(folder)
        except OSError:
            continue
        if os.path.exists(folder + "/freezer.state") or os.path.exists(folder + "/cgroup.freeze"):
            yield folder
            os.rmdir(folder)
            return
        os.rmdir(folder)
    pytest.skip("no cgroup can be frozen here")


def halted(lab, wheel, how, **more):
    done = lab.record(lab.python(wheel, "halted", how, lab.model("long")), **more)
    assert done.status == 0 and "runs while halted 0" in done.out, done.out + done.err
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    (model,) = report["models"]
    return model["inferences"]["slowest"][0]


@pytest.mark.root
@pytest.mark.parametrize("how", ["signal", "tracer"])
def test_a_halt_is_no_operators(lab, wheel, how):
    slow = halted(lab, wheel, how)
    causes = {part["cause"]: part for part in slow["why"]["parts"]}
    assert slow["duration_ns"] > 0.35e9 and "one_operator" not in causes, slow
    assert WORDS[how] in causes["stopped"]["words"] and causes["stopped"]["ns"] > 0.35e9, slow


@pytest.mark.root
def test_a_frozen_cgroup_is_no_operators(lab, wheel, freezer):
    slow = halted(lab, wheel, "freezer", env={"FREEZER": freezer})
    causes = {part["cause"]: part for part in slow["why"]["parts"]}
    assert WORDS["freezer"] in causes["stopped"]["words"] and "one_operator" not in causes, slow


@pytest.mark.root
def test_a_worker_that_is_stopped_and_killed_keeps_what_was_recorded(lab, wheel):
    worker = lab.python(wheel, "halted", "killed", lab.model("long"))
    done = lab.record(["sh", "-c", '"$@"; echo status $?', "sh", *worker])
    assert done.out == "status 137\n" and done.recording.lost == 0, done.err
    assert sum(slice.end is not None for slice in done.recording.inferences) > 3
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    (stopped,) = [counter for counter in report["resources"] if counter["name"] == "stopped"]
    (process,) = [process for process in report["processes"] if process["inferences"]]
    assert stopped["pid"] == process["pid"] and stopped["max"] == 100
