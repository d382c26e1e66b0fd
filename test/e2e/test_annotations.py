# SPDX-License-Identifier: Apache-2.0
"""Programs that annotate themselves with libinftrace while they run models: annotations and inferences on one clock."""

import json
import os
import shutil

import envs
import judge
from attaching import Attaching, Server

PUBLIC = os.path.join(envs.HERE, "..", "..", "include")
MODEL = ("chain", 256, 256)


def linked(lab, program):
    """The command of a program that is linked with the library beside inftrace."""
    where = os.path.dirname(lab.inftrace)
    return [
        lab.binaries._build(
            os.path.join(lab.binaries.folder, program),
            [
                program + ".c",
                "ort.c",
                "runtime_opened.c",
                "-I" + PUBLIC,
                "-L" + where,
                "-l:libinftrace.so.0",
                "-Wl,--enable-new-dtags,-rpath," + where,
                "-ldl",
                "-pthread",
            ],
        )
    ]


def annotated(lab, library, *args):
    model, shape, out_len = MODEL
    return [*linked(lab, "annotated"), library, lab.model(model), str(shape), str(out_len), *map(str, args)]


def named(recording, name):
    return [slice for slice in recording.of("user") if slice.name == name]


def lies_in(inner, outers):
    return any(outer.start <= inner.start and outer.end and inner.end <= outer.end for outer in outers)


def by_thread(slices):
    """Of slices on lanes below their threads."""
    found = {}
    for slice in slices:
        found.setdefault(slice.track.parent.tid, []).append(slice)
    return found


def test_annotations_lie_around_the_inferences_that_they_contain(lab, library):
    done = lab.both(annotated(lab, library, 20))
    recording = done.recording
    assert recording.lost == 0
    requests, steps = by_thread(named(recording, "request")), by_thread(named(recording, "preprocess"))
    assert [len(own) for own in requests.values()] == [len(own) for own in steps.values()] == [20, 20]
    for slice in recording.inferences[1:]:  # the first one is made before there are requests
        assert lies_in(slice, steps[slice.args["tid"]])
    assert {slice.parent.name for own in steps.values() for slice in own} == {"request"}
    assert judge.query(
        recording.path,
        "select count(*) as n, max(value) as last from counter c join track t on c.track_id = t.id"
        " where t.name = 'requests'",
    ) == [{"n": 40, "last": 20.0}]
    report = lab.plain([lab.inftrace, "report", recording.path, "--all"]).out
    assert [line.split()[1] for line in report.splitlines() if line.split()[:1] == ["preprocess"]] == ["40"]


def test_an_agent_that_is_injected_finds_the_library_and_leaves_it(lab, library):
    server = Server(lab, annotated(lab, library))
    for turn in range(2):
        attaching = Attaching(lab, "--inject", server.pid, name="turn-%d" % turn)
        attaching.wait_recorded(lambda recording: len(named(recording, "request")) > 50 and recording.inferences)
        recording = attaching.end().recording
        assert recording.lost == 0
        steps = by_thread(slice for slice in named(recording, "preprocess") if slice.end)
        inside = [
            slice
            for slice in recording.inferences
            if slice.end
            and not slice.args.get("partial")
            and slice.start >= steps[slice.args["tid"]][0].start
            and slice.end <= steps[slice.args["tid"]][-1].end
        ]
        assert len(inside) > 10
        assert all(lies_in(slice, steps[slice.args["tid"]]) for slice in inside)
    runs, _ = server.end()
    assert runs > 100


def test_a_library_that_comes_after_the_injected_agent_finds_it(lab, wheel):
    """Python opens the library by ctypes, with a path of its own and RTLD_LOCAL, while the agent is there."""
    path = shutil.copy(os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0"), lab.path("libinftrace.so.0"))
    server = Server(lab, [*lab.python(wheel, "annotated", lab.model("chain"), path, lab.path("now"))])
    attaching = Attaching(lab, "--inject", server.pid)
    attaching.wait_recorded(5)
    open(lab.path("now"), "w").close()
    attaching.wait_recorded(lambda recording: len(named(recording, "step")) > 5)
    attaching.end()
    server.end()


def test_a_request_has_what_its_thread_waited_for(lab, wheel):
    """Before each inference it sleeps, computes and waits for a lock, in known lines; the program measures itself."""
    env = {
        "INFTRACE_LIBRARY": os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0"),
        "PYTHONPATH": os.path.join(envs.HERE, "..", "..", "python"),
    }
    done = lab.record(lab.python(wheel, "requesting", lab.model("chain")), env=env)
    took = json.loads(done.out)
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    rows = report["requests"]
    assert [row["name"] for row in rows] == ["handle"] * 4 and [row["count"] for row in rows] == [10, 1, 1, 1]
    for row in rows:
        parts = [part for part in report["request_parts"] if part["request"] == row["id"]]
        assert row["inferences"] == row["count"]
        assert sum(part["ns"] for part in parts) + row["inferences_ns"] + row["unattributed_ns"] == row["wall_ns"]
    # of all together, and of the slowest, which slept longer
    for row, key in (rows[0], "all"), (rows[1], "slow"):
        parts = [part for part in report["request_parts"] if part["request"] == row["id"]]
        assert abs(row["wall_ns"] / 1e9 - took[key]["wall"]) < 0.05
        for state, name in ("slept", "nap"), ("waited for a thread", "wait"):
            told = sum(part["before_ns"] for part in parts if part["state"] == state and name in (part["place"] or ""))
            assert abs(told / 1e9 - took[key][name]) < 0.05 + 0.2 * took[key][name], (state, told, took)
    text = lab.plain([lab.inftrace, "report", "--all", done.recording.path]).out
    assert "handle, on average " in text and "slow at " in text
