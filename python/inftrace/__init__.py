# SPDX-License-Identifier: Apache-2.0
"""Recordings of AI inference as tables of pandas, polars and Arrow.

Everything is done by the program ``inftrace``; this package finds it, runs it and reads what it prints.
"""

from .commands import attach, diff, merge, model, open, record
from .program import Error, program
from .recording import Recording
from .table import Table

__version__ = "0.1.0"
__all__ = ["Error", "Recording", "Table", "attach", "diff", "merge", "model", "open", "program", "record"]
