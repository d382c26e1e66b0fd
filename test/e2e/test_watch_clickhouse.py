# SPDX-License-Identifier: Apache-2.0
"""inftrace watch into the engine of ClickHouse: what arrives, once, and what questions are answered from it."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request

import pytest

import envs
from conftest import environment
from lab import PATIENCE, wait_until
from watching import CLEANED, HOSTILE, Watch, free_port, own_server

pytestmark = pytest.mark.root
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "examples", "fleet")
ALL_TIME = "since = '2020-01-01 00:00:00', until = '2100-01-01 00:00:00'"


class Engine:
    """ClickHouse's engine behind its HTTP interface. faults: so many inserts are stored, and answered by a failure."""

    def __init__(self, lab, key, faults=0):
        self.key, self.port = key, free_port()
        self.url = "http://127.0.0.1:%d" % self.port
        program = os.path.join(envs.PROGRAMS, "clickhouse_front.py")
        self.process = lab.start(
            [environment(envs.clickhouse), program, str(self.port), lab.path("engine")],
            env={"KEY": key, "FAULTS": str(faults)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout.readline() == b"ready\n"

    def ask(self, text):
        request = urllib.request.Request(self.url, text.encode(), {"X-ClickHouse-Key": self.key})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return [json.loads(line) for line in answer.read().splitlines()]
        except urllib.error.HTTPError as why:
            raise AssertionError("%s: %s" % (text, why.read().decode())) from why

    def run(self, name):
        with open(os.path.join(EXAMPLES, name)) as file:
            for statement in re.sub(r"--.*", "", file.read()).split(";\n"):
                if statement.strip():
                    self.ask(statement)


@pytest.mark.in_turn(2)
def test_clickhouse_stores_each_interval_once_and_answers(lab, wheel):
    """Its tables come late, and an answer is lost."""
    engine = Engine(lab, "s3cret", faults=1)
    headers = lab.path("headers")
    with open(headers, "w") as out:
        out.write("X-ClickHouse-Key: s3cret\n")
    words = [
        "--level",
        "operator",
        "--clickhouse",
        engine.url,
        "--clickhouse-headers",
        headers,
        "--clickhouse-every",
        "1s",
    ]
    watch = Watch(lab, *words, "--spool", lab.path("spool"), "--metrics", "PORT", name="watched_g.py").wait_ready()
    env = {"OTEL_SERVICE_NAME": HOSTILE, "OTEL_RESOURCE_ATTRIBUTES": "service.version=7"}
    server = own_server(lab, wheel, "chain", "watched_g.py", "--rest", 0.01, "--reject", **env)
    wait_until(lambda: "cannot send intervals" in watch.err, watch.process)
    assert re.search(r"it answers 404: Code: (60|81)\. .*; trying again", watch.err) and "s3cret" not in watch.err
    engine.run("clickhouse.sql")
    engine.run("clickhouse_views.sql")

    def sums(table):
        ((row),) = engine.ask("SELECT sum(n) AS n, sum(failed) AS failed FROM inftrace.%s WHERE model='chain'" % table)
        return int(row["n"]), int(row["failed"])

    wait_until(lambda: sums("intervals")[0] > 100, watch.process, lambda: watch.err)
    assert watch.value("inftrace_operator_seconds_total", model="chain", op_type="Cos", ran_on="CPU") > 0
    n_all, n_failed = server.end()
    wait_until(lambda: sums("intervals")[0] >= n_all + 1, watch.process, lambda: watch.err)
    assert watch.end() == 0
    assert watch.err.count("cannot send intervals") == 1
    # what was answered by a failure was stored, and sent again
    assert sums("intervals") == sums("minutes") == (n_all + 1, n_failed)
    ((row),) = engine.ask(
        "SELECT any(service) AS s, any(service_version) AS v, any(runtime_version) AS r, "
        "any(provider) AS p, sum(arraySum(bucket_n)) AS n, sum(created) AS created, "
        "sum(sum_ns) AS ns FROM inftrace.intervals WHERE model='chain'"
    )
    assert (row["s"], row["v"], row["p"], int(row["created"])) == (CLEANED, "7", "CPU", 1)
    assert int(row["n"]) == n_all + 1 and re.match(r"1\.\d+", row["r"])
    (row,) = engine.ask("SELECT * FROM inftrace.by_model(%s)" % ALL_TIME)
    rows = lab.path("rows.json")
    with open(rows, "w") as out:
        for each in engine.ask("SELECT * FROM inftrace.intervals ORDER BY ts"):
            out.write(json.dumps(each, separators=(",", ":")) + "\n")
    diff = json.loads(lab.plain([lab.inftrace, "diff", "--json", rows, rows]).out)
    (model,) = diff["models"]
    assert model["inferences_of_base"] == n_all + 1 and not diff["is_regression"], diff
    assert model["figures"]["median"]["base"] / 1e6 == pytest.approx(row["p50_ms"], rel=0.03)
    assert diff["base"][0]["service"].endswith(" 7") and diff["base"][0]["kind"] == "rows of inftrace watch"
    times = sorted(end - begin for begin, end, _ in server.times())
    assert times[len(times) // 2] / 4e6 < row["p50_ms"] <= row["p99_ms"] <= times[-1] / 1e6 * 1.011
    (row,) = engine.ask("SELECT * FROM inftrace.watchers(%s)" % ALL_TIME)
    assert tuple(int(row[what]) for what in ("missing_intervals", "dropped", "events_lost")) == (0, 0, 0)
    (row,) = engine.ask("SELECT * FROM inftrace.failures(%s)" % ALL_TIME)
    assert (row["error"], int(row["n"]), row["service"]) == ("input", n_failed, CLEANED)
    (row,) = engine.ask("SELECT * FROM inftrace.services(%s)" % ALL_TIME)
    assert row["service"] == CLEANED
    slowest = engine.ask("SELECT * FROM inftrace.slowest(%s)" % ALL_TIME)
    assert slowest and {row["pid"] for row in slowest} == {server.pid}
    # one that was rejected ran none, and may have been the slowest on a busy machine
    operators = [row["operators"] for row in slowest if row["operators"]]
    assert operators and re.match(r"(Cos|Sin) [\d.]+ .s, (Cos|Sin) [\d.]+ .s$", operators[0]), slowest
    # this machine has no device
    engine.ask(
        "INSERT INTO inftrace.intervals (ts, service, model, device, n, sum_ns, device_ns) VALUES "
        "(now(), 'eyes', 'see', 'gpu', 100, 3000000000, 0), (now(), 'eyes', 'look', 'gpu', 100, 1000000000, 0), "
        "(now(), 'eyes', 'tokenize', 'cpu', 100, 9000000000, 0), (now(), 'eyes', '', '', 0, 0, 2000000000)"
    )
    rows = engine.ask("SELECT * FROM inftrace.device_by_model(%s)" % ALL_TIME)
    assert [(row["model"], row["device_s"], row["device_ms_an_inference"], row["is_measured"]) for row in rows] == [
        ("see", 1.5, 15, 0),
        ("look", 0.5, 5, 0),
    ]
    engine.ask(
        "INSERT INTO inftrace.intervals (ts, service, model, n, cpu_ns, energy_mj) VALUES "
        "(now(), 'warm', 'big', 100, 3000000000, 0), (now(), 'warm', 'small', 100, 1000000000, 0), "
        "(now(), 'warm', '', 0, 0, 8000)"
    )
    rows = engine.ask("SELECT * FROM inftrace.energy_by_model(%s) WHERE service='warm'" % ALL_TIME)
    assert [(row["model"], row["energy_j"], row["mj_an_inference"]) for row in rows] == [
        ("big", 6, 60),
        ("small", 2, 20),
    ]
    engine.ask(
        "INSERT INTO inftrace.intervals (ts, service, model, provider, n, fallback_nodes, input_tokens, output_tokens, "
        "first_token_n, first_token_ns, token_n, token_ns) VALUES "
        "(now(), 'talk', 'decoder', 'CUDA', 100, 3, 64, 100, 4, 8000000, 96, 48000000), "
        "(now(), 'talk', 'decoder', 'CUDA', 100, 2, 0, 100, 0, 0, 104, 152000000)"
    )
    (row,) = engine.ask("SELECT * FROM inftrace.tokens_by_model(%s)" % ALL_TIME)
    assert [int(row[what]) for what in ("generations", "tokens_in", "tokens_out")] == [4, 64, 200]
    assert (row["model"], row["first_token_ms"], row["token_ms"]) == ("decoder", 2, 1)
    (row,) = engine.ask("SELECT * FROM inftrace.fallbacks(%s)" % ALL_TIME)
    assert (row["provider"], int(row["most_nodes"])) == ("CUDA", 3)
    # every view runs
    with open(os.path.join(EXAMPLES, "clickhouse_views.sql")) as file:
        views = dict(re.findall(r"CREATE OR REPLACE VIEW inftrace\.(\w+) AS(.*?);\n", file.read(), re.S))
    more = {"model": "'chain'", "allowed": "0.5"}
    for name, text in views.items():
        wanted = set(re.findall(r"\{(\w+):", text)) - {"since", "until"}
        parameters = ", ".join([ALL_TIME, *["%s = %s" % (one, more[one]) for one in sorted(wanted)]])
        engine.ask("SELECT * FROM inftrace.%s(%s)" % (name, parameters))
    assert len(views) == 14
