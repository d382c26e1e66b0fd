# SPDX-License-Identifier: Apache-2.0
"""throws.py MODEL: sessions that cannot have their thread, as the memory for its stack is refused, then one that can.
Prints how many constructors failed."""

import resource
import sys

import onnxruntime


def make(n_threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])


make(1)
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (4 << 20), resource.RLIM_INFINITY))
failed = 0
for _ in range(3):
    try:
        make(2)
    except RuntimeError as error:
        failed += "pthread_create" in str(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
make(2)
print("failed", failed)
