# SPDX-License-Identifier: Apache-2.0
"""two_copies.py MODEL LIBRARY: runs the wheel's runtime and a second one, opened by ctypes, in turns."""

import ctypes

import numpy as np

import ortprogram

CREATE_ENV, CREATE_SESSION, RUN, CREATE_OPTIONS, SEVERITY, THREADS = 3, 7, 9, 10, 22, 24
TENSOR, DATA, MEMORY, RELEASE_ENV, RELEASE_SESSION = 49, 51, 69, 92, 95

args = ortprogram.arguments("model", "library")
feeds = ortprogram.feeds(args.model)


class Base(ctypes.Structure):
    _fields_ = [("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)), ("version", ctypes.c_void_p)]


class Copy:
    """One model in the second runtime."""

    def __init__(self, path, model):
        library = ctypes.CDLL(path)
        library.OrtGetApiBase.restype = ctypes.POINTER(Base)
        self.table = ctypes.cast(library.OrtGetApiBase().contents.get_api(1), ctypes.POINTER(ctypes.c_void_p))
        self.env, options, self.session, self.memory = (ctypes.c_void_p() for _ in range(4))
        self.call(CREATE_ENV, 4, b"copy", ctypes.byref(self.env))
        self.call(CREATE_OPTIONS, ctypes.byref(options))
        self.call(SEVERITY, options, 4)
        self.call(THREADS, options, 1)
        self.call(CREATE_SESSION, self.env, model.encode(), options, ctypes.byref(self.session))
        self.call(MEMORY, 0, 0, ctypes.byref(self.memory))

    def call(self, slot, *arguments):
        if ctypes.CFUNCTYPE(ctypes.c_void_p)(self.table[slot])(*arguments):
            raise RuntimeError("slot %d failed" % slot)

    def run(self, x):
        x = np.ascontiguousarray(x)
        shape = (ctypes.c_int64 * x.ndim)(*x.shape)
        value, output, data = (ctypes.c_void_p() for _ in range(3))
        self.call(
            TENSOR,
            self.memory,
            x.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(x.nbytes),
            shape,
            ctypes.c_size_t(x.ndim),
            1,
            ctypes.byref(value),
        )
        names, outputs = (ctypes.c_char_p * 1)(b"x"), (ctypes.c_char_p * 1)(b"y")
        values = (ctypes.c_void_p * 1)(value)
        self.call(
            RUN,
            self.session,
            None,
            names,
            values,
            ctypes.c_size_t(1),
            outputs,
            ctypes.c_size_t(1),
            ctypes.byref(output),
        )
        self.call(DATA, output, ctypes.byref(data))
        return np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), x.shape).copy()


first, second = ortprogram.session(args.model), Copy(args.library, args.model)
for _ in range(args.runs):
    print(ortprogram.checksum(first.run(None, feeds)), ortprogram.checksum([second.run(feeds["x"])]))
