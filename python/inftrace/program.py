# SPDX-License-Identifier: Apache-2.0
"""The program inftrace: where it is, and how it is run."""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.metadata
import os
import platform
import shutil
import subprocess
import tempfile
from typing import IO, Iterator, List, Optional, Sequence, Union

Path = Union[str, "os.PathLike[str]"]
Option = Union[None, bool, int, float, str, Sequence[str]]


class Error(Exception):
    """What inftrace says when it fails; status is its exit status (2: the arguments make no sense, 3: it failed).

    errno: of a handle, what the library returned."""

    def __init__(self, message: str, status: Optional[int] = None, errno: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status
        self.errno = errno


def _is_this_package(path: str) -> bool:
    """Whether the file is the script that this package installs, which would call itself."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


@functools.lru_cache(maxsize=None)
def _of_this_package() -> Optional[str]:
    """The program that this package's wheel has put beside the interpreter; None: it was built without one."""
    here = os.path.realpath(__file__)
    for distribution in importlib.metadata.distributions(name="inftrace"):
        files = distribution.files or []
        if any(os.path.realpath(str(file.locate())) == here for file in files if file.name == "program.py"):
            for file in files:
                path = os.path.abspath(str(file.locate()))
                if file.name == "inftrace" and os.access(path, os.X_OK) and not _is_this_package(path):
                    return path
    return None


def program() -> str:
    """The path of the program: $INFTRACE_PROGRAM, the one that came with this package, or the first on PATH."""
    named = os.environ.get("INFTRACE_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise Error("cannot run %s, which INFTRACE_PROGRAM names: it is no program" % named)
        return os.path.abspath(named)
    ours = _of_this_package()
    if ours:
        return ours
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which("inftrace", path=folder or os.curdir)
        if found and not _is_this_package(found):
            return os.path.abspath(found)
    raise Error(
        "the program inftrace is not installed: build it, and put it on PATH or name it by the environment variable "
        "INFTRACE_PROGRAM"
    )


@contextlib.contextmanager
def starting(path: str) -> Iterator[None]:
    """Around what starts the program: says why the system cannot."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, path) or error.errno not in (errno.ENOEXEC, errno.ENOENT):
            raise
        reason = "it is for another processor, and this machine is %s" % platform.machine()
        if error.errno == errno.ENOENT and os.path.exists(path):
            reason = "this system has no glibc, or one for another processor"
        elif error.errno == errno.ENOENT:
            reason = "it is not there any more"
        raise Error("cannot run %s: %s; install inftrace again" % (path, reason), 3) from None


def options(given: "dict[str, Option]") -> List[str]:
    """max_size="1G", force=True, ep=["cpu", "openvino"] as --max-size=1G --force --ep=cpu,openvino."""
    words = []
    for name, value in given.items():
        word = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(word)
        elif value is not None and value is not False:
            text = str(value) if isinstance(value, (str, int, float)) else ",".join(map(str, value))
            words.append("%s=%s" % (word, text))
    return words


def seconds(value: Union[None, float, str]) -> Optional[str]:
    """A duration for the command line: a number is in seconds, a text is as inftrace reads it ("250ms")."""
    return value if value is None or isinstance(value, str) else "%dns" % round(value * 1e9)


def failure(said: str, status: int) -> Error:
    lines = [line for line in said.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("inftrace: ")]
    text = (ours or lines or ["inftrace ended with status %d" % status])[0 if status == 2 else -1]
    return Error(text[len("inftrace: ") :] if text.startswith("inftrace: ") else text, status)


@contextlib.contextmanager
def reading(words: Sequence[str], allowed: Sequence[int] = (0,)) -> Iterator[IO[bytes]]:
    """Runs inftrace; gives what it writes. Whoever stops reading before the end ends it."""
    with tempfile.TemporaryFile() as said:
        path = program()
        with starting(path):
            child = subprocess.Popen([path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
        with child:
            assert child.stdout
            wrong = None
            try:
                yield child.stdout
            except Exception as error:  # of an answer that was cut short: what inftrace says is the reason
                wrong = error
            finally:
                child.stdout.close()
        said.seek(0)
        if child.returncode not in allowed and (wrong or child.returncode > 0):
            raise failure(said.read().decode(errors="replace"), child.returncode) from wrong
        if wrong:
            raise wrong


def output(words: Sequence[str], allowed: Sequence[int] = (0,)) -> bytes:
    """Runs inftrace; all that it writes."""
    with reading(words, allowed) as out:
        return out.read()
