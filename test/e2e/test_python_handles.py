# SPDX-License-Identifier: Apache-2.0
"""Annotations and handles of the Python package, in programs that run models with ONNX Runtime."""

import json
import os
import shutil

import pytest

import envs

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "python")

BEGIN = """
import gc, os, sys, threading, time
import numpy, onnxruntime, inftrace

def session(model, **more):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

path = sys.argv[1]
feeds = dict(numpy.load(path.replace(".onnx", ".npz")))
"""


@pytest.fixture
def use(lab, wheel):
    """Runs a Python program that uses the package and a model; gives what it prints."""

    def run(text, model="chain", status=0, env=None, record=False, words=()):
        env = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": PACKAGE, "INFTRACE_PROGRAM": lab.inftrace, **(env or {})}
        command = [wheel.python, "-c", BEGIN + text, lab.model(model), *words]
        done = lab.record(command, env=env, judged=False) if record else lab.plain(command, env=env)
        assert done.status == status, done.err
        return done

    return run


@pytest.mark.parametrize("by", ["pointer", "name"])
def test_sessions_are_found_by_the_object(use, lab, by):
    """Whether they came from a path, a relative path that says little, or bytes, and before or after the agent; by
    their names where their pointers cannot be found."""
    os.mkdir(lab.path("resnet"))
    shutil.copy(lab.model("chain"), lab.path("resnet/model.onnx"))
    done = use(
        """
def run(one, n):
    for _ in range(n):
        one.run(None, feeds)

if sys.argv[2:] == ["name"]:
    inftrace.session_pointer._CLASS = b"another"
os.chdir("resnet")
with open(path, "rb") as file:
    content = file.read()
def made():
    return [session(path), session("model.onnx"), session(content)]
before = made()
with inftrace.stream(before[1], rate=3600) as held:
    after = made()
    run(before[1], 3)
    run(after[1], 4)
    for one in before + after:
        with inftrace.profile(one, samples=5) as report:
            assert not report
            run(one, 9)
        print(report.samples, report.model)
        assert report and len(report.rows()) == 5 and report.stats()["samples"] == 5
print([(one.model, one.samples) for one in held if one])
print(inftrace.profile("nobody's").start().wait(0).samples)
try:
    inftrace.profile(object())
except inftrace.Error as error:
    print(error)
""",
        words=[by],
    )
    *said, last = done.out.splitlines()
    size = "{:,}".format(os.path.getsize(lab.model("chain")))
    assert said[:6] == [
        "5 chain",
        "5 model",
        "5 model from memory",
        "5 chain",
        "5 resnet/model",
        "5 chain (%s bytes)" % size,
    ], (said, done.err)
    # by name: of two, of which the second one was run last
    assert said[6] == {"pointer": "[('model', 12)]", "name": "[('model', 12), ('resnet/model', 13)]"}[by], said
    assert said[7] == "0", said
    assert last.startswith("cannot find the name of the model of <object object") and done.err == ""


def test_sessions_of_one_name_are_told_apart(use):
    """By the object, by the list, and by name, which stands for all; under a recorder as well."""
    done = use(
        """
pair = [session(path), session(path)]
with inftrace.stream(pair[0], rate=3600) as first, inftrace.stream("chain", rate=3600) as both:
    for one, n in zip(pair, (5, 7)):
        for _ in range(n):
            one.run(None, feeds)
    listed = {of.inferences: of for of in inftrace.sessions()}
    with inftrace.profile(listed[7], samples=2) as second:
        for one in pair + pair + pair:
            one.run(None, feeds)
    first.remove(pair[0])
    pair[0].run(None, feeds)
    first.add(pair[0])
    pair[0].run(None, feeds)
print(*[sum(report.samples for report in stream) for stream in (first, both)], second.samples)
""",
        record=True,
    )
    assert done.out == "9 20 2\n" and len(done.recording.inferences) == 20, done.err


@pytest.mark.parametrize("each_wheel", ["1.15", "training"], indirect=True)
def test_the_session_behind_an_object_is_found_in_every_version(use, lab, each_wheel):
    """Its pointer is the one that the library lists."""
    lines = (
        BEGIN
        + """
one = session(path)
with inftrace.stream(one, rate=3600) as stream:
    one.run(None, feeds)
    while not inftrace.sessions():
        time.sleep(0.001)
    print([of.pointer for of in inftrace.sessions()] == [inftrace.session_pointer.pointer_of(one)])
print(sum(report.samples for report in stream))
"""
    )
    env = {"PYTHONPATH": PACKAGE, "INFTRACE_PROGRAM": lab.inftrace}
    done = lab.plain([each_wheel.python, "-c", lines, lab.model("chain")], env=env)
    assert (done.out, done.err) == ("True\n1\n", "")


def test_reports_come_by_callback_and_by_iteration(use):
    """Every inference is in one report; what goes wrong in a callback is printed, and the program goes on."""
    done = use("""
one, n = session(path), 0
def run(times=10):
    global n
    for _ in range(times):
        one.run(None, feeds)
    n += times

with inftrace.stream(one, rate="50ms") as stream:
    taken = []
    def take():
        taken.extend(stream)
    reader = threading.Thread(target=take)
    reader.start()
    while len(taken) < 6:
        run()
reader.join()
assert sum(report.samples for report in taken) == n, taken
assert all(a.to_ns == b.from_ns for a, b in zip(taken, taken[1:]))

seen, wrong = [], []
def callback(report):
    seen.append(threading.get_ident())
    wrong.append(report)
    if len(wrong) == 2:
        raise ValueError("of the callback")
    if len(wrong) == 4:
        raise SystemExit(7)
n, stream = 0, inftrace.stream(one, rate=0.02, callback=callback)
stream.start()
while len(wrong) < 6:
    run()
stream.stop()
assert sum(report.samples for report in wrong) == n
assert threading.get_ident() not in seen and isinstance(stream.error, SystemExit)
try:
    list(stream)
except TypeError as error:
    print(error)
stream.close()
stream.close()

# of samples: more than once, stopped in its own callback, and dropped while it runs
again, told = inftrace.profile(one, samples=4, type="trace", callback=lambda report: told.append(again.stop())), []
for _ in range(2):
    again.start()
    run()
    again.wait()
    events = again.report.events()
    print(again.report, len([event for event in events if event["ph"] == "B" and event["cat"] == "operator"]))
again.close()
kept = []
inftrace.profile(one, samples=3, callback=kept.append).start()
gc.collect()
while not kept:
    run()
print(kept)

# a table and a plot
page = kept[0]._repr_html_()
print(page.count("<circle"), page.count("<td"), "<svg" in page)
with inftrace.profile(one, samples=1, type="trace") as report:
    run()
print(">Sin</td><td style='text-align:right'>10</td>" in report._repr_html_())
print(inftrace.Report("<b>")._repr_html_())
""")
    assert done.out.splitlines() == [
        "reports go to the callback of this stream: there is nothing to iterate over",
        "<Report of 4 inferences of chain> 80",
        "<Report of 4 inferences of chain> 80",
        "[<Report of 3 inferences of chain>]",
        "3 9 True",
        "True",
        "<i>no inferences of &lt;b&gt;</i>",
    ], done.out
    assert done.err.count("Traceback") == 2, done.err
    assert "ValueError: of the callback" in done.err and "SystemExit: 7" in done.err


def test_nothing_hangs_or_falls(use):
    """Threads that start and stop handles, children, and an end of the interpreter with open handles."""
    done = use("""
import errno, multiprocessing, subprocess

one = session(path)
def work(number):
    for _ in range(5):
        with inftrace.profile("chain", samples=2 + number) as report:
            for _ in range(12):
                one.run(None, feeds)
        counts.append(report.samples == 2 + number)
counts, threads = [], [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(counts), all(counts))

open_one = inftrace.stream("chain", rate=0.005, callback=lambda report: os.getpid()).start()
child = os.fork()
if not child:
    try:
        with inftrace.profile("chain"):
            pass
    except inftrace.Error as error:
        print(error.errno == errno.ECHILD, flush=True)
    open_one.stop()
    open_one.close()
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

worker = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(4))
worker.start()
worker.join()
print(worker.exitcode)
# a child as spawn makes it
print(subprocess.run([sys.executable, "-c", "import inftrace\\nwith inftrace.profile('no') as r: print(r.samples)"],
                     stdout=subprocess.PIPE, text=True).stdout.strip())
inftrace.profile("chain", callback=print).start()
for _ in range(50):
    one.run(None, feeds)
""")
    assert done.out.splitlines() == ["40 True", "True", "3", "4", "0"], done.out
    assert "Fatal" not in done.err and "Traceback" not in done.err, done.err


ANNOTATED = """
one = session(path)

@inftrace.slice("step")
def step(n):
    "Docs."
    return one.run(None, feeds) and n

assert step(7) == 7 and step.__doc__ == "Docs." and step.__name__ == "step"
with inftrace.slice("request", category="serving"):
    inftrace.flow(5)
    inftrace.counter("waiting", 3, unit="count")
    for _ in range(3):
        with inftrace.slice("preprocess"):
            inftrace.instant("cache miss", category="serving")
    with inftrace.slice(kind="inference", model="digits", function="main", provider="Mine"):
        pass
    try:
        with inftrace.slice(kind="inference", model="digits", function="main", provider="Mine"):
            raise ValueError("bad input")
    except ValueError:
        pass
def other():
    with inftrace.slice("other"):
        inftrace.flow_end(5)
thread = threading.Thread(target=other)
thread.start()
thread.join()
async def waits():
    pass
one_wrong = lambda: inftrace.slice("x", kind="nonsense")
for wrong in (one_wrong, inftrace.slice, lambda: inftrace.slice("x")(waits)):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(str(error).split(" <")[0])
try:
    with inftrace.profile(one, samples=2):
        pass
except inftrace.Error as error:
    print(inftrace.is_on(), error.errno, str(error).partition(":")[0])
"""
WRONG = [
    "there is no kind 'nonsense': it is one of user, provider_ready, session, load, specialize, setup, inference, "
    "operator, kernel, stage",
    "a slice needs a name or a model",
    "a slice cannot decorate",
]


def test_annotations_are_recorded(use, lab):
    done = use(ANNOTATED, record=True)
    assert done.out.splitlines() == WRONG, done.out
    report = json.loads(lab.plain([lab.inftrace, "report", "--format", "json", done.recording.path]).out)
    assert {one["name"]: one["duration"]["count"] for one in report["slices"]} == {
        "step": 1,
        "request": 1,
        "preprocess": 3,
        "other": 1,
    }
    of_digits = [one for one in done.recording.inferences if one.name == "digits:main"]
    assert [one.args["status"] for one in of_digits] == ["ok", "ValueError: bad input"]


def test_without_the_library_annotations_are_nothing(use, lab):
    """And handles say what is missing."""
    done = use(ANNOTATED, env={"INFTRACE_PROGRAM": "/bin/true", "PATH": "/bin"})
    assert done.out.splitlines()[:3] == WRONG and done.err == ""
    assert done.out.splitlines()[3].startswith("False None cannot load libinftrace, the library of inftrace"), done.out
    # with it, but without its agent
    folder = lab.path("alone")
    os.mkdir(folder)
    library = shutil.copy(os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0"), folder)
    done = use(ANNOTATED, env={"INFTRACE_LIBRARY": library})
    assert done.out.splitlines()[3] == "False 2 cannot start the handle"


def test_the_example_runs(use, lab, wheel):
    """Alone it reports each inference; under a recorder its slices lie in the recording."""
    example = os.path.join(os.path.dirname(PACKAGE), "examples", "profile.py")
    env = {"PYTHONPATH": PACKAGE, "INFTRACE_PROGRAM": lab.inftrace}
    done = lab.plain([wheel.python, example, lab.model("cnn"), "500"], env=env)
    counts = [int(line.split()[0]) for line in done.out.splitlines()]
    assert counts[0] == 10 and sum(counts) == 510 and done.status == 0, (done.out, done.err)
    done = lab.record([wheel.python, example, lab.model("cnn"), "30"], env=env)
    counts = [int(line.split()[0]) for line in done.out.splitlines()]
    assert counts[0] == 10 and sum(counts) == 40 and done.status == 0, (done.out, done.err)
    assert len([one for one in done.recording.slices if one.name == "preprocess"]) == 40


def test_a_pattern_adds_models_by_their_names(use):
    done = use("""
if not inftrace.library.library().has_patterns:
    for call in (lambda: inftrace.stream(pattern="a"), inftrace.sessions):
        try:
            call()
        except inftrace.Error as error:
            print(error)
    sys.exit()
one, n = session(path), 0
with inftrace.stream(rate="50ms", pattern="^ch.*n$") as stream, inftrace.stream(rate=1, pattern="nobody") as other:
    for _ in range(20):
        one.run(None, feeds)
    again = session(path)
    for _ in range(10):
        again.run(None, feeds)
    print([(of.model, of.inferences) for of in inftrace.sessions()])
print(sum(report.samples for report in stream), list(other))
try:
    inftrace.stream(pattern="(")
except inftrace.Error as error:
    print(error.errno)
""")
    assert done.out.splitlines() in (
        ["[('chain', 20), ('chain', 10)]", "30 []", "22"],
        [
            "this libinftrace finds no models by a pattern: name them",
            "this libinftrace lists no sessions: name the models",
        ],
    ), (done.out, done.err)
