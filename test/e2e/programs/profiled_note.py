# SPDX-License-Identifier: Apache-2.0
"""profiled_note.py MODEL LIBRARY: runs a model under a stream of libinftrace, and prints the note of its report, and
what the stop has to say."""

import ctypes
import sys

import ortprogram

model, library = sys.argv[1:]


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
        ("session", ctypes.c_void_p),
        ("n_lost", ctypes.c_uint64),
        ("note", ctypes.c_char_p),
    ]


CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Report))


class Stream(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("rate_ms", ctypes.c_uint32),
        ("every", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("report", CALL),
        ("ctx", ctypes.c_void_p),
        ("models", ctypes.c_char_p),
    ]


last = {}


def report(ctx, given):
    last.update(samples=given[0].n_samples, note=(given[0].note or b"no note").decode())


def check(code):
    assert code == 0, inftrace.inftrace_profile_message()


inftrace = ctypes.CDLL(library)
inftrace.inftrace_profile_message.restype = ctypes.c_char_p
stream = ctypes.c_void_p()
opts = Stream(ctypes.sizeof(Stream), 3600000, 1, 0, 0, CALL(report), None, None)
check(inftrace.inftrace_profile_stream(ctypes.byref(opts), ctypes.byref(stream)))
check(inftrace.inftrace_profile_add(stream, b"chain"))
session, feeds = ortprogram.session(model), ortprogram.feeds(model)
check(inftrace.inftrace_profile_start(stream))
session.run(None, feeds)
check(inftrace.inftrace_profile_stop(stream))
said = inftrace.inftrace_profile_message().decode()
check(inftrace.inftrace_profile_flush(stream))
inftrace.inftrace_profile_close(stream)
print("%(samples)d samples, %(note)s" % last)
print("stop: %s" % said)
