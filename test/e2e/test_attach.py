# SPDX-License-Identifier: Apache-2.0
"""inftrace attach: recording running programs with external probes."""

import collections
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import pytest

import envs
from attaching import (
    Attaching,
    Forking,
    astray,
    attach,
    attach_command,
    magika_server,
    missed,
    native_server,
    python_server,
    Server,
)
from code_bytes import text_differs
from conftest import BETWEEN, environment, often
from lab import PATIENCE, children_of, own_times, state_of, wait_until
from recording import Recording

pytestmark = pytest.mark.root
ARM_TOOL = os.path.join(os.path.dirname(os.environ.get("INFTRACE", "")), "test", "e2e", "arm_tool")
CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


def per_inference(recording):
    """{number of the inference: sorted [(name, type)]}, complete inferences only."""
    found = {slice.args["inference"]: [] for slice in whole(recording)}
    for operator in recording.operators:
        if operator.args["inference"] in found:
            found[operator.args["inference"]].append((operator.name, operator.args["op_type"]))
    return {number: sorted(operators) for number, operators in found.items()}


def whole(recording):
    """Inferences that neither the begin nor the end of the recording cuts."""
    return [slice for slice in recording.inferences if slice.end and not slice.args.get("partial")]


# ---- what is recorded


@pytest.mark.parametrize("key", [*envs.WHEELS, "training"])
@pytest.mark.in_turn(2)
def test_every_wheel_is_seen_with_all_its_operators(lab, key):
    wheel = environment(envs.wheel, key)
    server = python_server(lab, wheel, "cnn", "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    assert len(whole(done.recording)) > 20 and done.recording.lost == 0
    assert astray(done.recording, server.times()) == [] and missed(done.recording, server.times()) == []
    profile = lab.profile(
        lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 1, "--profile", lab.path("profile"))
    )
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(sorted(profile))}
    assert {slice.args["model"] for slice in done.recording.inferences} == {"cnn"}
    assert {slice.args["provider"] for slice in done.recording.operators} == {"CPUExecutionProvider"}


@pytest.mark.parametrize(
    "key, parallel",
    [
        *((key, False) for key in ("1.13", *envs.OLD_WHEELS)),
        *((key, True) for key in ("1.5", "1.13")),
        *(pytest.param(key, True, marks=BETWEEN) for key in ("1.7", "1.9")),
    ],
)
@pytest.mark.in_turn(3)
def test_every_operator_of_old_wheels_is_seen(lab, key, parallel):
    """They have two executors, and up to 1.7 another layout of kernels."""
    server = python_server(
        lab, environment(envs.wheel, key), "old", "--rest", 0.002, *(["--parallel", "--threads", 2] if parallel else [])
    )
    done = attach(lab, server.pid)
    server.end()
    assert done.recording.note("runtime")["version"].startswith(key + ".") and done.recording.lost == 0
    assert len(whole(done.recording)) > 20
    assert astray(done.recording, server.times()) == [] and missed(done.recording, server.times()) == []
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}
    assert {slice.args["model"] for slice in done.recording.inferences} == {"old"}
    assert {slice.args["provider"] for slice in done.recording.operators} == {"CPUExecutionProvider"}


@pytest.mark.parametrize("key", ["1.15", "1.18", "newest"])
@pytest.mark.in_turn(3)
def test_operators_of_many_types_are_each_seen_once(lab, key):
    wheel = environment(envs.wheel, key)
    server = python_server(lab, wheel, "types", "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    profile = lab.profile(
        lab.python(wheel, "infer", "run", lab.model("types"), "--runs", 1, "--profile", lab.path("profile"))
    )
    assert len(profile) > 45 and set(map(tuple, per_inference(done.recording).values())) == {tuple(sorted(profile))}
    assert not [operator for operator in done.recording.operators if operator.args.get("status")]


@pytest.mark.parametrize("key", ["1.15", "newest"])
@pytest.mark.in_turn(2)
def test_long_names_of_nodes_stay_different(lab, key):
    server = python_server(lab, environment(envs.wheel, key), "verbose", "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    assert {slice.name for slice in done.recording.operators} == {"a.module/" * 200 + end for end in "01"}


@pytest.mark.parametrize("key", ["1.15", "newest"])
@pytest.mark.in_turn(2)
def test_a_model_at_a_long_path_is_called_by_it(lab, key):
    path = lab.path(os.path.join(*["a folder with a name of some length %d" % i for i in range(16)], "far.onnx"))
    os.makedirs(os.path.dirname(path))
    for suffix in (".onnx", ".npz"):
        shutil.copy(lab.model("tiny")[:-5] + suffix, path[:-5] + suffix)
    server = python_server(lab, environment(envs.wheel, key), path[:-5], "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    assert len(path) > 600 and {slice.args["model"] for slice in done.recording.inferences} == {"far"}


@pytest.mark.in_turn(2)
def test_every_node_package_is_seen(lab, each_node):
    times = lab.path("times")
    server = Server(
        lab,
        [each_node.node, os.path.join(envs.PROGRAMS, "serve.js"), lab.model("cnn"), "1x3x32x32", times],
        env=each_node.script_env,
        times=times,
    )
    done = attach(lab, server.pid)
    server.end()
    assert len(whole(done.recording)) > 20 and done.recording.lost == 0
    assert astray(done.recording, server.times(), by_thread=False) == []
    operators = set(map(tuple, per_inference(done.recording).values()))
    assert len(operators) == 1 and ("classify", "Gemm") in [pair for pair in operators.pop()]


@pytest.mark.in_turn(2)
def test_a_c_program_with_four_threads_is_seen_exactly(lab, few_bindings):
    library, linked = few_bindings
    server = native_server(lab, library, "chain", 256, 256, threads=4, linked=linked, rest_us=0)
    done = attach(lab, server.pid, n=1000)
    runs, failed = server.end()
    assert failed == 0 and done.recording.lost == 0
    assert len({slice.args["tid"] for slice in done.recording.inferences}) == 4
    assert astray(done.recording, server.times()) == [] and missed(done.recording, server.times()) == []
    # Its threads share their RunOptions. An inference that began before the probes were attached must not be mistaken
    # for one that began later.
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}


def test_a_program_with_the_runtime_linked_in_is_seen(lab):
    program = magika_server(lab)
    done = attach(lab, program.pid, n=10)
    assert program.poll() is None
    assert len(whole(done.recording)) > 2 and done.recording.lost == 0
    assert len(set(map(tuple, per_inference(done.recording).values()))) == 1
    assert done.recording.note("runtime")["path"].endswith("/magika")


def test_of_a_runtime_without_type_information_the_inferences_are_seen(lab):
    python, library = environment(envs.silero)
    server = Server(lab, [python, os.path.join(envs.PROGRAMS, "speech.py"), lab.path("times")], times=lab.path("times"))
    probed, injected = attach(lab, server.pid), attach(lab, "--inject", server.pid)
    server.end()
    for done in (probed, injected):
        assert len(whole(done.recording)) > 20 and done.recording.lost == 0
        assert astray(done.recording, server.times()) == [] and missed(done.recording, server.times()) == []
        assert {slice.args["model"] for slice in done.recording.inferences} == {"silero_vad"}
        assert not done.recording.operators
    assert "built without type information" in probed.err and library in probed.err
    assert "without type information" in injected.recording.note("runtime")["status"]


def test_a_killed_recorder_leaves_a_runtime_without_type_information_as_it_was(lab):
    python, _ = environment(envs.silero)
    server = Server(lab, [python, os.path.join(envs.PROGRAMS, "speech.py"), lab.path("times")], times=lab.path("times"))
    path = lab.path("killed.pftrace")
    recorder = lab.start([lab.inftrace, "attach", "--inject", "-o", path, str(server.pid)])
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 16384, recorder)
    recorder.kill()
    recorder.wait()
    assert len(whole(Recording(path))) > 0
    again = attach(lab, "--inject", server.pid)
    server.end()
    assert len(whole(again.recording)) > 20 and astray(again.recording, server.times()) == []


def test_a_recorded_runtime_without_type_information_has_its_inferences_too(lab):
    python, library = environment(envs.silero)
    program = [python, os.path.join(envs.PROGRAMS, "speech.py"), lab.path("times")]
    command, path = lab.command(program)
    recorder = lab.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: os.path.exists(lab.path("times")) and os.path.getsize(lab.path("times")) > 4096, recorder)
    out, err = recorder.communicate()
    assert recorder.returncode == 0 and "differ 0" in out, err
    recording, times = Recording(path), own_times(lab.path("times"))
    assert len(recording.inferences) == len(times) and astray(recording, times) == []
    assert {slice.args["model"] for slice in recording.inferences} == {"silero_vad"} and not recording.operators
    # it cannot be seen which sessions are kept
    assert "release of sessions (it was built without type information)" in recording.note("runtime")["status"]


def test_operators_on_the_runtimes_own_threads_belong_to_their_run(lab, wheel):
    server = python_server(lab, wheel, "wide", "--parallel", "--rest", 0.002, "--threads", 2)
    done = attach(lab, server.pid)
    server.end()
    assert astray(done.recording, server.times()) == [] and done.recording.lost == 0
    operators = set(map(tuple, per_inference(done.recording).values()))
    assert len(operators) == 1 and len(operators.pop()) == 33


def test_operators_inside_operators_lie_in_them(lab, wheel):
    server = python_server(lab, wheel, "loop", "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    for operators in per_inference(done.recording).values():
        assert collections.Counter(type for _, type in operators) == {"Loop": 1, "Add": 10, "Identity": 10, "Relu": 1}
    assert all(operator.parent.name == "loop" for operator in done.recording.operators if operator.name == "body_add")


@pytest.mark.parametrize("key", ["1.18", "1.22", "newest"])
@pytest.mark.in_turn(3)
def test_sessions_made_while_attached_are_seen_from_within_and_names_stay_right(lab, key):
    wheel = environment(envs.wheel, key)
    server = python_server(lab, wheel, ["chain", "cnn", "loop"], program="renew")
    done = attach(lab, server.pid, n=60)  # three of each session
    server.end()
    recording = done.recording
    created = [slice for slice in recording.of("session") if slice.end and not slice.args.get("partial")]
    assert len(created) > 5 and all(slice.args["status"] == "ok" for slice in created)
    assert all({"load", "specialize"} <= {child.kind for child in slice.children} for slice in created)
    model_of = {note.args["session"]: note.args["model"] for note in recording.notes("created")}
    expected, operators = {}, per_inference(recording)
    for run in whole(recording):
        name = model_of.get(run.args["session"])
        if not name:
            continue
        assert run.args["model"] == name
        expected.setdefault(name, set()).add(tuple(operators[run.args["inference"]]))
    assert set(expected) == {"chain", "cnn", "loop"} and all(len(kinds) == 1 for kinds in expected.values())
    assert expected["chain"] == {tuple(CHAIN)}
    assert recording.notes("released")


@pytest.mark.parametrize("level", ["inference", "operator"])
@pytest.mark.in_turn(2)
def test_an_inference_that_fails_is_seen_as_failed_and_the_program_goes_on(lab, two_wheels, level):
    for model in ("throws", "refuses"):
        server = python_server(lab, two_wheels, model, "--rest", 0.002)
        done = attach(lab, server.pid, level=level, name=model)
        runs, failed = server.end()
        assert failed == runs
        assert len(whole(done.recording)) > 20 and astray(done.recording, server.times()) == []
        assert all(slice.args["status"] != "ok" for slice in whole(done.recording))
        if level == "operator":
            assert {operator.name for operator in done.recording.operators} == {
                "before",
                "thrower" if model == "throws" else "refuser",
            }


def test_models_that_fail_to_load_are_seen_and_harm_nothing(lab, wheel):
    with open(lab.path("broken.onnx"), "wb") as file:
        file.write(b"\x08\x07\x12\x00 this is no model")
    server = python_server(lab, wheel, "chain", "--broken", lab.path("broken.onnx"), program="renew")
    done = attach(lab, server.pid, n=60)
    server.end()
    rounds, refused = map(int, re.search(r"rounds (\d+) refused (\d+)", server.out).groups())
    assert rounds == refused
    assert len(whole(done.recording)) > 20


def test_processes_that_the_program_has_started_are_seen(lab, wheel):
    server = python_server(lab, wheel, "chain", "--fork", "--rest", 0.002)
    done = attach(lab, server.pid)
    server.end()
    pids = {slice.track.pid for slice in done.recording.inferences}
    assert pids and server.pid not in pids
    assert astray(done.recording, server.times(), by_thread=False) == []


def test_a_fork_while_attached_harms_neither(lab, library):
    forking = Forking(lab, library, 1500)
    pid = forking.process.pid
    attaching = Attaching(lab, pid)
    attaching.wait_recorded(lambda recording: len(recording.of("inference", pid)) > 20)
    done = attaching.end()
    forking.end()
    pids = {slice.track.pid for slice in done.recording.inferences}
    assert pid in pids and len(pids) <= 2  # at most one child, which was running when attach started


def test_one_of_n_inferences_and_the_others_are_counted(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.001)
    done = attach(lab, "--sample", 4, server.pid)
    server.end()
    seen = len(whole(done.recording))
    left_out = sum(note.args["count"] for note in done.recording.notes("sampled out"))
    begin, end = min(s.start for s in done.recording.inferences), max(s.end for s in done.recording.inferences)
    own = len([t for t in server.times() if t[0] >= begin and t[1] <= end])
    assert seen > 10 and abs(seen * 4 - own) <= 8 and abs(left_out - 3 * seen) <= 8
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    assert report["recording"]["sampled"] == {"inferences": seen + left_out, "recorded": seen}
    assert f"{seen + left_out:,} inferences of chain: " in report["verdict"]
    assert f"; {seen:,} of the inferences were recorded" in report["verdict"]
    assert report["models"][0]["inferences"]["per_second"] == pytest.approx(own * 1e9 / (end - begin), rel=0.2)
    assert report["recording"]["time"]["inferences_ns"] > 3 * sum(s.end - s.start for s in done.recording.inferences)
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}


def test_a_rate_bounds_what_is_recorded(lab, wheel):
    """At 50 a second, one is due every 20 ms. A due one may be recorded a little later, but none may be skipped."""
    server = python_server(lab, wheel, "chain")
    done = attach(lab, "--rate", 50, server.pid, n=50)
    server.end()
    begins, gap, slack = sorted(run.start for run in done.recording.inferences), 20_000_000, 100_000
    assert len(begins) <= (begins[-1] - begins[0] + slack) / gap + 2
    passed_over = [
        run for run in server.times() for a, b in zip(begins, begins[1:]) if a + gap + slack < run[0] and run[1] < b
    ]
    assert passed_over == []


def test_cpu_and_memory_are_recorded_as_well(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    done = attach(lab, "-i", "100ms", server.pid, duration=1)
    server.end()
    counters = {track.name for track, _, _ in done.recording.counters if track.pid == server.pid}
    assert {"rss", "pss", "threads"} <= counters and any(name.startswith("cpu") for name in counters)
    assert not done.recording.notes("unreadable")


def kernel():
    return tuple(map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups()))


def are_probes_for_root():
    """Whether probes need CAP_SYS_ADMIN: before Linux 6.6 they are perf events."""
    return kernel() < (6, 6)


SINCE = {"session": "6.13", "multi": "6.6", "perf": "5.15"}


def attach_by(lab, link, *words, **more):
    """Attaches with this kind of link. If the kernel does not have it, checks that the error names the first version
    that does."""
    if kernel() >= tuple(map(int, SINCE[link].split("."))):
        return attach(lab, "--link", link, *words, level="inference", **more)
    done = attach(lab, "--link", link, *words, level="inference", status=3, **more)
    assert "Linux has that since " + SINCE[link] in done.err and done.recording is None
    pytest.skip("this kernel has no such links")


@pytest.mark.parametrize("link", ["session", "multi", "perf"])
@pytest.mark.in_turn(3)
def test_every_kind_of_link_sees_the_same(lab, wheel, link):
    server = python_server(lab, wheel, "chain", "--rest", 0.002)
    done = attach_by(lab, link, server.pid)
    server.end()
    assert len(whole(done.recording)) > 20
    assert astray(done.recording, server.times()) == [] and missed(done.recording, server.times()) == []
    assert ("removes one by one" in done.err) == (link == "perf")


@pytest.mark.parametrize("link", ["session", "multi", "perf"])
def test_a_program_whose_first_thread_has_ended_is_seen(lab, library, link):
    server, other = [Server(lab, lab.native("headless", library, lab.model("chain"), 256, 256)) for _ in range(2)]
    for program in (server, other):
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        wait_until(lambda: state_of(program.pid) == "Z")
    done = attach_by(lab, link, server.pid, n=50)
    assert len(whole(done.recording)) >= 50 and done.recording.pids == [server.pid]
    for program in (server, other):
        program.end()


@pytest.mark.parametrize("link", ["session", "multi", "perf"])
@pytest.mark.in_turn(3)
def test_every_kind_of_link_keeps_programs_apart(lab, library, link):
    """Probes at the same places of the same file in two programs; a third one has none."""
    servers = [native_server(lab, library, "chain", 256, 256, threads=2) for _ in range(3)]
    done = attach_by(lab, link, servers[0].pid, servers[1].pid, n=2000)
    for server in servers:
        server.end()
    assert done.recording.pids == sorted(server.pid for server in servers[:2]) and done.recording.lost == 0
    for server in servers[:2]:
        assert astray(done.recording, server.times(), pid=server.pid) == []
    # at most the inference that each thread was running when recording began
    assert all(note.args["count"] <= 2 for note in done.recording.notes("left out"))


def test_as_many_files_are_open_as_there_are_places_if_the_limit_may_be_raised(lab, wheel):
    servers = [python_server(lab, wheel, "chain", "--rest", 0.002) for _ in range(2)]
    done = attach_by(
        lab, "perf", *[server.pid for server in servers], duration=0.3, prefix=["prlimit", "--nofile=104:4096"]
    )
    assert done.recording.pids == sorted(server.pid for server in servers), done.err
    done = attach(lab, "--link", "perf", servers[0].pid, prefix=["prlimit", "--nofile=104:104"], name="few", status=3)
    assert "more than ulimit -n allows" in done.err and done.recording is None
    for server in servers:
        server.end()


# ---- which program


def test_several_that_fit_are_listed_and_none_is_taken(lab, wheel):
    name = "serve-%d.py" % os.getpid()  # unique on this machine
    path = lab.path(name)
    shutil.copy(os.path.join(envs.PROGRAMS, "serve.py"), path)
    shutil.copy(os.path.join(envs.PROGRAMS, "ortprogram.py"), lab.path("ortprogram.py"))
    servers = [Server(lab, ["setsid", wheel.python, path, lab.model("chain"), "--rest", "0.01"]) for _ in range(2)]
    idle = lab.start([wheel.python, "-c", "import time; time.sleep(1000)"])
    done = attach(lab, "--path", path, status=2)
    assert done.recording is None
    for server in servers:
        assert re.search(r"^ *%d .* yes " % server.pid, done.err, re.M), done.err
    listed = attach(lab, "--name", name, status=2)
    assert not re.search(r"^ *%d " % idle.pid, listed.err, re.M) and all(
        str(server.pid) in listed.err for server in servers
    )
    first = attach(lab, "--name", name, "--first", n=20)
    assert {s.track.pid for s in first.recording.inferences} == {servers[0].pid}
    both = attach(lab, "--path", path, "--all", duration=0.5)
    assert {s.track.pid for s in both.recording.inferences} == {server.pid for server in servers}
    one = attach(lab, servers[1].pid, n=20)
    assert {s.track.pid for s in one.recording.inferences} == {servers[1].pid}
    two = attach(lab, servers[1].pid, servers[0].pid, duration=0.5)
    assert {s.track.pid for s in two.recording.inferences} == {server.pid for server in servers}
    for server in servers:
        server.end()


def test_a_program_is_found_by_name_of_its_executable_and_by_path(lab, library):
    name = "a-server-%d" % os.getpid()  # unique on this machine
    program = lab.path(name)
    shutil.copy(lab.binaries.opened("serve"), program)
    server = Server(lab, [program, library, lab.model("chain"), "256", "256", "1"])
    for words in (["--name", name], ["--path", program], ["--path", os.path.relpath(program, lab.folder)]):
        done = attach(lab, *words, n=20)
        assert {s.track.pid for s in done.recording.inferences} == {server.pid}
    server.end()


def is_kernel_thread(pid):
    """Not so in a pid namespace, where the process may be any."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return int(file.read().rpartition(")")[2].split()[6]) & 0x200000 != 0  # PF_KTHREAD
    except OSError:
        return False


def test_what_cannot_be_attached_to_is_said(lab, wheel):
    process = lab.start(["sleep", "1000"])
    gone = lab.start(["true"])
    gone.wait()
    python = lab.start(
        [wheel.python, "-c", "import numpy, time; print('there', flush=True); time.sleep(1000)"], stdout=subprocess.PIPE
    )
    python.stdout.readline()
    odd = lab.path("odd\nname\033[31m")  # an escape sequence that a terminal would execute
    shutil.copy(shutil.which("sleep"), odd)
    odd = lab.start([odd, "1000"])
    for words, said in (
        ([gone.pid], "there is no such process"),
        ([odd.pid], r"loaded: odd\?name\?\[31m"),
        *([([2], "kernel")] if is_kernel_thread(2) else []),
        ([process.pid], "no supported runtime is loaded; loaded: sleep"),
        ([python.pid], "loaded: .*umath.*python"),
        (["--name", "no-such-program"], "no running program is called no-such-program"),
        (["--path", "/no/such/program"], "no running program has the path /no/such/program"),
    ):
        done = attach(lab, *words, status=3)
        assert done.recording is None and re.search(said, done.err, re.S), done.err
        assert len(done.err.splitlines()) == 1, done.err


@pytest.mark.parametrize("way", [[], ["--inject"]], ids=["probes", "inject"])
def test_the_file_comes_first_and_what_is_no_file_stays(lab, library, way):
    server = native_server(lab, library, "chain", 256, 256)
    other = lab.start(["sleep", "1000"])
    folder, link, old, device = (lab.path(name) for name in ("folder", "link", "old.pftrace", "device"))
    os.mkdir(folder)
    os.symlink(old, link)
    for path, said in ((folder, "it is a folder"), (link, "it is a symbolic link")):
        done = attach(lab, *way, "-o", path, server.pid, status=3)
        assert said in done.err and len(done.err.splitlines()) == 1, done.err
    with open(old, "w") as file:
        file.write("an older recording")
    attach(lab, *way, "-o", old, other.pid, status=3)
    assert open(old).read() == "an older recording"
    os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 7))  # full
    try:
        open(device, "wb").close()
    except OSError:
        pytest.skip("no devices can be used here")
    done = attach(lab, *way, "-o", device, server.pid, status=3)
    assert "No space left" in done.err and os.path.exists(device)
    server.end()


@pytest.mark.parametrize("way", [[], ["--inject"]], ids=["probes", "inject"])
def test_a_recording_that_cannot_be_written_on_is_told(lab, library, way):
    server = native_server(lab, library, "chain", 256, 256)
    command, path = attach_command(lab, *way, server.pid)  # the kernel ends it
    done = lab.plain(["prlimit", "--fsize=65536", *command])
    assert (
        done.status == 0
        and "the end of the recording is missing: cannot write the recording: File too large" in done.err
    )
    assert os.path.getsize(path) <= 65536
    done = lab.plain([lab.inftrace, "report", path])
    assert done.status == 0 and "the recorder was ended before it finished the file" in " ".join(
        done.out.lower().split()
    )
    server.end()


@pytest.mark.parametrize("way", [[], ["--inject"]], ids=["probes", "inject"])
def test_few_descriptors_are_enough_or_it_is_said(lab, library, way):
    server = native_server(lab, library, "chain", 256, 256)
    done = attach(lab, *way, server.pid, prefix=["prlimit", "--nofile=20:20"], status=3)
    assert "only 20 files may be open" in done.err and "ulimit -n" in done.err
    done = attach(lab, *way, server.pid, prefix=["prlimit", "--nofile=20:64"], level="inference")
    assert len(whole(done.recording)) > 5
    server.end()


@pytest.mark.parametrize("way", [[], ["--inject"]], ids=["probes", "inject"])
def test_a_stopped_program_is_said_to_be_stopped(lab, wheel, way):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    os.kill(server.pid, signal.SIGSTOP)
    wait_until(lambda: all(state_of(server.pid, int(tid)) == "T" for tid in os.listdir("/proc/%d/task" % server.pid)))
    done = attach(lab, *way, server.pid, duration=0.4)
    assert "stopped (SIGSTOP, or a debugger)" in done.err and done.recording.inferences == []
    os.kill(server.pid, signal.SIGCONT)
    server.end()


RUN, KERNEL = b"Running with tag: ", b"Non-zero status code returned while running "


@pytest.mark.parametrize(
    "texts, seen, said",
    [
        ([KERNEL], True, "not recorded: end of operators"),
        ([RUN], False, "not recorded: runs"),
        ([RUN, KERNEL], False, "is not supported: runs"),
    ],
)
def test_of_a_build_that_is_not_understood_the_rest_is_seen_or_nothing(lab, library, tmp_path, texts, seen, said):
    """The string that identifies the part is different in this library."""
    os.mkdir(tmp_path / "odd\033[31m")  # an escape sequence that a terminal would execute
    copy = str(tmp_path / "odd\033[31m" / "libonnxruntime.so")
    with open(library, "rb") as file:
        data = file.read()
    for text in texts:
        assert data.count(text) == 1
        data = data.replace(text, text[:-2] + b"_" + text[-1:])
    with open(copy, "wb") as file:
        file.write(data)
    server = native_server(lab, copy, "chain", 256, 256)
    done = attach(lab, server.pid, status=0 if len(texts) == 1 else 3, **({"n": 20} if seen else {"duration": 0.3}))
    assert said in done.err and re.search(r"build id [0-9a-f]{40}", done.err), done.err
    assert "odd?[31m" in done.err and "\033" not in done.err
    if len(texts) > 1:
        assert done.recording is None
        assert text_differs(server.pid) == 0
    else:
        assert bool(done.recording.inferences) == seen and not done.recording.operators
        assert done.recording.note("runtime")["status"] in done.err
    server.end()


def test_a_thread_is_not_a_process(lab, library):
    server = native_server(lab, library, "chain", 256, 256, threads=2)
    thread = next(int(tid) for tid in os.listdir("/proc/%d/task" % server.pid) if int(tid) != server.pid)
    done = attach(lab, thread, status=3)
    assert "it is a thread; attach to its process %d" % server.pid in done.err
    server.end()


def test_a_32_bit_program_is_left_alone(lab):
    """A hand-made ELF file for i386 that calls pause in a loop."""
    code = b"\xb8\x1d\x00\x00\x00\xcd\x80\xeb\xf7"
    header = (
        b"\x7fELF\x01\x01\x01"
        + bytes(9)
        + b"\x02\0\x03\0\x01\0\0\0"
        + (0x08048054).to_bytes(4, "little")
        + (52).to_bytes(4, "little")
        + bytes(8)
        + b"\x34\0\x20\0\x01\0"
        + bytes(6)
    )
    size = (84 + len(code)).to_bytes(4, "little")
    segment = (
        (1).to_bytes(4, "little")
        + bytes(4)
        + (0x08048000).to_bytes(4, "little") * 2
        + size * 2
        + b"\x05\0\0\0"
        + b"\0\x10\0\0"
    )
    path = lab.path("small")
    with open(path, "wb") as file:
        file.write(header + segment + code)
    os.chmod(path, 0o755)
    try:
        program = lab.start([path])
    except OSError as why:
        pytest.skip("no 32-bit programs here: %s" % why)
    time.sleep(0.2)  # time to fail, if it cannot run here
    assert program.poll() is None
    done = attach(lab, program.pid, status=3)
    assert "32-bit" in done.err
    assert program.poll() is None


# ---- how it ends


def test_it_ends_with_the_program_and_tells_how_that_ended(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    attaching = Attaching(lab, server.pid)
    attaching.wait_recorded(11)
    server.end()
    done = attaching.wait()
    assert done.status == 0
    assert len(done.recording.inferences) > 10
    exit_note = done.recording.note("exit")
    assert exit_note["pid"] == server.pid and exit_note.get("exit_status", 0) == 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["Ctrl-C", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_recording_and_leaves_the_program(lab, library, how):
    """Code of a file that other tests run has their probes in it."""
    own = shutil.copy(os.path.realpath(library), lab.path("libonnxruntime.so"))
    server = native_server(lab, own, "chain", 256, 256, rest_us=10000)
    attaching = Attaching(lab, server.pid)
    attaching.wait_recorded(11)
    done = attaching.end(how)
    assert done.status == 0 and len(done.recording.inferences) > 10
    assert text_differs(server.pid) == 0
    server.end()


def test_on_a_busy_cpu_its_probes_go_with_it(lab, library, crowded_cpu):
    """A child that takes only idle time must not be who removes them: all forks of the machine would wait for it."""
    own = shutil.copy(os.path.realpath(library), lab.path("libonnxruntime.so"))
    server = native_server(lab, own, "chain", 256, 256, rest_us=10000)
    attaching = Attaching(lab, server.pid, prefix=["taskset", "-c", str(crowded_cpu)])
    attaching.wait_recorded(11)
    assert attaching.end().status == 0
    assert text_differs(server.pid) == 0
    server.end()


def test_it_ends_after_so_many_inferences(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.002)
    done = attach(lab, server.pid, n=20)
    server.end()
    # how many more came before the recorder checked depends on the machine
    assert len(done.recording.inferences) >= 20 and "--iterations" in done.recording.note("stopped")["text"]


def test_sigkill_of_the_program_loses_nothing_that_was_seen(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    attaching = Attaching(lab, server.pid)
    attaching.wait_recorded(11)
    server.process.kill()
    server.process.wait()
    done = attaching.wait()
    assert done.status == 0 and len(done.recording.inferences) > 10 and done.recording.lost == 0
    assert done.recording.note("exit")["pid"] == server.pid


@pytest.mark.parametrize("n", often(5, 100))
def test_sigkill_of_inftrace_leaves_the_program_as_it_was(lab, library, n):
    server = native_server(lab, library, "chain", 256, 256, threads=4, rest_us=0)
    for i in range(n):
        attaching = Attaching(lab, server.pid, name="killed")
        if i % 2:
            attaching.wait_said("recording serve")
        time.sleep(0.01 * (i % 17))
        attaching.process.kill()
        attaching.process.wait()
    wait_until(lambda: text_differs(server.pid) == 0)  # the kernel removes them asynchronously
    server.end()


@pytest.mark.parametrize("n", often(5, 1000))
def test_attached_again_and_again_under_load(lab, library, n):
    server = native_server(lab, library, "chain", 256, 256, threads=4, rest_us=0)
    for i in range(n):
        done = lab.plain(attach_command(lab, server.pid, duration=0.05)[0])
        assert done.status == 0, done.err
    assert text_differs(server.pid) == 0
    server.end()


def test_all_takes_those_that_come_later_from_their_first_call(lab, wheel):
    path = os.path.join(lab.folder, "serve.py")
    for name in ("serve.py", "ortprogram.py"):
        shutil.copy(os.path.join(envs.PROGRAMS, name), lab.path(name))

    def server():
        times = lab.path("times-%d" % len(lab.started))
        return Server(lab, [wheel.python, path, lab.model("chain"), "--rest", "0.002", "--times", times], times=times)

    other = python_server(lab, wheel, "chain", "--rest", 0.01)
    attaching = Attaching(lab, "--path", path, "--all")
    attaching.wait_said("waiting for programs")
    for _ in range(2):
        one = server()
        attaching.wait_said("recording python (%d)" % one.pid)
        attaching.wait_recorded(lambda recording: len(recording.of("inference", one.pid)) > 20)
        runs, _ = one.end()
    recording = attaching.end().recording
    other.end()
    # every run of the last program; its own count excludes the run before "ready"
    assert len(recording.of("inference", one.pid)) == runs + 1
    assert other.pid not in recording.pids and len(recording.of("session")) == 2
    assert all(slice.args["status"] == "ok" for slice in recording.of("session"))


def test_the_time_of_next_counts_from_its_program(lab, wheel):
    path, script = lab.path("late.pftrace"), "late-%d.py" % os.getpid()
    with open(lab.path("late-err"), "wb") as err:
        waiting = lab.start(
            [lab.inftrace, "next", "-o", path, "-d", "1s", "--name", script, "--json"],
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
        )
    wait_until(lambda: b"waiting for" in open(lab.path("late-err"), "rb").read(), waiting)
    time.sleep(1.5)
    assert waiting.poll() is None
    for name, source in ((script, "serve.py"), ("ortprogram.py", "ortprogram.py")):
        shutil.copy(os.path.join(envs.PROGRAMS, source), lab.path(name))
    began = time.monotonic_ns()
    server = Server(lab, [wheel.python, lab.path(script), lab.model("chain"), "--rest", "0.002"])
    out, _ = waiting.communicate(timeout=PATIENCE)
    took = time.monotonic_ns() - began
    server.end()
    assert '"stopped": "the time given by --duration is over"' in out
    assert 0.9e9 < int(re.search(r'"elapsed_ns": (\d+)', out).group(1)) < took and '"runtimes": 1,' in out


@pytest.mark.parametrize("is_copied", [False, True], ids=["same_executable", "another_executable"])
def test_a_program_that_becomes_another_one_is_seen_on(lab, wheel, is_copied):
    """It calls exec: its process and its library stay the same."""
    executable = shutil.copy(os.path.realpath(wheel.python), lab.path("successor")) if is_copied else wheel.python
    server = Server(
        lab,
        [wheel.python, os.path.join(envs.PROGRAMS, "successor.py"), lab.model("chain")],
        env={"SUCCESSOR": executable},
    )
    # only --follow keeps the rights to notice that the executable has changed
    attaching = Attaching(lab, server.pid, *(["--follow"] if is_copied else []))
    attaching.wait_recorded(11)
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    assert server.process.stdout.readline() == "again\n"
    attaching.wait_recorded(
        lambda recording: [
            run
            for made in recording.of("session")
            for run in recording.inferences
            if made.end and run.end and run.start > made.end
        ]
    )
    server.end()
    if is_copied:
        attaching.process.send_signal(signal.SIGINT)
    recording = attaching.wait().recording
    assert len(recording.notes("runtime")) == 1  # its probes stay, so recording has no gap
    created = recording.of("session")
    assert len(created) == 1 and {slice.args["model"] for slice in whole(recording)} == {"chain"}
    assert (
        min(slice.start for slice in whole(recording))
        < created[0].start
        < max(slice.start for slice in whole(recording))
    )
    assert set(map(tuple, per_inference(recording).values())) == {tuple(CHAIN)}


def test_a_runtime_that_is_unloaded_and_loaded_again_is_no_trouble(lab, library):
    path = lab.path("reopened")
    program = lab.start(
        ["stdbuf", "-oL", *lab.native("reopen", library, lab.model("chain"), 256, 256, 1000000)], stdout=open(path, "w")
    )
    wait_until(lambda: re.search("gone|stays", open(path).read()), program)
    done = attach(lab, "--follow", program.pid, n=8)  # one each time the library is loaded
    assert program.poll() is None
    program.kill()
    lines = [line for line in open(path).read().splitlines() if re.fullmatch("[0-9a-f]{16}", line)]
    assert len(set(lines)) == 1
    assert done.recording.lost == 0 and len(done.recording.of("session")) > 1
    numbers = [(slice.track.pid, slice.args["inference"]) for slice in done.recording.inferences]
    assert len(set(numbers)) == len(numbers) and {pid for pid, _ in numbers} == {program.pid}, numbers
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}


def test_another_process_with_the_number_of_one_that_has_ended_is_left_alone(lab, library):
    """Numbers are given out again within a second where many threads come and go."""
    server = native_server(lab, library, "chain", 256, 256)
    with open("/proc/%d/stat" % server.process.pid) as file:
        start = int(file.read().rpartition(")")[2].split()[19])
    for ticks, status, out, err in ((start, 0, "1\n", ""), (start - 1, 3, "", "process %d: it has ended")):
        done = lab.plain([ARM_TOOL, str(server.process.pid), str(ticks)])
        assert (done.status, done.out) == (status, out)
        assert not err or err % server.process.pid in done.err


def test_two_versions_of_the_runtime_in_one_process_are_both_seen(lab, library):
    second = environment(envs.node_package, "1.14").library
    path = lab.path("both")
    program = lab.start(
        lab.native("two_versions", library, lab.model("chain"), 256, 256, 10000000, second), stdout=open(path, "w")
    )
    wait_until(lambda: os.path.getsize(path), program)
    done = attach(lab, program.pid)
    assert program.poll() is None and text_differs(program.pid) == 0
    program.kill()
    assert len({note.args["version"] for note in done.recording.notes("runtime")}) == 2
    assert len({run.args["session"] for run in whole(done.recording)}) == 2
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}


def test_others_may_look_at_the_same_time(lab, wheel):
    """A second attach, and the recorder that started the program."""
    command, path = lab.command(lab.python(wheel, "serve", lab.model("chain"), "--rest", 0.002), name="launched")
    server = Server(lab, command)
    pid = children_of(server.pid)[0]
    first = Attaching(lab, pid, name="first")
    first.wait_recorded(1)
    second = attach(lab, pid, n=100, name="second")
    first = first.end()
    server.end()
    for recording in (first.recording, second.recording, Recording(path)):
        assert len(whole(recording)) > 10 and recording.lost == 0
        assert set(map(tuple, per_inference(recording).values())) == {tuple(CHAIN)}


def own_script(lab):
    """serve.py as a file of its own, because other tests run that one."""
    shutil.copy(os.path.join(envs.PROGRAMS, "ortprogram.py"), lab.path("ortprogram.py"))
    return shutil.copy(os.path.join(envs.PROGRAMS, "serve.py"), lab.path("restarted.py"))


def test_a_program_that_is_restarted_is_followed(lab, wheel):
    script = own_script(lab)
    first = Server(lab, [wheel.python, "restarted.py", lab.model("chain"), "--rest", "0.002"])
    attaching = Attaching(lab, first.pid, "--follow")
    attaching.wait_recorded(1)
    first.end()
    other = python_server(lab, wheel, "chain", "--rest", 0.01)
    second = Server(lab, [wheel.python, script, lab.model("chain"), "--rest", "0.002"])
    attaching.wait_said("recording python (%d)" % second.pid)
    attaching.wait_recorded(lambda recording: len(recording.of("inference", second.pid)) > 20)
    runs, _ = second.end()
    recording = attaching.end().recording
    other.end()
    assert recording.pids == sorted([first.pid, second.pid])
    assert len(recording.of("inference", second.pid)) == runs + 1
    assert {note.args["pid"]: note.args.get("exit_status", 0) for note in recording.notes("exit")} == {
        first.pid: 0,
        second.pid: 0,
    }


def test_another_one_from_the_same_file_is_followed_when_the_first_has_ended(lab, wheel):
    script = own_script(lab)
    first = Server(lab, [wheel.python, script, lab.model("chain"), "--rest", "0.01"])
    attaching = Attaching(lab, first.pid, "--follow")
    attaching.wait_recorded(1)
    older, younger = [Server(lab, [wheel.python, script, lab.model("chain"), "--rest", "0.01"]) for _ in range(2)]
    attaching.wait_said("process %d was started from the same file; it is not recorded" % older.pid)
    first.end()
    for server in (older, younger):
        attaching.wait_said("recording python (%d)" % server.pid)
        attaching.wait_recorded(lambda recording: recording.of("inference", server.pid)[5:])
        server.end()
    recording = attaching.end().recording
    runs = [recording.of("inference", server.pid) for server in (first, older, younger)]
    assert sum(map(len, runs)) == len(recording.inferences) and recording.lost == 0
    for before, after in zip(runs, runs[1:]):
        assert max(run.end for run in before if run.end) < min(run.start for run in after)


# ---- where it runs


def test_a_program_in_namespaces_of_its_own(lab, wheel, tmp_path):
    """A separate pid namespace, and the runtime at a path that does not exist outside."""
    inside = tmp_path / "inside"
    inside.mkdir()
    times = lab.path("times")
    script = "mount --bind %s %s && exec %s/bin/python %s %s --rest 0.002 --times %s" % (
        wheel.path,
        inside,
        inside,
        os.path.join(envs.PROGRAMS, "serve.py"),
        lab.model("chain"),
        times,
    )
    server = Server(
        lab,
        ["unshare", "--pid", "--mount", "--fork", "--mount-proc", "--propagation", "private", "sh", "-c", script],
        times=times,
    )
    assert not os.listdir(inside)
    (pid,) = children_of(server.pid)
    done = attach(lab, pid)
    server.end()
    assert {slice.track.pid for slice in done.recording.inferences} == {pid}
    assert done.recording.note("runtime")["path"].startswith(str(inside))
    assert astray(done.recording, server.times(), by_thread=False) == []


CONTAINER = """
mount -t tmpfs none {0} && mkdir {0}/upper {0}/work {0}/root &&
mount -t overlay overlay -o lowerdir=/,upperdir={0}/upper,workdir={0}/work {0}/root &&
mount -t proc proc {0}/root/proc && mount --rbind /dev {0}/root/dev && mount --rbind {1} {0}/root{1} || exit 9
exec chroot {0}/root {2}
"""


def test_a_program_in_a_root_of_layers_like_a_containers(lab, wheel, tmp_path):
    """An overlay reports different devices in stat and in maps, and attach has only the three capabilities to open the
    library."""
    times = lab.path("times")
    script = CONTAINER.format(
        tmp_path / "layers",
        lab.folder,
        " ".join(
            [
                wheel.python,
                os.path.join(envs.PROGRAMS, "serve.py"),
                lab.model("chain"),
                "--rest",
                "0.002",
                "--times",
                times,
            ]
        ),
    )
    (tmp_path / "layers").mkdir()
    try:
        server = Server(
            lab, ["unshare", "--pid", "--mount", "--fork", "--propagation", "private", "sh", "-c", script], times=times
        )
    except AssertionError:
        pytest.skip("no overlay can be mounted here")
    (pid,) = children_of(server.pid)
    few = ["setpriv", "--bounding-set", "-all,+bpf,+perfmon,+sys_ptrace", "--inh-caps", "-all"]
    done = attach(lab, pid, prefix=[] if are_probes_for_root() else few)
    server.end()
    assert {slice.track.pid for slice in done.recording.inferences} == {pid}
    assert astray(done.recording, server.times(), by_thread=False) == []


def test_a_library_that_was_deleted_or_replaced_is_found_by_its_mapping(lab, library, tmp_path):
    for how in ("deleted", "replaced"):
        copy = str(tmp_path / ("libonnxruntime-%s.so" % how))
        shutil.copy(library, copy)
        server = native_server(lab, copy, "chain", 256, 256)
        os.unlink(copy)
        if how == "replaced":
            with open(copy, "wb") as file:
                file.write(b"another file")
        done = attach(lab, server.pid, name=how)
        server.end()
        assert len(whole(done.recording)) > 20 and astray(done.recording, server.times()) == []


@pytest.mark.parametrize(
    "rights, said",
    [
        ("bpf,perfmon,sys_ptrace", None),
        ("bpf,sys_ptrace", "missing CAP_PERFMON"),
        ("perfmon,sys_ptrace", "missing CAP_BPF"),
        ("sys_ptrace", "missing CAP_BPF CAP_PERFMON"),
        ("none", "missing CAP_BPF CAP_PERFMON"),
    ],
)
def test_only_these_capabilities_are_needed_and_what_is_missing_is_said(lab, wheel, rights, said):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    if not said and are_probes_for_root():
        said = "lets root alone"
    wanted = "-all" + "".join(",+" + right for right in rights.split(",") if right != "none")
    done = attach(
        lab,
        server.pid,
        n=20,
        prefix=["setpriv", "--bounding-set", wanted, "--inh-caps", "-all"],
        status=3 if said else 0,
    )
    server.end()
    if said:
        assert said in done.err and done.recording is None
        assert "setcap" in done.err or "--cap-add" in done.err or "run it with sudo" in done.err
    else:
        assert len(done.recording.inferences) > 5


@pytest.mark.root
def test_a_group_that_may_execute_it_records_programs_of_others(lab, library):
    """By the capabilities of the file, as documented; everybody else may not even start it."""
    if are_probes_for_root():
        pytest.skip("this kernel lets root alone probe")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        copy = shutil.copy(library, folder)
        os.chmod(copy, 0o644)
        lab.inftrace = shutil.copy(lab.inftrace, folder)
        os.chown(lab.inftrace, 0, 65533)
        os.chmod(lab.inftrace, 0o750)
        if lab.plain(["setcap", "cap_bpf,cap_perfmon,cap_sys_ptrace=ep", lab.inftrace]).status:
            pytest.skip("files here cannot have capabilities")
        server = native_server(lab, copy, "chain", 256, 256)
        member = ["setpriv", "--reuid", "65534", "--regid", "65534", "--groups", "65533"]
        done = attach(lab, server.pid, prefix=member, n=20, name=os.path.join(folder, "attached"))
        server.end()
        assert len(done.recording.inferences) > 5
        lab.judge()
        lab.recordings.clear()


def test_what_this_shell_could_have_decides_what_is_advised(lab, wheel):
    """Root without capabilities, in a shell that can have them: advice about containers would not help."""
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    done = attach(lab, server.pid, prefix=["setpriv", "--securebits", "+noroot", "--inh-caps", "-all"], status=3)
    server.end()
    assert "missing CAP_BPF CAP_PERFMON; run it with sudo, or once: sudo sh -c" in done.err
    assert "attach --inject" in done.err


BPF, PERF, ENOSYS, EPERM = 321, 298, 38, 1


@pytest.mark.parametrize(
    "number, code, words, said",
    [
        (BPF, EPERM, [], "a seccomp filter blocks bpf()"),
        (BPF, ENOSYS, [], "a seccomp filter blocks bpf()"),
        (PERF, EPERM, ["--link", "perf"], "a seccomp filter blocks perf_event_open()"),
        (PERF, EPERM, ["--all"], "refuses perf_event_open"),
    ],
)
def test_a_filter_of_system_calls_is_named(lab, library, number, code, words, said):
    server = native_server(lab, library, "chain", 256, 256)
    who = ["--path", lab.path("no-such")] if words == ["--all"] else [server.pid]
    done = attach(
        lab, *words, *who, level="inference", prefix=[lab.binaries.plain("refuse"), str(number), str(code)], status=3
    )
    assert said in done.err and "seccomp=unconfined" in done.err and text_differs(server.pid) == 0
    server.end()


@pytest.mark.parametrize(
    "prefix, said",
    [
        (["unshare", "--pid", "--fork"], "/proc belongs to another pid namespace"),
        (["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"], "/proc is not mounted"),
    ],
)
def test_what_is_hidden_from_us_is_named(lab, library, prefix, said):
    server = native_server(lab, library, "chain", 256, 256)
    done = attach(lab, server.pid, prefix=prefix, status=3)
    assert said in done.err and len(done.err.splitlines()) == 1
    server.end()


def test_types_of_the_kernel_that_are_hidden_are_no_obstacle(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.002)
    done = attach(
        lab, server.pid, prefix=["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/kernel && exec "$@"', "sh"]
    )
    server.end()
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}
    assert not any("thread_cpu_ns" in slice.args for slice in done.recording.inferences)
    report = lab.plain([lab.inftrace, "report", "--all", done.recording.path]).out
    assert "the kernel's types cannot be read" in " ".join(report.split())


def test_programs_that_proc_hides_are_said_to_be_hidden(lab):
    if lab.plain(["setpriv", "--reuid", "65534", "--clear-groups", "test", "-x", lab.inftrace]).status:
        pytest.skip("inftrace cannot be run by another user here")
    script = """mount -t proc -o hidepid=2 proc /proc; sleep 1000 &
        who="setpriv --reuid 65534 --regid 65534 --clear-groups"
    $who "$0" attach 1; $who "$0" attach --name sleep; kill %1"""
    done = lab.plain(["unshare", "--mount", "--pid", "--fork", "--mount-proc", "bash", "-c", script, lab.inftrace])
    assert "cannot attach to process 1: it belongs to another user, and /proc hides it (hidepid)" in done.err
    assert "no running program is called sleep; /proc hides the processes of other users here (hidepid)" in done.err


def test_a_user_namespace_is_not_enough(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    done = attach(lab, server.pid, prefix=["unshare", "--user", "--map-root-user"], status=3)
    server.end()
    assert "user namespace" in done.err


def test_capabilities_are_given_up_once_the_probes_are_in(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    attaching = Attaching(lab, server.pid)

    def capabilities():
        with open("/proc/%d/status" % attaching.process.pid) as status:
            return int(re.search(r"^CapEff:\s*(\w+)$", status.read(), re.M).group(1), 16)

    wait_until(lambda: capabilities() == 0, attaching.process, lambda: attaching.err)
    attaching.wait_recorded(11)
    assert len(attaching.end().recording.inferences) > 10
    server.end()
