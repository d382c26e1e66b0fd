# SPDX-License-Identifier: Apache-2.0
"""The extension for VS Code in a real workbench (npm's code-server) that Chromium drives: vscode_drive.js drives it,
vscode_steps.js says what a person does, and what must be so."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

import pytest

import envs
import judge
from conftest import environment
from lab import made_once, wait_until
from test_view_page import skip_without_page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
PROGRAM = """import os, sys, time
import numpy as np
import onnxruntime as ort

os.chdir(os.path.dirname(os.path.abspath(__file__)))
# threads of the runtime would wait for work by spinning
alone = ort.SessionOptions()
alone.intra_op_num_threads = 1
session = ort.InferenceSession("cnn.onnx", alone, providers=["CPUExecutionProvider"])
one = session.get_inputs()[0]
feed = {one.name: np.zeros([d if isinstance(d, int) else 1 for d in one.shape], np.float32)}
for _ in range(int(sys.argv[1])):
    session.run(None, feed)
    time.sleep(float(sys.argv[2]))
"""
AGAIN = """import onnxruntime as ort
import run
for _ in range(30):
    ort.InferenceSession("cnn.onnx", run.alone, providers=["CPUExecutionProvider"]).run(None, run.feed)
"""
# What moves, blinks or looks round by itself takes more of a CPU than what is tested.
CALM = {
    "workbench.startupEditor": "none",
    "workbench.reduceMotion": "on",
    "workbench.tips.enabled": False,
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": False,
    "terminal.integrated.gpuAcceleration": "off",
    "terminal.integrated.cursorBlinking": False,
    "terminal.integrated.shellIntegration.enabled": False,
    "extensions.webWorker": False,
    "git.enabled": False,
    "npm.autoDetect": "off",
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "chat.disableAIFeatures": True,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.colorTheme": "Default Light Modern",
    "files.simpleDialog.enable": True,
}


# Of what the editor brings; git, servers of languages and assistants would start as well.
BUILT_IN = ("cpp", "javascript", "ms-vscode.js-debug", "python", "theme-defaults", "theme-seti")


def build_extension(path):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, os.path.join(ROOT, "tools", "package"), "vsix", "-o", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        shutil.copy(done.stdout.strip(), path)


@pytest.fixture
def extension(lab):
    return made_once(os.path.join(lab.binaries.folder, "extension.vsix"), build_extension)


@contextlib.contextmanager
def workbench(lab, kind, extensions, folder, settings, meanwhile=lambda: None, trusted=True):
    """The address of a workbench with the extension. Only settings of the machine name programs: it is a remote one.
    meanwhile: what else can be made ready while the extensions are installed."""
    data = lab.path("data")
    trust = {"security.workspace.trust.enabled": not trusted, "security.workspace.trust.startupPrompt": "never"}
    for name, values in (("User", CALM | trust), ("Machine", settings)):
        os.makedirs(os.path.join(data, name))
        with open(os.path.join(data, name, "settings.json"), "w") as out:
            json.dump(values, out)
    own = lab.path("built-in")
    os.makedirs(own)
    for name in BUILT_IN:
        os.symlink(os.path.join(kind.built_in, name), os.path.join(own, name))
    server = [kind.node, kind.entry, "--user-data-dir", data, "--extensions-dir", lab.path("extensions")]
    server += ["--builtin-extensions-dir", own]
    env = {**os.environ, "HOME": lab.path("home")}
    os.makedirs(env["HOME"])
    words = [word for extension in extensions for word in ("--install-extension", extension)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([*server, *words], env=env, **pipes) as installing:
        meanwhile()
        said = installing.communicate()[0]
    assert installing.returncode == 0, said
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        origin = "http://127.0.0.1:%d" % free.getsockname()[1]
    options = ["--auth", "none", "--bind-addr", origin[7:], "--disable-telemetry", "--disable-update-check"]
    options += ["--disable-getting-started-override", *(["--disable-workspace-trust"] if trusted else [])]
    log = lab.path("server.log")

    def start():
        with open(log, "w") as out:
            # what the window starts are its children: they end with it
            return subprocess.Popen(
                [*server, *options, folder], env=env, stdout=out, stderr=out, start_new_session=True
            )

    def has_given_up():
        with open(log) as said:
            return process.poll() is not None and "timed out" in said.read()

    def is_up():
        try:
            return urllib.request.urlopen(origin + "/healthz", timeout=10)
        except OSError:
            return None

    process = start()
    try:
        # it gives its own part ten seconds to start, which a busy machine does not always have
        for _ in range(3):
            if wait_until(lambda: is_up() or has_given_up()) is not True:
                break
            process = start()
        wait_until(is_up, process)
        yield origin + "/?folder=" + folder
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def drive(lab, kind, address, *steps, **env):
    """What a person does: the steps of files, each of which throws where something is wrong."""
    done = subprocess.run(
        [kind.node, os.path.join(HERE, "vscode_drive.js"), environment(judge._browser), address]
        + [lab.path(""), *(os.path.join(HERE, one) for one in steps)],
        env={**os.environ, "NODE_PATH": kind.driver, **env},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr + open(lab.path("server.log")).read()[-2000:]
    print(done.stdout)
    return [name for name, _ in json.loads(done.stdout)["done"]]


def script(path, line):
    with open(path, "w") as out:
        out.write("#!/bin/sh\n%s\n" % line)
    os.chmod(path, 0o755)
    return path


def task_of(folder, **task):
    """A task of the folder's own."""
    os.makedirs(folder + "/.vscode")
    with open(folder + "/.vscode/tasks.json", "w") as out:
        json.dump({"version": "2.0.0", "tasks": [{"type": "inftrace", **task}]}, out)


def asked_through(lab):
    """inftrace by another name, which notes what it is asked."""
    return script(lab.path("inftrace"), 'echo "$*" >> "%s"\nexec "%s" "$@"' % (lab.path("asked"), lab.inftrace))


def servers_of(folder):
    """PIDs of pages that are served of recordings in this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open("/proc/%s/cmdline" % pid, "rb") as file:
            words = file.read().split(b"\0")
            if b"--exit-with-stdin" in words and any(word.startswith(folder.encode()) for word in words):
                found.append(int(pid))
    return found


@pytest.mark.root
@pytest.mark.parametrize("version", ["newest", pytest.param("oldest", marks=pytest.mark.full("a second workbench"))])
@pytest.mark.in_turn(2)
def test_a_person_records_reads_and_compares_in_the_editor(lab, wheel, extension, version):
    skip_without_page(lab)
    kind = environment(envs.workbench, version)
    folder = lab.path("workspace")
    os.makedirs(folder)
    shutil.copy(lab.model("cnn"), folder + "/cnn.onnx")
    for name in ("run.py", "serve.py"):
        with open(os.path.join(folder, name), "w") as out:
            out.write(PROGRAM)
    with open(folder + "/again.py", "w") as out:
        out.write(AGAIN)
    made = [("first", "run")] + [("again", "again")] * (version == "oldest")

    def record_first():
        lab.start([wheel.python, folder + "/serve.py", "1000000", "0.1"])
        for name, program in made:
            run = [wheel.python, "%s/%s.py" % (folder, program), "60", "0.001"]
            done = lab.plain([lab.inftrace, "record", "-q", "-o", "%s/%s.pftrace" % (folder, name), "--", *run])
            assert done.status == 0

    wrapper = asked_through(lab)
    settings = {"inftrace.path": wrapper, "inftrace.duration": "1s"}
    settings["python.defaultInterpreterPath"] = wheel.python
    command = [wheel.python, "run.py", "150", "0.01"]
    task_of(folder, label="of mine", command="record", args=command, output="of mine.pftrace")
    env = {"VSCODE_COMMAND": " ".join(command), "VSCODE_ASKED": lab.path("asked"), "VSCODE_FOLDER": folder}
    with workbench(lab, kind, [extension], folder, settings, record_first) as address:
        more = ["vscode_live_model_steps.js", "vscode_more_steps.js"] if version == "oldest" else []
        assert len(drive(lab, kind, address, "vscode_steps.js", *more, **env)) == (22 if more else 13)
    # nothing outlives the workbench
    wait_until(lambda: not servers_of(folder))


def debugger(path, kind, program, runtime=None, args=()):
    """A package of an extension that does nothing but name a debug adapter, as those of galleries do."""
    own = {"type": kind, "label": kind, "program": program, "args": args, "languages": ["python", "c"]}
    if runtime:
        own["runtime"] = runtime
    package = {
        "name": kind,
        "publisher": "test",
        "version": "1.0.0",
        "engines": {"vscode": "^1.90.0"},
        "extensionKind": ["workspace"],
        "contributes": {"debuggers": [own], "breakpoints": [{"language": "c"}, {"language": "python"}]},
    }
    manifest = (
        '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        '<Identity Language="en-US" Id="%s" Version="1.0.0" Publisher="test"/></Metadata></PackageManifest>' % kind
    )
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("extension/package.json", json.dumps(package))
        out.writestr("extension.vsixmanifest", manifest)
    return path


@pytest.mark.root
@pytest.mark.full("a workbench with five debuggers")
def test_what_is_debugged_is_recorded(lab, library, extension):
    """debugpy, the debugger of Node.js that is a part of the editor, gdb, gdb by the names of cppdbg, and LLDB by those
    of CodeLLDB: each stops once at a breakpoint."""
    skip_without_page(lab)
    kind, node = environment(envs.workbench, "newest"), environment(envs.node_package, "newest")
    python, gdb, lldb = (environment(one) for one in (envs.notebook, envs.gdb_adapter, envs.lldb_adapter))
    folder = lab.path("workspace")
    os.makedirs(folder)
    shutil.copy(lab.model("cnn"), folder + "/cnn.onnx")
    with open(folder + "/debugged.py", "w") as out:
        out.write(PROGRAM)
    shutil.copy(os.path.join(envs.PROGRAMS, "infer.js"), folder + "/debugged.js")
    sources = [folder + "/" + name for name in ("run.c", "ort.c", "runtime_opened.c")]
    for name in ("run.c", "ort.c", "ort.h", "runtime_opened.c"):
        shutil.copy(os.path.join(envs.PROGRAMS, name), folder)
    native = [folder + "/run", library, lab.model("chain"), "256", "256", "run", "7", "1"]
    done = lab.plain(["cc", "-g", "-O0", "-pthread", "-o", native[0], *sources, "-ldl", "-std=gnu11", "-D_GNU_SOURCE"])
    assert done.status == 0, done.err
    launches = [
        {"type": "debugpy", "name": "of Python", "program": folder + "/debugged.py", "args": ["20", "0.01"]},
        {"type": "node", "name": "of Node", "program": folder + "/debugged.js", "runtimeExecutable": node.node}
        | {"args": [lab.model("chain"), "256", "10"], "env": node.script_env},
        {"type": "gdb", "name": "of C", "program": native[0], "arguments": " ".join(native[1:]), "gdb": "gdb"},
        {"type": "cppdbg", "name": "as C++", "program": "${workspaceFolder}/run", "args": native[1:], "MIMode": "gdb"}
        | {"miDebuggerPath": shutil.which("gdb"), "environment": [], "stopAtEntry": False, "externalConsole": False},
        {"type": "lldb", "name": "by LLDB", "program": native[0], "args": native[1:]},
    ]
    launches = [{"request": "launch", "cwd": folder, "inftrace": True, **one} for one in launches]
    os.makedirs(folder + "/.vscode")
    with open(folder + "/.vscode/launch.json", "w") as out:
        json.dump({"version": "0.2.0", "configurations": launches}, out)
    extensions = [
        extension,
        debugger(lab.path("debugpy.vsix"), "debugpy", os.path.join(os.path.dirname(python), "debugpy-adapter")),
        debugger(lab.path("gdb.vsix"), "gdb", gdb, "node"),
        debugger(lab.path("cppdbg.vsix"), "cppdbg", os.path.join(envs.PROGRAMS, "cppdbg.js"), "node", [gdb]),
        debugger(lab.path("lldb.vsix"), "lldb", lldb),
    ]
    settings = {"inftrace.path": lab.inftrace, "python.defaultInterpreterPath": python, "inftrace.atEnd": "nothing"}
    settings["debug.allowBreakpointsEverywhere"] = True
    with workbench(lab, kind, extensions, folder, settings) as address:
        done = drive(lab, kind, address, "vscode_debug_steps.js")
        assert len(done) == 5
    for name, n in (("debugged", 20), ("debugged-2", 20), ("run", 7), ("run-2", 7), ("run-3", 7)):
        report = lab.plain([lab.inftrace, "report", "--json", "%s/%s.pftrace" % (folder, name)])
        (model,) = json.loads(report.out)["models"]
        assert model["inferences"]["count"] == n


NAMES = ["<img src=x onerror=alert(1)>", "[free](command:workbench.action.quit) $(bug)", "turn\u202egnp", "l" * 240]


@pytest.mark.root
@pytest.mark.full("two more workbenches")
@pytest.mark.parametrize("version", ["newest", "oldest"])
def test_bad_input_is_said_and_does_no_harm(lab, wheel, extension, version):
    skip_without_page(lab)
    kind, folder = environment(envs.workbench, version), lab.path("workspace")
    names = [name + ".pftrace" for name in NAMES]
    os.makedirs(folder)
    for name in ("cnn.onnx", "odd ${command:workbench.action.quit}.onnx"):
        shutil.copy(lab.model("cnn"), os.path.join(folder, name))
    for name in ("run.py", "serve [go](command:workbench.action.quit) $(bug).py"):
        with open(os.path.join(folder, name), "w") as out:
            out.write(PROGRAM)

    def record_first():
        with open(lab.path("home/.profile"), "w") as out:
            out.write('PATH="%s:$PATH"\n' % lab.path("bin"))
        server = lab.start([wheel.python, os.path.join(folder, name), "1000000", "0.1"])
        env["VSCODE_PID"] = str(server.pid)
        run = [wheel.python, folder + "/run.py", "60", "0.001"]
        done = lab.plain([lab.inftrace, "record", "-q", "-o", folder + "/first.pftrace", "--", *run])
        assert done.status == 0
        for own in names:
            shutil.copy(folder + "/first.pftrace", os.path.join(folder, own))

    settings = {"inftrace.path": lab.inftrace, "inftrace.duration": "1s"}
    settings["python.defaultInterpreterPath"] = wheel.python
    # the head of a file of another processor
    other = bytearray(open(lab.inftrace, "rb").read(64))
    other[18] = 62 if other[18] == 183 else 183
    with open(lab.path("other"), "wb") as out:
        out.write(other)
    os.chmod(lab.path("other"), 0o755)
    programs = {
        "missing": "/nowhere/inftrace",
        "later": lab.path("later"),
        "old": script(lab.path("old"), "echo inftrace 0.1.9"),
    }
    # root without its rights, unless it comes by way of sudo
    less = '[ "$SUDO_UID" ] || less="setpriv --securebits +noroot --inh-caps -all"\nexec $less "%s" "$@"'
    programs["few"] = script(lab.path("few"), less % lab.inftrace)
    os.makedirs(lab.path("bin"))
    script(lab.path("bin/sudo"), 'SUDO_UID=0 SUDO_GID=0 exec "$@"')
    record = [lab.inftrace, "record", "-q", "--force", "-o", '"$1"', "--", wheel.python, "run.py", "1000000", "0.01"]
    env = {
        "VSCODE_FOLDER": folder,
        "VSCODE_NAMES": json.dumps(names),
        "VSCODE_SETTINGS": lab.path("data/Machine/settings.json"),
        "VSCODE_PROGRAMS": json.dumps({**programs, "other": lab.path("other")}),
        "VSCODE_RECORD": "exec " + " ".join(record),
    }
    with workbench(lab, kind, [extension], folder, settings, record_first, trusted=False) as address:
        assert len(drive(lab, kind, address, "vscode_bad_steps.js", **env)) == 11
