# SPDX-License-Identifier: Apache-2.0
"""inftrace watch in the background, programs that it watches, and who it sends to."""

import http.server
import os
import re
import signal
import socket
import subprocess
import threading
import urllib.request

import envs
from attaching import python_server
from lab import PATIENCE, wait_until

HOSTILE = 'evil"\\\x1b[31m{}=, 模型'
CLEANED = 'evil"\\?[31m{}=, 模型'


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def get(url, accept="*/*", token=None, context=None):
    headers = {"Accept": accept, **({"Authorization": "Bearer " + token} if token else {})}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
        return answer.headers["Content-Type"], answer.read()


class Watch:
    """inftrace watch in the background, watching the copies of a program that only this test starts."""

    def __init__(self, lab, *words, name=None, interval="200ms", **env):
        self.lab, self.port = lab, free_port()
        self.err_path = lab.path("watch-%d-stderr" % len(lab.started))
        self.url = "http://127.0.0.1:%d/metrics" % self.port
        assert name or "--path" in words, "it would put probes into the programs of other tests"
        which = ["--name", name] if name else []
        words = [word.replace("PORT", str(self.port)) for word in words]
        with open(self.err_path, "wb") as err:
            self.process = lab.start(
                [lab.inftrace, "watch", "-i", interval, *which, *words], stdout=subprocess.DEVNULL, stderr=err, env=env
            )

    @property
    def err(self):
        with open(self.err_path, errors="replace") as file:
            return file.read()

    def wait_ready(self):
        wait_until(lambda: "watching " in self.err, self.process, lambda: self.err)
        return self

    def value(self, name, **labels):
        """The sum of the samples with these labels."""
        wanted = ['%s="%s"' % (key, text) for key, text in labels.items()]
        lines = [line.rpartition(" ") for line in get(self.url)[1].decode().splitlines()]
        found = [
            float(value) for what, _, value in lines if re.match(name + r"\b", what) and all(w in what for w in wanted)
        ]
        return sum(found) if found else None

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


def own_server(lab, wheel, model, script, *options, **env):
    """serve.py under a name of its own, so that no program of another test is watched."""
    path = lab.path(script)
    if not os.path.exists(path):
        os.symlink(os.path.join(envs.PROGRAMS, "serve.py"), path)
    return python_server(lab, wheel, model, *options, program=path[:-3], env={"PYTHONPATH": envs.PROGRAMS, **env})


class Receiver:
    """Takes what is pushed. Each answer is (status, headers, body); the last one is given again. None: silence."""

    def __init__(self, *answers, port=0):
        self.requests, answers, receiver = [], list(answers), self
        self.is_over = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
                if answer is None:
                    receiver.is_over.wait(PATIENCE)
                    return
                self.send_response(answer[0])
                for name, value in answer[1].items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer[2])))
                self.end_headers()
                self.wfile.write(answer[2])

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = "http://user:s3cret@127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.is_over.set()
        self.server.shutdown()
