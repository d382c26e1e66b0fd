# SPDX-License-Identifier: Apache-2.0
"""The commands of inftrace as functions. Options are keywords: max_size="1G" is --max-size 1G."""

from __future__ import annotations

import builtins
import errno
import json
import os
import subprocess
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import program
from .program import Error, Option, Path, seconds
from .recording import Recording, keep, new_path

Time = Union[None, float, str]


def open(path: Path) -> Recording:
    """A recording, or another file that inftrace reads. It is read when something of it is asked for."""
    with builtins.open(path, "rb") as file:
        file.read(1)
    return Recording(path)


def record(
    command: Sequence[Path],
    output: Optional[Path] = None,
    *,
    level: Optional[str] = None,
    interval: Time = None,
    duration: Time = None,
    iterations: Optional[int] = None,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    check: bool = False,
    **options: Option,
) -> Recording:
    """Starts a program, records what its models do until it ends, and gives the recording.

    output: the file; by default a temporary one, which goes away with the object (Recording.save keeps it).
    level: "inference", "operator" (default) or "detail". Durations: seconds, or a text such as "250ms".
    check: raises subprocess.CalledProcessError if the program's exit status is not 0; else it is .exit_status.
    Error: nothing was recorded.
    """
    if isinstance(command, (str, bytes, os.PathLike)):
        raise TypeError("command is a list of words: ['python', 'app.py']")
    words = {"level": level, "interval": seconds(interval), "duration": seconds(duration), "iterations": iterations}
    return _recorded(["record"], {**words, **options}, output, [os.fspath(word) for word in command], cwd, env, check)


def attach(
    pid: Optional[int] = None,
    output: Optional[Path] = None,
    *,
    duration: Time = None,
    iterations: Optional[int] = None,
    level: Optional[str] = None,
    interval: Time = None,
    **options: Option,
) -> Recording:
    """Records a program that runs already: its pid, or name="app.py", or path="/usr/bin/app". Needs rights: see doctor.

    duration (seconds, or a text) or iterations says when it ends; the program goes on.
    """
    if duration is None and iterations is None:
        raise TypeError("say when to stop: duration=10 or iterations=100")
    words = {"level": level, "interval": seconds(interval), "duration": seconds(duration), "iterations": iterations}
    return _recorded(["attach"], {**words, **options}, output, [] if pid is None else [str(pid)], None, None, False)


def _recorded(
    command: Sequence[str],
    options: "dict[str, Option]",
    output: Optional[Path],
    target: Sequence[str],
    cwd: Optional[Path],
    env: Optional[Mapping[str, str]],
    check: bool,
) -> Recording:
    path, folder = (os.path.abspath(output), None) if output is not None else new_path()
    options.setdefault("quiet", True)
    if os.path.exists(path) and not options.get("force"):
        raise FileExistsError(errno.EEXIST, "the recording would overwrite a file; force=True does", str(path))
    before = os.stat(path).st_mtime_ns if os.path.exists(path) else None
    words = [program.program(), *command, *program.options({**options, "output": str(path)}), "--", *target]
    with program.starting(words[0]):
        status = subprocess.run(words, cwd=cwd, env=env).returncode
    if not os.path.exists(path) or os.stat(path).st_mtime_ns == before:
        raise Error("nothing was recorded; the reason is in what inftrace printed", status)
    if command[0] != "record" and status:
        raise Error("inftrace %s failed; the reason is in what it printed" % command[0], status)
    if check and status:
        raise subprocess.CalledProcessError(status, list(target))
    return keep(Recording(path, status if command[0] == "record" else None), folder)


def model(path: Path, *more: Path, **options: Option) -> Dict[str, Any]:
    """Runs a model file, or several, as ``inftrace model`` does: ep=["cpu", "openvino"], intra_op_threads=[1, 4].

    What ``inftrace model --json`` says (doc/model-json.md)."""
    words = program.options({**options, "quiet": True})
    return dict(
        json.loads(program.output(["model", "--json", *words, "--", *[os.fspath(file) for file in (path, *more)]]))
    )


def merge(paths: Sequence[Path], output: Path, **options: Option) -> Recording:
    """Puts several files on one clock, as ``inftrace import A B -o OUTPUT`` does."""
    words = program.options({**options, "output": os.fspath(output)})
    program.output(["import", *words, "--", *[os.fspath(path) for path in paths]])
    return Recording(output)


def diff(base: Union[Path, Recording], new: Union[Path, Recording], **options: Option) -> Dict[str, Any]:
    """Compares two recordings or results, as ``inftrace diff --json`` does (doc/diff-json.md)."""
    paths = [str(of.path if isinstance(of, Recording) else os.fspath(of)) for of in (base, new)]
    return dict(json.loads(program.output(["diff", "--json", *program.options(options), "--", *paths], (0, 1))))
