# SPDX-License-Identifier: Apache-2.0
"""by_devices.py PLUGIN NAME MODEL...: runs models on the devices of a plugin provider."""

import sys

import onnxruntime

import ortprogram

plugin, name, *models = sys.argv[1:]
onnxruntime.register_execution_provider_library("plugin", plugin)
devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == name]
for model in models:
    options = onnxruntime.SessionOptions()
    options.add_provider_for_devices(devices[:1], {})
    session = onnxruntime.InferenceSession(model, options)
    for _ in range(5):
        session.run(None, ortprogram.feeds(model))
    print(session.get_providers())
