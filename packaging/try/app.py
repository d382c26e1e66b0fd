# SPDX-License-Identifier: Apache-2.0
"""app.py MODEL N: runs a model N times; 0: until it is ended, with a file `running` from the 10th time on."""

import itertools
import sys

import numpy
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
feeds = {
    one.name: numpy.zeros([extent if isinstance(extent, int) else 1 for extent in one.shape], numpy.float32)
    for one in session.get_inputs()
}
for i in range(int(sys.argv[2])) if int(sys.argv[2]) else itertools.count():
    session.run(None, feeds)
    if i == 10 and not int(sys.argv[2]):
        open("running", "w").close()
