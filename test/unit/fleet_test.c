// SPDX-License-Identifier: Apache-2.0
/* Aggregates of a fleet: histograms that merge exactly, bounded series, who a program is, and pages of metrics. */
#include "fleet/aggregate/fleet.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cases.h"
#include "fleet/door/door_in.h"
#include "stream.h"

#define SECOND UINT64_C(1000000000)

/* A sequence of durations from 2 ns to 2^34 ns. */
static uint64_t made_ns(uint32_t i)
{
	return (((uint64_t)i * 2654435761u) >> (i % 32)) + 2;
}

static uint64_t count(const struct exponential *histogram)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < histogram->n; i++)
		n += histogram->bucket[i];
	return n;
}

/* The middle of its only bucket, in seconds. */
static double only_value(const struct exponential *histogram)
{
	assert_int_equal(count(histogram), 1);
	for (uint32_t i = 0; i < histogram->n; i++)
		if (histogram->bucket[i])
			return exp2(ldexp(histogram->first + (double)i + 0.5, -exponential_scale(histogram)));
	return NAN;
}

TEST(histograms_are_within_their_error)
{
	for (uint32_t i = 0; i < 20000; i++) {
		struct exponential one = { 0 };
		double found, is = (double)made_ns(i) / 1e9;

		assert_true(exponential_add(&one, made_ns(i), 1));
		found = only_value(&one);
		assert_true(fabs(found - is) / is < 0.0109);
		assert_true(exp2(one.first / 32.0) < is * (1 + 1e-12) &&
			    is <= exp2((one.first + 1) / 32.0) * (1 + 1e-12));
		exponential_done(&one);
	}
}

static void assert_same(const struct exponential *a, const struct exponential *b)
{
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->halved, b->halved);
	assert_memory_equal(a->bucket, b->bucket, a->n * sizeof *a->bucket);
}

/* However they are divided, and in whatever order they merge; wide ones halve their scale. */
TEST(histograms_merge_exactly)
{
	for (uint32_t limit = 100; limit <= 10000; limit *= 10) {
		struct exponential whole = { 0 }, part[3] = { { 0 } }, merged = { 0 };

		for (uint32_t i = 0; i < limit; i++) {
			uint64_t ns = limit == 100 ? 1000000 + made_ns(i) % 100000 : made_ns(i);
			exponential_add(&whole, ns, 1);
			exponential_add(&part[ns % 3], ns, 1);
		}
		for (int i = 2; i >= 0; i--)
			assert_true(exponential_merge(&merged, &part[i]));
		assert_same(&merged, &whole);
		assert_int_equal(count(&merged), limit);
		assert_int_equal(whole.halved != 0, limit != 100);
		exponential_clear(&whole);
		assert_true(exponential_merge(&whole, &merged));
		assert_same(&merged, &whole);
		for (int i = 0; i < 3; i++)
			exponential_done(&part[i]);
		exponential_done(&whole);
		exponential_done(&merged);
	}
}

TEST(series_are_bounded)
{
	struct series_table table = { .max = 40 };
	struct series_labels labels = { .service = "honest", .model = "net" };
	struct series *honest = series_get(&table, &labels), *other = NULL;

	for (int service = 0; service < 100; service++)
		for (int model = 0; model < 100; model++) {
			labels = (struct series_labels){ .runtime = "onnxruntime" };
			snprintf(labels.service, sizeof labels.service, "service-%d", service);
			snprintf(labels.model, sizeof labels.model, "model-%d", model);
			other = series_get(&table, &labels);
			assert_non_null(other);
			other->now.runs.n++;
		}
	assert_true(table.n <= table.max + 1);
	assert_string_equal(other->labels.service, SERIES_OTHER);
	assert_true(table.n_refused > 9900);
	labels = (struct series_labels){ .service = "honest", .model = "net" };
	assert_ptr_equal(series_get(&table, &labels), honest);
	series_done(&table);
}

/* However many types a program has. */
TEST(operators_are_bounded)
{
	struct series series = { .n_operators = 0 };
	uint64_t sum_ns = 0;
	char type[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(type, sizeof type, "type-%d-with-a-very-long-name-that-is-cut", i % 100);
		type[31] = 0;
		series_operator_add(&series, type, i % 2 ? "CPU" : "CUDA", 1);
	}
	assert_int_equal(series.n_operators, SERIES_OPERATORS + 1);
	assert_string_equal(series.operator[SERIES_OPERATORS].type, SERIES_OTHER);
	for (size_t i = 0; i < series.n_operators; i++)
		sum_ns += series.operator[i].now_ns;
	assert_int_equal(sum_ns, 1000);
	assert_int_equal(series.operator[0].now_ns, 10);
}

static void take(struct origin_program *origin, const char *environment, size_t size, const char *cgroup)
{
	*origin = (struct origin_program){ "" };
	origin_take_environment(origin, environment, size);
	origin_take_cgroup(origin, cgroup, strlen(cgroup));
}

#define TAKE(origin, environment, cgroup) take(origin, environment, sizeof environment, cgroup)
#define ID "4f2a00000000000000000000000000000000000000000000000000000000beef"

TEST(programs_say_who_they_are)
{
	struct origin_program origin;

	TAKE(&origin, "A=b\0OTEL_RESOURCE_ATTRIBUTES=service.name=a%20b%2Cc, k8s.pod.name = p ,broken,x=\0Z=", "");
	assert_string_equal(origin.service, "a b,c");
	assert_string_equal(origin.k8s_pod, "p");
	TAKE(&origin, "OTEL_SERVICE_NAME=strong\0OTEL_RESOURCE_ATTRIBUTES=service.name=weak", "");
	assert_string_equal(origin.service, "strong");
	TAKE(&origin, "OTEL_SERVICE_NAME=\x1b[31m\xff\n", "");
	assert_string_equal(origin.service, "?[31m??");
	TAKE(&origin, "", "0::/system.slice/docker-" ID ".scope\n");
	assert_string_equal(origin.container, "4f2a00000000");
	assert_string_equal(origin.pod_uid, "");
	TAKE(&origin, "",
	     "0::/kubepods.slice/kubepods-burstable.slice/"
	     "kubepods-burstable-pod9c1d2e3f_0011_2233_4455_66778899aabb.slice/cri-containerd-" ID ".scope");
	assert_string_equal(origin.pod_uid, "9c1d2e3f-0011-2233-4455-66778899aabb");
	assert_string_equal(origin.container, "4f2a00000000");
	TAKE(&origin, "OTEL_RESOURCE_ATTRIBUTES=k8s.container.name=main", "0::/kubepods/besteffort/pod1234/" ID "\n");
	assert_string_equal(origin.container, "main");
	assert_string_equal(origin.pod_uid, "");
}

static void write_file(const char *folder, const char *path, const char *text)
{
	char name[256];
	FILE *file;

	snprintf(name, sizeof name, "%s/%s", folder, path);
	for (char *at = name + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		mkdir(name, 0700);
	}
	if (!strncmp(text, "uts:", 4)) {
		unlink(name);
		assert_int_equal(symlink(text, name), 0);
		return;
	}
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

TEST(a_container_names_its_machine)
{
	char folder[] = "/tmp/inftrace-host-XXXXXX", remove_it[64];
	struct origin_host host;
	struct utsname own;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(uname(&own), 0);
	write_file(folder, "proc/sys/kernel/random/boot_id", "b-1\n");
	write_file(folder, "proc/1/ns/uts", "uts:[1]");
	write_file(folder, "proc/self/ns/uts", "uts:[1]");
	write_file(folder, "proc/1/root/etc/hostname", "node-7\n");
	write_file(folder, "proc/1/root/etc/machine-id", "0123\n");
	write_file(folder, "etc/machine-id", "4567\n");
	origin_read_host(&host, folder, NULL);
	assert_string_equal(host.name, own.nodename);
	assert_string_equal(host.boot, "b-1");
	assert_string_equal(host.machine, "4567");
	write_file(folder, "proc/self/ns/uts", "uts:[2]");
	origin_read_host(&host, folder, NULL);
	assert_string_equal(host.name, "node-7");
	assert_string_equal(host.machine, "0123");
	origin_read_host(&host, folder, "a=b,k8s.node.name=node%2D8,host.id=i");
	assert_string_equal(host.name, "node-8");
	assert_string_equal(host.machine, "i");
	origin_read_host(&host, folder, "k8s.node.name=node-8,host.name=told");
	assert_string_equal(host.name, "told");
	snprintf(remove_it, sizeof remove_it, "rm -r %s", folder);
	assert_int_equal(system(remove_it), 0);
}

TEST(formats_are_chosen_by_accept)
{
	static const struct {
		const char *accept;
		enum prometheus_format format;
	} cases[] = {
		{ NULL, PROMETHEUS_TEXT },
		{ "*/*", PROMETHEUS_TEXT },
		{ "text/html", PROMETHEUS_TEXT },
		{ "application/openmetrics-text;version=1.0.0,text/plain;q=0.5", PROMETHEUS_OPEN_METRICS },
		{ "application/openmetrics-text;q=0.2, text/plain;version=0.0.4;q=0.5", PROMETHEUS_TEXT },
		{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
		  "application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.2",
		  PROMETHEUS_PROTOBUF },
		{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text,text/"
		  "plain;q=0.1",
		  PROMETHEUS_TEXT },
		{ ",,;q=,application/openmetrics-text;q=", PROMETHEUS_OPEN_METRICS },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(prometheus_format_of(cases[i].accept), cases[i].format);
}

TEST(addresses_are_numbers)
{
	struct address address;
	struct err err;

	assert_int_equal(address_parse("9465", &address, &err), 0);
	assert_string_equal(address.text, "127.0.0.1:9465");
	assert_true(address.is_local);
	assert_int_equal(address_parse("[::1]:80", &address, &err), 0);
	assert_true(address.is_local);
	assert_int_equal(address_parse("[::]:80", &address, &err), 0);
	assert_false(address.is_local);
	assert_int_equal(address_parse("0.0.0.0:80", &address, &err), 0);
	assert_false(address.is_local);
	assert_int_not_equal(address_parse("localhost:80", &address, &err), 0);
	assert_int_not_equal(address_parse("127.0.0.1:", &address, &err), 0);
	assert_int_not_equal(address_parse("127.0.0.1:65536", &address, &err), 0);
	assert_int_not_equal(address_parse("", &address, &err), 0);
}

TEST(tokens_are_compared_whole)
{
	assert_true(secret_is_borne("abc", "Bearer abc"));
	assert_true(secret_is_borne("abc", "bearer abc"));
	assert_false(secret_is_borne("abc", "Bearer abcabc"));
	assert_false(secret_is_borne("abc", "Bearer ab"));
	assert_false(secret_is_borne("abc", "Bearer "));
	assert_false(secret_is_borne("abc", "Basic abc"));
	assert_false(secret_is_borne("abc", NULL));
}

TEST(answers_of_receivers_are_read)
{
	/* partial_success { rejected_data_points: 3, error_message: "no" } */
	static const uint8_t partial[] = { 0x0a, 6, 0x08, 3, 0x12, 2, 'n', 'o' };
	int64_t n;
	char why[8];

	assert_true(otlp_is_partial(partial, sizeof partial, &n, why, sizeof why));
	assert_int_equal(n, 3);
	assert_string_equal(why, "no");
	assert_false(otlp_is_partial(partial, sizeof partial - 1, &n, why, sizeof why));
	assert_false(otlp_is_partial("", 0, &n, why, sizeof why));
	assert_true(otlp_retry_after(" 120\r\n", 0) == 120);
	assert_true(otlp_retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 40) == 60);
	assert_true(otlp_retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 400) == 0);
	assert_true(otlp_retry_after("-1", 0) == -1);
	assert_true(otlp_retry_after("1e999", 0) == -1);
	assert_true(otlp_retry_after("tomorrow", 0) == -1);
	assert_true(otlp_retry_after("", 0) == -1);
}

struct made {
	struct stream s;
	struct fleet *fleet;
	uint64_t now_ns;
};

static void identify(struct origin_program *origin, const char *sysroot, pid_t pid, const char *name)
{
	*origin = strcmp(name, "pod") ? (struct origin_program){ .service = "evil\"\\" }
				      : (struct origin_program){ .service = "s",
								 .k8s_namespace = "n",
								 .k8s_pod = "p",
								 .container = "c",
								 .service_version = "1.2" };
}

static void make(struct made *m)
{
	const struct fleet_opts opts = {
		.n_cpus = 2, .max_series = 100, .idle_intervals = 360, .sysroot = "", .identify = identify
	};

	stream_init(&m->s);
	m->now_ns = 0;
	m->fleet = fleet_new(m->s.names, &m->s.last_track, &opts, NULL);
	m->s.sink = fleet_sink(m->fleet);
	assert_int_equal(fleet_roll(m->fleet, 1, 1000 * SECOND, NULL), 0);
}

static void unmake(struct made *m)
{
	fleet_free(m->fleet);
	stream_done(&m->s);
}

static void run(struct made *m, uint32_t lane, uint64_t from_us, uint64_t us, const char *status)
{
	stream_inference(&m->s, lane, from_us, "net", 1, 1);
	stream_text(&m->s, KEY_STATUS, status);
	stream_int(&m->s, KEY_THREAD_CPU_NS, (int64_t)us * 250);
	stream_int(&m->s, KEY_RUN_QUEUE_NS, (int64_t)us * 500);
	stream_end(&m->s, lane, from_us + us);
}

/* What a door writes, as text. */
static char *written(const struct made *m, void (*write)(const struct door_in *in, FILE *out))
{
	const struct metrics_own own = { .version = "1", .host = { .name = "here" } };
	const struct door_in in = { m->fleet, &own };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(&in, out);
	fclose(out);
	return text;
}

static void write_text(const struct door_in *in, FILE *out)
{
	prometheus_text_write(in, false, out);
}

#define CASE(name) TEST_OF(name, struct made, m, make(m), unmake(m))

CASE(sums_reach_the_doors)
{
	uint32_t lane;
	char *text;

	lane = stream_lane(&m->s, stream_process(&m->s, 42, "python"), "net");
	for (uint64_t i = 0; i < 100; i++)
		run(m, lane, i * 1000, i == 50 ? 900 : 150, i % 10 ? "ok" : "Invalid rank for input: x");
	stream_inference(&m->s, lane, 200000, "net", 1, 1); /* runs */
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	assert_int_equal(fleet_roll(m->fleet, 2 * SECOND, 1002 * SECOND, NULL), 0);
	text = written(m, write_text);
#define SERIES "{service=\"evil\\\"\\\\\",model=\"net\""
	assert_non_null(strstr(text, "inftrace_inference_duration_seconds_bucket" SERIES ",le=\"0.0001\"} 0\n"));
	assert_non_null(strstr(text, "inftrace_inference_duration_seconds_bucket" SERIES ",le=\"0.0002\"} 99\n"));
	assert_non_null(strstr(text, "inftrace_inference_duration_seconds_bucket" SERIES ",le=\"+Inf\"} 100\n"));
	assert_non_null(strstr(text, "inftrace_inference_duration_seconds_sum" SERIES "} 0.01575\n"));
	assert_non_null(strstr(text, "inftrace_inference_failures_total" SERIES ",error=\"input\"} 10\n"));
	assert_non_null(strstr(text, "inftrace_inference_running" SERIES "} 1\n"));
	assert_non_null(strstr(text, "inftrace_inference_wait_seconds_total" SERIES ",reason=\"cpu\"} 0.007875\n"));
	assert_null(strstr(text, "\"42\""));
	free(text);
	assert_int_equal(fleet_series(m->fleet)->row[0]->last.runs.n, 0);
}

CASE(tail_has_the_slowest_and_why)
{
	const struct tail *tail;
	char why[TAIL_WHY], *text;
	uint32_t lane;

	lane = stream_lane(&m->s, stream_process(&m->s, 42, "python"), "net");
	for (uint64_t i = 0; i < 100; i++)
		run(m, lane, i * 1000, i == 50 ? 900 : 150, i < 90 ? "ok" : "cudaErrorIllegalAddress");
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	tail = fleet_tail(m->fleet);
	assert_int_equal(tail->n[TAIL_SLOW], 1);
	assert_int_equal(tail->row[TAIL_SLOW][0].run.ns, 900000);
	assert_int_equal(tail->row[TAIL_SLOW][0].weight, 90);
	assert_int_equal(tail->n[TAIL_FAILED], TAIL_OF_SERIES);
	assert_int_equal(tail->row[TAIL_FAILED][TAIL_OF_SERIES - 1].weight, 10 - TAIL_OF_SERIES + 1);
	assert_int_equal(failure_of(tail->row[TAIL_FAILED][0].run.status), FAILURE_DEVICE);
	tail_say_why(&tail->row[TAIL_SLOW][0].run, why, sizeof why);
	assert_string_equal(why, "450 us waiting for a CPU, 225 us waiting for something else");
	text = written(m, lines_write);
	assert_non_null(strstr(text, "\"reason\":\"slow\",\"weight\":90"));
	assert_non_null(strstr(text, "\"service\":\"evil\\\"\\\\\""));
	free(text);
}

/* Names of slices are others than what their arguments say. */
CASE(rows_have_what_events_say_under_their_keys)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "a group"),
		 thread = stream_thread(&m->s, process, 77);
	static const char *const said[] = {
		"\"provider\":\"CUDA\",\"device\":\"gpu\",\"reason\":\"first\"",
		"\"model\":\"net\",\"runtime\":\"onnxruntime\",\"runtime_version\":\"1.31.1\"",
		"\"tid\":77,\"inference\":9,\"major_faults\":11,\"read_bytes\":4096,",
		"\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"span_id\":\"b7ad6b7169203331\"",
		"\"sessions\":1,\"created\":1,\"not_created\":0,",
		"\"operators\":\"Conv 40.0 us\"",
	};
	char *text;

	stream_text(&m->s, KEY_RUNTIME, "onnxruntime");
	stream_text(&m->s, KEY_VERSION, "1.31.1");
	stream_instant(&m->s, process, 0, KIND_NOTE, EVENT_NOTE_RUNTIME);
	stream_int(&m->s, KEY_SESSION, 3);
	stream_begin(&m->s, lane, 10, KIND_SESSION, "create");
	stream_text(&m->s, KEY_MODEL, "net");
	stream_text(&m->s, KEY_PROVIDERS, "CUDAExecutionProvider");
	stream_text(&m->s, KEY_STATUS, "ok");
	stream_end(&m->s, lane, 20);
	stream_text(&m->s, KEY_TAG, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
	stream_int(&m->s, KEY_TID, 77);
	stream_int(&m->s, KEY_FIRST, 1);
	stream_text(&m->s, KEY_MODEL, "net");
	stream_int(&m->s, KEY_SESSION, 3);
	stream_int(&m->s, KEY_INFERENCE, 9);
	stream_begin(&m->s, lane, 100, KIND_INFERENCE, "net:main");
	stream_operator(&m->s, thread, 110, "/conv_1", "Conv", 9);
	stream_end(&m->s, thread, 150);
	stream_text(&m->s, KEY_STATUS, "ok");
	stream_int(&m->s, KEY_MAJOR_FAULTS, 11);
	stream_int(&m->s, KEY_READ_BYTES, 4096);
	stream_end(&m->s, lane, 200);
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	text = written(m, lines_write);
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (!strstr(text, said[i]))
			fail_msg("no %s in %s", said[i], text);
	free(text);
	text = written(m, write_text);
	assert_non_null(strstr(text, ",op_type=\"Conv\",ran_on=\"CPU\"} 4e-05\n"));
	free(text);
}

/* A week of processes that come and go leaves nothing behind. */
CASE(processes_come_and_go)
{
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t process = stream_process(&m->s, (int32_t)i + 1, "python"), lane;

		lane = stream_lane(&m->s, process, "net");
		run(m, lane, i, 1, "ok");
		stream_put(&m->s, (struct event){ .type = EVENT_TRACK_END, .track = lane });
		stream_put(&m->s, (struct event){ .type = EVENT_TRACK_END, .track = process });
		m->s.log.n = 0;
	}
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	assert_int_equal(fleet_own(m->fleet)->n_processes_refused, 0);
	assert_int_equal(fleet_n_services(m->fleet), 1);
	assert_int_equal(fleet_series(m->fleet)->n, 1);
	assert_int_equal(fleet_series(m->fleet)->row[0]->all.runs.n, 20000);
	assert_int_equal(fleet_series(m->fleet)->row[0]->n_users, 0);
	for (int i = 0; i < 400; i++)
		fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL);
	assert_int_equal(fleet_series(m->fleet)->n, 0);
	assert_int_equal(fleet_n_services(m->fleet), 0);
}

/* Phases add up to the whole: what lies inside another one counts once. */
CASE(creations_are_told_by_phase)
{
	uint32_t lane;
	char *text;

	lane = stream_lane(&m->s, stream_process(&m->s, 42, "python"), "net");
	stream_text(&m->s, KEY_MODEL, "net");
	stream_int(&m->s, KEY_SESSION, 1);
	stream_begin(&m->s, lane, 0, KIND_SESSION, "net");
	stream_begin(&m->s, lane, 1000, KIND_LOAD, "load");
	stream_begin(&m->s, lane, 2000, KIND_PHASE, "parse model");
	stream_begin(&m->s, lane, 2500, KIND_USER, "mine");
	stream_begin(&m->s, lane, 2600, KIND_PHASE, "read file");
	stream_end(&m->s, lane, 2900);
	stream_end(&m->s, lane, 3000);
	stream_end(&m->s, lane, 4000);
	stream_end(&m->s, lane, 5000);
	stream_begin(&m->s, lane, 5000, KIND_SPECIALIZE, "specialize");
	stream_end(&m->s, lane, 9000);
	stream_end(&m->s, lane, 10000);
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	text = written(m, write_text);
#define PHASE(name, s) \
	assert_non_null(strstr(text, "inftrace_session_creation_seconds_total" SERIES ",phase=\"" name "\"} " s "\n"))
	PHASE("other", "0.002");
	PHASE("load", "0.002");
	PHASE("parse model", "0.0017");
	PHASE("read file", "0.0003");
	PHASE("optimize", "0.004");
	free(text);
	text = written(m, lines_write);
	assert_non_null(
	    strstr(text, "\"creating_ns\":10000000,\"creating\":{\"other\":2000000,\"parse model\":1700000,"));
	free(text);
}

static void pace(struct made *m, uint32_t process, uint64_t us, int64_t n_unseen)
{
	stream_text(&m->s, KEY_LEVEL, "inferences in windows");
	stream_int(&m->s, KEY_COUNT, n_unseen);
	stream_instant(&m->s, process, us, KIND_NOTE, EVENT_NOTE_PACED);
}

static void pace_session(struct made *m, uint32_t process, uint64_t us, int64_t session, int64_t n_unseen)
{
	stream_int(&m->s, KEY_SESSION, session);
	pace(m, process, us, n_unseen);
}

static const struct series *series_of(const struct made *m, const char *model)
{
	const struct series_table *table = fleet_series(m->fleet);

	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->row[i]->labels.model, model))
			return table->row[i];
	return NULL;
}

static const struct tail_row *slow_row(const struct made *m)
{
	return &fleet_tail(m->fleet)->row[TAIL_SLOW][0];
}

static void roll_at(struct made *m, uint64_t now_s, uint64_t realtime_s)
{
	assert_int_equal(fleet_roll(m->fleet, now_s * SECOND, realtime_s * SECOND, NULL), 0);
}

/* By an hour, forwards and back: no interval is longer than it was, and rows are in theirs. */
CASE(a_clock_that_is_set_moves_intervals_alone)
{
	static const int64_t steps[] = { 3600, -3600, -7200 };
	uint32_t process, lane;
	const struct fleet_interval *interval;
	uint64_t now_s = 10, wall_s = 100000;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	interval = fleet_interval(m->fleet);
	roll_at(m, now_s, wall_s);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		wall_s += (uint64_t)steps[i];
		for (int is_next = 0; is_next < 2; is_next++) {
			run(m, lane, now_s * 1000000 + 4000000, 1000000, "ok");
			now_s += 10;
			wall_s += 10;
			roll_at(m, now_s, wall_s);
			assert_int_equal(interval->end_realtime_ns, wall_s * SECOND);
			assert_int_equal(interval->begin_realtime_ns, (wall_s - 10) * SECOND);
			assert_true(interval->start_realtime_ns <= interval->begin_realtime_ns);
			assert_int_equal(slow_row(m)->run.realtime_ns, (wall_s - 5) * SECOND);
			assert_int_equal(fleet_series(m->fleet)->row[0]->slowest.realtime_ns, (wall_s - 5) * SECOND);
			assert_int_equal(fleet_series(m->fleet)->row[0]->last.runs.n, 1);
		}
	}
	/* a clock that runs a little fast leaves no gap */
	roll_at(m, now_s + 10, wall_s + 10);
	assert_int_equal(fleet_roll(m->fleet, (now_s + 20) * SECOND, (wall_s + 20) * SECOND + 5000000, NULL), 0);
	assert_int_equal(interval->begin_realtime_ns, (wall_s + 10) * SECOND);
}

static void put_session_note(struct made *m, uint32_t process, const char *topic, int64_t session, const char *model)
{
	stream_int(&m->s, KEY_SESSION, session);
	if (model) {
		stream_text(&m->s, KEY_MODEL, model);
		stream_text(&m->s, KEY_RUNTIME, "openvino");
		stream_text(&m->s, KEY_PROVIDERS, "OpenVINOExecutionProvider");
	}
	stream_instant(&m->s, process, 0, KIND_NOTE, topic);
}

/* Sessions that ran before they were watched, one that could not be created, and losses. */
CASE(notes_are_of_the_session_that_they_name)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "a group");
	const struct series *series;

	put_session_note(m, process, EVENT_NOTE_SESSION, 4, "noted");
	put_session_note(m, process, EVENT_NOTE_SESSION, 5, "released");
	stream_text(&m->s, KEY_STATUS, "no such file");
	put_session_note(m, process, EVENT_NOTE_SESSION, 6, "failed");
	put_session_note(m, process, EVENT_NOTE_RELEASED, 5, NULL);
	for (int i = 0; i < 2; i++) {
		stream_inference(&m->s, lane, 100 + 100 * (uint64_t)i, "noted", 4, i + 1);
		if (i)
			stream_int(&m->s, KEY_PARTIAL, 1);
		stream_end(&m->s, lane, 150 + 100 * (uint64_t)i);
	}
	stream_begin(&m->s, lane, 1000, KIND_SESSION, "create");
	stream_int(&m->s, KEY_SESSION, 7);
	stream_text(&m->s, KEY_MODEL, "bad");
	stream_text(&m->s, KEY_STATUS, "no such file");
	stream_end(&m->s, lane, 2000);
	stream_int(&m->s, KEY_COUNT, 12);
	stream_instant(&m->s, process, 3000, KIND_LOST, "lost");
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	series = series_of(m, "noted");
	assert_string_equal(series->labels.provider, "OpenVINO");
	assert_string_equal(series->labels.runtime, "openvino");
	assert_int_equal(series->all.runs.n, 1);
	assert_int_equal(series->n_sessions, 1);
	assert_int_equal(series_of(m, "released")->n_sessions, 0);
	assert_int_equal(series_of(m, "bad")->all.n_not_created, 1);
	assert_int_equal(fleet_series(m->fleet)->n, 3);
	assert_int_equal(fleet_own(m->fleet)->n_lost, 12);
}

/* The runtime has counted them: each is like those of its own session. */
CASE(inferences_that_a_session_counted_are_like_its_own)
{
	uint32_t process, slow, fast;

	process = stream_process(&m->s, 42, "python");
	slow = stream_lane(&m->s, process, "slow");
	fast = stream_lane(&m->s, process, "fast");
	pace(m, process, 0, 0);
	for (uint64_t i = 0; i < 10; i++) {
		stream_inference(&m->s, slow, i * 10000, "slow", 1, 1);
		stream_end(&m->s, slow, i * 10000 + 5000);
		stream_inference(&m->s, fast, i * 10000, "fast", 2, 1);
		stream_end(&m->s, fast, i * 10000 + 150);
	}
	pace_session(m, process, 200000, 1, 7);
	pace_session(m, process, 200000, 2, 900);
	pace_session(m, process, 200000, 3, 55);
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	assert_int_equal(series_of(m, "slow")->all.runs.n, 17);
	assert_int_equal(series_of(m, "slow")->all.runs.ns, 17 * UINT64_C(5000000));
	assert_int_equal(series_of(m, "fast")->all.runs.n, 910);
	assert_int_equal(fleet_own(m->fleet)->n_unprobed, 907);
	assert_int_equal(fleet_own(m->fleet)->n_unknown, 55);
	stream_int(&m->s, KEY_COUNT, 45);
	stream_instant(&m->s, 0, 300000, KIND_NOTE, EVENT_NOTE_PACED);
	assert_int_equal(fleet_own(m->fleet)->n_unknown, 100);
	assert_int_equal(fleet_series(m->fleet)->n, 2);
}

/* Probes were out for a while: those that were seen tell what the others were like, at every door. */
CASE(inferences_that_ran_unseen_are_like_those_that_were_seen)
{
	uint32_t process, lane;
	const struct series *series;
	char *text;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	pace(m, process, 0, 0);
	for (uint64_t i = 0; i < 100; i++)
		run(m, lane, i * 1000, i % 10 ? 150 : 300, i % 50 ? "ok" : "Invalid rank for input: x");
	pace(m, process, 200000, 1001);
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	series = fleet_series(m->fleet)->row[0];
	assert_int_equal(series->all.runs.n, 1101);
	assert_int_equal(count(&series->all.runs.histogram), 1101);
	assert_true(series->all.runs.below[1] > 985 && series->all.runs.below[1] < 995);
	assert_int_equal(series->all.failed[FAILURE_INPUT], 22);
	assert_int_equal(fleet_own(m->fleet)->n_unprobed, 1001);
	assert_int_equal(fleet_tail(m->fleet)->row[TAIL_SLOW][0].weight, 98 + 1001);
	text = written(m, write_text);
	assert_non_null(strstr(text, "inftrace_watch_levels{seen=\"inferences in windows\"} 1\n"));
	free(text);
	/* in the next interval, too, in which none was seen */
	pace(m, process, 300000, 10);
	assert_int_equal(fleet_roll(m->fleet, 2 * SECOND, 1002 * SECOND, NULL), 0);
	assert_int_equal(series->last.runs.n, 10);
}

/* One of 1,000 fails, and another one is slow: a few unseen ones each second come to as many as all at once. */
CASE(what_is_rare_is_not_rounded_away)
{
	uint32_t process, lane;
	const struct series *series;

	process = stream_process(&m->s, 42, "python");
	lane = stream_lane(&m->s, process, "net");
	pace(m, process, 0, 0);
	for (uint64_t i = 0; i < 1000; i++)
		run(m, lane, i * 1000, i == 500 ? 900 : 150, i == 700 ? "Invalid rank for input: x" : "ok");
	for (uint64_t s = 1; s <= 100; s++) {
		pace(m, process, s * 1000000, 300);
		assert_int_equal(fleet_roll(m->fleet, s * SECOND, (1000 + s) * SECOND, NULL), 0);
	}
	series = fleet_series(m->fleet)->row[0];
	assert_int_equal(series->all.runs.n, 31000);
	assert_int_equal(series->all.runs.below[1] + series->all.runs.below[4], 31000);
	assert_in_range(series->all.runs.below[4], 30, 32);
	assert_in_range(series->all.failed[FAILURE_INPUT], 30, 31);
}

/* Of 2 CPUs that are half busy, a program that has a quarter of a CPU has a quarter of what ran. */
CASE(energy_is_shared_by_cpu_time)
{
	uint32_t process = stream_process(&m->s, 1, "pod"), lane = stream_lane(&m->s, process, "net");
	uint32_t own = stream_counter(&m->s, process, "cpu", "%"), all = stream_counter(&m->s, 0, "cpu", "%");
	uint32_t meter = stream_counter(&m->s, 0, "package-0 energy", "J");
	uint32_t watts = stream_counter(&m->s, 0, "package-0 power", "W");
	uint32_t platform = stream_counter(&m->s, 0, "psys energy", "J");
	const struct fleet_service *service;
	char *text;

	run(m, lane, 0, 1, "ok");
	for (uint64_t s = 1; s <= 3; s++) {
		stream_sample(&m->s, own, s * 1000000, 25);
		stream_sample(&m->s, meter, s * 1000000, 40 * (double)s);
		stream_sample(&m->s, watts, s * 1000000, 40);
		stream_sample(&m->s, platform, s * 1000000, 90 * (double)s);
	}
	assert_int_equal(fleet_roll(m->fleet, 3 * SECOND, 1003 * SECOND, NULL), 0);
	service = fleet_service(m->fleet, 0);
	assert_int_equal(service->n_energies, 0); /* how busy the machine was is not known yet */
	for (uint64_t s = 1; s <= 4; s++)
		stream_sample(&m->s, all, s * 1000000, 50);
	stream_sample(&m->s, own, 4 * 1000000, 75);
	stream_sample(&m->s, meter, 4 * 1000000, 160);
	assert_int_equal(fleet_roll(m->fleet, 4 * SECOND, 1004 * SECOND, NULL), 0);
	/* 120 J since the first value; 3 s of CPU time, of which it had 0.75 s since the last roll */
	assert_int_equal(service->n_energies, 1);
	assert_true(fabs(service->energy[0].j - 120 * 0.75 / 3) < 1e-9);
	text = written(m, write_text);
	assert_non_null(strstr(text, ",service_version=\"1.2\",device=\"cpu\",device_id=\"package-0\"} 30\n"));
	assert_non_null(strstr(text, "# TYPE inftrace_energy_joules_total counter\n"));
	free(text);
	assert_int_equal(fleet_roll(m->fleet, 5 * SECOND, 1005 * SECOND, NULL), 0);
	assert_true(fabs(service->energy[0].j - 30) < 1e-9 && service->energy[0].last_j == 0);
}

/* The busiest engine counts, and all memories; of two processes both. */
CASE(devices_are_summed_up_by_service)
{
	static const char *const names[] = { "gpu card1 render", "gpu card1 copy", "gpu card1 memory vram",
					     "gpu card1 memory gtt" };
	const struct fleet_service *service;
	char *text;

	for (int32_t pid = 1; pid <= 2; pid++) {
		uint32_t process = stream_process(&m->s, pid, "pod"), lane = stream_lane(&m->s, process, "net");

		run(m, lane, 0, 1, "ok");
		for (int i = 0; i < 4; i++) {
			uint32_t counter = stream_counter(&m->s, process, names[i], i < 2 ? "%" : "bytes");

			for (uint64_t s = 1; s <= 3; s++)
				stream_sample(&m->s, counter, s * 1000000, i == 0 ? 50 : i == 1 ? 10 : 1000);
		}
	}
	assert_int_equal(fleet_roll(m->fleet, 3 * SECOND, 1003 * SECOND, NULL), 0);
	assert_int_equal(fleet_n_services(m->fleet), 1);
	service = fleet_service(m->fleet, 0);
	assert_int_equal(service->n_uses, 1);
	assert_string_equal(service->use[0].device.id, "card1");
	assert_true(fabs(service->use[0].s - 2) < 1e-9 && fabs(service->use[0].bytes - 4000) < 1e-9);
	text = written(m, write_text);
#define POD "{service=\"s\",k8s_namespace=\"n\",k8s_pod=\"p\",container=\"c\",service_version=\"1.2\""
	assert_non_null(strstr(text, "inftrace_device_seconds_total" POD ",device=\"gpu\",device_id=\"card1\"} 2\n"));
	assert_non_null(strstr(text, "inftrace_processes" POD "} 2\n"));
	assert_non_null(strstr(text, "inftrace_inference_running" POD ",model=\"net\"} 0\n"));
	free(text);
	assert_int_equal(fleet_roll(m->fleet, 4 * SECOND, 1004 * SECOND, NULL), 0);
	assert_true(fabs(service->use[0].s - 2) < 1e-9 && service->use[0].last_s == 0);
}

/* doc/watch.md has every metric, and no other one. */
TEST(metrics_are_documented)
{
	char name[120], row[140], *text = NULL;
	size_t size = 0, n = 0;
	FILE *file = fopen(TEST_DIR "/../doc/watch.md", "re");

	assert_non_null(file);
	assert_true(getdelim(&text, &size, 0, file) > 0);
	fclose(file);
	for (size_t i = 0; i < n_metrics; i++) {
		metric_prometheus_name(&metrics[i], name, sizeof name);
		snprintf(row, sizeof row, "\n| `%s` |", name);
		if (!strstr(text, row))
			fail_msg("doc/watch.md lacks %s", name);
	}
	for (const char *at = text; (at = strstr(at, "\n| `")); at++)
		n += !strncmp(at + 4, "inftrace_", 9) || !strncmp(at + 4, "gen_ai_", 7);
	assert_int_equal(n, n_metrics);
	free(text);
}

/* An inference of one decoder: so many tokens behind so many in the cache, in 10 us. */
static void decode(struct made *m, uint32_t lane, uint64_t us, uint64_t n_tokens, uint64_t n_cached)
{
	char shapes[128];

	snprintf(shapes, sizeof shapes,
		 "int64[1x%llu],float32[1x4x%llux16],float32[1x4x%llux16],float32[1x4x%llux16],"
		 "float32[1x4x%llux16]",
		 (unsigned long long)n_tokens, (unsigned long long)n_cached, (unsigned long long)n_cached,
		 (unsigned long long)n_cached, (unsigned long long)n_cached);
	stream_text(&m->s, KEY_SHAPES, shapes);
	stream_int(&m->s, KEY_TID, 42);
	stream_inference(&m->s, lane, us, "net", 1, 1);
	stream_text(&m->s, KEY_STATUS, "ok");
	stream_end(&m->s, lane, us + 10);
}

/* Three of 5 tokens for a prompt of 8: a prefill of 10 us, and then a token every 20 us. */
CASE(generations_are_summed_up)
{
	uint32_t lane = stream_lane(&m->s, stream_process(&m->s, 42, "pod"), "net");
	const struct series_tokens *all;
	char *text;

	for (uint64_t i = 0; i < 3; i++) {
		decode(m, lane, i * 1000, 8, 0);
		for (uint64_t token = 1; token < 5; token++)
			decode(m, lane, i * 1000 + token * 20, 1, 7 + token);
	}
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	all = &series_of(m, "net")->generations->all;
	assert_int_equal(all->n_in, 24);
	assert_int_equal(all->n_out, 15);
	assert_int_equal(all->times[SERIES_FIRST_TOKEN].n, 3);
	assert_int_equal(all->times[SERIES_FIRST_TOKEN].ns, 30000);
	assert_int_equal(all->times[SERIES_BETWEEN_TOKENS].n, 12);
	assert_int_equal(all->times[SERIES_BETWEEN_TOKENS].ns, 240000);
	assert_int_equal(all->times[SERIES_GENERATION].n, 0); /* they may go on */
	assert_int_equal(fleet_roll(m->fleet, 70 * SECOND, 1070 * SECOND, NULL), 0);
	assert_int_equal(all->times[SERIES_GENERATION].n, 3);
	assert_int_equal(all->times[SERIES_GENERATION].ns, 3 * 90000);
	assert_int_equal(all->times[SERIES_PER_TOKEN].ns, 3 * 20000);
	text = written(m, write_text);
#define GEN_AI ",gen_ai_operation_name=\"text_completion\",gen_ai_provider_name=\"_OTHER\",gen_ai_request_model=\"net\""
	assert_non_null(
	    strstr(text, "gen_ai_server_time_to_first_token_seconds_count" POD ",model=\"net\"" GEN_AI "} 3\n"));
	assert_non_null(
	    strstr(text, "gen_ai_server_request_duration_seconds_sum" POD ",model=\"net\"" GEN_AI "} 0.00027\n"));
	assert_non_null(strstr(text, "inftrace_generation_token_seconds_sum" POD ",model=\"net\"} 0.00024\n"));
	assert_non_null(strstr(text, "inftrace_generation_tokens_total" POD ",model=\"net\",type=\"input\"} 24\n"));
	free(text);
	text = written(m, lines_write);
	assert_non_null(strstr(text, "\"output_tokens\":0,\"token_means\":3,\"token_mean_ns\":60000,"));
	free(text);
}

/* A call says that a token is there; its inference names the generator. */
CASE(calls_of_generators_are_summed_up)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "net"),
		 thread = stream_thread(&m->s, process, 77);
	const struct series_tokens *all;

	for (int i = 0; i < 5; i++) {
		const struct arg args[] = { arg_int(KEY_ID, 5), arg_int(KEY_COUNT, 1), arg_int(KEY_BATCH, i ? 1 : 8),
					    arg_int(KEY_TID, 77) };
		struct event event = { .type = EVENT_BEGIN,
				       .kind = KIND_TOKENS,
				       .track = thread,
				       .args = args,
				       .n_args = 4,
				       .time_ns = (uint64_t)i * 20000,
				       .name = stream_name(&m->s, i ? "next token" : "append tokens") };

		stream_inference(&m->s, lane, (uint64_t)i * 20, "net", 1, i + 1);
		stream_text(&m->s, KEY_SEQUENCES, "g5");
		stream_end(&m->s, lane, (uint64_t)i * 20 + 10);
		assert_int_equal(sink_put_slice(m->s.sink, &event, event.time_ns + 15000, NULL), 0);
	}
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	all = &series_of(m, "net")->generations->all;
	assert_int_equal(all->n_in, 8);
	assert_int_equal(all->n_out, 4);
	assert_int_equal(all->times[SERIES_FIRST_TOKEN].ns, 35000);
	assert_int_equal(all->times[SERIES_BETWEEN_TOKENS].ns, 60000);
}

/* An agent tells the operators of a whole look before it tells of their inferences; an end may be lost. */
CASE(operators_of_many_inferences_wait_for_them)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "net"),
		 thread = stream_thread(&m->s, process, 77);

	for (int64_t look = 0; look < 20; look++) {
		for (int64_t i = 1; i <= 2000; i++) {
			stream_operator(&m->s, thread, (uint64_t)i * 10, "conv", "Conv", look * 2000 + i);
			stream_end(&m->s, thread, (uint64_t)i * 10 + 1);
		}
		for (int64_t i = 1; i <= 2000; i++) {
			if (i == 1000)
				continue;
			stream_inference(&m->s, lane, (uint64_t)i * 10, "net", 1, look * 2000 + i);
			stream_end(&m->s, lane, (uint64_t)i * 10 + 5);
		}
		m->s.log.n = 0;
	}
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	assert_int_equal(series_of(m, "net")->operator[0].all_ns, 20 * 1999 * 1000);
}

/* Those of many processes wait in bounded room: what is in the way is not seen, and its series says so. */
CASE(operators_of_many_processes_wait_in_bounded_room)
{
	enum { PROCESSES = 100, RUNS = 4000 };
	uint32_t lane[PROCESSES], thread[PROCESSES];
	const struct series *series;

	for (int p = 0; p < PROCESSES; p++) {
		uint32_t process = stream_process(&m->s, p + 1, "pod");

		lane[p] = stream_lane(&m->s, process, "net");
		thread[p] = stream_thread(&m->s, process, p + 1001);
	}
	for (int part = 0; part < 2; part++)
		for (int p = 0; p < PROCESSES; p++)
			for (int64_t i = 1; i <= RUNS; i++) {
				uint64_t us = (uint64_t)i * 10;

				if (part)
					stream_inference(&m->s, lane[p], us, "net", 1, i);
				else
					stream_operator(&m->s, thread[p], us, "conv", "Conv", i);
				stream_end(&m->s, part ? lane[p] : thread[p], us + 1);
				m->s.log.n = 0;
			}
	series = series_of(m, "net");
	assert_int_equal(series->now.runs.n, PROCESSES * RUNS);
	assert_in_range(series->n_with, 2000, 20000);
	assert_int_equal(series->n_with + series->n_without, PROCESSES * RUNS);
}

/* They come late: after their inference, and after that of another model. */
CASE(kernels_are_of_the_inference_that_asked_for_them)
{
	static const char *const models[] = { "first", "second" };
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "net");
	uint32_t device = stream_lane(&m->s, process, "gpu 0");
	char *text;

	for (int64_t round = 0; round < 2; round++)
		for (int64_t i = 1; i <= 3; i++) {
			uint64_t us = (uint64_t)(round * 1000 + i * 100);

			/* the third kernel is of an inference that is not known */
			if (i < 3) {
				stream_inference(&m->s, lane, us, models[i - 1], i, round * 10 + i);
				stream_end(&m->s, lane, us + 10);
			}
			for (int64_t k = 1; k <= i; k++) {
				const struct arg args[] = { arg_int(KEY_INFERENCE, round * 10 + k),
							    arg_text(KEY_OP_TYPE, m->s.sink, "Conv") };
				const struct event event = { .type = EVENT_BEGIN,
							     .kind = KIND_KERNEL,
							     .track = device,
							     .time_ns = us * 1000,
							     .args = args,
							     .n_args = k == 1 ? 1 : 2,
							     .name = stream_name(&m->s, "copy") };

				assert_int_equal(sink_put_slice(m->s.sink, &event, us * 1000 + 7000, NULL), 0);
			}
		}
	assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
	text = written(m, write_text);
	/* of the first inference a kernel came while there was one model alone */
	assert_non_null(strstr(text, "inftrace_kernel_seconds_total" POD ",model=\"first\",kind=\"copy\"} 2.8e-05\n"));
	assert_non_null(strstr(text, "inftrace_kernel_seconds_total" POD ",model=\"second\",kind=\"Conv\"} 2.8e-05\n"));
	free(text);
	text = written(m, lines_write);
	assert_non_null(strstr(text, "\"kernels\":{\"Conv\":28000}"));
	free(text);
}

/* Of an inference three operators ran on the provider asked for, and two elsewhere; of one without operators none. */
CASE(nodes_that_fell_back_are_counted)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "net"),
		 thread = stream_thread(&m->s, process, 77);
	char *text;

	put_session_note(m, process, EVENT_NOTE_SESSION, 4, "net");
	put_session_note(m, process, EVENT_NOTE_SESSION, 5, "unseen");
	for (int i = 0; i < 5; i++) {
		stream_text(&m->s, KEY_OP_TYPE, "Conv");
		stream_text(&m->s, KEY_PROVIDER, i % 2 ? "CPUExecutionProvider" : "OpenVINOExecutionProvider");
		stream_int(&m->s, KEY_INFERENCE, 9);
		stream_begin(&m->s, thread, 10 + (uint64_t)i, KIND_OPERATOR, "conv");
		stream_end(&m->s, thread, 11 + (uint64_t)i);
	}
	stream_inference(&m->s, lane, 0, "net", 4, 9);
	stream_end(&m->s, lane, 100);
	stream_inference(&m->s, lane, 200, "unseen", 5, 10);
	stream_end(&m->s, lane, 300);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fleet_roll(m->fleet, SECOND, 1001 * SECOND, NULL), 0);
		text = written(m, write_text);
		assert_non_null(strstr(text, "inftrace_fallback_nodes" POD ",model=\"net\",runtime=\"openvino\""
					     ",provider=\"OpenVINO\"} 2\n"));
		assert_null(strstr(text, "inftrace_fallback_nodes" POD ",model=\"unseen\""));
		free(text);
	}
}

/* What a service takes is in JSON lines, too. */
CASE(services_have_lines)
{
	uint32_t process = stream_process(&m->s, 42, "pod"), lane = stream_lane(&m->s, process, "net");
	uint32_t cpu = stream_counter(&m->s, process, "cpu", "%"),
		 busy = stream_counter(&m->s, process, "gpu card1 render", "%");
	char *text;

	run(m, lane, 0, 1, "ok");
	for (uint64_t s = 1; s <= 3; s++) {
		stream_sample(&m->s, cpu, s * 1000000, 50);
		stream_sample(&m->s, busy, s * 1000000, 25);
	}
	assert_int_equal(fleet_roll(m->fleet, 3 * SECOND, 1003 * SECOND, NULL), 0);
	text = written(m, lines_write);
	assert_non_null(strstr(text, ",\"service\":\"s\",\"k8s_namespace\":\"n\",\"k8s_pod\":\"p\",\"container\":\"c\","
				     "\"service_version\":\"1.2\",\"processes\":1,\"cpu_s\":1.000000,"
				     "\"resident_bytes\":0,\"devices\":[{\"device\":\"gpu\",\"device_id\":\"card1\","
				     "\"s\":0.500000,\"bytes\":0}],\"energy\":[]}\n"));
	free(text);
}
