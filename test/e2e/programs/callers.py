# SPDX-License-Identifier: Apache-2.0
"""callers.py RUNTIME MODEL [--serve]: calls a model from lines of many kinds. Writes into the file "said" of the
current folder what `traceback` says of the calling frame at that moment: a line for the session, then one for each
inference, in turn. RUNTIME: onnxruntime, openvino, litert, torch. --serve: two calls in turn without end, and prints
their lines, once."""

import asyncio
import functools
import os
import sys
import threading
import traceback

import numpy as np

runtime, model = sys.argv[1:3]
said, printed = [], []


def say(skip=1):
    """Of the frame that calls this, and of its line."""
    frame, line = next(traceback.walk_stack(sys._getframe(skip)))
    code = frame.f_code
    said.append("%s (%s:%d)" % (getattr(code, "co_qualname", code.co_name), code.co_filename, line))


def with_onnxruntime():
    import onnxruntime as ort

    session = (say(), ort.InferenceSession(model, providers=["CPUExecutionProvider"]))[1]
    feeds = {
        one.name: np.ones([size if isinstance(size, int) else 1 for size in one.shape], np.float32)
        for one in session.get_inputs()
    }
    return functools.partial(session.run, None, feeds), session, feeds


def with_openvino():
    import openvino as ov

    core = ov.Core()
    compiled = (say(), core.compile_model(core.read_model(model), "CPU"))[1]
    request = compiled.create_infer_request()
    feeds = [np.ones(list(one.shape), np.float32) for one in compiled.inputs]
    return functools.partial(request.infer, feeds), request, feeds


def with_litert():
    from ai_edge_litert import interpreter as lite

    made = lite.Interpreter(model_path=model)
    (say(), made.allocate_tensors())
    return made.invoke, made, None


def with_torch():
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    return functools.partial(net, torch.ones(1, 4)), net, None


def through(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Application:
    def __init__(self, run):
        self.run = run

    @through
    def classify(self):
        (say(), self.run())

    def deep(self, depth):
        return self.deep(depth - 1) if depth else (say(), self.run())

    def each(self):
        for _ in range(3):
            yield (say(), self.run())

    async def later(self):
        await asyncio.sleep(0)
        return (say(), self.run())

    async def both(self):
        await asyncio.gather(self.later(), self.later())

    def fails(self):
        try:
            self.run("of a wrong kind", 1, 2, 3, 4)
        except TypeError:
            (say(), self.run())


def made_again(run):
    """Functions that come and go: at the same addresses, with other names and lines."""
    for number in range(40):
        space = {"run": run, "say": say}
        body = "\n" * (number % 3) + " (say(), run())"
        exec("def made%02d():\n%s\nmade%02d()" % (number, body, number), space)  # noqa: S102


def ask_for_more(session, feeds):
    """Inferences that threads of the runtime run."""
    done = threading.Event()
    if runtime == "onnxruntime":
        (say(), session.run_async(None, feeds, lambda *_: done.set(), None))
        assert done.wait(60)
    else:
        (say(), session.start_async(feeds))
        session.wait()


def main():
    run, session, feeds = {
        "onnxruntime": with_onnxruntime,
        "openvino": with_openvino,
        "litert": with_litert,
        "torch": with_torch,
    }[runtime]()
    application = Application(run)
    if "--serve" in sys.argv:
        while True:
            del said[:]
            (lambda: (say(), run()))()
            application.classify()
            if not printed:
                print(" | ".join(said), flush=True)
            printed.append(1)
    for _ in range(3):
        application.classify()
    application.deep(300)
    list(application.each())
    asyncio.run(application.both())
    (lambda: (say(), run()))()
    thread = threading.Thread(target=application.classify)
    thread.start()
    thread.join()
    made_again(run)
    if runtime != "torch":
        application.fails()
    if hasattr(session, "run_async") or hasattr(session, "start_async"):
        ask_for_more(session, feeds)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        del said[:]
        application.classify()
        with open("said-by-child", "w") as out:
            out.write("\n".join(said))
        os._exit(0)
    os.waitpid(child, 0)
    with open("said", "w") as out:
        out.write("\n".join(said))


main()
