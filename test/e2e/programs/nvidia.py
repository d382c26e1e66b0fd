# SPDX-License-Identifier: Apache-2.0
"""nvidia.py SAYS CMD...: runs CMD on a machine with a simulated NVIDIA GPU. CMD and its children have /dev/nvidia0
open. The fake of NVIDIA's library (test/fake/nvml.c) reports that programs called inftrace-run and python use the
GPU, and a power of 50 W.

Run it in a separate mount namespace: it mounts its files over /dev. If that is not permitted, it exits with 77."""

import os
import subprocess
import sys
import tempfile
import threading
import time

WATTS = 50
TEXT = """count 2
driver 570.86.15
0.name NVIDIA H200
0.pci 00000000:1A:00.0
0.minor 0
0.utilization 71 12
0.memory 150754820096 2147483648
0.power %d
0.energy %d
0.temperature 61
0.clock 1980 3201
0.compute 0 0
1.name NVIDIA T4
1.minor 1
1.power 9000
1.compute 0 0
"""


def make_devices():
    folder = tempfile.mkdtemp()
    if subprocess.run(["mount", "-t", "tmpfs", "none", folder]).returncode:
        sys.exit(77)
    for name in os.listdir("/dev"):
        old, new = os.path.join("/dev", name), os.path.join(folder, name)
        if os.path.islink(old):
            os.symlink(os.readlink(old), new)
            continue
        os.mkdir(new) if os.path.isdir(old) else open(new, "w").close()
        subprocess.run(["mount", "--rbind", old, new], check=True)
    open(os.path.join(folder, "nvidia0"), "w").close()
    subprocess.run(["mount", "--move", folder, "/dev"], check=True)


def users():
    for pid in os.listdir("/proc"):
        try:
            if pid.isdigit() and open("/proc/%s/comm" % pid).read().startswith(("inftrace-run", "python")):
                yield int(pid)
        except OSError:
            pass


def say(path, start):
    text = TEXT % (WATTS * 1000, (time.monotonic() - start) * WATTS * 1000)
    for pid in users():
        text += "0.compute %d 1073741824\n0.use %d 64 0\n" % (pid, pid)
    with open(path + ".next", "w") as file:
        file.write(text)
    os.rename(path + ".next", path)


def keep_saying(path, start, ends):
    while not ends.wait(0.005):
        say(path, start)


path, start, ends = sys.argv[1], time.monotonic(), threading.Event()
make_devices()
say(path, start)
os.set_inheritable(os.open("/dev/nvidia0", os.O_RDWR), True)
thread = threading.Thread(target=keep_saying, args=(path, start, ends), daemon=True)
thread.start()
status = subprocess.run(sys.argv[2:], close_fds=False, env=dict(os.environ, FAKE_NVML=path)).returncode
ends.set()
thread.join()
sys.exit(status)
