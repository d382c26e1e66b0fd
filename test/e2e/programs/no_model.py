# SPDX-License-Identifier: Apache-2.0
"""A Python program that never uses a model."""

import subprocess
import sys
import threading

threads = [threading.Thread(target=lambda: sum(range(10000))) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(subprocess.run(["/bin/echo", "from a child"], stdout=subprocess.PIPE).stdout.decode().strip())
print("to stderr", file=sys.stderr)
