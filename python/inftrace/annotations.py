# SPDX-License-Identifier: Apache-2.0
"""Slices, instants, counters and flows of a program, recorded beside what inftrace sees by itself.

Without a recorder, and without libinftrace, each of them does nothing and raises nothing.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Type, TypeVar

from .library import NameOpts, library
from .program import Error

KINDS = {
    "user": 0,
    "provider_ready": 1,
    "session": 2,
    "load": 3,
    "specialize": 4,
    "setup": 5,
    "inference": 6,
    "operator": 7,
    "kernel": 8,
    "stage": 9,
}

_Function = TypeVar("_Function", bound=Callable[..., Any])
# name, kind, category, model, function, provider, type, unit
_Key = Tuple[
    Optional[str], str, Optional[str], Optional[str], Optional[str], Optional[str], Optional[str], Optional[str]
]

_names: Dict[_Key, int] = {}
# The word of the library that says whether it is recorded. Before the library is loaded: a word that is not 0, so that
# the first annotation goes the slow way and loads it. A quick way without a further test matters: it is taken often.
_on: Sequence[int] = (1,)
_quick: Optional[Any] = None


def _set_up() -> None:
    """Loads the library; without it, annotations are off for good."""
    global _on, _quick, _begin, _end
    try:
        _quick = library().quick
    except Error:
        _on = (0,)
        return
    _begin, _end = _quick.inftrace_begin_on, _quick.inftrace_end_on
    _on = memoryview(ctypes.c_uint32.in_dll(_quick, "inftrace_on")).cast("B").cast("I")


def _begin(name: int) -> None:
    """Of the first slice, whose name has just loaded the library; from then on the library's own function."""
    if _on[0]:
        _begin(name)


def _end(message: Optional[bytes]) -> None:
    """Before the library is loaded no slice is open."""


def is_on() -> bool:
    """Whether annotations are recorded now: for those that are dear to make."""
    if type(_on) is tuple and _on[0]:
        _set_up()
    return _on[0] != 0


def _bytes(text: Optional[str]) -> Optional[bytes]:
    # of anything: an annotation raises nothing, least of all only while it is recorded
    return None if text is None else str(text).encode("utf-8", "replace")


def _name(key: _Key) -> int:
    """The library's name with these texts; 0 if it has too many, or is not here."""
    known = _names.get(key)
    if known is not None:
        return known
    if not is_on() or _quick is None:
        return 0
    name, kind, category, model, function, provider, of_type, unit = key
    opts = NameOpts(
        size=ctypes.sizeof(NameOpts),
        name=_bytes(name),
        kind=KINDS[kind],
        category=_bytes(category),
        model=_bytes(model),
        function=_bytes(function),
        provider=_bytes(provider),
        type=_bytes(of_type),
        unit=_bytes(unit),
    )
    made = int(_quick.inftrace_intern_with(ctypes.byref(opts)) or 0)
    if made:
        _names[key] = made
    return made


def _told(error: BaseException) -> bytes:
    try:
        text = "%s: %s" % (type(error).__name__, error)
    except Exception:  # of the program's own __str__
        text = type(error).__name__
    return text.encode("utf-8", "replace")


class slice:
    """A slice of this thread, around a block (``with inftrace.slice("preprocess"):``) or as a decorator of a function.

    kind: "user", or "session", "load", "specialize", "setup", "inference", "operator", "kernel", "stage",
    "provider_ready" for a runtime that inftrace does not see by itself; these have a model, and may have a function,
    a provider and, of operators, a type. An exception that leaves the block makes the slice a failed one.
    """

    __slots__ = ("_key",)

    def __init__(
        self,
        name: Optional[str] = None,
        *,
        kind: str = "user",
        category: Optional[str] = None,
        model: Optional[str] = None,
        function: Optional[str] = None,
        provider: Optional[str] = None,
        type: Optional[str] = None,
    ) -> None:
        if kind not in KINDS:
            raise ValueError("there is no kind %r: it is one of %s" % (kind, ", ".join(KINDS)))
        if name is None and model is None:
            raise TypeError("a slice needs a name or a model")
        self._key: _Key = (name, kind, category, model, function, provider, type, None)

    def __enter__(self) -> None:
        if _on[0]:
            _begin(_names.get(self._key) or _name(self._key))

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if _on[0]:
            _end(None if error is None else _told(error))

    def __call__(self, function: _Function) -> _Function:
        if (
            inspect.iscoroutinefunction(function)
            or inspect.isgeneratorfunction(function)
            or inspect.isasyncgenfunction(function)
        ):
            raise TypeError("a slice cannot decorate %s: it would contain what others do meanwhile" % function)

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return within  # type: ignore[return-value]


def instant(name: str, category: Optional[str] = None) -> None:
    """Something happens at this moment, on this thread."""
    if _on[0] and is_on() and _quick:
        _quick.inftrace_instant_on(_name((name, "user", category, None, None, None, None, None)))


def counter(name: str, value: float, unit: Optional[str] = None) -> None:
    """A counter of the process has this value from now on. unit: "bytes", "%", "count" ..."""
    if _on[0] and is_on() and _quick:
        _quick.inftrace_counter_on(_name((name, "user", None, None, None, None, None, unit)), value)


def flow(id: int) -> None:
    """Ties moments on any threads: an arrow leads from here to the next moment that has the same id."""
    if _on[0] and is_on() and _quick:
        _quick.inftrace_flow_on(id & 0xFFFFFFFFFFFFFFFF, 0)


def flow_end(id: int) -> None:
    """The same for the last moment of a flow: the id may be used for another one from now on."""
    if _on[0] and is_on() and _quick:
        _quick.inftrace_flow_on(id & 0xFFFFFFFFFFFFFFFF, 1)


def tokens(sequence: int, n_tokens: int, position: Optional[int] = None, results: int = 1) -> None:
    """Tokens of a request go into the innermost inference that this thread has begun (``slice(kind="inference")``), else
    into the next one of a runtime on this thread. For decoders whose tokens inftrace does not find by itself.

    sequence: a number of the request; position: how many tokens of it the cache has already, None: all that went in
    before; results: of how many the output is asked for: 0 for a part of the prompt behind which another part follows.
    A generation begins at position 0, or with a number that is new.
    """
    if _on[0] and is_on() and _quick and library().has_tokens:
        place = -1 if position is None else position
        _quick.inftrace_tokens_on(sequence & 0xFFFFFFFF, place, max(n_tokens, 0), max(results, 0))
