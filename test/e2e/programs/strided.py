# SPDX-License-Identifier: Apache-2.0
"""strided.py MODEL: its input x lies in another order than the runtime takes it, so the package copies it in each call.
The first of the calls is rejected by the package, the second by the runtime."""

import numpy as np

import ortprogram

args = ortprogram.arguments("model")
account = ortprogram.Account(args.times)
session = ortprogram.session(args.model, args)
x = np.asfortranarray(np.ones((400_000, 8), np.float32))
z = np.ones(3, np.float32)
for wrong in ({"x": x, "z": z.astype(np.complex128)}, {"x": x, "z": np.ones(5, np.float32)}):
    try:
        session.run(None, wrong)
    except Exception as error:
        print(type(error).__name__)
for _ in range(args.runs):
    account.timed(session.run, None, {"x": x, "z": z})
account.close()
