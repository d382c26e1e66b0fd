# SPDX-License-Identifier: Apache-2.0
"""inftrace attach --inject: loads the agent into running programs and removes it again."""

import bisect
import collections
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

import envs
from attaching import Attaching, Forking, attach, attach_command, magika_server, native_server, python_server, Server
from conftest import environment, often
from lab import PATIENCE, children_of, state_of, wait_until
from recording import Recording

CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


def inject(lab, *words, **more):
    return attach(lab, "--inject", *words, **more)


def inject_until(lab, pid, n):
    """Until so many whole inferences are recorded: on a busy machine most are seen in part while hooks are put in. Each
    recording ends by itself: one that ends once it was read grows meanwhile, for as long as reading it takes."""
    limit = 10 * n
    while True:
        done = inject(lab, pid, n=limit)
        if len(whole(done.recording)) >= n:
            return done
        limit *= 4


def whole(recording):
    return [slice for slice in recording.inferences if slice.end and not slice.args.get("partial")]


def per_inference(recording):
    """{number of the inference: sorted [(name, type)]}, complete inferences only."""
    found = {slice.args["inference"]: [] for slice in whole(recording)}
    for operator in recording.operators:
        if operator.args.get("inference") in found:
            found[operator.args["inference"]].append((operator.name, operator.args["op_type"]))
    return {number: sorted(operators) for number, operators in found.items()}


def per_inference_of_all(recording):
    """The same of several processes, without the numbers."""
    found = {(run.track.pid, run.args["inference"]): [] for run in whole(recording)}
    for operator in recording.operators:
        found.get((operator.track.pid, operator.args.get("inference")), []).append(
            (operator.name, operator.args["op_type"])
        )
    return [sorted(operators) for operators in found.values()]


def outside(recording, times, by_thread=True):
    """Complete inferences that lie in no run that the program measured, within the error of the clock."""
    slack = recording.note("clock")["error_ns"]
    times = sorted(times)
    wrong, at = [], collections.Counter()
    by = collections.defaultdict(list)
    for run in times:
        by[run[2] if by_thread else None].append(run)
    for slice in sorted(whole(recording), key=lambda slice: slice.start):
        thread = slice.args["tid"] if by_thread else None
        own = by[thread]
        while at[thread] < len(own) and own[at[thread]][1] + slack < slice.end:
            at[thread] += 1
        if not any(
            run[0] - slack <= slice.start and slice.end <= run[1] + slack
            for run in own[at[thread] : at[thread] + (1 if by_thread else 8)]
        ):
            wrong.append(slice)
    return wrong


def beyond(recording, times):
    """Inferences, complete or not, that lie in no run that the program measured on their thread."""
    slack = recording.note("clock")["error_ns"]
    starts = collections.defaultdict(list)
    for begin, end, thread in sorted(times):
        starts[thread].append((begin, end))

    def is_inside(slice):
        own = starts[slice.args["tid"]]
        at = bisect.bisect_right(own, (slice.start + slack, float("inf"))) - 1
        return at >= 0 and slice.end <= own[at][1] + slack

    return [slice for slice in recording.inferences if slice.end and not is_inside(slice)]


def missing(recording, times):
    """Runs that began when all hooks were in, and ended before the last inference of their thread did, but were not
    recorded."""
    complete = {note.args["from_ns"] for note in recording.notes("runtime") if "from_ns" in note.args}
    assert len(complete) == 1
    begin = max(complete) + recording.note("clock")["error_ns"]
    faults = []
    for thread in {slice.args["tid"] for slice in recording.inferences}:
        slices = [slice for slice in recording.inferences if slice.args["tid"] == thread and slice.end]
        end = max([slice.end for slice in slices], default=0)
        own = [time for time in times if time[2] == thread and time[0] > begin and time[1] <= end]
        starts = sorted(slice.start for slice in slices)
        faults += [time for time in own if bisect.bisect_right(starts, time[0]) == bisect.bisect_right(starts, time[1])]
    return faults


def left_out(recording, times):
    """Faults: runs between two complete inferences of their thread that were not recorded."""
    faults = []
    for thread in {slice.args["tid"] for slice in whole(recording)}:
        slices = [slice for slice in whole(recording) if slice.args["tid"] == thread]
        begin, end = min(slice.start for slice in slices), max(slice.end for slice in slices)
        n_own = sum(time[2] == thread and time[1] > begin and time[0] < end for time in times)
        if n_own != len(slices):
            faults.append("thread %d: %d of %d" % (thread, len(slices), n_own))
    return faults


def torture(lab, library, threads=16, rest_us=2000, tortured=2, **more):
    return Server(lab, lab.native("torture", library, lab.model("chain"), 256, 256, threads, rest_us, tortured), **more)


def facts(pid):
    """What must not grow: (kB of anonymous memory, mappings, descriptors)."""
    with open("/proc/%d/status" % pid) as status:
        anonymous = int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1))
    with open("/proc/%d/maps" % pid) as maps:
        n_maps = len(maps.readlines())
    return anonymous, n_maps, len(os.listdir("/proc/%d/fd" % pid))


def agent_threads(pid):
    names = []
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/comm" % (pid, task)) as file:
                names.append(file.read().strip())
        except (FileNotFoundError, ProcessLookupError):
            pass  # the thread has ended meanwhile
    return names.count("inftrace")


def no_agent_thread(pid):
    """Waits for the agent's thread to end, which may be shortly after the recorder does."""
    wait_until(lambda: agent_threads(pid) == 0)


def alone(lab):
    """A prefix that gives a program its own /dev/shm, if permitted: other tests inject in the shared one."""
    own = ["unshare", "-m", "--propagation", "private", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]
    return own if shutil.which("unshare") and not lab.plain([*own, "true"]).status else []


class LeftBehind:
    """Files that an injection has left in a program's /dev/shm, readable after the program has ended."""

    def __init__(self, pid):
        self.folder = os.open("/proc/%d/root/dev/shm" % pid, os.O_RDONLY | os.O_DIRECTORY)
        self.before = self.now()

    def now(self):
        return {name for name in os.listdir(self.folder) if name.startswith("inftrace-inject-")}

    def nothing(self):
        return self.now() <= self.before


# ---- what is recorded


@pytest.mark.in_turn(2)
def test_every_wheel_is_seen_whole(lab, each_wheel):
    server = python_server(lab, each_wheel, "cnn", "--rest", 0.002, "--threads", 2)
    done = inject(lab, server.pid)
    server.end()
    recording = done.recording
    assert len(whole(recording)) > 50 and recording.lost == 0
    assert outside(recording, server.times()) == [] and left_out(recording, server.times()) == []
    profile = lab.profile(
        lab.python(each_wheel, "infer", "run", lab.model("cnn"), "--runs", 1, "--profile", lab.path("profile"))
    )
    assert set(map(tuple, per_inference(recording).values())) == {tuple(sorted(profile))}
    assert {slice.args["model"] for slice in recording.inferences} == {"cnn"}
    assert {slice.args["provider"] for slice in recording.operators} == {"CPUExecutionProvider"}
    launched = lab.record(
        lab.python(each_wheel, "infer", "run", lab.model("cnn"), "--runs", 3), name="launched"
    ).recording
    shapes = {slice.args.get("shapes") for slice in launched.inferences}
    assert {slice.args["shapes"] for slice in whole(recording)[5:]} == shapes


@pytest.mark.parametrize("key", ["newest", *envs.OTHER_WHEELS])
@pytest.mark.in_turn(2)
def test_sessions_that_are_older_than_the_agent_are_told_apart(lab, key):
    """In builds for training they share a provider."""
    wheel = environment(envs.wheel, key)
    server = python_server(lab, wheel, ["chain", "cnn"], "--rest", 0.002, program="turns")
    for _ in range(3):
        recording = inject(lab, server.pid).recording
        sessions, operators = collections.defaultdict(set), per_inference(recording)
        for run in whole(recording):
            sessions[run.args["model"], run.args["session"]].add(tuple(operators[run.args["inference"]]))
        assert sorted(model for model, _ in sessions) == ["chain", "cnn"]
        assert all(len(kinds) == 1 for kinds in sessions.values())
        assert [kinds for (model, _), kinds in sessions.items() if model == "chain"] == [{tuple(CHAIN)}]
    server.end()
    assert outside(recording, server.times()) == [] and left_out(recording, server.times()) == []


@pytest.mark.in_turn(2)
def test_every_node_package_is_seen_whole(lab, each_node):
    times = lab.path("times")
    server = Server(
        lab,
        [each_node.node, os.path.join(envs.PROGRAMS, "serve.js"), lab.model("cnn"), "1x3x32x32", times],
        env=each_node.script_env,
        times=times,
    )
    done = inject(lab, server.pid)
    server.end()
    assert len(whole(done.recording)) > 20 and done.recording.lost == 0
    assert outside(done.recording, server.times(), by_thread=False) == []
    operators = set(map(tuple, per_inference(done.recording).values()))
    assert len(operators) == 1 and ("classify", "Gemm") in operators.pop()
    assert {slice.args["model"] for slice in whole(done.recording)} == {"cnn"}


@pytest.mark.in_turn(2)
def test_a_c_program_with_four_threads_is_seen_exactly(lab, few_bindings):
    library, linked = few_bindings
    server = native_server(lab, library, "chain", 256, 256, threads=4, linked=linked, rest_us=0)
    done = inject(lab, server.pid, n=400)
    runs, failed = server.end()
    assert failed == 0 and done.recording.lost == 0
    assert 2 <= len({slice.args["tid"] for slice in whole(done.recording)}) <= 4
    assert outside(done.recording, server.times()) == [] and left_out(done.recording, server.times()) == []
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}
    assert {slice.args["model"] for slice in whole(done.recording)} == {"chain"}


def test_a_program_with_the_runtime_linked_in_is_seen(lab):
    program = magika_server(lab)
    done = inject(lab, program.pid, n=10)
    assert program.poll() is None
    assert whole(done.recording) and done.recording.lost == 0
    assert len(set(map(tuple, per_inference(done.recording).values()))) == 1
    assert done.recording.note("runtime")["path"].endswith("/magika")


@pytest.mark.parametrize("level", ["inference", "detail"])
def test_levels(lab, wheel, level):
    server = python_server(lab, wheel, "cnn", "--rest", 0.002)
    done = inject(lab, server.pid, level=level)
    server.end()
    assert outside(done.recording, server.times()) == [] and len(whole(done.recording)) > 20
    if level == "inference":
        assert done.recording.operators == []
    else:
        assert all("shapes" in operator.args for operator in done.recording.operators[40:])
        assert all("thread_cpu_ns" in slice.args for slice in whole(done.recording))


def test_operators_on_the_runtimes_own_threads_belong_to_their_run(lab, wheel):
    server = python_server(lab, wheel, "wide", "--parallel", "--rest", 0.002, "--threads", 2)
    done = inject(lab, server.pid)
    server.end()
    assert outside(done.recording, server.times()) == [] and done.recording.lost == 0
    counts = collections.Counter(len(operators) for operators in per_inference(done.recording).values())
    assert set(counts) == {33}


def test_a_model_from_memory_has_no_path_and_several_models_have_their_own_names(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.002, "--bytes")
    done = inject(lab, server.pid)
    server.end()
    assert {slice.args["model"] for slice in whole(done.recording)} == {"model from memory"}


@pytest.mark.in_turn(2)
def test_sessions_made_while_it_is_there_are_seen_from_within_and_names_stay_right(lab, each_wheel):
    server = python_server(lab, each_wheel, ["chain", "cnn", "loop"], program="renew")
    done = inject(lab, server.pid, n=90)  # three of each session
    server.end()
    recording = done.recording
    created = [slice for slice in recording.of("session") if slice.end]
    assert len(created) > 5 and all(slice.args["status"] == "ok" for slice in created)
    assert all({"load", "specialize"} <= {child.kind for child in slice.children} for slice in created[1:])
    expected = collections.defaultdict(set)
    operators = per_inference(recording)
    for run in whole(recording):
        expected[run.args["model"]].add(tuple(operators[run.args["inference"]]))
    assert set(expected) == {"chain", "cnn", "loop"} and all(len(kinds) == 1 for kinds in expected.values())
    assert expected["chain"] == {tuple(CHAIN)}


def test_what_began_before_the_hooks_is_partial_or_not_there(lab, wheel):
    server = python_server(lab, wheel, "heavy", "--threads", 3)
    recordings, has_partial = [], False
    while not has_partial:  # an injection may fall between inferences
        assert len(recordings) < 10
        recordings.append(inject(lab, server.pid, name="attached-%d" % len(recordings)).recording)
        # Only the first inferences of a thread and its last one may be partial.
        threads = collections.defaultdict(str)
        for slice in sorted(recordings[-1].inferences, key=lambda slice: slice.start):
            threads[slice.args["tid"]] += "p" if not slice.end or slice.args.get("partial") else "w"
        assert len(threads) == 3 and all(re.fullmatch("p*w+p?", runs) for runs in threads.values()), threads
        has_partial = "p" in "".join(threads.values())
    server.end()
    for recording in recordings:
        assert outside(recording, server.times()) == []
    assert len(set(map(tuple, per_inference(recording).values()))) == 1


@pytest.mark.parametrize("level", ["inference", "operator"])
@pytest.mark.parametrize(
    "model, options", [("heavy", ()), ("heavy", ("--threads", 3)), ("chain", ("--threads", 2)), ("cnn", ())]
)
@pytest.mark.in_turn(4)
def test_no_inference_is_longer_than_the_run_that_it_stands_for(lab, wheel, model, options, level):
    """Whatever moment of which run the hooks meet; and from the moment that the recording names on, none is missing."""
    server = python_server(lab, wheel, model, *options)
    recordings = [inject(lab, server.pid, n=20, level=level, name="round-%d" % i).recording for i in range(6)]
    server.end()
    for recording in recordings:
        assert beyond(recording, server.times()) == []
        assert missing(recording, server.times()) == []
    report = lab.plain([lab.inftrace, "report", recording.path]).out
    assert re.search(r"onnxruntime in %d is recorded completely from [0-9.]+ m?s on" % server.pid, report), report


# ---- loading and unloading


@pytest.mark.parametrize("n", often(12, 200))
@pytest.mark.in_turn(2)
def test_it_comes_again_with_the_same_agent_and_nothing_grows(lab, library, n):
    server = torture(lab, library)
    numbers = []
    for number in range(n):
        done = inject(lab, server.pid, n=100, name="round-%d" % (number % 3))
        assert len(done.recording.inferences) > 5 and done.recording.lost == 0
        assert {(slice.args["model"], slice.args.get("session")) for slice in done.recording.inferences} == {
            ("chain", 1)
        }
        lab.recordings.pop()
        no_agent_thread(server.pid)
        numbers.append(facts(server.pid))
    server.end()
    assert numbers[-1][0] < numbers[3][0] + 2000 and numbers[-1][1] < numbers[3][1] + 24, numbers
    assert max(number[2] for number in numbers) <= numbers[0][2] + 2


@pytest.mark.full("a thousand rounds take minutes")
def test_a_thousand_rounds_with_64_threads(lab, library):
    server = torture(lab, library, threads=64, rest_us=10000)
    numbers = []
    for number in range(1000):
        done = inject(lab, server.pid, duration=0.02, name="round-%d" % (number % 3))
        lab.recordings.pop()
        numbers.append(facts(server.pid))
    server.end()
    assert numbers[-1][0] < numbers[50][0] + 2000 and numbers[-1][1] < numbers[50][1] + 100, numbers[::50]


def test_of_little_address_space_little_is_taken(lab, wheel):
    limit = 1 << 30

    def size():
        with open("/proc/%d/status" % server.pid) as status:
            return int(re.search(r"VmSize:\s+(\d+)", status.read()).group(1)) << 10

    server = python_server(
        lab, wheel, "cnn", "--rest", 0.002, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    )
    before = size()
    for number in range(3):
        done = inject(lab, server.pid, n=20, name="little-%d" % number)
        assert len(whole(done.recording)) > 5
    assert size() < before + limit // 4
    server.end()


def test_levels_may_differ_from_one_time_to_the_next(lab, wheel):
    server = python_server(lab, wheel, "cnn", "--rest", 0.002)
    for level, has_operators in (("inference", False), ("operator", True), ("inference", False), ("detail", True)):
        done = inject(lab, server.pid, n=50, level=level)
        assert bool(done.recording.operators) == has_operators
        assert len(whole(done.recording)) > 20
    server.end()


def hooked_words(pid):
    """Words of the runtimes' read-only data that point into the agent instead of where the loader pointed them."""
    agent, found = [], 0
    with open("/proc/%d/maps" % pid) as maps:
        lines = [line.split(None, 5) for line in maps]
    for words in lines:
        if len(words) == 6 and "libinftrace-agent" in words[5] and "x" in words[1]:
            agent.append([int(word, 16) for word in words[0].split("-")])
    with open("/proc/%d/mem" % pid, "rb", 0) as memory:
        for words in lines:
            if len(words) < 6 or "onnxruntime" not in words[5] or words[1][2] == "x":
                continue
            start, end = (int(word, 16) for word in words[0].split("-"))
            memory.seek(start)
            data = memoryview(memory.read(end - start)).cast("Q")
            found += sum(low <= word < high for word in data for low, high in agent)
    return found


def test_afterwards_no_hook_is_left(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01, prefix=alone(lab))
    left_behind = LeftBehind(server.pid)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(1)
    wait_until(lambda: hooked_words(server.pid) > 300, background.process)
    background.end()
    assert hooked_words(server.pid) == 0 and left_behind.nothing()
    no_agent_thread(server.pid)
    server.end()


def test_the_agents_thread_does_not_go_before_others_where_the_programs_does(lab, library):
    first = ["chrt", "-f", "1"]
    if lab.plain([*first, "true"]).status:
        pytest.skip("threads may not go before others here (SCHED_FIFO)")
    server = Server(lab, lab.native("torture", library, lab.model("chain"), 256, 256, 1, 5000, 0), prefix=first)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_said("recording")
    policies = {}
    for task in os.listdir("/proc/%d/task" % server.pid):
        with open("/proc/%d/task/%s/comm" % (server.pid, task)) as file:
            policies.setdefault(file.read().strip(), set()).add(os.sched_getscheduler(int(task)))
    background.end()
    server.end()
    # and where it wakes up, it takes no CPU from another thread
    assert policies["inftrace"] == {os.SCHED_BATCH} and policies["torture"] == {os.SCHED_FIFO}


def killed_at(lab, server, step):
    command, path = attach_command(lab, "--inject", server.pid, duration=0.05, name="killed")
    return lab.plain(command, env={"INFTRACE_INJECT_STOP": str(step)})


@pytest.mark.parametrize("n", often(1, 10))
@pytest.mark.in_turn(2)
def test_a_recorder_killed_after_each_step_harms_nobody(lab, library, n):
    server = torture(lab, library, prefix=alone(lab))
    left_behind = LeftBehind(server.pid)
    for times in range(n):
        step, killed = 1, True
        while killed:
            killed = killed_at(lab, server, step).status == -signal.SIGKILL
            assert server.process.poll() is None
            step += 1
        assert step > 8
    time.sleep(
        11
    )  # what they have left behind is removed by the next one, when it is certain that nobody is about to use it
    assert len(whole(inject_until(lab, server.pid, 20).recording)) >= 20 and left_behind.nothing()
    server.end()


@pytest.mark.parametrize("n", often(6, 500))
def test_a_recorder_killed_at_any_moment_harms_nobody(lab, library, n):
    server = torture(lab, library)
    dice = random.Random(5)
    for number in range(n):
        command, path = attach_command(lab, "--inject", server.pid, duration=0.3, name="killed")
        process = lab.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(dice.random() * 0.3)
        process.kill()
        process.wait()
        assert server.process.poll() is None
    assert len(whole(inject_until(lab, server.pid, 20).recording)) >= 20
    server.end()


def test_after_its_recorder_was_killed_the_agent_takes_its_hooks_out(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_said("recording")
    background.process.kill()
    background.process.wait()
    no_agent_thread(server.pid)
    assert hooked_words(server.pid) == 0
    server.end()


def test_a_target_that_is_killed_ends_the_recording_and_what_it_told_is_kept(lab, library):
    server = torture(lab, library, prefix=alone(lab))
    left_behind = LeftBehind(server.pid)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(101)
    server.process.kill()
    done = background.wait()
    assert done.status == 0 and len(whole(done.recording)) > 100
    assert left_behind.nothing()


def test_two_at_a_time_are_one_too_many(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_said("recording")
    done = inject(lab, server.pid, name="second", status=3)
    assert "recorded by another" in done.err
    background.wait_recorded(6)
    assert len(whole(background.end().recording)) > 5
    server.end()


def test_two_at_the_same_moment_are_one_too_many(lab, library):
    server = torture(lab, library, threads=2, rest_us=5000, tortured=0)
    for number in range(3):
        both = [Attaching(lab, "--inject", server.pid, name="both-%d-%d" % (number, i), n=100) for i in range(2)]
        for one in both:
            done = one.wait()
            assert done.status == 0 or "is being recorded by another inftrace" in done.err
            assert done.status == 3 or len(whole(done.recording)) > 10
    assert hooked_words(server.pid) == 0
    server.end()


def test_a_program_that_was_chosen_twice_is_recorded_once(lab, wheel):
    server = python_server(lab, wheel, "chain", "--fork", "--rest", 0.005)
    child = children_of(server.pid)[0]
    done = inject(lab, server.pid, child, n=50)
    server.end()
    assert "another inftrace" not in done.err and len(whole(done.recording)) > 10


@pytest.mark.in_turn(2)
def test_workers_that_end_and_are_replaced_are_recorded(lab, wheel):
    server = Server(lab, [wheel.python, os.path.join(envs.PROGRAMS, "prefork.py"), lab.model("chain")])
    for number in range(2):
        done = inject(lab, server.pid, n=1000, name="workers-%d" % number)
        assert len({slice.track.pid for slice in whole(done.recording)}) > 3  # no worker makes more than 300 runs
        assert set(map(tuple, per_inference_of_all(done.recording))) == {tuple(CHAIN)}
        assert "(exec)" not in done.err
    server.end()


def test_a_program_that_becomes_another_one_is_said_to_be_gone(lab, wheel):
    server = Server(lab, [wheel.python, os.path.join(envs.PROGRAMS, "successor.py"), lab.model("chain")])
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(11)
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    background.wait_said("has become another program (exec)")
    done = background.end()
    server.end()
    assert len(whole(done.recording)) > 10
    stops = [
        note.args["text"]
        for note in done.recording.notes("stopped")
        if "(%d)" % server.pid in note.args.get("source", "")
    ]
    assert len(stops) == 1 and "exec" in stops[0]


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(word) for word in file.read().split()]


def test_a_child_that_was_forked_while_it_was_recorded_is_recorded_again(lab, wheel):
    server = Server(lab, [wheel.python, os.path.join(envs.PROGRAMS, "twins.py"), lab.model("chain")])
    for end in (signal.SIGINT, signal.SIGKILL):
        background = Attaching(lab, "--inject", server.pid)
        for pid in [server.pid, *children(server.pid)]:
            background.wait_said("recording python (%d)" % pid)
        server.process.stdin.write("\n")
        server.process.stdin.flush()
        assert server.process.stdout.readline() == "forked\n"
        time.sleep(0.3)
        background.process.send_signal(end)
        background.process.wait(30)
    wait_until(lambda: not any(hooked_words(pid) for pid in [server.pid, *children(server.pid)]))
    no_agent_thread(server.pid)
    background = Attaching(lab, "--inject", server.pid, name="again")
    background.wait_recorded(lambda recording: len({slice.track.pid for slice in whole(recording)}) == 3)
    done = background.end()
    assert {slice.track.pid for slice in whole(done.recording)} == {server.pid, *children(server.pid)}
    assert [hooked_words(pid) for pid in children(server.pid)] == [0, 0]
    server.end()


def test_of_what_it_has_started_without_a_runtime_nothing_is_seen_for_that_reason(lab, wheel):
    server = python_server(
        lab,
        wheel,
        "chain",
        "--rest",
        0.01,
        prefix=["sh", "-c", 'sleep 30 < /dev/null > /dev/null 2>&1 & exec "$@"', "sh"],
    )
    done = inject(lab, server.pid)
    server.end()
    states = [note.args["state"] for note in done.recording.notes("process")]
    assert len(states) == 1 and "sleep" in states[0] and "have a runtime in them when the recording begins" in states[0]


def test_of_several_that_belong_together_one_that_cannot_be_injected_is_left_out(lab, wheel):
    server = Server(lab, [wheel.python, os.path.join(envs.PROGRAMS, "twins.py"), lab.model("chain"), "sandboxed"])
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    assert server.process.stdout.readline() == "forked\n"
    done = inject(lab, server.pid)
    assert "process %d runs under a seccomp filter" % children(server.pid)[0] in done.err
    assert {slice.track.pid for slice in whole(done.recording)} == {server.pid}
    server.end()


def test_a_program_whose_first_thread_has_ended_is_recorded_and_ends_with_its_last_one(lab, library):
    """The agent's thread is none of its own. What is left in the buffers of stdio is written."""
    server = Server(lab, lab.native("headless", library, lab.model("chain"), 256, 256))
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(20)
    say(server, "")
    no_agent_thread(server.pid)
    assert state_of(server.pid) == "Z"
    (thread,) = [int(tid) for tid in os.listdir("/proc/%d/task" % server.pid) if int(tid) != server.pid]
    n = len(whole(Recording(background.path)))
    background.wait_recorded(n + 100)
    done = inject(lab, server.pid, name="at the same time", status=3)
    assert "is being recorded by another inftrace" in done.err
    done = background.end()
    for number in range(3):
        again = inject(lab, server.pid, name="again-%d" % number, n=20)
        assert set(map(tuple, per_inference(again.recording).values())) == {tuple(CHAIN)}
        assert {slice.args["model"] for slice in again.recording.inferences} == {"chain"}
        no_agent_thread(server.pid)
    wait_until(lambda: not hooked_words(thread), server.process)
    last = Attaching(lab, "--inject", server.pid, name="last")
    last.wait_recorded(20)
    server.end()
    assert len(whole(last.wait().recording)) >= 20
    assert set(map(tuple, per_inference(done.recording).values())) == {tuple(CHAIN)}


@pytest.mark.parametrize("key", [*envs.WHEELS, "training"])
@pytest.mark.in_turn(2)
def test_rejected_runs_belong_to_their_sessions(lab, key):
    server = python_server(
        lab, environment(envs.wheel, key), "chain", "--reject", "--sessions", 2, "--threads", 2, "--rest", 0.005
    )
    done = inject(lab, server.pid)
    server.end()
    runs = whole(done.recording)
    assert {run.args["model"] for run in runs} == {"chain"}
    failed = [run for run in runs if run.args["status"] != "ok"]
    assert len(failed) > len(runs) / 3 and all("x" in run.args["status"] for run in failed)
    # each thread has a session of its own
    assert len({(run.args["tid"], run.args["session"]) for run in runs}) == 2
    assert len({run.args["session"] for run in runs}) == 2


# ---- programs without a current inference


def test_an_idle_program_is_pending_and_its_first_inference_is_recorded_from_then_on(lab, wheel):
    server = python_server(lab, wheel, "chain", "--idle", "--rest", 0.01)
    background = Attaching(lab, "--inject", server.pid)
    background.wait_said("idle")
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    background.wait_recorded(11)
    done = background.end()
    server.end()
    assert len(whole(done.recording)) > 10 and outside(done.recording, server.times()) == []


def test_a_program_that_stays_idle_is_as_it_was(lab, wheel):
    server = python_server(lab, wheel, "chain", "--idle", "--rest", 0.01)
    done = inject(lab, server.pid, duration=0.6)
    assert "idle" in done.err and done.recording.inferences == []
    assert "(a runtime was loaded, but no model was run)" in done.out
    assert done.recording.note("runtime")["text"].startswith("nothing, for it made no inference")
    assert done.recording.notes("process") == []
    with open("/proc/%d/maps" % server.pid) as maps:
        assert "libinftrace-agent" not in maps.read()
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    server.end()


# ---- programs that are not injected


def sandboxed(lab, wheel, what):
    return Server(lab, [wheel.python, os.path.join(envs.PROGRAMS, "sandboxed.py"), what, lab.model("chain")])


@pytest.mark.parametrize("what", ["nothing", "death", "thread"])
def test_a_program_under_a_filter_of_system_calls_is_left_alone(lab, wheel, what):
    server = sandboxed(lab, wheel, what)
    done = inject(lab, server.pid, status=3)
    assert "seccomp" in done.err and not os.path.exists(lab.path("attached.pftrace"))
    server.end()


def test_a_filter_that_allows_everything_is_no_hindrance_to_who_insists(lab, wheel):
    server = sandboxed(lab, wheel, "nothing")
    done = inject(lab, "--allow-seccomp", server.pid, n=20)
    assert len(whole(done.recording)) > 10
    server.end()


@pytest.mark.parametrize(
    "what, why", [("threads", "Operation not permitted|Resource"), ("libraries", "libinftrace-agent.so|could not load")]
)
def test_what_a_filter_refuses_is_told_and_the_program_goes_on(lab, wheel, what, why):
    server = sandboxed(lab, wheel, what)
    for _ in range(2):
        done = inject(lab, "--allow-seccomp", server.pid, status=3)
        assert re.search(why, done.err) and "goes on" in done.err
        assert hooked_words(server.pid) == 0
    server.end()


@pytest.mark.root
def test_a_program_of_another_user_is_left_alone(public):
    args = public.native("torture", public.library, public.model("chain"), 256, 256, 1, 10000, 0)
    server = Server(public, args, prefix=["setpriv", "--reuid", "65534", "--clear-groups"])
    done = inject(public, server.pid, status=3)
    assert "belongs to user 65534" in done.err
    server.end()


@pytest.mark.root
def test_a_user_injects_into_a_program_of_his_own(public):
    who = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    args = public.native("torture", public.library, public.model("chain"), 256, 256, 2, 5000, 0)
    server = Server(public, args, prefix=who)
    done = inject(public, server.pid, prefix=who, n=50)
    assert len(whole(done.recording)) > 20
    server.end()


@pytest.mark.root
@pytest.mark.parametrize(
    "what, why", [("deleted", "it was deleted"), ("replaced", "it was deleted"), ("moved back", "recording")]
)
def test_a_library_that_was_deleted_or_replaced_meanwhile_is_named(lab, library, what, why):
    who = [
        "setpriv",
        "--bounding-set",
        "-all",
        "--inh-caps",
        "-all",
    ]  # an ordinary user: what is mapped is out of reach
    copy = lab.path("libonnxruntime.so")
    shutil.copyfile(os.path.realpath(library), copy)
    server = Server(lab, lab.native("torture", copy, lab.model("chain"), 256, 256, 2, 5000, 0), prefix=who)
    os.rename(copy, copy + ".old")
    if what == "replaced":
        shutil.copyfile("/bin/true", copy)
    if what == "moved back":
        os.rename(copy + ".old", copy)
    else:
        os.unlink(copy + ".old")
    done = inject(lab, server.pid, prefix=who, duration=0.3, status=0 if what == "moved back" else 3)
    assert why in done.err and (what == "moved back" or "cannot use the runtime loaded by" in done.err)
    server.end()


def test_a_static_program_and_one_without_a_runtime_are_left_alone(lab):
    source, static = lab.path("idle.c"), lab.path("idle")
    with open(source, "w") as file:
        file.write("#include <unistd.h>\nint main(void) { for (;;) pause(); }\n")
    subprocess.run(["cc", "-static", "-o", static, source], check=True)
    refused = ([static], "", "no GNU C library"), (["sleep", "1000"], "libc.so", "no runtime that inftrace records")
    for args, library, why in refused:
        program = lab.start(args)
        wait_until(lambda: library in open("/proc/%d/maps" % program.pid).read())
        done = inject(lab, program.pid, status=3)
        assert why in done.err and program.poll() is None
        program.kill()
        program.wait()


def test_a_launched_program_is_left_to_its_recorder(lab, wheel):
    command, _ = lab.command(lab.python(wheel, "serve", lab.model("chain"), "--rest", 0.01), name="launched")
    process = lab.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "ready\n"
    done = inject(lab, children_of(process.pid)[0], status=3)
    assert "record" in done.err
    out, _ = process.communicate(timeout=PATIENCE)
    assert "differ 0" in out and process.returncode == 0


# ---- namespaces, children


@pytest.mark.root
@pytest.mark.parametrize(
    "mounts",
    [
        "mount -t tmpfs none /dev/shm",
        "mount -t tmpfs -o noexec none /dev/shm",
        "mount -t tmpfs none /dev/shm; mount -t tmpfs none %(agent)s",
    ],
    ids=["shm", "noexec", "hidden"],
)
@pytest.mark.in_turn(3)
def test_a_program_in_a_mount_namespace_of_its_own_is_seen(lab, library, mounts):
    if not shutil.which("unshare") or lab.plain(["unshare", "-m", "true"]).status:
        pytest.skip("unshare -m is not allowed here")
    agent = os.path.dirname(os.path.realpath(lab.inftrace))
    args = lab.native("torture", library, lab.model("chain"), 256, 256, 2, 5000, 0)
    script = mounts % {"agent": agent} + "; exec " + " ".join(args)
    server = Server(lab, ["unshare", "-m", "-p", "-f", "--mount-proc", "/bin/sh", "-c", script])
    inner = children_of(server.pid)[0]
    for _ in range(2):
        done = inject(lab, inner, n=50)
        assert len(whole(done.recording)) > 20 and done.recording.lost == 0
        assert {slice.args["model"] for slice in whole(done.recording)} == {"chain"}
        assert inner in {track.pid for track in done.recording.tracks.values() if track.is_process}
    assert hooked_words(inner) == 0
    with open("/proc/%d/maps" % inner) as maps:
        assert len({line.split()[4] for line in maps if "libinftrace-agent" in line}) == 1
    assert [name for name in os.listdir("/proc/%d/root/dev/shm" % inner) if name.startswith("inftrace")] == []
    server.end()


def test_children_of_fork_are_recorded_and_go_on_when_the_recording_ends(lab, library):
    forking = Forking(lab, library, 200)
    background = Attaching(lab, "--inject", forking.process.pid)
    background.wait_recorded(1)
    # Whoever reads the recording meanwhile falls behind the program: that one tells when there is enough.
    forking.wait_children(4)
    done = background.end()
    forking.wait_children(2)
    forking.end()
    runs = collections.Counter(slice.track.pid for slice in whole(done.recording))
    assert runs.pop(forking.process.pid) and sum(n == 200 for n in runs.values()) >= 4
    # A recorder that gets no CPU loses operators of a program that never rests, and counts them.
    assert done.recording.lost or set(map(tuple, per_inference_of_all(done.recording))) == {tuple(CHAIN)}


def say(server, line):
    server.process.stdin.write(line + "\n")
    server.process.stdin.flush()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("n", often(1, 20))
@pytest.mark.in_turn(2)
def test_children_forked_at_any_moment_of_an_injection_can_be_injected_into(lab, library, end, n):
    """Before and after that they are as they would be without it, also those that make no inference meanwhile. One that
    was forked while its parent loaded the agent is refused, in words, and goes on."""
    for _ in range(n):
        server = Server(lab, lab.native("brood", library, lab.model("chain"), 256, 256))
        say(server, "fork")
        background = Attaching(lab, "--inject", server.pid)
        background.wait_recorded(20)
        background.process.send_signal(end)
        background.process.wait(PATIENCE)
        no_agent_thread(server.pid)
        say(server, "stop")
        pids = [int(word) for word in server.process.stdout.readline().split()]
        background = Attaching(lab, "--inject", *pids, name="idle")
        half_loaded = "process %d was forked while an agent was being loaded into its parent"
        wait_until(
            lambda: all("(%d) is idle" % pid in background.err or half_loaded % pid in background.err for pid in pids),
            background.process,
            lambda: background.err,
        )
        refused = [pid for pid in pids if half_loaded % pid in background.err]  # the loader may be in disorder there
        pids = [pid for pid in pids if pid not in refused]
        assert len(pids) > len(refused)
        say(server, "go")
        background.wait_recorded(lambda recording: {slice.track.pid for slice in whole(recording)} == set(pids))
        assert background.end().err.count("cannot") == len(refused)
        assert not any(hooked_words(pid) for pid in pids)
        background = Attaching(lab, "--inject", *pids, name="busy")
        background.wait_recorded(lambda recording: {slice.track.pid for slice in whole(recording)} == set(pids))
        done = background.end()
        assert "cannot" not in done.err and set(map(tuple, per_inference_of_all(done.recording))) == {tuple(CHAIN)}
        server.end()


def test_a_runtime_that_is_unloaded_and_loaded_again_is_no_trouble(lab, library):
    process = lab.start(
        lab.native("reopen", library, lab.model("chain"), 256, 256, 60), stdout=open(lab.path("out"), "w")
    )
    for number in range(4):
        if process.poll() is None:
            lab.plain(attach_command(lab, "--inject", process.pid, duration=0.3, name="reopen-%d" % number)[0])
    assert process.wait(PATIENCE) == 0
