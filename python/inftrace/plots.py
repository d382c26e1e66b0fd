# SPDX-License-Identifier: Apache-2.0
"""Figures of a recording by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from .program import Error
from .table import needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .recording import Recording

_RESOURCES = ("cpu", "waiting for a cpu", "memory used", "rss", "disk reads")
_MOST = 20_000  # points that are drawn; of more, the first, and then every Nth and the slowest of each N


def _figure(rows: int, columns: int, **more: Any) -> "tuple[Figure, Any]":
    needed("matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2 * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **more)


def _quoted(text: str) -> str:
    return "'%s'" % text.replace("'", "''")


def _of_model(model: Optional[str]) -> str:
    return "" if model is None else " AND model = " + _quoted(model)


def latency(recording: "Recording", model: Optional[str] = None) -> "Figure":
    """Each inference over time, slow ones never left out, and how the latencies of each model are distributed."""
    where = "duration_ns IS NOT NULL AND NOT is_partial" + _of_model(model)
    rows = recording.query(
        "WITH all_of AS (SELECT model, is_typical, duration_ns, begin_ns - (SELECT begin_ns FROM recording) AS at_ns, "
        "row_number() OVER (PARTITION BY model ORDER BY begin_ns) - 1 AS i, count(*) OVER (PARTITION BY model) AS n "
        "FROM inferences WHERE %s) SELECT model, is_typical, at_ns, max(duration_ns) AS duration_ns FROM all_of "
        "GROUP BY model, i / (n / %d + 1) ORDER BY at_ns" % (where, _MOST)
    ).rows()
    if not rows:
        raise Error("no inference ended in %s%s" % (recording.path, " of the model %s" % model if model else ""))
    shares = recording.query(
        "SELECT model, percentile(duration_ns, p) AS ns, p FROM inferences, "
        "(WITH RECURSIVE ps(p) AS (SELECT 0 UNION ALL SELECT p + 1 FROM ps WHERE p < 100) SELECT p FROM ps) "
        "WHERE is_typical%s GROUP BY model, p ORDER BY model, p" % _of_model(model)
    ).rows()
    figure, ((over, spread),) = _figure(1, 2, width_ratios=[2, 1])
    for name in dict.fromkeys(row["model"] for row in rows):
        of = [row for row in rows if row["model"] == name]
        over.plot([row["at_ns"] / 1e9 for row in of], [row["duration_ns"] / 1e6 for row in of], ".", ms=3, label=name)
        share = [row for row in shares if row["model"] == name]
        spread.plot([row["ns"] / 1e6 for row in share], [row["p"] for row in share], label=name)
    over.set(xlabel="time (s)", ylabel="latency (ms)", ylim=(0, None), title="Inferences")
    spread.set(xlabel="latency (ms)", ylabel="% are faster", ylim=(0, 100), title="Distribution")
    over.legend(loc="upper right")
    return figure


def operators(recording: "Recording", model: Optional[str] = None, n: int = 20) -> "Figure":
    """The time of the types of operators, of the most expensive ones."""
    rows = recording.query(
        "SELECT op_type, sum(self_ns) AS ns, count(*) AS calls FROM operators WHERE self_ns IS NOT NULL%s "
        "GROUP BY op_type ORDER BY ns DESC" % _of_model(model)
    ).rows()
    if not rows:
        raise Error("there are no operators in %s: record at level operator" % recording.path)
    total = sum(row["ns"] for row in rows)
    rows, rest = rows[:n], sum(row["ns"] for row in rows[n:])
    names = ["%s (%d)" % (row["op_type"] or "unknown", row["calls"]) for row in rows] + ["others"] * bool(rest)
    times = [row["ns"] / 1e6 for row in rows] + [rest / 1e6] * bool(rest)
    figure, ((axes,),) = _figure(1, 1)
    figure.set_figheight(1 + 0.24 * len(names))
    bars = axes.barh(names, times)
    axes.bar_label(bars, ["%.1f %%" % (100e6 * time / total if total else 0) for time in times], padding=3)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set(xlabel="time in operators (ms)", title="Operators by type (calls)")
    return figure


def resources(recording: "Recording", model: Optional[str] = None) -> "Figure":
    """CPU, memory and disks of the machine and of the processes, and what is known of devices, over time."""
    rows = recording.query(
        "SELECT s.name, s.unit, coalesce(c.device, '') AS device, coalesce(p.name || ' ' || p.pid, 'machine') AS scope, "
        "s.time_ns - (SELECT begin_ns FROM recording) AS at_ns, s.value FROM samples s "
        "JOIN counters c ON c.id = s.counter_id LEFT JOIN processes p ON p.id = s.process_id WHERE s.value IS NOT NULL "
        "AND (s.name IN (%s) OR c.device IS NOT NULL OR s.unit IN ('W', 'J')) ORDER BY s.time_ns"
        % ", ".join(map(_quoted, _RESOURCES))
    ).rows()
    # 100 % of a process are one CPU, 100 % of the machine are all of them: never on one axis
    lines: "Dict[tuple[str, str, bool], Dict[str, list[Any]]]" = {}
    for row in rows:
        of = lines.setdefault((row["name"], row["unit"], row["scope"] == "machine"), {})
        of.setdefault(" ".join(filter(None, (row["scope"], row["device"]))), []).append(row)
    if not lines:
        raise Error("there are no samples of resources in %s" % recording.path)
    figure, axes = _figure(len(lines), 1, sharex=True)
    figure.set_figheight(1 + 1.4 * len(lines))
    for (axis,), ((name, unit, _), of_scope) in zip(axes, lines.items()):
        scale, shown = (2**20, unit.replace("bytes", "MiB")) if "bytes" in (unit or "") else (1, unit)
        for scope, line in of_scope.items():
            axis.plot([row["at_ns"] / 1e9 for row in line], [row["value"] / scale for row in line], label=scope)
        axis.set(title="%s (%s)" % (name, shown) if shown else name, ylim=(0, None))
        axis.legend(loc="upper right", fontsize="small")
    axes[-1][0].set(xlabel="time (s)")
    return figure


KINDS: "Dict[str, Callable[[Recording, Optional[str]], Figure]]" = {
    "latency": latency,
    "operators": operators,
    "resources": resources,
}
