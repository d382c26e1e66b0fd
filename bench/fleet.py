#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet.py [millions]: what a fleet of 1,000 machines costs an engine of ClickHouse, with so many million rows (10).

Each machine has 200 series that all work, an interval of 10 s, and histograms of 24 noisy buckets. Prints rows a second
of one core for inserts as watchers send them (a minute of a machine each, with roll-ups), bytes a row on disk, and how
long the views of examples/fleet take. Needs the engine: PyPI chdb-core, in this Python or that of the tests."""

import os
import re
import shutil
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINES, SERIES, INTERVAL_S = 1000, 200, 10
COLUMNS = (
    "ts, interval_ms, number, host, service, model, runtime, runtime_version, provider, device, n, failed, sum_ns, "
    "max_ns, cpu_ns, wait_ns, blocked_ns, sessions, bucket_first, bucket_n"
)
# i: the number of a row; series, machine and interval are made of it, in this order
ROWS = """SELECT toDateTime64('2026-11-26 00:00:00', 3) + INTERVAL interval * 10 SECOND AS ts, 10000 AS interval_ms,
  interval AS number, concat('host-', toString(machine)) AS host, concat('service-', toString(series % 20)) AS service,
  concat('model-', toString(series % 50)) AS model, 'onnxruntime' AS runtime, '1.32.0' AS runtime_version,
  ['CPU', 'CUDA', 'TensorRT', 'OpenVINO'][series % 4 + 1] AS provider,
  ['cpu', 'gpu', 'gpu', 'npu'][series % 4 + 1] AS device,
  toUInt32(500 + cityHash64(i) % 1000) AS n, toUInt32(cityHash64(i, 1) % 300 = 0) AS failed,
  toUInt64(n * 1e6 * (1 + series % 50 / 10) * (0.95 + cityHash64(i, 2) % 100 / 1000)) AS sum_ns,
  toUInt64(sum_ns / n * 4) AS max_ns, toUInt64(sum_ns * 0.9) AS cpu_ns, toUInt64(sum_ns * 0.01) AS wait_ns,
  sum_ns - cpu_ns - wait_ns AS blocked_ns, 1 AS sessions,
  toInt16(-336 + series % 50 * 2 - (series % 50 * 2) % 16) AS bucket_first,
  arrayMap(j -> toUInt32(n * exp(-pow(j - 8, 2) / 18.) / 7.5 * (0.7 + cityHash64(i, 4, j) % 60 / 100.)), range(24))
    AS bucket_n
FROM (SELECT number AS i, number % {series} AS series, intDiv(number, {series}) % {machines} AS machine,
  intDiv(number, {series} * {machines}) AS interval FROM numbers({first}, {n}))"""
# 100 combinations of service and model, whatever the number of machines
MINUTES = """SELECT toDateTime('2026-11-26 00:00:00') + intDiv(number, 100) * 60,
  concat('service-', toString(number % 20)), '', concat('model-', toString(number % 50)), 'onnxruntime', '1.32.0',
  'CPU', 'cpu', 12000000, 4000, 24000000000000, 80000000, 0, 0, 0, 0, uniqCombinedState(12)(toString(number % 1000)),
  sumMapState(range(toInt32(-330 + number % 50 * 2), toInt32(-300 + number % 50 * 2)),
    arrayMap(i -> toUInt64(400000 * exp(-pow(i - 8, 2) / 18.)), range(30)))
FROM numbers(144000) GROUP BY number"""


def rows(first, n, machines=MACHINES):
    return ROWS.format(series=SERIES, machines=machines, first=first, n=n)


class Engine:
    def __init__(self, folder):
        from chdb import session

        self.session = session.Session(folder)
        for name in "clickhouse.sql", "clickhouse_views.sql":
            with open(os.path.join(ROOT, "examples", "fleet", name)) as file:
                for statement in re.sub(r"--.*", "", file.read()).split(";\n"):
                    if statement.strip():
                        self.ask(statement)

    def ask(self, text):
        return self.session.query(text, "TabSeparated").bytes().decode().strip()

    def timed(self, what, text):
        wall, cpu = time.time(), time.process_time()
        answer = self.ask(text)
        wall, cpu = time.time() - wall, time.process_time() - cpu
        print("%-58s %6.2f s  %6.2f s of CPU" % (what, wall, cpu), flush=True)
        return answer, cpu


def inserts(engine, folder, minutes):
    """So many minutes of one machine each: blocks of Native, as inftrace sends them."""
    n = SERIES * 60 // INTERVAL_S * minutes
    files = [os.path.join(folder, "%d-minutes-of-%d" % (minutes, machine)) for machine in range(40 // minutes + 10)]
    for machine, path in enumerate(files):
        engine.ask(
            "INSERT INTO FUNCTION file('%s', 'Native') SELECT * REPLACE ('machine-%d' AS host) FROM (%s)"
            % (path, machine, rows(machine * n, n, 1))
        )
    cpu = time.process_time()
    for path in files:
        engine.ask(
            "INSERT INTO inftrace.intervals (%s) FROM INFILE '%s' SETTINGS insert_deduplication_token='%s', "
            "deduplicate_blocks_in_dependent_materialized_views=1 FORMAT Native" % (COLUMNS, path, path)
        )
    cpu = time.process_time() - cpu
    rate = n * len(files) / cpu
    print(
        "inserts of %2d min of a machine, with roll-up: %.1f ms of CPU each, %.0f rows/s of a core; %d machines: %.2f"
        " cores" % (minutes, cpu / len(files) * 1000, rate, MACHINES, MACHINES * SERIES / INTERVAL_S / rate)
    )


def main(millions):
    folder = tempfile.mkdtemp(prefix="inftrace-fleet-")
    try:
        engine = Engine(os.path.join(folder, "engine"))
        for minutes in 1, 10:
            inserts(engine, folder, minutes)
        engine.ask("TRUNCATE TABLE inftrace.intervals")
        engine.ask("TRUNCATE TABLE inftrace.minutes")
        n = int(millions * 1e6)
        for first in range(0, n, 1000000):
            engine.ask("INSERT INTO inftrace.intervals (%s) %s" % (COLUMNS, rows(first, min(1000000, n - first))))
        engine.timed("merging all of it", "OPTIMIZE TABLE inftrace.intervals FINAL")
        size = "SELECT round(sum(bytes_on_disk) / sum(rows), 1) FROM system.parts WHERE active AND table='%s'"
        print("bytes a row: %s, of a minute %s" % (engine.ask(size % "intervals"), engine.ask(size % "minutes")))
        span = "since = '2026-11-26 00:00:00', until = '2026-11-27 00:00:00'"
        for name in "by_model", "by_machine", "off_their_peers", "by_version", "error_budgets", "services", "watchers":
            more = ", allowed = 0.001" if name == "error_budgets" else ""
            engine.timed("inftrace.%s" % name, "SELECT count() FROM inftrace.%s(%s%s)" % (name, span, more))
        # a day of minutes, however many machines they are of
        engine.ask("TRUNCATE TABLE inftrace.minutes")
        engine.ask("INSERT INTO inftrace.minutes " + MINUTES)
        engine.timed("inftrace.by_model of a day, from minutes", "SELECT count() FROM inftrace.by_model(%s)" % span)
        engine.timed(
            "inftrace.model_by_minute of a day",
            "SELECT count() FROM inftrace.model_by_minute(model = 'model-7', %s)" % span,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10)
