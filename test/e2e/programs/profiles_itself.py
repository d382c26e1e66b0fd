# SPDX-License-Identifier: Apache-2.0
"""profiles_itself.py MODEL: runs a model, subscribes to CUPTI as torch.profiler does, and runs it once more as often.
--library: operators that launch kernels (launch_ops.c)."""

import ctypes

import ortprogram

args = ortprogram.arguments("model")
session = ortprogram.session(args.model, args)
feeds = ortprogram.feeds(args.model)


def run():
    print(*[ortprogram.checksum(session.run(None, feeds)) for _ in range(args.runs)])


run()
cupti = ctypes.CDLL("libcupti.so.13")
callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)(lambda *_: None)
print("subscribed", cupti.cuptiSubscribe(ctypes.byref(ctypes.c_void_p()), callback, None))
run()
