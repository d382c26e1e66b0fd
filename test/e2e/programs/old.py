# SPDX-License-Identifier: Apache-2.0
"""old.py MODEL N: makes a session and runs it, N times; in words that the oldest versions understand."""

import sys

import numpy as np
import onnxruntime

for _ in range(int(sys.argv[2])):
    session = onnxruntime.InferenceSession(sys.argv[1])
    feeds = {
        value.name: np.ones([dim if isinstance(dim, int) else 1 for dim in value.shape], np.float32)
        for value in session.get_inputs()
    }
    print("sum %r" % [float(np.sum(output)) for output in session.run(None, feeds)])
