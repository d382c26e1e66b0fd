# SPDX-License-Identifier: Apache-2.0
"""meters.py CMD...: runs CMD on a machine with two simulated energy meters of 50 W and 10 W. The first is 100 J below
its largest value.

Run it in a separate mount namespace: it mounts its files over /sys/class. If that is refused, it exits with 77."""

import os
import subprocess
import sys
import threading
import time

LARGEST = 262143328850
WATTS = (50, 10)


def make_meters():
    meters = []
    for i in range(len(WATTS)):
        zone = "/sys/class/powercap/intel-rapl:%d" % i
        os.makedirs(zone)
        for name, text in (("name", "package-%d" % i), ("max_energy_range_uj", LARGEST)):
            with open(os.path.join(zone, name), "w") as file:
                file.write("%s\n" % text)
        meters.append(os.path.join(zone, "energy_uj"))
    return meters


def show(meters, start):
    """Replaces the file, so that a reader gets the old or the new value, never a mixture."""
    for meter, watts in zip(meters, WATTS):
        with open(meter + ".new", "w") as file:
            file.write("%d\n" % (int(LARGEST - 100e6 + (time.monotonic() - start) * watts * 1e6) % LARGEST))
        os.rename(meter + ".new", meter)


def count(meters, start, ends):
    while not ends.wait(0.002):
        show(meters, start)


if subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/class"]).returncode:
    sys.exit(77)
meters, ends, start = make_meters(), threading.Event(), time.monotonic()
show(meters, start)
thread = threading.Thread(target=count, args=(meters, start, ends), daemon=True)
thread.start()
status = subprocess.run(sys.argv[1:]).returncode
ends.set()
thread.join()
sys.exit(status)
