# SPDX-License-Identifier: Apache-2.0
"""others_player.py CPU WHAT [HOW [FILE]]: a player (player.h) in Python, of a runtime other than ONNX Runtime. It makes
N inferences, on one thread.

WHAT: operators (PyTorch: 100 tiny ones in a module), modules (PyTorch: 100 calls of a module that does nothing in
another), openvino (100 tiny nodes), litert (the model FILE).
HOW: own (under the runtime's own profiler; of modules: hooks that do nothing), door (of operators: an observer that
does nothing, from the library FILE)."""

import ctypes
import os
import statistics
import sys
import time

N = 100


def play(infer, turn=None):
    """turn: a context around each turn."""
    print("ready", flush=True)
    for line in sys.stdin:
        n = int(line.split()[0])
        with turn() if turn else open(os.devnull):
            for _ in range(n // 10 + 1):
                infer()
            times = []
            for _ in range(n):
                begin = time.perf_counter_ns()
                infer()
                times.append(time.perf_counter_ns() - begin)
        print(statistics.median(times), statistics.fmean(times), flush=True)


def torch_profiler():
    import torch

    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


def open_door(path):
    """PyTorch's library is loaded already, and the loader knows it by its path."""
    with open("/proc/self/maps") as maps:
        library = next(line.split()[-1] for line in maps if "/libtorch_cpu.so" in line)
    add = ctypes.CDLL(library)._ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE
    ctypes.CDLL(path).torch_door_open(ctypes.cast(add, ctypes.c_void_p))


def operators(how=None, path=None):
    import torch

    class Chain(torch.nn.Module):
        def forward(self, x):
            for _ in range(N):
                torch.relu_(x)
            return x

    torch.set_num_threads(1)
    model, x = Chain(), torch.ones(4)
    if how == "door":
        open_door(path)
    with torch.inference_mode():
        play(lambda: model(x), torch_profiler if how == "own" else None)


def modules(how=None):
    import torch

    class Inner(torch.nn.Module):
        def forward(self, x):
            return x

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            inner = self.inner
            for _ in range(N):
                inner(x)
            return x

    if how == "own":
        torch.nn.modules.module.register_module_forward_pre_hook(lambda module, given: None)
        torch.nn.modules.module.register_module_forward_hook(lambda module, given, result: None)
    model, x = Outer(), torch.ones(4)
    with torch.inference_mode():
        play(lambda: model(x))


def openvino(how=None):
    import numpy as np
    import openvino as ov
    from openvino import opset8

    given = opset8.parameter([1, 8], np.float32, name="x")
    node = given
    for _ in range(N):
        node = opset8.softmax(node, 1)
    options = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERF_COUNT": how == "own"}
    request = ov.Core().compile_model(ov.Model([node], [given], "chain"), "CPU", options).create_infer_request()
    request.set_input_tensor(ov.Tensor(np.ones((1, 8), np.float32)))
    play(request.infer)


def litert(path):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kind = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(path, num_threads=1, experimental_op_resolver_type=kind)
    interpreter.allocate_tensors()
    play(interpreter.invoke)


def pin(cpu):
    """With high priority if that is allowed, as player_pin does."""
    os.sched_setaffinity(0, {cpu})
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except PermissionError:
        pass


if __name__ == "__main__":
    pin(int(sys.argv[1]))
    {"operators": operators, "modules": modules, "openvino": openvino, "litert": litert}[sys.argv[2]](*sys.argv[3:])
