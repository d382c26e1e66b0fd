# SPDX-License-Identifier: Apache-2.0
"""peak.py MODEL [BYTES]: takes memory for a moment after an inference, gives it back, and prints the most that was
resident, as the kernel counts it. With a memory limit below that it is killed."""

import re

import numpy as np
import ortprogram


def main():
    args = ortprogram.arguments("model", "bytes")
    session, feeds = ortprogram.session(args.model), ortprogram.feeds(args.model)
    session.run(None, feeds)
    taken = np.ones(int(args.bytes), np.uint8)
    print(taken.nbytes, flush=True)
    del taken
    with open("/proc/self/status") as status:
        print(int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) * 1024, flush=True)


if __name__ == "__main__":
    main()
