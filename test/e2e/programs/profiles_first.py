# SPDX-License-Identifier: Apache-2.0
"""profiles_first.py MODEL: profiles itself by PTI from before its first inference, and prints how much it got.
--library: operators that launch kernels (launch_ops.c)."""

import ctypes

import ortprogram

args = ortprogram.arguments("model")
session = ortprogram.session(args.model, args)
feeds = ortprogram.feeds(args.model)
pti = ctypes.CDLL("libpti_view.so.1")
buffers, got = [], [0]


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t))
def request(buffer, size):
    buffers.append(ctypes.create_string_buffer(65536))
    buffer[0], size[0] = ctypes.addressof(buffers[-1]), 65536


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
def complete(buffer, size, used):
    got[0] += used


print(pti.ptiViewSetCallbacks(request, complete), pti.ptiViewEnable(1))
print(*[ortprogram.checksum(session.run(None, feeds)) for _ in range(args.runs)])
pti.ptiFlushAllViews()
print("got", got[0])
