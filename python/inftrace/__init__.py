# SPDX-License-Identifier: Apache-2.0
"""Recordings of AI inference as tables of pandas, polars and Arrow; annotations and profiling handles of a program.

Recordings are read by the program ``inftrace``, which this package finds and runs. Annotations and handles are those of
the library ``libinftrace``, which is loaded when the first of them is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .annotations import counter, flow, flow_end, instant, is_on, slice, tokens
from .commands import attach, diff, merge, model, open, record
from .handles import Profile, Session, Stream, profile, sessions, stream
from .latency import Report
from .program import Error, program
from .recording import Recording
from .table import Table

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """``%load_ext inftrace`` in IPython and Jupyter gives ``%%inftrace``."""
    from . import notebook

    notebook.load(shell)


__version__ = "0.2.0"
__all__ = [
    "Error",
    "Profile",
    "Recording",
    "Report",
    "Session",
    "Stream",
    "Table",
    "attach",
    "counter",
    "diff",
    "flow",
    "flow_end",
    "instant",
    "is_on",
    "merge",
    "model",
    "open",
    "profile",
    "program",
    "record",
    "sessions",
    "slice",
    "stream",
    "tokens",
]
