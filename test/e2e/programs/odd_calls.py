# SPDX-License-Identifier: Apache-2.0
"""odd_calls.py HOW MODEL: calls a session as nobody expects. HOW "wrong": with arguments that it refuses;
"interrupted": a signal's handler raises in the middle of calls; "imported": the package is imported a second time;
"traced": with a trace function and a profiler of Python; "many": by 32 threads, until standard input is closed. Prints
what each call did, and how many succeeded."""

import importlib
import itertools
import signal
import sys
import threading

import ortprogram

args = ortprogram.arguments("how", "model")
session, feeds = ortprogram.session(args.model, args), ortprogram.feeds(args.model)
outputs = [session.get_outputs()[0].name]
ran = itertools.count()


class Interrupted(Exception):
    pass


def run(one=session):
    one.run(outputs, feeds)
    next(ran)


def say(function, *arguments):
    try:
        function(*arguments)
        print("ran")
    except Exception as error:  # noqa: BLE001
        print(type(error).__name__)


def wrong():
    texts = dict.fromkeys(feeds, "x")
    for words in ((), (1,), (outputs,), (outputs, {}), (outputs, texts), (["none"], feeds), (outputs, feeds, 7)):
        say(session.run, *words)
    inner = session._sess
    say(inner.run)
    say(type(inner).run, 5, outputs, feeds, None)
    for _ in range(20):
        run()


def interrupted():
    """The handler raises once in each call that is under way, and nowhere else."""
    is_calling, n = [False], 0

    def interrupt(*_):
        if is_calling[0]:
            is_calling[0] = False
            raise Interrupted

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    while n < 20:
        try:
            is_calling[0] = True
            run()
            is_calling[0] = False
        except Interrupted:
            n += 1
    signal.setitimer(signal.ITIMER_REAL, 0)


def imported():
    for name in [name for name in sys.modules if name.startswith("onnxruntime")]:
        del sys.modules[name]
    say(lambda: ortprogram.onnxruntime.InferenceSession(args.model, providers=["CPUExecutionProvider"]))
    say(lambda: importlib.import_module("onnxruntime"))
    for _ in range(20):
        run()


def traced():
    sys.settrace(lambda *_: None)
    sys.setprofile(lambda *_: None)
    for _ in range(20):
        run()
    sys.setprofile(None)
    sys.settrace(None)


def many():
    is_over = threading.Event()

    def work():
        mine = ortprogram.session(args.model, args)
        while not is_over.is_set():
            run(mine)

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    is_over.set()
    for thread in threads:
        thread.join()


globals()[args.how]()
print("done" if args.how in ("interrupted", "many") else "%d succeeded" % next(ran))
with open(args.times or "/dev/null", "w") as file:
    file.write("%d\n" % next(ran))
