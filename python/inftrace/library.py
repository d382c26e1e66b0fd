# SPDX-License-Identifier: Apache-2.0
"""libinftrace in this process: where it is, its functions and structs, by ctypes. Calls nothing of it by itself."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from typing import Iterator, Optional

from .program import Error, program

NAME = "libinftrace.so.0"
_MAJOR = b"0."


class NameOpts(ctypes.Structure):
    """struct inftrace_name_opts"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("category", ctypes.c_char_p),
        ("model", ctypes.c_char_p),
        ("function", ctypes.c_char_p),
        ("provider", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
    ]


class ReportStruct(ctypes.Structure):
    """struct inftrace_report"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("text", ctypes.c_void_p),
        ("text_len", ctypes.c_size_t),
        ("type", ctypes.c_uint32),
        ("n_samples", ctypes.c_uint32),
        ("from_ns", ctypes.c_uint64),
        ("to_ns", ctypes.c_uint64),
        ("session", ctypes.c_void_p),  # from here on only if size says so
        ("n_lost", ctypes.c_uint64),
        ("note", ctypes.c_char_p),
    ]


ReportFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ReportStruct))


class SamplesOpts(ctypes.Structure):
    """struct inftrace_samples_opts"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("n_samples", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("report", ReportFunction),
        ("ctx", ctypes.c_void_p),
        ("session", ctypes.c_void_p),
    ]


class StreamOpts(ctypes.Structure):
    """struct inftrace_stream_opts"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("rate_ms", ctypes.c_uint32),
        ("every", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("report", ReportFunction),
        ("ctx", ctypes.c_void_p),
        ("models", ctypes.c_char_p),
    ]


class ProgramStruct(ctypes.Structure):
    """struct inftrace_program"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("session", ctypes.c_void_p),
        ("number", ctypes.c_uint32),
        ("n_inferences", ctypes.c_uint32),
    ]


ProgramFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ProgramStruct))


class Library:
    """The library, twice: quick functions keep the interpreter's lock, which costs less; those that wait release it."""

    def __init__(self, path: str, mode: int) -> None:
        self.waiting = ctypes.CDLL(path, mode)
        self.quick = ctypes.PyDLL(path, mode)
        self.path = path
        version = self.quick.inftrace_version
        version.restype = ctypes.c_char_p
        self.version: bytes = version()
        self.quick.inftrace_intern_with.restype = ctypes.c_void_p
        self.quick.inftrace_counter_on.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self.quick.inftrace_flow_on.argtypes = [ctypes.c_uint64, ctypes.c_int]
        self.has_tokens = hasattr(self.quick, "inftrace_tokens_on")
        if self.has_tokens:
            self.quick.inftrace_tokens_on.argtypes = [ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint32]
        for name in ("begin_on", "instant_on"):
            getattr(self.quick, "inftrace_" + name).argtypes = [ctypes.c_void_p]
        self.quick.inftrace_end_on.argtypes = [ctypes.c_char_p]
        self.has_patterns = hasattr(self.quick, "inftrace_profile_message")
        if self.has_patterns:
            self.quick.inftrace_profile_message.restype = ctypes.c_char_p

    def message(self) -> str:
        """Why the last function of handles that this thread called did not work; "" if the library does not say."""
        return (self.quick.inftrace_profile_message() or b"").decode(errors="replace") if self.has_patterns else ""


def _places() -> Iterator[str]:
    """Beside the program: in a build folder, in an installation."""
    named = os.environ.get("INFTRACE_LIBRARY")
    if named:
        yield named
        return
    try:
        folder = os.path.dirname(os.path.realpath(program()))
    except Error:
        folder = ""
    if folder:
        above = os.path.dirname(folder)
        machine = getattr(sys.implementation, "_multiarch", "")
        for place in (folder, os.path.join(above, "lib"), os.path.join(above, "lib", machine)):
            path = os.path.join(place, NAME)
            if os.path.exists(path):
                yield path
    yield NAME


def _load() -> Library:
    if not sys.platform.startswith("linux"):
        raise Error("libinftrace is for Linux")
    try:  # the one that the program has loaded already, from wherever: there must be only one
        return Library(NAME, os.RTLD_NOW | os.RTLD_NOLOAD)
    except (OSError, AttributeError):
        pass
    reason = ""
    for place in _places():
        try:
            return Library(place, os.RTLD_NOW)
        except (OSError, AttributeError) as error:
            reason = reason or str(error)
    raise Error(
        "cannot load libinftrace, the library of inftrace: %s; install inftrace, or name the library by the "
        "environment variable INFTRACE_LIBRARY" % reason
    )


_lock = threading.Lock()
os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.Lock()))
_found: "Optional[Library]" = None
_why: Optional[str] = None


def library() -> Library:
    """The library, loaded at the first call. Error: it is not here, or of another version."""
    global _found, _why
    with _lock:
        if _found is None and _why is None:
            try:
                found = _load()
                if not found.version.startswith(_MAJOR):
                    raise Error("%s has version %s; this package needs 0" % (found.path, found.version.decode()))
                _found = found
            except Error as error:
                _why = str(error)
        if _found is None:
            raise Error(_why or "")
        return _found
