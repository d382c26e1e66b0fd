# SPDX-License-Identifier: Apache-2.0
"""pools.py METHOD WORKERS RUNS MODEL...: each worker of a pool of multiprocessing loads every model and runs it."""

import multiprocessing
import sys


def work(job):
    import ortprogram

    models, runs = job
    for model in models:
        session, feeds = ortprogram.session(model), ortprogram.feeds(model)
        for _ in range(runs):
            session.run(None, feeds)


if __name__ == "__main__":
    method, workers, runs, *models = sys.argv[1:]
    context = multiprocessing.get_context(method)
    jobs = [(models, int(runs))] * int(workers)
    processes = [context.Process(target=work, args=(job,)) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print([process.exitcode for process in processes])
