# SPDX-License-Identifier: Apache-2.0
"""Targets under limits, in namespaces, as other users: they run as they do alone, and the recording says what is
missing."""

import os
import re
import shutil

import pytest

import envs
from attaching import attach, Server
from conftest import BETWEEN, environment
from lab import CFLAGS
from recording import Recording


@pytest.fixture
def program(lab, library):
    return lab.native("end", library, lab.model("chain"), 256, 256, 10, "0")


def unshare(lab, *namespaces):
    if not shutil.which("unshare") or lab.plain(["unshare", *namespaces, "true"]).status:
        pytest.skip("unshare %s is not allowed here" % " ".join(namespaces))


def words(program):
    return " ".join(program)


@pytest.mark.parametrize("limit", ["-v 400000", "-n 4", "-c 0", "-s 1024", "-l 64"])
def test_a_program_under_a_limit_is_recorded(lab, program, limit):
    done = lab.both(["/bin/sh", "-c", "ulimit %s; exec %s" % (limit, words(program))])
    assert len(done.recording.inferences) == 10 and len(done.recording.operators) == 200


@pytest.mark.parametrize("way", ["itself", "in a shell", "with a library path"])
def test_a_program_that_is_given_to_the_loader_is_recorded(lab, program, way):
    with open(program[0], "rb") as file:
        loader = re.search(rb"/lib[^\0]*/ld-linux[^\0]*", file.read()).group().decode()
    path = ["--library-path", "/usr/lib"] if way == "with a library path" else []
    command = [loader, *path, *program]
    done = lab.both(["/bin/sh", "-c", words(command) + "; exit $?"] if way == "in a shell" else command)
    assert len(done.recording.inferences) == 10 and not unseen(done.recording)


def unseen(recording):
    return [note.args for note in recording.notes("process") if "no runtime" not in note.args["state"]]


def test_a_program_that_may_not_write_files_runs_and_the_recording_says_why_it_is_empty(lab, program):
    done = lab.both(["/bin/sh", "-c", "ulimit -f 10; exec " + words(program)])
    assert done.recording.inferences == [] and unseen(done.recording)


@pytest.mark.root
def test_a_program_with_another_shared_memory_runs_and_the_recording_says_why_it_is_empty(lab, program):
    unshare(lab, "-m")
    done = lab.both(["unshare", "-m", "/bin/sh", "-c", "mount -t tmpfs none /dev/shm; exec " + words(program)])
    assert done.status == 0 and done.recording.inferences == [] and unseen(done.recording)


@pytest.mark.root
@pytest.mark.parametrize("options", ["size=1M", "size=1M,ro", "size=20M"])
def test_with_little_shared_memory_or_none_everything_is_recorded(lab, library, options):
    unshare(lab, "-m")
    program = lab.native("run", library, lab.model("chain"), 256, 256, "run", 20, 24)
    plain = lab.plain(program)
    command, path = lab.command(program)
    mount = 'mount -t tmpfs -o %s none /dev/shm && exec "$@"' % options
    done = lab.plain(["unshare", "-m", "/bin/sh", "-c", mount, "sh", *command])
    assert (done.status, done.out) == (plain.status, plain.out), done.err
    recording = Recording(path)
    lab.recordings.append(recording)
    assert len(recording.inferences) == 480 and len(recording.operators) == 9600 and recording.lost == 0


@pytest.mark.root
@pytest.mark.parametrize("namespace", ["-n", "-Ur", "-i", "-u"])
def test_a_program_in_a_namespace_is_recorded(lab, program, namespace):
    unshare(lab, namespace)
    done = lab.both(["unshare", namespace, *program])
    assert done.status == 0 and len(done.recording.inferences) == 10


@pytest.mark.root
def test_a_program_in_a_pid_namespace_is_recorded_under_its_own_pid_or_none(lab, program):
    unshare(lab, "-pf", "--mount-proc")
    done = lab.both(["unshare", "-pf", "--mount-proc", *program])
    recording = done.recording
    assert done.status == 0 and len(recording.inferences) == 10
    pids = {track.pid for track in recording.tracks.values() if track.is_process}
    assert 1 not in pids and len(pids) <= 3  # unshare, its child, and possibly one without a pid


@pytest.mark.parametrize(
    "level,key",
    [
        ("operator", "newest"),
        *(("detail", key) for key in ("1.15", "newest")),
        *(pytest.param("detail", key, marks=BETWEEN) for key in ("1.18", "1.22")),
    ],
)
@pytest.mark.parametrize("name,operators", [("deep", 18), ("kinds", 5)])
@pytest.mark.in_turn(3)
def test_deep_graphs_and_odd_inputs_are_recorded(lab, key, level, name, operators):
    wheel = environment(envs.wheel, key)
    recording = lab.both(lab.python(wheel, "infer", "run", lab.model(name)), level=level).recording
    assert len(recording.operators) == 5 * operators
    if name == "deep":
        leaf = [operator for operator in recording.operators if operator.name == "leaf"][0]
        depth = 0
        while leaf.parent:
            leaf, depth = leaf.parent, depth + 1
        assert depth == 17
    elif level == "detail":
        shapes = {operator.name: operator.args["shapes"] for operator in recording.operators}
        assert shapes["same_half"] == "float16[2x0]" and shapes["same_yes"] == "bool[]"
        assert shapes["same_double"] == "float64[1x2x1x2x1x2x3]"


class OldRoot:
    """Runs programs in a system with an older C library, which sees our folders at their own paths."""

    def __init__(self, lab, library):
        self.lab, self.root = lab, environment(envs.old_root)
        unshare(lab, "-m")
        shown = {os.path.dirname(os.path.realpath(path)) for path in (lab.inftrace, library, lab.model("chain"))}
        mounts = ["/dev", "/proc", lab.folder, envs.PROGRAMS, *sorted(shown)]
        self.mounts = "; ".join("mkdir -p {0}{1}; mount --rbind {1} {0}{1}".format(self.root, path) for path in mounts)

    def inside(self, *words):
        script = 'set -e; %s; exec chroot %s "$@"' % (self.mounts, self.root)
        return ["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script, "sh", *words]

    def compiled(self, program, *options):
        binary = self.lab.path("-".join([program, *options]))
        sources = [os.path.join(envs.PROGRAMS, name) for name in (program + ".c", "ort.c", "runtime_opened.c")]
        options = [flag for flag in CFLAGS if flag != "-pthread"] + list(options)
        done = self.lab.plain(self.inside("cc", *options, "-o", binary, *sources, "-ldl"))
        assert done.status == 0, done.err
        return binary


@pytest.mark.root
@pytest.mark.full("an older system is made first")
@pytest.mark.parametrize("options", [["-pthread"], []], ids=["threads", "no threads"])
@pytest.mark.parametrize("before", [[], ["/usr/bin/env", "A=b"]], ids=["alone", "started"])
def test_a_program_with_an_older_c_library_is_recorded(lab, library, options, before):
    """env needs no libdl, which is where such a library has dlsym."""
    old = OldRoot(lab, library)
    program = [old.compiled("end", *options), os.path.realpath(library), lab.model("chain"), "256", "256", "10", "0"]
    done = lab.both(old.inside(*before, *program))
    assert done.status == 0 and len(done.recording.inferences) == 10 and len(done.recording.operators) == 200


@pytest.mark.root
@pytest.mark.full("an older system is made first")
@pytest.mark.parametrize("options", [["-pthread"], []], ids=["threads", "no threads"])
def test_a_program_with_an_older_c_library_is_injected_into(lab, library, options):
    old = OldRoot(lab, library)
    program = [old.compiled("alone", *options), os.path.realpath(library), lab.model("chain"), "256", "256"]
    server = Server(lab, old.inside(*program))
    for _ in range(2):
        done = attach(lab, "--inject", server.pid, n=50)
        assert len([slice for slice in done.recording.inferences if slice.end]) >= 40 and done.recording.lost == 0
    server.end()
