# SPDX-License-Identifier: Apache-2.0
"""inftrace doctor with installed runtimes and plugin providers, and with libraries that only resemble one."""

import glob
import json
import os

import envs
from conftest import environment


def doctor(lab, env, *args):
    done = lab.plain([lab.inftrace, "doctor", *args], env=dict({"PATH": "/usr/bin:/bin", "HOME": lab.folder}, **env))
    assert done.status in (0, 1) and done.err == "", done.err
    return done.out


def asked(lab, env, *args):
    return json.loads(doctor(lab, env, "--json", *args))


def under(found, path):
    return [runtime for runtime in found["runtimes"] if runtime["path"].startswith(os.path.realpath(path) + "/")]


def test_each_runtime_tells_its_version_and_its_providers(lab):
    openvino, node = environment(envs.wheel, "openvino"), environment(envs.node_package, "1.22")
    env = {"VIRTUAL_ENV": openvino.path, "NODE_PATH": os.path.join(node.path, "node_modules")}
    found = asked(lab, env)
    (runtime,) = under(found, openvino.path)
    assert runtime["version"] == openvino.version and runtime["has_answered"] and runtime["problem"] is None
    assert {"OpenVINOExecutionProvider", "CPUExecutionProvider"} <= set(runtime["providers"])
    assert runtime["how"].startswith("Python in %s/" % openvino.path)
    (runtime,) = under(found, node.path)
    assert (
        runtime["version"] == node.version
        and "CPUExecutionProvider" in runtime["providers"]
        and runtime["how"].startswith("Node in ")
    )
    text = doctor(lab, env)
    assert "  onnxruntime %-10s %s/" % (openvino.version, os.path.realpath(openvino.path)) in text
    assert [
        line
        for line in text.splitlines()
        if "providers: " in line and "OpenVINO, " in line and "ExecutionProvider" not in line
    ]


def test_a_wheel_that_keeps_the_runtime_in_its_python_module_answers_too(lab):
    old = environment(envs.wheel, "1.18")
    (runtime,) = under(asked(lab, {"VIRTUAL_ENV": old.path}), old.path)
    assert runtime["version"] == "1.18.1" and runtime["has_answered"] and "CPUExecutionProvider" in runtime["providers"]


def test_plugin_providers_of_python_packages_are_listed(lab):
    plugins = {name: environment(envs.plugin, name) for name in ("openvino", "qnn", "webgpu")}
    sites = [glob.glob(plugin.path + "/lib/python3*/site-packages")[0] for plugin in plugins.values()]
    env = {"PYTHONPATH": ":".join(sites + sites[:1])}
    found = asked(lab, env)["plugins"]
    assert [plugin["provider"] for plugin in found] == [
        "OpenVINOExecutionProvider",
        "QNNExecutionProvider",
        "WebGpuExecutionProvider",
    ]
    for plugin, site in zip(found, sites):
        assert plugin["path"].startswith(os.path.realpath(site) + "/") and os.path.isfile(plugin["path"])
        assert glob.glob("%s/onnxruntime_*-%s.dist-info" % (site, plugin["version"])) and site in plugin["how"]
    text = doctor(lab, env, "--no-load")
    assert "\nPlugin providers in Python packages\n  OpenVINO " in text and "providers: " not in text


def test_what_crashes_or_hangs_is_said_and_the_next_one_is_asked(lab, wheel):
    folder = lab.path("libraries")
    os.mkdir(folder)
    os.symlink(lab.binaries.shared("bad_library", ["-DAT_CALL"]), folder + "/libonnxruntime.so.2")
    os.symlink(lab.binaries.shared("bad_library", ["-DAT_CALL", "-DHANG"]), folder + "/libonnxruntime.so.3")
    open(folder + "/libonnxruntime.so.4", "w").write("no library")
    os.mkfifo(folder + "/libonnxruntime.so.5")
    found = asked(lab, {"LD_LIBRARY_PATH": folder, "VIRTUAL_ENV": wheel.path})
    problems = [runtime["problem"] for runtime in found["runtimes"][:3]]
    assert "signal 11" in problems[0] and "timed out after 5 s" in problems[1] and problems[2]
    (runtime,) = under(found, wheel.path)
    assert (
        runtime["has_answered"]
        and runtime["version"] == wheel.version
        and "CPUExecutionProvider" in runtime["providers"]
    )
    assert found["can_record"] is not None and not left_running(lab)
    # loads nothing unless asked to, and nothing below a sysroot
    unasked = asked(lab, {"LD_LIBRARY_PATH": folder, "VIRTUAL_ENV": wheel.path}, "--no-load")["runtimes"]
    assert len(unasked) >= 4 and not any(
        runtime["has_answered"] or "answer" in (runtime["problem"] or "") for runtime in unasked
    )
    os.makedirs(lab.path("root/usr/lib"))
    os.rename(folder + "/libonnxruntime.so.3", lab.path("root/usr/lib/libonnxruntime.so.1.20.3"))
    (runtime,) = asked(lab, {"VIRTUAL_ENV": wheel.path}, "--sysroot", lab.path("root"))["runtimes"]
    assert not runtime["has_answered"] and runtime["problem"] is None


def test_a_variable_that_leads_nowhere_is_said_and_the_rest_is_there(lab, wheel):
    found = asked(lab, {"INFTRACE_ORT": "/nowhere", "VIRTUAL_ENV": wheel.path})
    assert "/nowhere" in found["runtimes_problem"] and "INFTRACE_ORT" in found["runtimes_problem"]
    assert under(found, wheel.path)[0]["has_answered"]


def left_running(lab):
    """Processes that have this test's bad_library loaded; other tests may have theirs."""
    return [
        path
        for path in glob.glob("/proc/[0-9]*/maps")
        if is_mapped(path, os.path.realpath(lab.binaries.folder) + "/bad_library")
    ]


def is_mapped(path, library):
    try:
        with open(path) as file:
            return library in file.read()
    except OSError:
        return False
