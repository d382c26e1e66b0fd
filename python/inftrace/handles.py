# SPDX-License-Identifier: Apache-2.0
"""Profiling handles: a program gets reports on its own inferences, while they happen and without a recorder.

The library calls back on a thread of its own, one call at a time. Functions that wait release the interpreter's lock.
"""

from __future__ import annotations

import atexit
import collections
import ctypes
import errno
import os
import re
import threading
import weakref
from types import TracebackType
from typing import Any, Callable, Deque, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Type, Union

from .latency import TYPES, Report
from .library import Library, ProgramFunction, ReportFunction, ReportStruct, SamplesOpts, StreamOpts, library
from .program import Error
from .session_name import names_of
from .session_pointer import pointer_of

Callback = Callable[[Report], object]
_KEPT = 1000  # reports of a stream that nobody has taken yet

_REASONS = {
    errno.EINVAL: "the library rejects the arguments",
    errno.EBUSY: "the recorder that started the program has ended, or attach --inject records this child of fork, "
    "or the handle is running already",
    errno.EAGAIN: "operators are not recorded: open the handle of traces before the others are started, or stop them",
    errno.ENOENT: "the agent libinftrace-agent.so is not beside the library, or the stream has no such model",
    errno.EALREADY: "the handle is not running, or the stream has this model",
    errno.EDEADLK: "a callback cannot wait for callbacks",
    errno.ECHILD: "a child of fork cannot use the handles of its parent; start the program by spawn",
    errno.EPERM: "INFTRACE_DISABLE is set, or the program is setuid or has capabilities of its file",
    errno.EIO: "the agent does not work in this process",
    errno.ENOMEM: "out of memory",
}


def _check(of: Library, code: int, what: str, *ignored: int) -> None:
    if code < 0 and -code not in ignored:
        reason = of.message() or _REASONS.get(-code) or os.strerror(-code)
        raise Error("cannot %s: %s" % (what, reason), errno=-code)


def _milliseconds(time: Union[float, str]) -> int:
    """0.5, "500ms" and "0.5s" as 500."""
    if isinstance(time, str):
        parts = re.fullmatch(r"\s*([0-9.]+)\s*(ms|s|m|h)\s*", time)
        if not parts:
            raise ValueError("rate is seconds, or a text such as '500ms': %r" % time)
        time = float(parts[1]) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[parts[2]]
    if not 0.001 <= time < 2**32 / 1000:
        raise ValueError("rate is at least 0.001 seconds: %r" % time)
    return round(time * 1000)


def _type_number(of_type: str) -> int:
    if of_type not in TYPES:
        raise ValueError("there is no type of reports %r: it is one of %s" % (of_type, ", ".join(TYPES)))
    return TYPES.index(of_type)


# Handles by the number that the library hands back. What has started is kept until it is stopped, even if the program
# drops it; else a number whose handle is gone belongs to nobody.
_handles: "weakref.WeakValueDictionary[int, _Handle]" = weakref.WeakValueDictionary()
_started: "Set[_Handle]" = set()
_last_number = 0
_is_over = False


def _deliver(number: Optional[int], struct: Any) -> None:
    """On the library's thread. ctypes hands an exception to sys.unraisablehook, which prints it; nothing else stops."""
    handle = _handles.get(number or 0)
    if handle is not None:
        try:
            handle._take(_copy(struct[0]))
        except BaseException as error:
            handle.error = error
            raise


def _copy(struct: ReportStruct) -> Report:
    return Report(
        struct.model.decode(errors="replace"),
        TYPES[struct.type],
        struct.n_samples,
        ctypes.string_at(struct.text, struct.text_len).decode(errors="replace"),
        struct.from_ns,
        struct.to_ns,
        *((struct.n_lost, (struct.note or b"").decode(errors="replace")) if struct.size >= _WITH_LOSSES else ()),
    )


_WITH_LOSSES = ctypes.sizeof(ReportStruct)
_call = ReportFunction(_deliver)  # one for all handles: a handle may be gone before its callback returns


@atexit.register
def _close_all() -> None:
    """Before the interpreter ends: the library must not call into it any more."""
    global _is_over
    _is_over = True
    for handle in list(_started):
        handle.close()


class _Handle:
    """What both kinds have: handles of the library, one at least, and how they are started and stopped."""

    def __init__(self, callback: Optional[Callback]) -> None:
        global _last_number
        self._library: Library = library()
        self._callback = callback
        self._pointers: "List[ctypes.c_void_p]" = []
        #: what the callback raised last; it was printed
        self.error: Optional[BaseException] = None
        _last_number += 1
        self._number = _last_number
        _handles[self._number] = self
        self._free = weakref.finalize(self, _free, self._library, self._pointers)
        self._free.atexit = False

    def _open(self, function: str, opts: ctypes.Structure) -> None:
        pointer = ctypes.c_void_p()
        code = getattr(self._library.waiting, "inftrace_profile_" + function)(ctypes.byref(opts), ctypes.byref(pointer))
        _check(self._library, code, "make a handle")
        self._pointers.append(pointer)

    def _of_each(self, function: str, what: str, *ignored: int) -> None:
        for pointer in list(self._pointers):
            code = getattr(self._library.waiting, "inftrace_profile_" + function)(pointer)
            _check(self._library, code, what, *ignored)

    def _take(self, report: Report) -> None:
        raise NotImplementedError

    def _start(self) -> None:
        if _is_over:
            raise Error("cannot start the handle: the interpreter ends")
        if not self._pointers:
            raise Error("cannot start the handle: it is closed")
        if self in _started:
            raise Error("cannot start the handle: it is running already", errno=errno.EBUSY)
        if len(self._pointers) > 1:  # one has stopped by itself, the other names had no inferences
            self._of_each("stop", "stop the handle", errno.EALREADY)
        _started.add(self)
        try:
            self._of_each("start", "start the handle")
        except Error:
            self._of_each("stop", "stop the handle", errno.EALREADY)
            _started.discard(self)
            raise

    def stop(self) -> None:
        """All inferences that have ended before are in the last report, which is delivered before this returns.

        In a callback it is delivered afterwards."""
        self._of_each("stop", "stop the handle", errno.EALREADY)
        self.flush()
        _started.discard(self)

    def flush(self) -> None:
        """Waits until every report made so far is delivered. In a callback it does not wait."""
        self._of_each("flush", "flush the handle", errno.EDEADLK)

    def close(self) -> None:
        """Stops and frees it; reports that were not delivered are lost. It may be called twice."""
        _started.discard(self)
        self._free()

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        try:
            self.stop()
        finally:
            self.close()


def _free(of: Library, pointers: "List[ctypes.c_void_p]") -> None:
    while pointers:
        of.waiting.inftrace_profile_close(pointers.pop())


class Profile(_Handle):
    """A handle of samples: one report, after a number of inferences of one model.

    ``with inftrace.profile(session, samples=100) as report:`` starts and stops it; report is filled when the number is
    reached, or else when the block ends. Without ``with``: start(), stop() or wait(), close(). It may be started again.
    """

    def __init__(self, model: Any, samples: int, type: str, callback: Optional[Callback]) -> None:
        super().__init__(callback)
        number = _type_number(type)
        if not 0 < samples < 2**32:
            raise ValueError("samples is a number from 1 on: %r" % samples)
        #: what the handle has reported since it was started
        self.report = Report(type=type)
        self._delivered = threading.Event()
        self._calling = 0  # the thread of a callback that runs
        pointer = _pointer_of(self._library, model)
        names: List[Optional[str]] = [None] if pointer else [*names_of(model)]
        for name in names:
            opts = SamplesOpts(
                size=ctypes.sizeof(SamplesOpts),
                model=None if name is None else name.encode("utf-8", "replace"),
                n_samples=samples,
                type=number,
                report=_call,
                ctx=self._number,
                session=pointer,
            )
            self._open("samples", opts)

    def _take(self, report: Report) -> None:
        # a session may have two names, of which one gets the samples
        if report.samples <= self.report.samples:
            return
        self.report._become(report)
        _started.discard(self)
        try:
            if self._callback:
                self._calling = threading.get_ident()
                self._callback(self.report)
        finally:
            self._calling = 0
            self._delivered.set()

    def start(self) -> "Profile":
        """Inferences that begin from now on are in the report."""
        if self not in _started:
            self.report = Report(type=self.report.type)
            self._delivered.clear()
        self._start()
        return self

    def wait(self, timeout: Optional[float] = None) -> Report:
        """Waits until the number of samples is reached, or the handle is stopped, for at most timeout seconds.

        A callback has returned by then. The report is empty if neither has happened, or nothing was run."""
        if self._calling != threading.get_ident():
            self._delivered.wait(timeout)
        return self.report

    def stop(self) -> None:
        super().stop()
        self._delivered.set()

    def __enter__(self) -> Report:
        return self.start().report


class Stream(_Handle):
    """A stream: a report on each of its models at each multiple of its rate on the clock, also without inferences.

    Without a callback, iterating over it gives the reports as they come; it ends when the stream is stopped.
    """

    def __init__(
        self,
        models: Tuple[Any, ...],
        rate: Union[float, str],
        every: int,
        type: str,
        pattern: Optional[str],
        callback: Optional[Callback],
    ) -> None:
        super().__init__(callback)
        if not 0 < every < 2**32:
            raise ValueError("every is a number from 1 on: %r" % every)
        if pattern is not None and not self._library.has_patterns:
            raise Error("this libinftrace finds no models by a pattern: name them")
        opts = StreamOpts(
            size=ctypes.sizeof(StreamOpts),
            rate_ms=_milliseconds(rate),
            every=every,
            type=_type_number(type),
            report=_call,
            ctx=self._number,
            models=None if pattern is None else pattern.encode("utf-8", "replace"),
        )
        #: reports that were dropped because nobody took them
        self.dropped = 0
        self._reports: Deque[Report] = collections.deque(maxlen=_KEPT)
        self._news = threading.Condition()
        self._is_running = False
        self._active: Dict[str, str] = {}  # of a session with two names, each: the one that has inferences
        self._open("stream", opts)
        for model in models:
            self.add(model)

    def _is_of_other_name(self, report: Report) -> bool:
        """Of a session with two names, only one is reported."""
        active = self._active.get(report.model)
        if active is None or active == report.model:
            return False
        if not report:
            return True
        for name, known in self._active.items():
            if known == active:
                self._active[name] = report.model
        return False

    def _take(self, report: Report) -> None:
        if self._is_of_other_name(report):
            return
        if self._callback:
            self._callback(report)
            return
        with self._news:
            self.dropped += len(self._reports) == _KEPT
            self._reports.append(report)
            self._news.notify_all()

    def add(self, model: Any) -> None:
        """A model from now on: a name, or one session of onnxruntime. Also while it runs, and in a callback."""
        pointer = _pointer_of(self._library, model)
        if pointer:
            self._call_with("add_session", ctypes.c_void_p(pointer), "add the session")
            return
        names = names_of(model)
        if len(names) > 1:
            self._active.update((name, names[0]) for name in names)
        for name in names:
            self._call_with("add", name.encode("utf-8", "replace"), "add %s" % name)

    def remove(self, model: Any) -> None:
        """It gets a last report."""
        pointer = _pointer_of(self._library, model)
        if pointer:
            self._call_with("remove_session", ctypes.c_void_p(pointer), "remove the session")
            return
        for name in names_of(model):
            self._call_with("remove", name.encode("utf-8", "replace"), "remove %s" % name)

    def _call_with(self, function: str, program: Any, what: str) -> None:
        if not self._pointers:
            raise Error("cannot %s: the stream is closed" % what)
        call = getattr(self._library.waiting, "inftrace_profile_" + function)
        _check(self._library, call(self._pointers[0], program), what)

    def start(self) -> "Stream":
        """The first report comes at the next multiple of the rate."""
        self._start()
        self._is_running = True
        return self

    def stop(self) -> None:
        super().stop()
        self._end()

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self) -> None:
        with self._news:
            self._is_running = False
            self._news.notify_all()

    def __iter__(self) -> Iterator[Report]:
        if self._callback:
            raise TypeError("reports go to the callback of this stream: there is nothing to iterate over")
        while True:
            with self._news:
                while not self._reports and self._is_running:
                    self._news.wait()
                if not self._reports:
                    return
                report = self._reports.popleft()
            yield report

    def __enter__(self) -> "Stream":
        return self.start()


class Session(NamedTuple):
    """A living session that was seen since a handle is running, or a model that the program annotates itself."""

    model: str
    number: int  #: of the session, as recordings number them; 0: a model that the program annotates
    inferences: int  #: that were seen so far
    pointer: Optional[int] = None  #: the address of ONNX Runtime's session; None: it is not known


def _pointer_of(of: Library, model: Any) -> Optional[int]:
    """Of one session. None: a name, or an object whose session cannot be found; its name stands for it then."""
    if not of.has_patterns or isinstance(model, str):
        return None
    return model.pointer if isinstance(model, Session) else pointer_of(model)


def sessions() -> List[Session]:
    """What reports can be had of now, in the order in which they appeared; empty while no handle runs."""
    of, found = library(), []
    if not of.has_patterns:
        raise Error("this libinftrace lists no sessions: name the models")

    def take(_: Optional[int], program: Any) -> None:
        one = program[0]
        found.append(Session(one.model.decode(errors="replace"), one.number, one.n_inferences, one.session))

    _check(of, of.waiting.inftrace_profile_list(ProgramFunction(take), None), "list the sessions")
    return found


def profile(model: Any, samples: int = 100, *, type: str = "latency", callback: Optional[Callback] = None) -> Profile:
    """A handle that reports once, after a number of inferences of one model.

    model: a session of onnxruntime, one of ``sessions()``, or a name as ``inftrace report`` prints it, which stands for
    all sessions that have it. type: "latency", or "trace" with operators. callback: called with the report on a thread
    of the library.
    Error: libinftrace is not here, or the program is recorded by inftrace attach --inject.
    """
    return Profile(model, samples, type, callback)


def stream(
    *models: Any,
    rate: Union[float, str] = 1.0,
    every: int = 1,
    type: str = "latency",
    pattern: Optional[str] = None,
    callback: Optional[Callback] = None,
) -> Stream:
    """A handle that reports on each of its models at each multiple of its rate: seconds, or a text such as "500ms".

    models: sessions of onnxruntime or of ``sessions()``, or names. pattern: a regular expression of ECMAScript, which
    adds models by their names as they come. every: of each model every so-many-th inference is sampled.
    """
    return Stream(models, rate, every, type, pattern, callback)
