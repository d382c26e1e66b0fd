# SPDX-License-Identifier: Apache-2.0
"""Runs a model with llama.cpp's libraries, which it opens itself: llamaprogram.py HOW FOLDER MODEL [options]. Prints a
digest of the last batch's logits, and the numbers of tokens of its batches."""

import _ctypes
import argparse
import ctypes
import glob
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time

WORDS = 320


class Parameters(ctypes.Structure):
    """Larger than those of any version."""

    _fields_ = [("bytes", ctypes.c_ubyte * 304)]


class Batch(ctypes.Structure):
    _fields_ = [("n_tokens", ctypes.c_int32), ("rest", ctypes.c_void_p * 11)]


class Llama:
    def __init__(self, folder, graphs=None, nodes=None):
        def one(name):
            found = [path for path in sorted(glob.glob(os.path.join(folder, name)), key=len)]
            return ctypes.CDLL(found[0], ctypes.RTLD_GLOBAL) if found else None

        if graphs:  # before the library whose function it stands in for
            graphs = ctypes.CDLL(graphs, ctypes.RTLD_GLOBAL)
        self.base = one("libggml-base.so*")
        self.ggml = one("libggml.*so*")
        self.library = one("libllama.*so*")
        if self.base and glob.glob(os.path.join(folder, "libggml-cpu-*.so")):
            self.ggml.ggml_backend_load_all_from_path(folder.encode())
        if graphs:
            graphs.graphs_start.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 5
            names = ("backend_sched_graph_compute_async", "graph_n_nodes", "graph_node", "op_desc", "get_name")
            base = [ctypes.cast(getattr(self.base, "ggml_" + name), ctypes.c_void_p) for name in names]
            graphs.graphs_start(nodes.encode(), *base)
        self.keep = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        self.library.llama_log_set(self.keep, None)
        self.load = self.find("llama_model_load_from_file", "llama_load_model_from_file")
        self.create = self.find("llama_init_from_model", "llama_new_context_with_model")
        self.clear = self.find("llama_memory_clear", "llama_kv_self_clear", "llama_kv_cache_clear")
        for name in ("llama_model_default_params", "llama_context_default_params"):
            getattr(self.library, name).restype = Parameters
        for function in (self.load, self.create):
            function.restype = ctypes.c_void_p
        self.load.argtypes = [ctypes.c_char_p, Parameters]
        self.create.argtypes = [ctypes.c_void_p, Parameters]
        self.library.llama_batch_get_one.restype = Batch
        self.library.llama_batch_get_one.argtypes = [ctypes.c_void_p] + [ctypes.c_int32] * 3
        self.library.llama_decode.argtypes = [ctypes.c_void_p, Batch]
        self.library.llama_set_n_threads.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32]
        self.library.llama_get_logits.argtypes = [ctypes.c_void_p]
        self.library.llama_get_logits.restype = ctypes.POINTER(ctypes.c_float)
        self.library.llama_free.argtypes = [ctypes.c_void_p]

    def find(self, *names):
        return next(getattr(self.library, name) for name in names if hasattr(self.library, name))

    def model(self, path):
        return self.load(path.encode(), self.library.llama_model_default_params())

    def context(self, model, threads):
        context = self.create(model, self.library.llama_context_default_params())
        if context:
            self.library.llama_set_n_threads(context, threads, threads)
        return context

    def forget(self, context):
        memory = getattr(self.library, "llama_get_memory", None)
        if self.clear.__name__ == "llama_memory_clear":
            memory.restype = ctypes.c_void_p
            memory.argtypes = [ctypes.c_void_p]
            self.clear.argtypes = [ctypes.c_void_p, ctypes.c_bool]
            self.clear(memory(context), True)
        else:
            self.clear.argtypes = [ctypes.c_void_p]
            self.clear(context)

    def decode(self, context, n, at):
        tokens = (ctypes.c_int32 * n)(*(3 + (at + i) % 250 for i in range(n)))
        return self.library.llama_decode(context, self.library.llama_batch_get_one(tokens, n, at, 0))

    def generate(self, context, prompt, n):
        """A prompt, then one token after another. Returns the digest of the logits."""
        self.forget(context)
        codes = [self.decode(context, prompt, 0)] + [self.decode(context, 1, prompt + i) for i in range(n)]
        assert not any(codes), codes
        logits = self.library.llama_get_logits(context)
        return hashlib.sha1(ctypes.string_at(logits, 4 * WORDS)).hexdigest()


def open_twin(name):
    """A copy of a library, which calls the functions of the first one."""
    with open("/proc/self/maps") as maps:
        path = re.search(r"/\S*/" + name + r"\S*", maps.read())[0]
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(os.path.dirname(path)):
            os.symlink(os.path.join(os.path.dirname(path), name), os.path.join(folder, name))
        copy = os.path.join(folder, os.path.basename(path))
        os.unlink(copy)
        shutil.copy(path, copy)
        return ctypes.CDLL(copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=["infer", "two", "twins", "threads", "fork", "fails", "serve", "time"])
    parser.add_argument("folder")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=8)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ready")
    parser.add_argument("--graphs")
    parser.add_argument("--nodes")
    args = parser.parse_args()
    llama = Llama(args.folder, args.graphs, args.nodes)
    model = llama.model(args.model)
    if args.how == "fails":
        print("loaded", bool(llama.model(args.model + ".none")))
    context = llama.context(model, args.threads)
    if args.how in ("infer", "fails"):
        print("digest", llama.generate(context, args.prompt, args.runs))
        if args.how == "fails":
            print("codes", llama.decode(context, 0, 0), [llama.decode(context, 200, 13 + 200 * i) for i in range(3)])
        llama.library.llama_free(context)
    elif args.how == "two":
        other = llama.context(model, args.threads)
        print("digest", llama.generate(context, args.prompt, args.runs), llama.generate(other, 3, args.runs))
    elif args.how == "twins":
        digests = [llama.generate(context, args.prompt, args.runs)]
        twin = open_twin("libggml-cpu")
        digests.append(llama.generate(context, args.prompt, args.runs))
        _ctypes.dlclose(twin._handle)
        open_twin(os.path.basename(llama.library._name))
        print("digest", *digests, llama.generate(context, args.prompt, args.runs))
    elif args.how == "threads":
        results = [None] * 4

        def work(number):
            own = llama.context(model, args.threads)
            results[number] = llama.generate(own, args.prompt, args.runs)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print("digest", *results)
    elif args.how == "fork":
        llama.generate(context, args.prompt, 1)
        child = os.fork()
        digest = llama.generate(llama.context(model, 1), args.prompt, args.runs)
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
        print("digest", digest)
    elif args.how == "serve":
        first = llama.generate(context, args.prompt, args.runs)
        differ = 0
        print("ready", flush=True)
        while not sys.stdin.closed and not os.path.exists(args.ready or "/nonexistent"):
            differ += llama.generate(context, args.prompt, args.runs) != first
            time.sleep(0.01)
        print("differ", differ)
    else:
        best = []
        for _ in range(args.runs):
            llama.forget(context)
            llama.decode(context, 1, 0)
            start = time.perf_counter()
            for i in range(48):
                llama.decode(context, 1, 1 + i)
            best.append((time.perf_counter() - start) / 48)
        print("us %.2f" % (min(best) * 1e6))


if __name__ == "__main__":
    main()
