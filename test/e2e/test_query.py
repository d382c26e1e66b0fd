# SPDX-License-Identifier: Apache-2.0
"""inftrace query over a recording of a real runtime: its answers are those of the report, and of the recording as read
by Perfetto's own classes; and its shell on a terminal."""

import collections
import json
import os
import pty
import signal
import subprocess

import pytest


@pytest.fixture
def recording(lab, wheel):
    """Two sessions of a model, each on two threads."""
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--sessions", 2, "--threads", 2, "--runs", 20)
    return lab.record(program).recording


def ask(lab, path, sql):
    done = lab.plain([lab.inftrace, "query", "--format", "json", path, sql])
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_answers_are_those_of_the_report(lab, recording):
    path = recording.path
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", "--all", path]).out)
    rows = ask(
        lab,
        path,
        "SELECT model, count(*) AS n, sum(is_typical) AS typical, "
        "percentile(duration_ns, 50) FILTER (WHERE is_typical) AS p50_ns, "
        "percentile(duration_ns, 99) FILTER (WHERE is_typical) AS p99_ns, "
        "sum(unattributed_ns) FILTER (WHERE is_typical) AS unattributed_ns, "
        "sum(operators_ns) FILTER (WHERE is_typical) AS operators_ns FROM inferences GROUP BY model",
    )
    assert len(rows) == len(report["models"]) == 1
    for row in rows:
        (model,) = [model for model in report["models"] if model["name"] == row["model"]]
        latency, operators = model["inferences"]["latency"], model["operators"]
        assert (row["n"], row["typical"]) == (model["inferences"]["count"], latency["count"])
        assert (row["p50_ns"], row["p99_ns"]) == (latency["p50_ns"], latency["p99_ns"])
        assert (row["operators_ns"], row["unattributed_ns"]) == (
            operators["operators_ns"],
            operators["unattributed_ns"],
        )
    nodes = ask(
        lab,
        path,
        "SELECT o.name, count(*) AS calls, sum(o.duration_ns) AS total_ns FROM inferences i JOIN operators o "
        "ON o.inference_id = i.id WHERE i.is_typical GROUP BY o.name",
    )
    (model,) = report["models"]
    assert sorted((row["name"], row["calls"], row["total_ns"]) for row in nodes) == sorted(
        (node["name"], node["calls"], node["duration"]["total_ns"]) for node in model["operators"]["nodes"]
    )
    slowest = ask(lab, path, "SELECT duration_ns, cause, why FROM slowest WHERE rank <= 5 ORDER BY rank")
    assert [row["duration_ns"] for row in slowest] == [
        row["duration_ns"] for row in model["inferences"]["slowest"][: len(slowest)]
    ]
    parts = ask(lab, path, "SELECT inference_id, sum(excess_ns) AS ns FROM slowest_causes GROUP BY 1")
    excess = ask(lab, path, "SELECT inference_id, excess_ns AS ns FROM slowest WHERE excess_ns > 0")
    assert sorted(map(str, parts)) == sorted(map(str, excess))


def test_tables_have_what_is_in_the_file(lab, recording):
    path = recording.path
    rows = ask(lab, path, "SELECT kind, count(*) AS n, sum(duration_ns) AS ns FROM slices GROUP BY kind")
    kinds = collections.defaultdict(lambda: [0, 0])
    for slice_ in recording.slices:
        kinds[slice_.kind][0] += 1
        kinds[slice_.kind][1] += (slice_.end or slice_.start) - slice_.start
    assert {row["kind"]: [row["n"], row["ns"] or 0] for row in rows} == dict(kinds)
    sessions = ask(
        lab,
        path,
        "SELECT s.duration_ns, sum(p.duration_ns) AS in_phases FROM sessions s JOIN phases p "
        "ON p.session_id = s.id WHERE p.depth = 1 GROUP BY s.id",
    )
    assert len(sessions) == 2 and all(0 < row["in_phases"] <= row["duration_ns"] for row in sessions)
    (counter,) = ask(lab, path, "SELECT count(*) AS n FROM samples JOIN counters ON counters.id = counter_id")
    assert counter["n"] == len(recording.counters) > 0


def read_until(leader, end):
    said = b""
    while end not in said[-8192:]:
        said += os.read(leader, 4096)
    return said.decode()


def test_the_shell_goes_on_after_a_mistake_and_after_ctrl_c(lab, recording):
    """On a terminal of its own, with a history that the next shell has, too."""
    state = lab.path("state")
    for shell in ("first", "second"):
        pid, leader = pty.fork()
        if not pid:
            os.environ.update(XDG_STATE_HOME=state, TERM="xterm", LC_ALL="C.UTF-8")
            os.execv(lab.inftrace, [lab.inftrace, "query", recording.path])
        try:
            prompt = b"inftrace> "
            read_until(leader, prompt)
            if shell == "second":
                os.write(leader, b"\x10\x10\n")  # the last line but .quit
                assert "4711" in read_until(leader, prompt)
            os.write(leader, b"SELECT durations FROM operators;\n")
            assert "did you mean duration_ns?" in read_until(leader, prompt)
            os.write(leader, b".format jsonl\n")
            read_until(leader, prompt)
            os.write(leader, b"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;\n")
            read_until(leader, b'{"x": 10}\r\n')  # it runs
            os.write(leader, b"\x03")
            assert "interrupted" in read_until(leader, prompt)
            os.write(leader, b"SELECT 4700 + 11 AS n;\n")
            assert "4711" in read_until(leader, prompt)
            os.write(leader, b".quit\n")
            assert os.waitpid(pid, 0)[1] == 0
            pid = 0
        finally:
            if pid:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            os.close(leader)
    assert os.stat(os.path.join(state, "inftrace", "query_history")).st_mode & 0o777 == 0o600


@pytest.mark.full("it compiles SQLite")
def test_random_queries_answer_as_on_plain_tables_with_the_newest_sqlite(lab):
    """With this system's SQLite it is a unit test. A package of npm has the source of the newest."""
    folder = lab.path("sqlite")
    os.mkdir(folder)
    packed = subprocess.run(
        ["npm", "pack", "--silent", "better-sqlite3"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert packed.returncode == 0, packed.stdout
    subprocess.run(["tar", "xzf", packed.stdout.split()[-1]], cwd=folder, check=True)
    source = os.path.join(folder, "package/deps/sqlite3/sqlite3.c")
    flags = ["-O1", "-fPIC", "-shared", "-DSQLITE_ENABLE_COLUMN_METADATA", "-lpthread", "-ldl", "-lm"]
    subprocess.run(["cc", "-o", os.path.join(folder, "libsqlite3.so.0"), source, *flags], check=True)
    program = os.path.join(os.path.dirname(lab.inftrace), "test/unit/query_random_test")
    done = lab.plain([program], env={"LD_LIBRARY_PATH": folder, "QUERY_COUNT": "100000"})
    assert done.status == 0, done.out + done.err
