# SPDX-License-Identifier: Apache-2.0
"""profiled.py MODEL LIBRARY NAME RUNS: runs a model RUNS times, and prints how many samples handles of libinftrace
report of it: one of 5 samples, and a stream. Calls the library by ctypes."""

import ctypes
import sys

import ortprogram

model, library, name, runs = sys.argv[1:]


class Report(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("text_len", ctypes.c_size_t),
        ("type", ctypes.c_uint32),
        ("n_samples", ctypes.c_uint32),
        ("from_ns", ctypes.c_uint64),
        ("to_ns", ctypes.c_uint64),
    ]


CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Report))


class Samples(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("n_samples", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("report", CALL),
        ("ctx", ctypes.c_void_p),
    ]


class Stream(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("rate_ms", ctypes.c_uint32),
        ("every", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("report", CALL),
        ("ctx", ctypes.c_void_p),
    ]


def check(code):
    assert code == 0, code


inftrace = ctypes.CDLL(library)
counts = {"samples": [], "stream": []}
calls = {kind: CALL(lambda ctx, report, kind=kind: counts[kind].append(report[0].n_samples)) for kind in counts}
handle, stream = ctypes.c_void_p(), ctypes.c_void_p()
opts = Samples(ctypes.sizeof(Samples), name.encode(), 5, 0, calls["samples"])
check(inftrace.inftrace_profile_samples(ctypes.byref(opts), ctypes.byref(handle)))
opts = Stream(ctypes.sizeof(Stream), 20, 1, 1, 0, calls["stream"])
check(inftrace.inftrace_profile_stream(ctypes.byref(opts), ctypes.byref(stream)))
check(inftrace.inftrace_profile_add(stream, name.encode()))

feeds = ortprogram.feeds(model)
session = ortprogram.session(model)
session.run(None, feeds)
check(inftrace.inftrace_profile_start(handle))
check(inftrace.inftrace_profile_start(stream))
for _ in range(int(runs)):
    session.run(None, feeds)
check(inftrace.inftrace_profile_stop(stream))
for one in (handle, stream):
    check(inftrace.inftrace_profile_flush(one))
    inftrace.inftrace_profile_close(one)
print("samples", counts["samples"], "stream", sum(counts["stream"]))
