# SPDX-License-Identifier: Apache-2.0
"""meters.py CMD...: runs CMD on a machine with two energy meters, of 50 W and 10 W; the first is 100 J before its largest value.

For a mount namespace of its own: it puts its files over /sys/class, and ends with 77 where that is not allowed."""
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
        meters.append(os.open(os.path.join(zone, "energy_uj"), os.O_RDWR | os.O_CREAT))
    return meters


def count(meters, start, ends):
    while True:
        for meter, watts in zip(meters, WATTS):
            value = int(LARGEST - 100e6 + (time.monotonic() - start) * watts * 1e6) % LARGEST
            os.pwrite(meter, b"%012d\n" % value, 0)
        if ends.wait(0.002):
            return


if subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/class"]).returncode:
    sys.exit(77)
meters, ends = make_meters(), threading.Event()
thread = threading.Thread(target=count, args=(meters, time.monotonic(), ends), daemon=True)
thread.start()
status = subprocess.run(sys.argv[1:]).returncode
ends.set()
thread.join()
sys.exit(status)
