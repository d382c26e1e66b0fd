# SPDX-License-Identifier: Apache-2.0
"""profiles_itself.py MODEL: runs a model, subscribes to CUPTI or PTI as torch.profiler, runs it again as often.
--library: operators that launch kernels (launch_ops.c)."""

import ctypes
import os

import ortprogram

args = ortprogram.arguments("model")
session = ortprogram.session(args.model, args)
feeds = ortprogram.feeds(args.model)


def run():
    print(*[ortprogram.checksum(session.run(None, feeds)) for _ in range(args.runs)])


run()
if "libze_loader" in os.environ.get("FAKE_DRIVER", ""):
    nothing = ctypes.CFUNCTYPE(None)(lambda: None)
    print("subscribed", ctypes.CDLL("libpti_view.so.1").ptiViewSetCallbacks(nothing, nothing))
else:
    cupti = ctypes.CDLL("libcupti.so.13")
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)(lambda *_: None)
    print("subscribed", cupti.cuptiSubscribe(ctypes.byref(ctypes.c_void_p()), callback, None))
run()
