# SPDX-License-Identifier: Apache-2.0
"""An answer of ``inftrace query``, read when it is asked for."""

from __future__ import annotations

import html
import importlib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from .program import Error, Path, options, reading

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN = 20


def needed(package: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise Error("this needs %s: pip install %s" % (package, package)) from error


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, (int, float)):
        return "<td style='text-align:right'>%s</td>" % (value if isinstance(value, int) else "%.6g" % value)
    return "<td style='text-align:left'>%s</td>" % html.escape(str(value))


class Table:
    """The rows that a statement of SQL gives. Each call that reads them runs the query anew; nothing is kept.

    Units are in the names of columns (duration_ns); what is not known is null. Any library that knows Arrow's C stream
    interface takes the object as it is: polars.DataFrame(table), pyarrow.table(table).
    """

    def __init__(self, path: Path, sql: str, memory: Optional[str] = None) -> None:
        self.path = path
        self.sql = sql
        self._memory = memory

    def _words(self, format: str, sql: Optional[str] = None) -> List[str]:
        more = options({"format": format, "memory": self._memory})
        return ["query", *more, "--", str(self.path), sql or self.sql]

    def rows(self) -> List[Dict[str, Any]]:
        """All rows as dictionaries; needs no other package."""
        return list(self)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        with reading(self._words("jsonl")) as out:
            for line in out:
                yield json.loads(line)

    def count(self) -> int:
        """How many rows there are."""
        return int(next(iter(self._of("count(*) AS n")))["n"])

    def _of(self, what: str, more: str = "") -> "Table":
        return Table(self.path, "SELECT %s FROM (%s\n) %s" % (what, self.sql.rstrip().rstrip(";"), more), self._memory)

    def head(self, n: int = 5) -> "Table":
        """The first rows."""
        return self._of("*", "LIMIT %d" % n)

    def where(self, condition: str) -> "Table":
        """The rows for which a condition of SQL holds: where("duration_ns > 1e6 AND op_type = 'Conv'")."""
        return self._of("*", "WHERE " + condition)

    def arrow(self) -> "pyarrow.Table":
        """As a table of pyarrow: int64, double, string; pyarrow.parquet.write_table writes it as Parquet."""
        needed("pyarrow")
        import pyarrow.ipc

        with reading(self._words("arrow")) as out:
            with pyarrow.ipc.open_stream(out) as stream:
                return stream.read_all()

    def pandas(self) -> "pandas.DataFrame":
        """As a frame of pandas. Integers stay exact: a column of them with missing values has pandas' type Int64."""
        needed("pandas")
        import pandas

        table = self.arrow()
        whole = {
            field.name: pandas.Int64Dtype()
            for field, column in zip(table.schema, table.columns)
            if str(field.type) == "int64" and column.null_count
        }
        frame: pandas.DataFrame = table.drop_columns(list(whole)).to_pandas()
        for name, kind in whole.items():
            frame[name] = table.column(name).to_pandas(types_mapper={table.schema.field(name).type: kind}.get)
        return frame.reindex(columns=table.column_names)

    def polars(self) -> "polars.DataFrame":
        """As a frame of polars, which reads it without pyarrow."""
        needed("polars")
        import polars

        with reading(self._words("arrow")) as out:
            frame: polars.DataFrame = polars.read_ipc_stream(out.read())
            return frame

    def parquet(self, path: Path) -> None:
        """Writes a Parquet file; needs pyarrow. Batches are written as they come: memory does not grow with the rows."""
        needed("pyarrow")
        import pyarrow.ipc
        import pyarrow.parquet

        with reading(self._words("arrow")) as out:
            with pyarrow.ipc.open_stream(out) as stream:
                with pyarrow.parquet.ParquetWriter(path, stream.schema, compression="zstd") as writer:
                    for batch in stream:
                        writer.write_batch(batch)

    def feather(self, path: Path) -> None:
        """Writes an Arrow file (Feather version 2), in batches; needs pyarrow. Libraries map it without reading it."""
        needed("pyarrow")
        import pyarrow.ipc

        with reading(self._words("arrow")) as out:
            with pyarrow.ipc.open_stream(out) as stream:
                with pyarrow.ipc.new_file(os.fspath(path), stream.schema) as writer:
                    for batch in stream:
                        writer.write_batch(batch)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return "Table(%r, %r)" % (str(self.path), self.sql)

    def _repr_html_(self) -> str:
        rows = self.head(_SHOWN + 1).rows()
        if not rows:
            return "<i>no rows</i>"
        names = "".join("<th>%s</th>" % html.escape(name) for name in rows[0])
        lines = "".join("<tr>%s</tr>" % "".join(map(_cell, row.values())) for row in rows[:_SHOWN])
        more = "<div><i>%d rows of more are shown</i></div>" % _SHOWN if len(rows) > _SHOWN else ""
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (names, lines, more)
