# SPDX-License-Identifier: Apache-2.0
"""A report of a handle: its text, its figures, and how a notebook shows it. Knows nothing of the library."""

from __future__ import annotations

import csv
import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from .program import Error, Path
from .table import needed

if TYPE_CHECKING:
    import pandas

TYPES = ("latency", "trace")  # by their number in the library

_HEAD_LINES = 4
_WIDTH, _HEIGHT, _MARGIN = 560, 140, 44
_MOST_POINTS = 2000


def _value(text: str) -> Optional[float]:
    text = text.strip()
    return None if text in ("N/A", "") else float(text)


def _percentile(values: Sequence[float], share: float) -> float:
    """Of sorted values, between two of them as numpy's and pandas' default does it."""
    at = (len(values) - 1) * share
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


class Report:
    """What a handle reports on the inferences of one model. Empty, and false, until there is something."""

    def __init__(
        self,
        model: str = "",
        type: str = "latency",
        samples: int = 0,
        text: str = "",
        from_ns: int = 0,
        to_ns: int = 0,
        lost: int = 0,
        note: str = "",
    ) -> None:
        #: the name of the model
        self.model = model
        #: "latency" or "trace"
        self.type = type
        #: inferences in it
        self.samples = samples
        #: as the library wrote it: four lines and CSV, or Chrome JSON
        self.text = text
        #: they ended after from_ns and not after to_ns, by time.monotonic_ns()
        self.from_ns, self.to_ns = from_ns, to_ns
        #: records that were lost since the report before: inferences may be missing
        self.lost = lost
        #: what is not seen; "": nothing is known to be missing
        self.note = note

    def _become(self, other: "Report") -> None:
        self.__dict__.update(other.__dict__)

    def __bool__(self) -> bool:
        return self.samples > 0

    def __repr__(self) -> str:
        return "<Report of %d inferences of %s>" % (self.samples, self.model or "no model")

    def rows(self) -> List[Dict[str, Optional[float]]]:
        """A dictionary for each inference, by the columns of the report: microseconds, None where it is not known."""
        if self.type != "latency":
            raise Error("a report of type %s has no rows: open it with type='latency'" % self.type)
        lines = csv.reader(self.text.splitlines()[_HEAD_LINES:], skipinitialspace=True)
        names = [name.strip() for name in next(lines, [])]
        return [{name: _value(field) for name, field in zip(names, line)} for line in lines if line]

    def pandas(self) -> "pandas.DataFrame":
        """The rows as a frame of pandas, which must be installed."""
        needed("pandas")
        import pandas

        return pandas.DataFrame(self.rows())

    def events(self) -> List[Dict[str, Any]]:
        """The events of a trace, as in Chrome JSON."""
        if self.type != "trace":
            raise Error("a report of type %s has no events: open it with type='trace'" % self.type)
        found = json.loads(self.text) if self.text else []
        return list(found["traceEvents"] if isinstance(found, dict) else found)

    def latencies_us(self) -> List[float]:
        """The time of each inference, in the order in which they ended."""
        if self.type == "latency":
            return [time for row in self.rows() if (time := row["totalRoundtripTimeUs"]) is not None]
        return [time for kind, _, time in self._slices() if kind == "inference"]

    def _slices(self) -> "list[tuple[str, str, float]]":
        """Kind, name (of operators, their type) and microseconds of what a trace contains, in the order of the ends."""
        opened: "Dict[Any, List[Dict[str, Any]]]" = {}
        found = []
        for event in self.events():
            stack = opened.setdefault((event.get("pid"), event.get("tid")), [])
            if event["ph"] == "B":
                stack.append(event)
            elif event["ph"] == "E" and stack:
                begin = stack.pop()
                kind = begin.get("cat", "")
                name = begin.get("args", {}).get("op_type", begin["name"]) if kind == "operator" else begin["name"]
                found.append((kind, str(name), float(event["ts"]) - float(begin["ts"])))
        return found

    def stats(self) -> Dict[str, float]:
        """Mean, min, p50, p90, p95, p99 and max in microseconds, with the number of samples. Empty without samples."""
        times = sorted(self.latencies_us())
        if not times:
            return {}
        found: Dict[str, float] = {"samples": len(times), "mean_us": sum(times) / len(times), "min_us": times[0]}
        for percent in (50, 90, 95, 99):
            found["p%d_us" % percent] = _percentile(times, percent / 100)
        return {**found, "max_us": times[-1]}

    def save(self, path: Path) -> None:
        """Writes the text to a file, which must not exist."""
        with open(os.fspath(path), "x", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        """A table of figures, and a plot of the inferences; of a trace also the types of operators."""
        times = self.latencies_us()
        if not times:
            return "<i>no inferences%s</i>" % (" of " + html.escape(self.model) if self.model else "")
        tables = [_table(["model", *self.stats()], [[self.model, *self.stats().values()]]), _plot(times)]
        if self.type == "trace":
            tables.append(_operators(self._slices()))
        missing = [self.note] if self.note else []
        missing += ["%d records were lost" % self.lost] if self.lost else []
        return "".join(tables + ["<div><i>%s</i></div>" % html.escape(line) for line in missing])


def _table(names: Sequence[str], rows: "Sequence[Sequence[object]]") -> str:
    def cell(value: object) -> str:
        if isinstance(value, (int, float)):
            return "<td style='text-align:right'>%s</td>" % ("%.1f" % value if isinstance(value, float) else value)
        return "<td style='text-align:left'>%s</td>" % html.escape(str(value))

    head = "".join("<th>%s</th>" % html.escape(name) for name in names)
    body = "".join("<tr>%s</tr>" % "".join(map(cell, row)) for row in rows)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def _operators(slices: "list[tuple[str, str, float]]") -> str:
    of_type: "Dict[str, List[float]]" = {}
    for kind, name, time in slices:
        if kind == "operator":
            of_type.setdefault(name, []).append(time)
    rows = [[name, len(times), sum(times)] for name, times in of_type.items()]
    rows.sort(key=lambda row: -float(row[2]))
    return _table(["op_type", "calls", "total_us"], rows[:20]) if rows else ""


def _plot(times: Sequence[float]) -> str:
    """Inferences from left to right, their times upwards; of many, the slowest of each few."""
    step = -(-len(times) // _MOST_POINTS)
    points = [max(times[at : at + step]) for at in range(0, len(times), step)]
    top = max(points) or 1.0
    right, bottom = _WIDTH - 8, _HEIGHT - 20

    def x(at: int) -> float:
        return _MARGIN + (right - _MARGIN) * (at / (len(points) - 1) if len(points) > 1 else 0.5)

    def y(time: float) -> float:
        return bottom - (bottom - 8) * time / top

    dots = "".join("<circle cx='%.1f' cy='%.1f' r='2'/>" % (x(at), y(time)) for at, time in enumerate(points))
    median = y(_percentile(sorted(times), 0.5))
    text = "<text x='%d' y='%d' text-anchor='%s'>%s</text>"
    return (
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' role='img' "
        "style='font:11px sans-serif;fill:currentColor'><title>Latency of each inference</title>"
        "<path d='M%d 8V%dH%d' fill='none' stroke='currentColor' stroke-opacity='.4'/>"
        "<path d='M%d %.1fH%d' stroke='#d62728' stroke-dasharray='4 3'><title>median</title></path>"
        "<g fill='#1f77b4'>%s</g>%s%s%s</svg>"
    ) % (
        (_WIDTH, _HEIGHT, _MARGIN, bottom, right, _MARGIN, median, right, dots)
        + (text % (_MARGIN - 4, 14, "end", "%.4g" % top), text % (_MARGIN - 4, bottom, "end", "0 us"))
        + (text % (right, _HEIGHT - 6, "end", "%d inference%s" % (len(times), "s" * (len(times) != 1))),)
    )
