# SPDX-License-Identifier: Apache-2.0
"""``%load_ext inftrace`` in IPython and Jupyter: ``%%inftrace`` records a cell and shows its report below. The kernel
is attached to from outside for as long as the cell runs; it is not started again."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shlex
import signal
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING, List, NoReturn, Union

from .program import Error, Option, failure, options, output, program, starting
from .recording import Recording, keep, new_path

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616D61, ctypes.c_ulong(-1)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Error("%%%%inftrace: %s" % message, 2)


def _parser() -> _Parser:
    parser = _Parser(prog="%%inftrace", add_help=False, description="Records the cell, and shows the report below it.")
    parser.add_argument("-o", "--output", metavar="FILE", help="keep the recording in this file")
    parser.add_argument("-l", "--level", choices=("inference", "operator", "detail"), help="how much to record")
    parser.add_argument("-n", "--name", metavar="NAME", help="a variable that gets the recording")
    parser.add_argument("--page", action="store_true", help="show the timeline in a frame, in place of the report")
    parser.add_argument("--no-report", action="store_true", help="print the first sentence alone")
    return parser


def _way() -> List[str]:
    """Probes where this user may use them, else an agent that comes into the kernel."""
    listed = json.loads(output(["ps", "--json"], (0, 1)))
    if not any(one["pid"] == os.getpid() for one in listed["programs"]):
        raise Error(
            "no runtime of models is loaded in this kernel yet: import it in a cell above, and run this one again"
        )
    return ["--inject"] if listed["attach_problem"] else []


class _Recorder:
    """inftrace attach of this process, from when it records until the cell has ended."""

    def __init__(self, path: str, given: "dict[str, Option]") -> None:
        way = _way()
        if way:
            # Yama lets a process be traced by its ancestors alone, and by those that it names
            ctypes.CDLL(None).prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0)
        words = [program(), "attach", *way, *options({**given, "output": path}), str(os.getpid())]
        self._said: IO[str] = tempfile.TemporaryFile("w+", errors="replace")
        self._ready, write = os.pipe()
        with starting(words[0]):
            self._child = subprocess.Popen(
                [*words[:-1], "--progress", "/dev/fd/%d" % write, words[-1]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                pass_fds=[write],
                start_new_session=True,  # an interrupt of the cell is not meant for it
            )
        os.close(write)

    def wait(self) -> None:
        """Until the first line of progress, which comes when recording has begun."""
        with open(self._ready, encoding="utf-8") as lines:
            if not lines.readline():
                self.stop()

    def stop(self) -> None:
        if self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)
        status = self._child.wait()
        self._said.seek(0)
        with self._said as said:
            if status:
                raise failure(said.read(), status)


class Page:
    """The page of `inftrace view` in a frame, of a browser on the kernel's machine. It ends with the kernel."""

    def __init__(self, path: str, recording: Recording) -> None:
        self.recording = recording
        words = [program(), "view", "--embed", "--no-browser", "--exit-with-stdin", path]
        with starting(words[0]):
            self._view = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._view.stdout
        self.address = self._view.stdout.readline().strip()
        if not self.address:
            raise failure("", self._view.wait())

    def _repr_html_(self) -> str:
        return '<iframe src="%s" style="width: 100%%; height: 720px; border: 0"></iframe>' % self.address

    def __repr__(self) -> str:
        return self.recording.verdict


_pages: List[Page] = []  # their servers go on


def _page(path: str, recording: Recording) -> Page:
    _pages.append(Page(path, recording))
    return _pages[-1]


def _run(shell: "InteractiveShell", line: str, cell: str) -> "Union[Recording, Page, None]":
    given = _parser().parse_args(shlex.split(line))
    path, folder = (os.path.abspath(given.output), None) if given.output else new_path()
    recorder = _Recorder(path, {"level": given.level, "force": True})
    try:
        recorder.wait()
        shell.run_cell(cell)
    finally:
        recorder.stop()
    recording = keep(Recording(path), folder)
    if given.name:
        shell.push({given.name: recording})
    if given.page:
        return _page(path, recording)
    if given.no_report:
        print(recording.verdict)
        return None
    return recording


def load(shell: "InteractiveShell") -> None:
    def inftrace(line: str, cell: str) -> "Union[Recording, Page, None]":
        return _run(shell, line, cell)

    inftrace.__doc__ = _parser().format_help()
    shell.register_magic_function(inftrace, "cell", "inftrace")
