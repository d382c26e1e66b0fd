# SPDX-License-Identifier: Apache-2.0
"""infer.py MODE MODEL: runs a model with one of Python's functions for that, from one or several threads."""

import threading
import time

import numpy as np
import onnxruntime

import ortprogram

args = ortprogram.arguments("mode", "model")
account = ortprogram.Account(args.times)
feeds = ortprogram.feeds(args.model)
sessions = [ortprogram.session(args.model, args, number) for number in range(args.sessions)]
run_options = onnxruntime.RunOptions()
if args.tag:
    run_options.logid = args.tag


def run(session):
    return account.timed(session.run, None, feeds, run_options)


def run_async(session):
    done, results = threading.Event(), []

    def callback(outputs, user_data, error):
        results.append((outputs, error))
        account.add(user_data, time.monotonic_ns(), not error)
        done.set()

    session.run_async(None, feeds, callback, time.monotonic_ns(), run_options)
    done.wait()
    if results[0][1]:
        raise RuntimeError(results[0][1])
    return results[0][0]


def iobinding(session):
    binding = session.io_binding()
    for name, value in feeds.items():
        binding.bind_cpu_input(name, value)
    for output in session.get_outputs():
        binding.bind_output(output.name)
    account.timed(session.run_with_iobinding, binding, run_options)
    return binding.copy_outputs_to_cpu()


def ort_values(session):
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(value) for name, value in feeds.items()}
    names = [output.name for output in session.get_outputs()]
    return [value.numpy() for value in account.timed(session.run_with_ort_values, names, values, run_options)]


def work(session, results):
    for _ in range(args.runs):
        ortprogram.work(args.work)
        results.append(ortprogram.checksum(globals()[args.mode](session)))


results = [[] for _ in range(args.threads * args.sessions)]
threads = [threading.Thread(target=work, args=(sessions[i % args.sessions], mine)) for i, mine in enumerate(results)]
if len(threads) == 1:
    work(sessions[0], results[0])
else:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
for number, mine in enumerate(results):
    print(number, *mine)
if args.profile:
    for session in sessions:
        session.end_profiling()
account.close()
