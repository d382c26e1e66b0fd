# SPDX-License-Identifier: Apache-2.0
"""The Python package: built as a wheel, installed into an environment of its own, used with the newest pandas, polars
and pyarrow."""

import json
import os
import subprocess
import sys

import pytest

import envs
from conftest import environment
from lab import made_once

SOURCE = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "python")


@pytest.fixture(scope="session")
def installed(shared):
    """The Python of a new environment with the package alone."""
    builder = environment(envs.tables)

    def make(folder):
        run = [builder, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
        subprocess.run([*run, "--no-build-isolation", "--wheel-dir", folder, SOURCE], check=True)
        (wheel,) = [name for name in os.listdir(folder) if name.endswith(".whl")]
        venv = os.path.join(folder, "venv")
        python = os.path.join(venv, "bin", "python")
        subprocess.run([builder, "-m", "venv", "--without-pip", venv], check=True)
        into = [builder, "-m", "pip", "--disable-pip-version-check", "--python", python, "install", "--quiet"]
        subprocess.run([*into, "--no-index", os.path.join(folder, wheel)], check=True)

    made_once(shared / "package", make)
    return str(shared / "package" / "venv" / "bin" / "python")


@pytest.fixture
def use(lab, installed):
    """Runs a Python program that uses the package, with the other packages or without; gives what it prints."""
    others = subprocess.run(
        [envs.tables(), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()

    def run(text, *args, alone=False, status=0):
        environment = {"INFTRACE_PROGRAM": lab.inftrace, **({} if alone else {"PYTHONPATH": others})}
        done = lab.plain([installed, "-c", text, *map(str, args)], env=environment)
        assert done.status == status, done.err
        return done.out if status == 0 else done.err

    return run


@pytest.fixture
def recording(lab, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--sessions", 2, "--runs", 20)
    return lab.record(program).recording.path


EVERY_TABLE = """
import inftrace, polars, pyarrow, sys
recording = inftrace.open(sys.argv[1])
print(*recording.tables())
for name in recording.tables():
    table = getattr(recording, name)
    assert table.sql == recording.table(name).sql
    arrow, pandas, rows = table.arrow(), table.pandas(), table.rows()
    arrow.validate(full=True)
    assert arrow.to_pylist() == rows and table.polars().to_dicts() == rows, name
    assert pyarrow.table(table) == arrow and polars.DataFrame(table).equals(table.polars()), name
    assert table.count() == len(rows) == len(pandas), name
    assert list(pandas.columns) == arrow.column_names
    for column in arrow.column_names:
        if str(arrow.schema.field(column).type) == "int64":
            assert [None if pandas[column].isna()[i] else int(pandas[column][i]) for i in range(len(rows))] == [
                row[column] for row in rows
            ], (name, column)
"""


@pytest.mark.in_turn(3)
def test_every_table_is_the_same_in_every_library(lab, use, recording):
    names = use(EVERY_TABLE, recording).split()
    said = lab.plain([lab.inftrace, "query", recording], stdin=b".tables\n").out
    assert names == [line.split()[0] for line in said.splitlines()]


@pytest.mark.in_turn(2)
def test_without_other_packages_there_are_rows_and_plain_errors(use, recording):
    said = use(
        """
import inftrace, json, sys
recording = inftrace.open(sys.argv[1])
rows = recording.inferences.where("is_typical").rows()
print(json.dumps([recording.verdict, len(rows), recording.inference_stats.rows()[0]["inferences_typical"]]))
for use in (recording.operators.pandas, recording.operators.arrow, recording.operators.polars, recording.plot):
    try:
        use()
        print("no error")
    except inftrace.Error as error:
        print(error)
""",
        recording,
        alone=True,
    ).splitlines()
    verdict, n, typical = json.loads(said[0])
    assert "40 inferences of cnn" in verdict and n == typical == 38
    assert [line.split(":")[0] for line in said[1:]] == ["this needs %s" % name for name in NEEDED], said


NEEDED = ("pandas", "pyarrow", "polars", "matplotlib")


def test_what_is_wrong_is_said(use, recording):
    said = use(
        """
import inftrace, os, sys
recording = inftrace.open(sys.argv[1])
for use in (
    lambda: recording.query("SELECT durations FROM operators").arrow(),
    lambda: recording.query("SELECT durations FROM operators").rows(),
    lambda: recording.table('no"pe').rows(),
    lambda: recording.operators.where("1 =").count(),
    lambda: recording.report(nonsense=True),
    lambda: recording.plot("nonsense"),
    lambda: recording.plot("latency", model="nobody's"),
    lambda: inftrace.open("no/such"),
    lambda: inftrace.open(os.__file__).verdict,
    lambda: inftrace.record("python app.py"),
    lambda: inftrace.record(["no/such/program"]),
    lambda: inftrace.record([sys.executable, "-c", "0"], output=sys.argv[1]),
    lambda: inftrace.record([sys.executable, "-c", "raise SystemExit(7)"], check=True),
    lambda: inftrace.attach(1),
):
    try:
        use()
        print("no error")
    except Exception as error:
        print(type(error).__name__, getattr(error, "status", "-"), error)
os.environ["INFTRACE_PROGRAM"] = "no/such"
try:
    recording.verdict
except inftrace.Error as error:
    print(error)
""",
        recording,
    ).splitlines()
    for line, expected in zip(
        said,
        (
            "Error 3 cannot run the query: no such column: durations; did you mean duration_ns?",
            "Error 3 cannot run the query: no such column: durations; did you mean duration_ns?",
            'Error 3 cannot run the query: no such table: no"pe',
            "cannot run the query: near",
            "Error 2 unknown option --nonsense",
            "Error None there is no plot 'nonsense'",
            "Error None no inference ended in",
            "FileNotFoundError - ",
            "Error 3 ",
            "TypeError - command is a list",
            "Error 3 nothing was recorded",
            "FileExistsError - ",
            "CalledProcessError - ",
            "TypeError - say when to stop",
            "cannot run no/such, which INFTRACE_PROGRAM names",
        ),
        strict=True,
    ):
        assert line.startswith(expected) or expected in line, (line, expected)


def test_a_program_is_recorded_and_its_status_is_known(lab, use, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 9)
    said = use(
        """
import gc, inftrace, os, subprocess, sys
recording = inftrace.record(sys.argv[1:], level="inference", interval=0.25)
first = recording.recording.rows()[0]
print(recording.exit_status, first["inferences"], first["operators"], first["interval_ns"])
kept = recording.save("kept.pftrace")
path = recording.path
del recording
gc.collect()
print(os.path.exists(path), kept.recording.rows()[0]["inferences"], inftrace.diff(kept, kept.path)["is_regression"])
print(inftrace.record(["sh", "-c", "exit 7"], output="seven.pftrace").exit_status)
""",
        *program,
    )
    assert said.splitlines()[-3:] == ["0 9 0 250000000", "False 9 False", "7"], said


@pytest.mark.in_turn(2)
def test_plots_files_and_a_notebook_show_it(use, lab, recording):
    said = use(
        """
import inftrace, pandas, pyarrow.ipc, pyarrow.parquet, sqlite3, sys
recording = inftrace.open(sys.argv[1])
for kind in ("latency", "operators", "resources"):
    figure = recording.plot(kind)
    figure.savefig(kind + ".png")
    print(kind, [axes.get_title() for axes in figure.axes])
recording.parquet("tables", ["operators", "inferences"])
print(pyarrow.parquet.read_table("tables/operators.parquet") == recording.operators.arrow())
recording.feather("tables")
print(pyarrow.ipc.open_file("tables/operators.arrow").read_all() == recording.operators.arrow())
recording.export("sqlite", "run.sqlite")
print(sqlite3.connect("run.sqlite").execute("SELECT count(*) FROM inferences").fetchone()[0])
table = recording.query("SELECT '<script>' AS a, 0.5 AS b, NULL AS c")._repr_html_()
page = recording._repr_html_()
print("<script>" not in table and "&lt;script&gt;" in table)
print(page.startswith("<iframe sandbox srcdoc='&lt;!"), "'" in page[50:-200])
""",
        recording,
    ).splitlines()
    assert said[0] == "latency ['Inferences', 'Distribution']" and said[1].startswith("operators"), said
    assert "cpu (%)" in said[2] and said[3:] == ["True", "True", "40", "True", "True False"], said
    for kind in ("latency", "operators", "resources"):
        assert os.path.getsize(lab.path(kind + ".png")) > 5000


@pytest.mark.in_turn(2)
def test_its_types_hold(use):
    """mypy finds nothing in the package, and what a caller gets has its type."""
    program = """
import inftrace
recording = inftrace.record(["true"], duration=1.5, max_size="1G")
reveal_type(recording.operators)
reveal_type(recording.exit_status)
recording.query(7)
with inftrace.profile(7, samples=3) as report, inftrace.stream("m", rate="1s") as stream:
    reveal_type(report.rows())
    reveal_type([one.samples for one in stream])
@inftrace.slice("x")
def function(n: int) -> str:
    return str(n)
reveal_type(function)
"""
    said = use(
        "import os, subprocess, sys\n"
        "open('user.py', 'w').write(sys.argv[1])\n"
        "mypy = [sys.executable, '-m', 'mypy', '--strict', '--ignore-missing-imports', '--cache-dir', os.devnull]\n"
        "sys.exit(subprocess.run([*mypy, '-p', 'inftrace', '-m', 'user']).returncode != 1)",
        program,
    ).splitlines()
    assert [line.split(":", 3)[2:] for line in said[:-1]] == [
        [" note", ' Revealed type is "inftrace.table.Table"'],
        [" note", ' Revealed type is "int | None"'],
        [" error", ' Argument 1 to "query" of "Recording" has incompatible type "int"; expected "str"  [arg-type]'],
        [" note", ' Revealed type is "list[dict[str, float | None]]"'],
        [" note", ' Revealed type is "list[int]"'],
        [" note", ' Revealed type is "def (n: int) -> str"'],
    ], said
    assert said[-1].startswith("Found 1 error in 1 file"), said


def test_the_command_of_the_package_is_the_program(lab, installed):
    done = lab.plain([installed, "-m", "inftrace", "--version"], env={"INFTRACE_PROGRAM": lab.inftrace})
    assert done.status == 0 and done.out == lab.plain([lab.inftrace, "--version"]).out
    # the script that the package installs is never taken for the program
    folder = os.path.dirname(installed)
    script = [installed, os.path.join(folder, "inftrace"), "--version"]
    done = lab.plain(script, env={"PATH": folder})
    assert done.status == 1 and "the program inftrace is not installed" in done.err
    path = folder + os.pathsep + os.path.dirname(lab.inftrace)
    assert lab.plain(script, env={"PATH": path}).status == 0


def test_a_program_that_cannot_run_here_is_named(lab):
    """As where an environment was copied to another machine, or to one without glibc."""
    with open("/bin/true", "rb") as file:
        data = bytearray(file.read())
    at = data.index(b"/lib")
    foreign, lost = bytearray(data), bytearray(data)
    foreign[18:20], lost[at : at + 4] = b"\x16\0", b"/bil"
    reasons = {"foreign": "it is for another processor, and this machine is ", "lost": "this system has no glibc, or "}
    for name, content in (("foreign", foreign), ("lost", lost)):
        with open(lab.path(name), "wb") as file:
            file.write(content)
        os.chmod(lab.path(name), 0o755)
        command = [sys.executable, "-m", "inftrace", "doctor"]
        env = {"INFTRACE_PROGRAM": lab.path(name), "PYTHONPATH": SOURCE}
        done = lab.plain(command, env=env)
        said = "cannot run %s: %s" % (lab.path(name), reasons[name])
        assert done.status == 1 and done.err.startswith("inftrace: " + said) and done.err.count("\n") == 1, done.err
        words = "import inftrace, sys\n"
        words += "for use in (lambda: inftrace.record(['true']), lambda: inftrace.model('x.onnx')):\n"
        words += "    try: use()\n    except inftrace.Error as error: print(error)\n"
        lines = lab.plain([sys.executable, "-c", words], env=env).out.splitlines()
        assert len(lines) == 2 and all(line.startswith(said) for line in lines), lines
