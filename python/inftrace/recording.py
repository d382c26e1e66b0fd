# SPDX-License-Identifier: Apache-2.0
"""A recording, or another file that inftrace reads."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import program
from .program import Error, Option, Path
from .table import Table

if TYPE_CHECKING:
    import matplotlib.figure


class _Named:
    """A table or view of ``inftrace query``, with the name of the attribute."""

    def __init__(self, what: str) -> None:
        self.__doc__ = what

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, recording: "Recording", owner: type) -> Table:
        return recording.table(self.name)


class Recording:
    """A recording of inftrace, or a file that ``inftrace import`` reads: profiles of ONNX Runtime, traces of Chrome ...

    Its tables are those of ``inftrace query``; doc/query.md describes every column.
    """

    recording = _Named("The recording as a whole: one row.")
    processes = _Named("Processes that were recorded.")
    runtimes = _Named("Runtimes in the processes.")
    other_runtimes = _Named("Runtimes in the processes whose inferences are not recorded.")
    device_clocks = _Named("How good the times of kernels are, for each process that has any.")
    models = _Named("Models that were loaded or run.")
    sessions = _Named("Loaded instances of models, and how their creation went.")
    phases = _Named("What happens while sessions are created, and when provider libraries get ready.")
    inferences = _Named("Runs of models.")
    operators = _Named("Calls of operators: one node's kernel, run once.")
    kernels = _Named("Kernels and copies of devices, and the nodes that a provider's own profiler reports.")
    halts = _Named("Times in which a process could not run, whatever it wanted.")
    inference_stats = _Named("The inferences of each model in figures: those of the report.")
    sizes = _Named(
        "Latency by the size of the inputs, where their shapes are known: within a quarter of an octave of elements."
    )
    generations = _Named(
        "Requests to decoders: a prompt that went in, and the tokens that came out, one inference after the other."
    )
    tokens = _Named("Tokens of these generations, or of each of their sequences.")
    token_lengths = _Named("Time between tokens by the length of the cache, within a quarter of an octave.")
    operator_stats = _Named("Each node of each model in figures: those of the report.")
    operator_types = _Named("Each type of operator of each model in figures: those of the report.")
    outside = _Named("What threads did while no model ran, as trees: those of the report.")
    requests = _Named(
        "Slices of the program's own in which their threads ran inferences, by name; and the slowest of each."
    )
    request_parts = _Named("What threads did in these outside of inferences.")
    slowest = _Named("The slowest inferences of each model, 20 at most, and why they were slow.")
    slowest_causes = _Named("The causes of slowest, one row each.")
    counters = _Named("What was measured over time; the values are in samples.")
    samples = _Named("Values of counters. A value that repeats the one before it may be left out.")
    stack_samples = _Named("What each thread did, and where in the program, sampled some hundred times a second.")
    stacks = _Named("Stacks of samples: each is the stack of its caller and one frame.")
    threads = _Named("Threads that have a line of their own.")
    tracks = _Named("Lines of the timeline: processes, threads, lanes of inferences, counters.")
    slices = _Named("Everything that has a begin and an end.")
    losses = _Named("Events that were dropped, counted where it happened.")
    remarks = _Named("What is missing from the recording or wrong with it, one sentence a row.")
    notes = _Named("Facts about the recording, one topic each.")
    instants = _Named("Everything that has one time.")
    overlap = _Named("Pairs of inferences that ran at the same time, of any process.")
    gaps = _Named("Times between its first and its last inference in which a process ran none.")
    unattributed = _Named("What of each inference no operator explains; those without operators are left out.")
    kernel_stats = _Named("Kernels of devices by name and type, in figures: those of the report.")
    cycle_stats = _Named("Nodes on devices whose profiler counts cycles instead of time: those of the report.")
    stream_stats = _Named("How busy each line of kernels was, between its first and its last kernel.")

    def __init__(self, path: Path, exit_status: Optional[int] = None) -> None:
        self.path: Path = os.fspath(path)
        #: of the program that was recorded, as subprocess gives it; None: it was not started by this recording
        self.exit_status = exit_status

    def query(self, sql: str, memory: Optional[str] = None) -> Table:
        """The rows of a statement of SQL. memory: for sorting and the like, "2G"; by default 1 GiB."""
        return Table(self.path, sql, memory)

    def table(self, name: str) -> Table:
        """A table or view by its name, as in tables()."""
        return self.query('SELECT * FROM "%s"' % name.replace('"', '""'))

    @staticmethod
    def tables() -> List[str]:
        """The names of all tables and views."""
        return [name for name, of in vars(Recording).items() if isinstance(of, _Named)]

    def report(self, **options: Option) -> Dict[str, Any]:
        """What ``inftrace report --json`` says (doc/report-json.md). options: those of the command, slowest=10."""
        return dict(json.loads(self._report("json", options)))

    def text(self, **options: Option) -> str:
        """The page of ``inftrace report``."""
        return self._report("text", options).decode()

    def html(self, **options: Option) -> str:
        """The same as one HTML page with plots, which needs nothing else."""
        return self._report("html", options).decode()

    @property
    def verdict(self) -> str:
        """The first sentence of the report."""
        return str(self.report()["verdict"])

    def _report(self, format: str, options: "dict[str, Option]") -> bytes:
        return program.output(["report", "--format", format, *program.options(options), "--", str(self.path)])

    def export(self, to: str, output: Path, **options: Option) -> None:
        """Writes it in another format: "chrome", "ort", "pprof", "speedscope", "sqlite" ... (doc/export.md)."""
        words = program.options({"to": to, "output": os.fspath(output), "quiet": True, **options})
        program.output(["export", *words, "--", str(self.path)])

    def parquet(self, folder: Path, tables: Optional[List[str]] = None) -> None:
        """Writes tables as Parquet files NAME.parquet into a folder, all by default; needs pyarrow."""
        os.makedirs(folder, exist_ok=True)
        for name in self.tables() if tables is None else tables:
            self.table(name).parquet(os.path.join(folder, name + ".parquet"))

    def feather(self, folder: Path, tables: Optional[List[str]] = None) -> None:
        """The same as Arrow files NAME.arrow."""
        os.makedirs(folder, exist_ok=True)
        for name in self.tables() if tables is None else tables:
            self.table(name).feather(os.path.join(folder, name + ".arrow"))

    def save(self, path: Path) -> "Recording":
        """Copies it to a file, which must not exist, and gives the recording in that file."""
        with open(self.path, "rb") as old, open(path, "xb") as new:
            shutil.copyfileobj(old, new)
        return Recording(path, self.exit_status)

    def plot(self, what: str = "latency", model: Optional[str] = None) -> "matplotlib.figure.Figure":
        """A figure of matplotlib: "latency" over time and as a distribution, "operators" by type, or "resources"."""
        from . import plots

        if what not in plots.KINDS:
            raise Error("there is no plot %r: it is one of %s" % (what, ", ".join(plots.KINDS)))
        return plots.KINDS[what](self, model)

    def __repr__(self) -> str:
        return "Recording(%r)" % str(self.path)

    def _repr_html_(self) -> str:
        """The report, in a frame of its own: scripts of a page that a recording made do not run in the notebook."""
        return (
            "<iframe sandbox srcdoc='%s' style='width:100%%;height:720px;border:1px solid #8884;border-radius:6px'>"
            "</iframe>" % html.escape(self.html(), quote=True)
        )


def new_path() -> "tuple[str, tempfile.TemporaryDirectory[str]]":
    """A place for a recording that goes away with the object that keeps the folder."""
    folder = tempfile.TemporaryDirectory(prefix="inftrace-")
    return os.path.join(folder.name, "recording.pftrace"), folder


def keep(recording: Recording, folder: "Optional[tempfile.TemporaryDirectory[str]]") -> Recording:
    if folder is not None:
        weakref.finalize(recording, folder.cleanup)
    return recording
