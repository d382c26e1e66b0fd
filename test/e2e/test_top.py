# SPDX-License-Identifier: Apache-2.0
"""inftrace top: the page in a terminal, which tmux holds, plain lines and JSON, and the programs that are watched."""

import json
import os
import re
import shlex
import signal
import subprocess

import pytest

from attaching import python_server
from lab import CLEAN, PATIENCE, wait_until
from recording import Recording


class Page:
    """A command in a terminal of its own, whose screen can be read. Its status and what it leaves are in files."""

    def __init__(self, lab, command, columns=80, rows=24, **env):
        self.lab, self.socket = lab, lab.path("tmux")
        self.files = {name: lab.path(name) for name in ("before", "after", "status")}
        line = "stty -a > %s; %s; echo $? > %s.new; stty -a > %s; mv %s.new %s; sleep 1000" % (
            self.files["before"],
            shlex.join(command),
            self.files["status"],
            self.files["after"],
            self.files["status"],
            self.files["status"],
        )
        words = ["new-session", "-d", "-x", str(columns), "-y", str(rows), line]
        subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, *words],
            env={**CLEAN, "TERM": "xterm-256color", **env},
            cwd=lab.folder,
            check=True,
            timeout=PATIENCE,
        )

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *words], capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *why):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=PATIENCE)

    @property
    def text(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def wait(self, pattern):
        """The first match on the screen, as soon as there is one."""
        return wait_until(lambda: re.search(pattern, self.text, re.M), why=lambda: self.text)

    def wait_rows(self, n):
        """The page has so many lines, with its keys in the last one."""

        def is_whole():
            lines = self.text.splitlines()
            return len(lines) == n and lines[0].startswith("inftrace top ") and lines[-1].startswith("F1Help")

        wait_until(is_whole, why=lambda: self.text)

    def status(self):
        """How the command ended. The terminal is as it was before."""
        wait_until(lambda: os.path.exists(self.files["status"]), why=lambda: self.text)
        before, after = (open(self.files[name]).read() for name in ("before", "after"))
        # the size may have changed meanwhile
        without_size = [re.sub(r"rows \d+; columns \d+", "", text) for text in (before, after)]
        assert without_size[0] == without_size[1]
        return int(open(self.files["status"]).read())


@pytest.mark.root
def test_page_shows_sorts_selects_resizes_and_gives_the_terminal_back(lab, wheel):
    servers = [python_server(lab, wheel, "chain", "--rest", 0.002), python_server(lab, wheel, "cnn", "--rest", 0.05)]
    command = [lab.inftrace, "top", "-i", "200ms", *[str(server.pid) for server in servers]]
    with Page(lab, command, columns=100) as page:
        row = page.wait(r"^ *%d +python\S* +chain +CPU +([1-9][\d.k]*) .* running +[1-9]" % servers[0].pid)
        assert float(row[1].rstrip("k")) > 0
        page.wait(r"Operators of chain by node")
        page.wait(r"\d % +\S+ +[\d.]+ [un]s .* Cos +link_00$")
        first, second = ("^ *%d .*\n *%d " % (a.pid, b.pid) for a, b in (servers, servers[::-1]))
        page.wait(first)  # by rate
        page.press("F6", "Home", *["Down"] * 6, "Enter", "I")
        page.wait(first)  # by median, the fastest first
        page.press("I")
        page.wait(second)
        page.press("Home")
        page.wait(r"Operators of cnn by node")
        page.press("t")
        page.wait(r"Operators of cnn by type(.*\n)+.* Conv$")
        page.press("?")
        page.wait(r"^ Columns of models")
        page.press("Escape")
        page.wait(r"Operators of cnn")
        page.tmux("resize-window", "-x", "140", "-y", "45")
        page.wait_rows(45)
        page.wait(r" BUSY% ")
        page.tmux("resize-window", "-x", "30", "-y", "6")
        page.wait(r"^inftrace top needs 40x8")
        page.tmux("resize-window", "-x", "80", "-y", "24")
        page.wait_rows(24)
        page.press("q")
        assert page.status() == 0
        # of several models there is no joint median
        assert re.search(r"inftrace: [\d,]+ inferences in [^,\n]+\n", page.text)
    for server in servers:
        assert server.end()[0] > 0


@pytest.mark.root
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, "C-c"])
def test_terminal_is_given_back_however_it_ends(lab, wheel, how):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    with Page(lab, [lab.inftrace, "top", "-i", "200ms", str(server.pid)]) as page:
        page.wait(r"^ *%d .* running" % server.pid)
        if how == "C-c":
            page.press(how)
        else:
            (pid,) = [
                int(pid)
                for pid in os.listdir("/proc")
                if pid.isdigit() and command_of(pid) == [lab.inftrace, "top", "-i", "200ms", str(server.pid)]
            ]
            os.kill(pid, how)
        assert page.status() == 0
        assert re.search("inferences? in", page.text) and "F1Help" not in page.text
    server.end()


def command_of(pid):
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as file:
            return file.read().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def test_suspended_and_continued(lab, wheel):
    """By a shell with job control, as people do it."""
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 1000000)
    with Page(lab, ["bash", "--norc", "-i"]) as page:
        page.wait(r"[$#]")
        page.press("PS1='ready> '; %s" % shlex.join([lab.inftrace, "top", "-i", "200ms", "--", *program]), "Enter")
        page.wait(r"chain .* running")
        page.press("C-z")
        page.wait(r"Stopped(.*\n)+ready>")
        assert "F1Help" not in page.text
        page.press("stty -a | grep -qw -- -echo || echo the terminal is right", "Enter")
        page.wait(r"^the terminal is right")
        page.press("fg", "Enter")
        page.wait_rows(24)
        page.wait(r"chain .* running")
        page.press("C-c")
        page.wait(r"inferences in .*\n(.*\n)*ready>")
        assert "F1Help" not in page.text


def test_a_program_is_started_and_its_output_stays_off_the_page(lab, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 2000000)
    log = lab.path("log")
    with Page(lab, [lab.inftrace, "top", "-i", "200ms", "--log", log, "--", *program], NO_COLOR="1") as page:
        page.wait(r"^ *\d+ cnn +CPU +[1-9][\d.k]* ")
        page.press("/")
        page.press("cnn", "Enter", "o")
        page.wait(r"written: inftrace-top.json")
        page.press("C-c")
        assert page.status() == 130
        assert "inferences in" in page.text
    with open(lab.path("inftrace-top.json")) as file:
        assert json.loads(file.read())["models"][0]["model"] == "cnn"
    assert "KeyboardInterrupt" in open(log).read()


def test_quitting_the_page_leaves_the_program_alone(lab, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 2000000)
    with Page(lab, [lab.inftrace, "top", "-i", "200ms", "--", *program]) as page:
        page.wait(r"cnn .* running")
        page.press("q")
        page.wait(r"the page is closed; the program goes on")
        assert "F1Help" not in page.text and not os.path.exists(page.files["status"])
        page.press("x", "C-c")
        assert page.status() == 130


def test_lines_end_with_the_recording(lab, wheel):
    """Though the program goes on."""
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 20000)
    done = lines_of(lab, ["--json", "-i", "100ms", "-d", "300ms", "--", *program])
    assert len(done.out.splitlines()) <= 6 and "runs 20000 failed 0" in done.err


def lines_of(lab, command, **more):
    done = lab.plain([lab.inftrace, "top", *[str(word) for word in command]], **more)
    assert done.status == 0, done.err
    return done


def test_json_and_lines_of_a_program(lab, wheel):
    """Each model's total is the program's own count, the exit status is its own, and its answers are the same."""
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 300)
    alone = lab.plain(program)
    done = lines_of(lab, ["--json", "-i", "100ms", "--", *program])
    rows = [json.loads(line) for line in done.out.splitlines()]
    (model,) = rows[-1]["models"]
    assert (model["model"], model["inferences"], model["failed"], model["sessions_created"]) == ("cnn", 300, 0, 1)
    assert 0 < model["median_ns"] <= model["max_ns"] and model["provider"] == "CPUExecutionProvider"
    operators = {operator["op_type"]: operator["calls"] for operator in model["operators"]}
    assert operators["Conv"] == 300 and rows[-1]["operators_unplaced"] == 0
    assert rows[-1]["lost"] == 0 and rows[-1]["total"]["inferences"] == 300
    assert done.err == alone.out  # the program's own output, and nothing else
    text = lines_of(lab, ["-i", "100ms", "--models", "^c", "-o", lab.path("also.pftrace"), "--", *program])
    assert "\033" not in text.out and re.search(r"^ +\d+ +\S+ +cnn +CPU .* 300 +0$", text.out, re.M)
    assert "also.pftrace" in text.err and "missing" not in text.err
    assert "300" in lab.plain([lab.inftrace, "report", lab.path("also.pftrace")]).out
    none = lines_of(lab, ["-i", "100ms", "--models", "^x", "--json", "--", *program])
    last = json.loads(none.out.splitlines()[-1])
    assert last["models"] == [] and last["models_hidden"] == 1


@pytest.mark.in_turn(2)
def test_workers_of_a_program_have_one_row(lab, wheel):
    """With --by process each has its own."""
    program = lab.python(wheel, "pools", "spawn", 3, 20000, lab.model("chain"))
    rows = {}
    for by in ("program", "process"):
        done = lines_of(lab, ["--json", "-i", "200ms", "--by", by, "--", *program])
        last = [json.loads(line) for line in done.out.splitlines()][-1]["models"]
        rows[by] = [row for row in last if row["model"] == "chain"]
    (row,) = rows["program"]
    assert (row["processes"], row["pid"], row["inferences"]) == (3, None, 60000)
    assert row["operators"][0]["calls"] == 60000
    assert sorted(row["inferences"] for row in rows["process"]) == [20000] * 3
    assert all(row["processes"] == 1 and row["pid"] for row in rows["process"])


def test_fields_of_json_are_documented(lab, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 5)
    row = json.loads(lines_of(lab, ["--json", "--", *program]).out.splitlines()[-1])
    with open(os.path.join(os.path.dirname(__file__), "../../doc/top.md")) as file:
        documented = set(re.findall(r"`(\w+)`", file.read()))

    def keys(value):
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    assert row["models"][0]["operators"] and row["processes"] and row["counters"] and row["notes"]
    assert keys(row) - documented == set()


@pytest.mark.root
def test_reader_that_goes_away_harms_nobody(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.002)
    top = lab.start(
        [lab.inftrace, "top", "-i", "100ms", str(server.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert top.stdout.readline()
    top.stdout.close()
    assert top.wait(PATIENCE) == 0
    assert b"cannot" not in top.stderr.read()
    server.end()


@pytest.mark.root
def test_recording_beside_the_lines_is_whole(lab, wheel):
    """Also where a source ends halfway, because the rights that it needs are given up."""
    server, path = python_server(lab, wheel, "chain", "--rest", 0.002), lab.path("beside.pftrace")
    done = lines_of(lab, ["--json", "-i", "100ms", "-d", "700ms", "-o", path, server.pid])
    server.end()
    n = json.loads(done.out.splitlines()[-1])["total"]["inferences"]
    assert 0 < n <= len(Recording(path).inferences) and "missing" not in done.err


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_programs_that_come_later_are_taken_up(lab, wheel):
    lab.own("serve")
    name = os.path.basename(lab.own("serve")).replace("serve", "serve_%d" % os.getpid())
    os.rename(lab.path("serve.py"), lab.path(name))
    top = lab.start(
        [lab.inftrace, "top", "--json", "-i", "100ms", "--name", name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert json.loads(top.stdout.readline())["models"] == []
    program = lab.start(
        [wheel.python, lab.path(name), lab.model("chain"), "--rest", "0.002"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in top.stdout:
        models = json.loads(line)["models"]
        if models and models[0]["inferences_per_s"] > 0:
            break
    assert (models[0]["pid"], models[0]["model"]) == (program.pid, "chain")
    out, _ = program.communicate(timeout=PATIENCE)
    assert "differ 0" in out
    for line in top.stdout:
        models = json.loads(line)["models"]
        if models and models[0]["phase"] == "ended":
            break
    top.send_signal(signal.SIGINT)
    top.stdout.read()
    assert top.wait(PATIENCE) == 0


@pytest.mark.root
@pytest.mark.alone("attaches to every program of the machine")
@pytest.mark.in_turn(2)
def test_without_arguments_all_programs_are_watched(lab, wheel):
    servers = [python_server(lab, wheel, name, "--rest", 0.005) for name in ("chain", "cnn")]
    top = lab.start([lab.inftrace, "top", "--json", "-i", "200ms"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wanted = {(server.pid, name) for server, name in zip(servers, ("chain", "cnn"))}
    for line in top.stdout:
        if wanted <= {(model["pid"], model["model"]) for model in json.loads(line)["models"]}:
            break
    top.send_signal(signal.SIGTERM)
    top.stdout.read()
    assert top.wait(PATIENCE) == 0
    for server in servers:
        server.end()


@pytest.mark.parametrize(
    "words, status, text",
    [
        (["4194303"], 3, "4194303"),
        (["42x"], 2, "'42x' is not a PID"),
        (["--json", "--plain"], 2, "contradict each other"),
        (["--models", "("], 2, "not a regular expression: at byte 1 of the pattern: missing closing parenthesis"),
        (["-i", "10ms"], 2, "--interval must be 100ms or more"),
        (["--", "/nonexistent/program"], 3, "/nonexistent/program"),
        (["--sample", "4", "--", "true"], 2, "need probes"),
        (["--log", "x", "1"], 2, "--log needs a command"),
    ],
)
def test_mistakes_are_named(lab, words, status, text):
    done = lab.plain([lab.inftrace, "top", *words])
    assert done.status == status and text in done.err and not done.out, done.err


@pytest.mark.root
def test_missing_rights_and_runtimes_are_named(lab):
    sleeper = lab.start(["sleep", "1000"])
    few = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
    done = lab.plain([*few, lab.inftrace, "top"])
    assert done.status == 3 and "CAP_BPF" in done.err and len(done.err.splitlines()) == 1, done.err
    done = lab.plain([lab.inftrace, "top", str(sleeper.pid)])
    assert done.status == 3 and "no supported runtime is loaded" in done.err, done.err


@pytest.mark.parametrize("term, text", [("", "TERM is not set"), ("dumb", "cannot move its cursor")])
def test_terminal_that_cannot_show_a_page_is_named(lab, term, text):
    with Page(lab, ["env", "TERM=" + term, lab.inftrace, "top", "--", "true"], columns=200) as page:
        assert page.status() == 3
        assert text in page.text and "inftrace top | cat" in page.text
