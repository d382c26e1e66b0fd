# SPDX-License-Identifier: Apache-2.0
"""inftrace watch: what leaves the machine through its doors, into the engines that people run, and who gets in."""

import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

import envs
from conftest import environment
from lab import PATIENCE, children_of, wait_until
from watching import CLEANED, HOSTILE, Receiver, Watch, free_port, get, own_server

pytestmark = pytest.mark.root
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "examples", "fleet")


class Prometheus:
    """Debian's prometheus, which scrapes a page every second."""

    def __init__(self, lab, folder, port):
        config, self.port = lab.path("prometheus.yml"), free_port()
        with open(config, "w") as out:
            json.dump(
                {
                    "global": {"scrape_interval": "1s"},
                    "scrape_configs": [
                        {"job_name": "inftrace", "static_configs": [{"targets": ["127.0.0.1:%d" % port]}]}
                    ],
                },
                out,
            )
        self.process = lab.start(
            [
                os.path.join(folder, "prometheus"),
                "--config.file=" + config,
                "--storage.tsdb.path=" + lab.path("tsdb"),
                "--web.listen-address=127.0.0.1:%d" % self.port,
                "--enable-feature=native-histograms,exemplar-storage",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, query):
        """[(labels, value)]."""
        url = "http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode({"query": query}))
        try:
            rows = json.loads(get(url)[1])["data"]["result"]
        except urllib.error.HTTPError as why:
            raise AssertionError("%s: %s" % (query, why.read().decode())) from why
        except OSError:
            return []
        return [(row["metric"], float(row["value"][1]) if "value" in row else None) for row in rows]


def dashboard_queries():
    """[(title, query)] of the dashboard for Grafana. Its metrics are those of the documentation."""
    with open(os.path.join(EXAMPLES, "grafana.json")) as file:
        panels = json.load(file)["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    for name in {name for _, query in queries for name in re.findall(r"\b(?:inftrace|gen_ai_server)_[a-z_]+", query)}:
        assert "`%s`" % re.sub("_(bucket|sum|count)$", "", name) in documented()
    assert len(queries) > 15
    return queries


# what this machine and a program without tokens lack
LACKING = "inftrace_(device|energy|kernel|generation)|gen_ai_server"


def documented():
    with open(os.path.join(os.path.dirname(os.path.dirname(EXAMPLES)), "doc", "watch.md")) as file:
        return file.read()


@pytest.mark.in_turn(2)
def test_prometheus_stores_what_a_program_did(lab, wheel):
    """Each run is counted once, at every door, with a label that tries to break out."""
    folder = environment(envs.prometheus)
    lines = lab.path("lines")
    words = ["--level", "operator", "--metrics", "PORT", "--lines", lines]
    watch = Watch(lab, *words, name="watched_a.py").wait_ready()
    engine = Prometheus(lab, folder, watch.port)
    server = own_server(lab, wheel, "chain", "watched_a.py", "--rest", 0.01, "--reject", OTEL_SERVICE_NAME=HOSTILE)
    wait_until(lambda: (watch.value("inftrace_inference_duration_seconds_count") or 0) > 100, watch.process)
    checked = subprocess.run(
        [os.path.join(folder, "promtool"), "check", "metrics"], input=get(watch.url)[1], capture_output=True
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
    kind, page = get(watch.url, "application/openmetrics-text;version=1.0.0")
    assert kind.startswith("application/openmetrics-text") and page.endswith(b"# EOF\n")
    assert re.search(
        rb'_bucket\{.*le="[\d.]+"\} \d+ # \{pid="%d",inference="\d+"\} [\d.e-]+ [\d.]+\n' % server.pid, page
    )
    wait_until(lambda: (watch.value("inftrace_process_resident_bytes") or 0) > 1e6, watch.process)
    n_all, n_failed = server.end()

    def count():
        return watch.value("inftrace_inference_duration_seconds_count", model="chain")

    # the first one belongs to no count of the program
    wait_until(lambda: count() == n_all + 1, watch.process, lambda: "%s of %s" % (count(), n_all + 1))
    labels = {"model": "chain", "provider": "CPU", "device": "cpu", "runtime": "onnxruntime"}
    assert watch.value("inftrace_inference_failures_total", error="input", **labels) == n_failed
    assert watch.value("inftrace_session_creations_total", outcome="ok", **labels) == 1
    assert watch.value("inftrace_first_inference_duration_seconds_count", **labels) == 1
    # the engine has the same, as a native histogram
    query = "histogram_count(inftrace_inference_duration_seconds{model='chain'})"
    wait_until(lambda: [row[1] for row in engine.ask(query)] == [n_all + 1], engine.process)
    ((found, p99),) = engine.ask("histogram_quantile(0.99, inftrace_inference_duration_seconds{model='chain'})")
    assert found["service"] == CLEANED and found["provider"] == "CPU" and "pid" not in found
    samples = 'count_over_time(inftrace_sessions{model="chain"}[2m])'
    wait_until(lambda: [row for row in engine.ask(samples) if row[1] >= 4], engine.process)
    for title, expression in dashboard_queries():
        expression = expression.replace("$__rate_interval", "2m")
        for variable in "$service", "$model":
            expression = expression.replace(variable, ".*")
        # what is 0 has a sample as well; a query that Prometheus does not understand raises
        assert engine.ask(expression) or re.search(LACKING, expression), (title, expression)
    times = sorted(end - begin for begin, end, _ in server.times())
    assert times[len(times) // 2] / 4e9 < p99 <= times[-1] / 1e9 * 1.011
    assert watch.end() == 0
    rows = [json.loads(line) for line in open(lines)]
    mine = [row for row in rows if row.get("service") == CLEANED]
    assert sum(row["inferences"] for row in mine if row["kind"] == "series") == n_all + 1
    assert all(sum(row["durations"]["buckets"]) == row["inferences"] for row in mine if row["kind"] == "series")
    tail = [row for row in mine if row["kind"] == "inference"]
    assert {row["reason"] for row in tail} == {"slow", "failed", "first"}
    assert sum(row["weight"] for row in tail if row["reason"] == "failed") == n_failed
    assert {row["pid"] for row in tail} == {server.pid}


@pytest.mark.in_turn(2)
def test_workers_that_start_together_are_counted_each_and_leave(lab, wheel):
    """All programs share the links of one file, and end while others begin."""
    watch = Watch(lab, "--metrics", "PORT", "--level", "inference", "--path", lab.own("infer")).wait_ready()
    command = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 20)
    env = {**os.environ, "OTEL_SERVICE_NAME": "workers"}
    workers = [lab.start(command, env=env, stdout=subprocess.DEVNULL) for _ in range(12)]
    assert [worker.wait(PATIENCE) for worker in workers] == [0] * 12

    def value(name):
        return watch.value(name, service="workers")

    wait_until(lambda: value("inftrace_processes") == 0, watch.process, lambda: get(watch.url)[1].decode())
    assert value("inftrace_inference_duration_seconds_count") == 12 * 20
    assert value("inftrace_session_creations_total") == value("inftrace_first_inference_duration_seconds_count") == 12
    assert value("inftrace_sessions") == 0
    assert watch.end() == 0


@pytest.mark.parametrize("version", ["1.7", "newest"])
@pytest.mark.in_turn(2)
def test_programs_are_seen_as_far_as_it_costs_them_little(lab, version):
    """One that rests is seen whole, one that is never idle in windows; what runs unseen is in the sums."""
    wheel, name = environment(envs.wheel, version), "watched_p%s.py" % version
    lines = lab.path("lines")
    watch = Watch(lab, "--metrics", "PORT", "--lines", lines, name=name).wait_ready()
    calm = own_server(lab, wheel, "chain", name, "--rest", 0.1, OTEL_SERVICE_NAME="calm")
    busy = own_server(lab, wheel, "tiny", name, "--threads", 2, "--sessions", 2, OTEL_SERVICE_NAME="busy")
    begun = time.monotonic()

    def count(service):
        return watch.value("inftrace_inference_duration_seconds_count", service=service)

    wait_until(lambda: watch.value("inftrace_watch_levels", seen="inferences in windows") == 1, watch.process)
    wait_until(lambda: watch.value("inftrace_watch_inferences_skipped_total", reason="unprobed") > 1000, watch.process)
    assert watch.value("inftrace_operator_seconds_total", service="calm") > 0
    n_calm, n_busy, busy_s = calm.end()[0], busy.end()[0], time.monotonic() - begun
    wait_until(lambda: watch.value("inftrace_processes", service="busy") == 0, watch.process)
    assert count("calm") == n_calm + 1  # the first one belongs to no count of the program
    # between the last look at the runtime's counts and the end, a tenth of a second passes
    assert abs(count("busy") - n_busy) < 0.005 * n_busy + 0.1 * n_busy / busy_s
    assert watch.value("inftrace_watch_inferences_skipped_total", reason="unknown") == 0
    assert watch.end() == 0
    rows = [row for row in map(json.loads, open(lines)) if row["kind"] == "inference"]
    assert any(row["operators"] != "not seen" for row in rows if row["service"] == "calm")
    assert any(row["operators"] == "not seen" and row["weight"] > 100 for row in rows if row["service"] == "busy")


def n_links(pid):
    n = 0
    for entry in os.scandir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            n += "bpf_link" in os.readlink(entry.path)
    return n


@pytest.mark.full("eighteen programs")
def test_many_programs_of_a_name_share_probes(lab, library):
    """Links of its own for each cost every hit of the others, and seconds at the end."""
    binary, *words = lab.native("serve", library, lab.model("chain"), 256, 256, 1, lab.path("times"))
    os.symlink(binary, lab.path("watched_many"))
    watch = Watch(lab, "--metrics", "PORT", name="watched_many").wait_ready()
    start = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    servers = [lab.start([lab.path("watched_many"), *words], **start) for _ in range(18)]
    wait_until(lambda: (watch.value("inftrace_watch_processes", state="watched") or 0) == 18, watch.process)
    wait_until(lambda: n_links(watch.process.pid) < 18, watch.process, lambda: str(n_links(watch.process.pid)))
    for server in servers:
        server.stdin.close()
    assert [server.wait(PATIENCE) for server in servers] == [0] * 18
    assert watch.end() == 0


def test_copies_that_live_for_a_second_are_seen(lab, wheel):
    """They load nothing, so that no event tells of them but their first inference; a look at all of them is seldom."""
    name = "watched_brief.py"
    os.symlink(os.path.join(envs.PROGRAMS, "brief.py"), lab.path(name))
    command = [*lab.python(wheel, lab.path(name)[:-3]), lab.model("chain"), "20", "8"]
    env = {**os.environ, "PYTHONPATH": envs.PROGRAMS}
    program = lab.start(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdout.readline() == b"ready\n"
    watch = Watch(lab, "--metrics", "PORT", name=name).wait_ready()
    wait_until(lambda: (watch.value("inftrace_watch_processes", state="watched") or 0) >= 21, watch.process)
    wait_until(lambda: n_links(watch.process.pid) < 18, watch.process, lambda: str(n_links(watch.process.pid)))
    program.stdin.write(b"\n")
    program.stdin.flush()
    n = int(program.stdout.readline())
    wait_until(lambda: (watch.value("inftrace_inference_duration_seconds_count") or 0) > 0.6 * n, watch.process)
    program.stdin.close()
    assert program.wait(PATIENCE) == 0
    assert watch.end() == 0


def test_doors_have_no_rights_and_the_watcher_no_socket(lab):
    watch = Watch(lab, "--metrics", "PORT", "--lines", lab.path("lines"), name="nobody.py").wait_ready()
    # the third one looks out for programs
    names = {pid: open("/proc/%d/comm" % pid).read().strip() for pid in children_of(watch.process.pid)}
    doors = [pid for pid, name in names.items() if name != "inftrace-next"]
    assert len(doors) == 2, names
    for pid in doors:
        status = open("/proc/%d/status" % pid).read()
        assert re.search(r"CapEff:\t0+\nCapBnd", status) and "Seccomp:\t2\n" in status and "NoNewPrivs:\t1\n" in status
    assert any("Uid:\t65534\t65534\t" in open("/proc/%d/status" % pid).read() for pid in doors)
    mine = {os.readlink(entry.path) for entry in os.scandir("/proc/%d/fd" % watch.process.pid)}
    for table in "tcp", "tcp6", "udp", "udp6":
        for line in open("/proc/net/" + table).read().splitlines()[1:]:
            assert "socket:[%s]" % line.split()[9] not in mine
    for path, code in ("/", 404), ("/metrics/", 404):
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(watch.url.replace("/metrics", path))
        assert refused.value.code == code
    # the watcher goes on without a door, and says so once
    os.kill(doors[0], signal.SIGKILL)
    wait_until(lambda: "has ended; nothing goes through it any more" in watch.err, watch.process)
    assert watch.end() == 0 and watch.err.count("has ended") == 1


def test_other_machines_need_a_token_and_tls(lab):
    token, key, cert = lab.path("token"), lab.path("key"), lab.path("cert")
    with open(token, "w") as out:
        out.write("s3cret\n")
    lab.plain(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert]
    )
    port = free_port()
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        for words, text in (
            (["--metrics", "0.0.0.0:%d" % free_port()], "this needs --metrics-token"),
            (["--metrics", "0.0.0.0:%d" % free_port(), "--metrics-token", token], "this needs --metrics-token"),
            (["--metrics", str(port)], "another program uses this port"),
            (["--metrics", "1", "--metrics-token", lab.path("none")], "No such file"),
            (["--metrics", "1", "--metrics-token", lab.inftrace], "the file is larger than 64 KiB"),
            (["--metrics", "1", "--metrics-cert", token, "--metrics-key", token], "certificate and key do not fit"),
            (["--lines", lab.path("none/lines")], "No such file"),
        ):
            done = lab.plain([lab.inftrace, "watch", *words])
            assert (done.status, done.err.count("\n")) == (3, 1) and text in done.err, done.err
            assert "s3cret" not in done.err
    words = ["--metrics", "0.0.0.0:PORT", "--metrics-token", token, "--metrics-cert", cert, "--metrics-key", key]
    watch = Watch(lab, *words, name="nobody.py").wait_ready()
    context = ssl.create_default_context(cafile=cert)
    url = watch.url.replace("http:", "https:")
    page = wait_until(lambda: re.search(rb'"sent"} [3-9]', get(url, token="s3cret", context=context)[1]), watch.process)
    assert b"inftrace_build_info" in page.string
    for wrong in None, "s3cre", "s3crets":
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(url, token=wrong, context=context)
        assert refused.value.code == 401
    assert watch.end() == 0


def test_programs_outlive_a_watcher_that_is_killed(lab, wheel):
    """At any moment: before, while and after probes are put in."""
    server = own_server(lab, wheel, "chain", "watched_b.py", "--rest", 0.001)
    for moment in "at once", "ready", "counted":
        watch = Watch(lab, "--metrics", "PORT", name="watched_b.py")
        if moment != "at once":
            watch.wait_ready()
        if moment == "counted":
            wait_until(lambda: watch.value("inftrace_inference_duration_seconds_count"), watch.process)
        doors = children_of(watch.process.pid)
        watch.end(signal.SIGKILL)
        for pid in doors:
            wait_until(lambda pid=pid: not os.path.exists("/proc/%d" % pid))
    assert server.end()[1] == 0


@pytest.mark.in_turn(2)
def test_two_watchers_count_the_same(lab, wheel):
    """Also when one of them is killed."""
    server = own_server(lab, wheel, "chain", "watched_t.py", "--rest", 0.01, "--idle", OTEL_SERVICE_NAME="twice")
    one, other = (Watch(lab, "--metrics", "PORT", name="watched_t.py") for _ in range(2))
    for watch in one, other:
        watch.wait_ready()
        wait_until(lambda watch=watch: watch.value("inftrace_watch_processes", state="watched") == 1, watch.process)
    server.process.stdin.write("\n")
    server.process.stdin.flush()

    def count(watch):
        return watch.value("inftrace_inference_duration_seconds_count", service="twice") or 0

    for watch in one, other:
        wait_until(lambda watch=watch: count(watch) > 50, watch.process)
    one.end(signal.SIGKILL)
    n_runs, n_failed = server.end()
    wait_until(lambda: other.value("inftrace_processes", service="twice") == 0, other.process)
    assert (count(other), n_failed) == (n_runs, 0)
    assert other.end() == 0


def test_a_full_disk_is_said_once_and_files_rotate(lab, wheel):
    server = own_server(lab, wheel, "chain", "watched_c.py", "--rest", 0.01)
    full = Watch(lab, "--lines", "/dev/full", "--metrics", "PORT", name="watched_c.py", interval="100ms").wait_ready()
    wait_until(lambda: "cannot write /dev/full" in full.err, full.process)
    lines = lab.path("lines")
    watch = Watch(
        lab, "--lines", lines, "--lines-size", "8K", "--lines-keep", "2", name="watched_c.py", interval="100ms"
    )
    wait_until(lambda: os.path.exists(lines + ".2"), watch.process)
    n = full.value("inftrace_watch_batches_total")
    wait_until(lambda: full.value("inftrace_watch_batches_total") > n, full.process)
    assert (full.end(), watch.end()) == (0, 0)
    assert full.err.count("cannot write") == 1
    server.end()
    assert not os.path.exists(lines + ".3")
    numbers = [
        json.loads(line)["interval"]
        for path in (lines + ".2", lines + ".1", lines)
        for line in open(path)
        if '"kind":"watch"' in line
    ]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def plain(body):
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


def message(python, kind, body):
    """A request, by OpenTelemetry's own classes. Several, one behind the other, are one as well."""
    done = subprocess.run(
        [python, os.path.join(envs.PROGRAMS, "otlp_decode.py"), kind], input=body, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def attributes(of):
    return {one["key"]: next(iter(one["value"].values())) for one in of.get("attributes", [])}


def decoded(python, body):
    """{metric: [its points]}."""
    (resource,) = message(python, "metrics", plain(body))["resourceMetrics"]
    (scope,) = resource["scopeMetrics"]
    assert {"service.name", "host.name", "host.id"} <= set(attributes(resource["resource"]))
    found = {}
    for metric in scope["metrics"]:
        (data,) = [metric[kind] for kind in ("sum", "gauge", "exponentialHistogram") if kind in metric]
        found[metric["name"]] = [(attributes(point), point) for point in data.get("dataPoints", [])]
    return found


def records(python, kind, requests):
    """[(attributes of the resource, attributes, record)] of traces or logs."""
    resources, scopes, names = {
        "traces": ("resourceSpans", "scopeSpans", "spans"),
        "logs": ("resourceLogs", "scopeLogs", "logRecords"),
    }[kind]
    whole = b"".join(plain(body) for _, _, body in requests)
    return [
        (attributes(resource["resource"]), attributes(one), one)
        for resource in message(python, kind, whole)[resources]
        for scope in resource[scopes]
        for one in scope[names]
    ]


@pytest.mark.in_turn(2)
def test_otlp_is_what_opentelemetry_reads_and_troubles_are_said_once(lab, wheel):
    """A receiver that is busy, asks for time, rejects a part, and takes all; another one that takes no logs."""
    python = environment(envs.otlp)
    headers = lab.path("headers")
    with open(headers, "w") as out:
        out.write("X-Scope: one\nAuthorization: Bearer t0ken\nX-Long: %s\n" % ("long" * 2000))
    at = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 1))
    answers = [(503, {"Retry-After": "1"}, b""), (429, {"Retry-After": at}, b"")]
    answers += [(200, {}, bytes([0x0A, 2, 8, 3])), (200, {}, b"")]
    server = own_server(lab, wheel, "chain", "watched_d.py", "--rest", 0.01, "--reject", OTEL_SERVICE_NAME=HOSTILE)
    with Receiver(*answers) as receiver, Receiver((200, {}, b"")) as tracer, Receiver((404, {}, b"")) as logger:
        words = ["--otlp", receiver.url + "/", "--otlp-headers", headers, "--otlp-logs", logger.url]
        words += ["-o", lab.path("kept.pftrace"), "--dump-after", "200ms"]
        env = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": tracer.url + "/own", "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}
        watch = Watch(lab, *words, name="watched_d.py", **env).wait_ready()

        def durations():
            return decoded(python, receiver.requests[-1][2]).get("inftrace.inference.duration", [])

        wait_until(lambda: len(receiver.requests) > 6 and durations(), watch.process, lambda: watch.err)
        watch.process.send_signal(signal.SIGUSR1)
        wait_until(lambda: "dump: " in watch.err, watch.process)
        wait_until(
            lambda: tracer.requests and any(b"kept.dump-0001" in body for _, _, body in logger.requests), watch.process
        )
        path, sent, _ = receiver.requests[0]
        assert path == "/v1/metrics" and sent["Content-Type"] == "application/x-protobuf"
        assert "Content-Encoding" not in sent and sent["X-Scope"] == "one" and sent["Authorization"] == "Bearer t0ken"
        assert sent["X-Long"] == "long" * 2000
        ((labels, point),) = durations()
        assert labels["service"] == CLEANED and labels["model"] == "chain" and "pid" not in labels
        assert sum(map(int, point["positive"]["bucketCounts"])) == int(point["count"])
        assert point["scale"] in (4, 5)  # halved where one took a thousand times as long as another
        assert watch.end() == 0
    server.end()
    assert watch.err.count("cannot send metrics to") == 1 and "it answers 503" in watch.err
    assert watch.err.count("takes metrics again; 0 batches were dropped") == 1
    assert watch.err.count("has rejected 3 of the metrics") == 1
    assert watch.err.count("cannot send logs to") == 1 and "it answers 404; what is refused is dropped" in watch.err
    assert "s3cret" not in watch.err and "t0ken" not in watch.err
    assert {path for path, _, _ in tracer.requests} == {"/own"}
    spans = records(python, "traces", tracer.requests)
    assert {attributes["inftrace.reason"] for _, attributes, _ in spans} >= {"slow", "failed"}
    for resource, found, span in spans:
        assert resource["service.name"] == CLEANED and found["process.pid"] == str(server.pid)
        assert span["name"] == "chain" and int(span["endTimeUnixNano"]) > int(span["startTimeUnixNano"])
        assert ("status" in span) == (found["inftrace.reason"] == "failed")
    assert len({span["spanId"] for _, _, span in spans}) == len(spans)
    logs = records(python, "logs", logger.requests)
    assert {record["eventName"] for _, _, record in logs} == {"inftrace.inference.failed", "inftrace.recording"}
    failed = [found for _, found, record in logs if record["severityText"] == "ERROR"]
    assert {found["error.type"] for found in failed} == {"input"}


def test_batches_wait_until_they_arrive_also_when_watch_is_killed(lab, wheel):
    """Each arrives once, in its order, or is counted."""
    server = own_server(lab, wheel, "chain", "watched_f.py", "--rest", 0.001)
    port, spool = free_port(), lab.path("spool")
    words = ["--otlp", "http://127.0.0.1:%d" % port, "--spool", spool, "--metrics", "PORT"]
    made = []
    for _ in range(2):
        watch = Watch(lab, *words, name="watched_f.py").wait_ready()
        wait_until(lambda w=watch: (w.value("inftrace_watch_batches_waiting", door="otlp") or 0) >= 4, watch.process)
        doors = children_of(watch.process.pid)
        made.append(watch.value("inftrace_watch_batches_waiting", door="otlp"))
        watch.end(signal.SIGKILL)
        for pid in doors:
            wait_until(lambda pid=pid: not os.path.exists("/proc/%d" % pid))
    with Receiver((200, {}, b""), port=port) as receiver:
        watch = Watch(lab, *words, name="watched_f.py").wait_ready()
        wait_until(lambda: (watch.value("inftrace_watch_batches_total", outcome="sent", door="otlp") or 0) > 10)
        wait_until(lambda: watch.value("inftrace_watch_batches_waiting", door="otlp") == 0, watch.process)
        other = Watch(lab, *words, name="nobody.py")
        wait_until(lambda: "another inftrace watch uses it; they wait in memory" in other.err, other.process)
        assert (watch.end(), other.end()) == (0, 0)
        sent = [(path, headers) for path, headers, _ in receiver.requests]
    server.end()
    runs, traces = {}, []
    for path, headers in sent:
        assert headers["X-Inftrace-Dropped-Before"] == "0" and headers["Content-Encoding"] == "gzip"
        run, _, number = headers["X-Inftrace-Batch"].partition("-")
        if path == "/v1/metrics":
            runs.setdefault(run, []).append(int(number))
        else:
            traces.append((path, run, number))
    assert len(set(traces)) == len(traces) > 0
    assert len(runs) == 4 and all(numbers == list(range(1, len(numbers) + 1)) for numbers in runs.values())
    # the second watcher tried to send what was left by the first
    assert len(runs[list(runs)[0]]) >= 4 and len(runs[list(runs)[1]]) >= 1 and made[1] > made[0]


@pytest.mark.parametrize(
    "answer, said",
    [
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "it answers 302"),
        ((400, {}, b"x" * 200000), "it answers 400"),
        (None, "cannot send metrics to"),
    ],
)
def test_a_receiver_that_misbehaves_costs_nothing_but_its_batches(lab, answer, said):
    with Receiver(answer) as receiver:
        short = {"OTEL_EXPORTER_OTLP_TIMEOUT": "1000"}
        watch = Watch(lab, "--otlp", receiver.url, "--metrics", "PORT", name="nobody.py", **short)
        wait_until(lambda: said in watch.err, watch.process, lambda: watch.err)
        n = watch.value("inftrace_watch_batches_total", door="prometheus")
        wait_until(lambda: watch.value("inftrace_watch_batches_total", door="prometheus") > n, watch.process)
        assert watch.end() == 0 and watch.err.count("cannot send") == 1
        assert all(path == "/v1/metrics" for path, _, _ in receiver.requests)


def test_batches_wait_while_a_request_hangs(lab):
    """Each of them, not the one that fits between two processes; and a receiver that repeats a secret is not quoted."""
    with Receiver(None) as silent, Receiver((401, {}, b"wrong password: s3cret")) as loud:
        words = ["--otlp", silent.url, "--clickhouse", loud.url, "--clickhouse-every", "1s", "--metrics", "PORT"]
        watch = Watch(lab, *words, name="nobody.py", OTEL_EXPORTER_OTLP_TIMEOUT="60000").wait_ready()
        wait_until(lambda: watch.value("inftrace_watch_batches_waiting", door="otlp") > 10, watch.process)
        wait_until(lambda: "it answers 401; trying again" in watch.err, watch.process, lambda: watch.err)
        assert watch.end() == 0 and "s3cret" not in watch.err
        assert re.search(r"\d\d batches of the door otlp could not be sent", watch.err), watch.err


def test_the_unit_is_confined_and_systemd_is_notified(lab):
    unit = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "packaging", "inftrace-watch.service")
    if shutil.which("systemd-analyze"):
        done = lab.plain(["systemd-analyze", "security", "--offline=true", "--no-pager", unit])
        assert float(re.search(r"Overall exposure level for \S+: ([\d.]+)", done.out)[1]) < 3, done.out
    words = re.search(r"ExecStart=/usr/bin/inftrace (watch .*)", open(unit).read())[1].replace(
        "$OPTIONS", "--metrics 0"
    )
    path = lab.path("notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(PATIENCE)
        process = lab.start(
            [lab.inftrace, *words.split(), "-i", "200ms", "--name", "nobody.py"],
            env={"NOTIFY_SOCKET": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        process.send_signal(signal.SIGTERM)
        while manager.recv(100) != b"STOPPING=1":
            pass
        assert (process.wait(PATIENCE), process.stderr.read()) == (0, b"")


def test_the_daemonset_is_valid_and_its_command_line_is_ours(lab):
    path = os.path.join(EXAMPLES, "daemonset.yaml")
    code = "import json, kubernetes_validate as k, sys, yaml; a = yaml.safe_load(open(sys.argv[1])); "
    code += "k.validate(a, '1.37', strict=True); print(json.dumps(a['spec']['template']['spec']['containers'][0]))"
    done = lab.plain([environment(envs.kubernetes), "-c", code, path])
    assert done.status == 0, done.err
    container = json.loads(done.out)
    assert container["command"] == ["/usr/bin/inftrace"]
    words = [word.replace("9465", str(free_port())) for word in container["args"]]
    done = lab.plain([lab.inftrace, *words, "--name", "nobody.py", "-d", "200ms"])
    assert (done.status, done.err) == (0, "") and json.loads(done.out.splitlines()[0])["kind"] == "watch"


def test_a_dump_is_asked_for_and_rows_name_it(lab, wheel):
    server = own_server(lab, wheel, "chain", "watched_e.py", "--rest", 0.01)
    path, lines = lab.path("kept.pftrace"), lab.path("lines")
    dumps = [lab.path("kept.dump-000%d.pftrace" % number) for number in (1, 2)]
    words = ["--metrics", "PORT", "--lines", lines, "-o", path, "--dump-after", "300ms", "--max-dumps", "2"]
    watch = Watch(lab, *words, name="watched_e.py").wait_ready()
    wait_until(lambda: watch.value("inftrace_inference_duration_seconds_count"), watch.process)
    watch.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "dump: %s (SIGUSR1)" % dumps[0] in watch.err, watch.process, lambda: watch.err)
    # this test's own: other watchers may run
    ask = [lab.inftrace, "watch", "--dump", str(watch.process.pid)]
    asked = lab.plain(ask)
    assert (asked.status, asked.out, asked.err) == (0, dumps[1] + "\n", "")
    named = wait_until(
        lambda: {row["recording"] for row in map(json.loads, open(lines)) if "recording" in row} >= set(dumps),
        watch.process,
    )
    assert named
    watch.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "no dump (SIGUSR1): 2 have been written" in watch.err, watch.process, lambda: watch.err)
    asked = lab.plain([*ask[:-1], str(server.pid)])
    assert (
        asked.status == 3
        and asked.err == "inftrace: cannot ask for a dump: %d is no inftrace watch that records\n" % (server.pid)
    )
    assert watch.end() == 0
    server.end()
    for dump in dumps:
        report = lab.plain([lab.inftrace, "report", dump])
        assert report.status == 0 and "chain" in report.out
    # the rows that name a recording are in it
    rows = [row for row in map(json.loads, open(lines)) if row.get("recording") == dumps[1]]
    assert rows
    query = lab.plain([lab.inftrace, "query", "-f", "csv", dumps[1], "select inference from inferences"])
    assert query.status == 0, query.err
    assert {str(row["inference"]) for row in rows} <= set(query.out.split())


def test_rules_for_prometheus_hold(lab):
    folder = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "examples", "fleet")
    tool = os.path.join(environment(envs.prometheus), "promtool")
    done = lab.plain([tool, "test", "rules", os.path.join(folder, "rules_test.yml")])
    assert done.status == 0, done.out + done.err
    # of metrics that there are
    names = set(re.findall(r"\b(?:inftrace|gen_ai_server)_[a-z_]+", open(os.path.join(folder, "rules.yml")).read()))
    known = open(os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "doc", "watch.md")).read()
    for name in names - {"inftrace_inferences", "inftrace_failures", "inftrace_generation_tokens"}:
        assert "`%s`" % re.sub("_(bucket|sum|count)$", "", name) in known
