# SPDX-License-Identifier: Apache-2.0
"""Other languages: JavaScript, Java, Go, and Rust with the runtime linked in."""

import pytest

import envs
from conftest import environment
from lab import inside_own_times, names_and_types, own_times

CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


@pytest.mark.in_turn(2)
def test_node_programs_are_seen_whole(lab, each_node):
    program = [each_node.node, envs.PROGRAMS + "/infer.js", lab.model("chain"), "256", "20", lab.path("times")]
    done = lab.both(program, env=each_node.script_env)
    assert len(done.recording.inferences) == done.counted[0] == 40
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 40)
    assert done.recording.note("runtime")["version"] == each_node.version
    # The first half runs in sequence.
    own = sorted(own_times(lab.path("times")))[:20]
    seen = sorted(done.recording.inferences, key=lambda slice: slice.start)[:20]
    for run, (start, end, _) in zip(seen, own):
        assert start <= run.start and run.end <= end


@pytest.mark.in_turn(2)
def test_a_java_program_with_threads_is_seen_whole(lab):
    jar = environment(envs.jar)
    done = lab.both(
        ["java", "-cp", jar, envs.PROGRAMS + "/Infer.java", lab.model("chain"), "50", "4", lab.path("times")]
    )
    assert len(done.recording.inferences) == done.counted[0] == 200
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 200)


def test_a_go_program_is_seen_whole(lab, library):
    done = lab.both([environment(envs.go_program), library, lab.model("chain"), "50", "4"])
    assert len(done.recording.inferences) == done.counted[0] == 200
    assert len(done.recording.of("session")) == 4
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 200)


def test_a_rust_program_with_the_runtime_inside_is_seen(lab):
    program = environment(envs.magika)
    files = []
    for i in range(5):
        path = lab.path("file-%d.py" % i)
        with open(path, "w") as out:
            out.write("import os\n\n\ndef f%d():\n    return os.getpid()\n" % i * 20)
        files.append(path)
    done = lab.both([program, *files])
    assert done.out.count("Python source") == 5
    assert len(done.recording.inferences) >= 1
    assert {slice.args["status"] for slice in done.recording.inferences} == {"ok"}
    per_run = {}
    for operator in done.recording.operators:
        per_run.setdefault(operator.args["inference"], []).append((operator.name, operator.args["op_type"]))
    assert len(per_run) == len(done.recording.inferences)
    assert len({tuple(sorted(operators)) for operators in per_run.values()}) == 1


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver", "os.fork", "subprocess", "exec"])
@pytest.mark.in_turn(3)
def test_models_in_child_processes_are_followed(lab, wheel, way):
    done = lab.both(lab.python(wheel, "children", way, lab.model("chain"), "--threads", 3, "--runs", 4))
    recording = done.recording
    parent = 1 if way == "exec" else 2
    expected = {"os.fork": 1 + 3 + 3 + 1, "exec": 1 + 4}.get(way, parent + 3 * 4)
    assert len(recording.inferences) == expected
    assert len(recording.operators) == expected * 20
    if way == "exec":
        assert len(recording.notes("created")) == 2
    else:
        assert len(recording.pids) >= 2
        assert all(slice.end for slice in recording.slices)
