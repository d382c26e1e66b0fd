// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace watch`: sums up what all programs of the machine do with models, for as long as it runs, and lets the sums
 * out through doors. Watches them as top does. What is summed up, and what a door is, is in src/fleet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privilege.h"
#include "capture/proc/rights.h"
#include "capture/recorder/attach/attach.h"
#include "capture/recorder/recorder_launch.h"
#include "cmd/cmd.h"
#include "cmd/fleet/ask_dump.h"
#include "cmd/fleet/notify.h"
#include "cmd/fleet/watch_guest.h"
#include "cmd/record/end_as.h"
#include "cmd/record/probe_options.h"
#include "cmd/record/record_summary.h"
#include "cmd/record/recording_file.h"
#include "cmd/table/top_choose.h"
#include "fleet/door/door_clickhouse.h"
#include "fleet/door/door_lines.h"
#include "fleet/door/door_otlp.h"
#include "fleet/door/door_prometheus.h"
#include "fleet/door/doors.h"
#include "fleet/spool/spool.h"
#include "show/term/term.h"

/* RING_BYTES: of a thread of a program that is started. */
enum { RING_BYTES = 8 << 20, LEAST_SERIES = 8, MOST_SERIES = 100000 };
#define LEAST_INTERVAL_NS UINT64_C(100000000)

struct watch_opts {
	struct record_options shared;
	struct probe_options probes;
	struct door_prometheus_opts prometheus;
	struct door_otlp_opts otlp;
	struct door_clickhouse_opts clickhouse;
	struct door_lines_opts lines;
	struct door_spool spool;
	const char *name, *path;
	int max_series;
	bool dumps;
};

#define AT(field) offsetof(struct watch_opts, field)

static const struct opt watch_opt_table[] = {
	{ 0, NULL, NULL, "Which programs:" },
	{ 0, "name", "NAME", "match by name, now and later: of the program, or of the script an interpreter is running",
	  OPT_STR, AT(name) },
	{ 0, "path", "PATH", "match by path, now and later: of the executable, or of the script", OPT_STR, AT(path) },
	{ 0, NULL, NULL, "What is seen:" },
	{ 0, "kernels", NULL, "of CMD: also kernels of GPUs (CUDA, ROCm, Level Zero)", OPT_FLAG,
	  AT(shared.plan.kernels) },
	{ 'l', "level", "auto|inference|operator",
	  "how deep to look: inferences; or also operators; auto: as much of both as costs each program less than 1% "
	  "of its time, and an estimate of the rest",
	  OPT_CHOICE, AT(shared.plan.level), "auto" },
	{ 'i', "interval", "TIME", "time that is summed up; at least 100ms", OPT_DURATION, AT(shared.plan.interval_ns),
	  "10s" },
	{ 'd', "duration", "TIME", "end after this time; the programs keep running", OPT_PERIOD,
	  AT(shared.plan.duration_ns) },
	{ 0, "max-series", "N",
	  "keep sums for at most so many combinations of service, model, runtime and provider; others are summed up as "
	  "other, and counted",
	  OPT_INT, AT(max_series), "2000" },
	PROBE_OPTIONS(struct watch_opts, probes),
	{ 0, NULL, NULL, "Where it goes:" },
	{ 0, "metrics", "ADDRESS",
	  "serve metrics for Prometheus at http://ADDRESS/metrics: a port of 127.0.0.1, or ADDRESS:PORT", OPT_STR,
	  AT(prometheus.address) },
	{ 0, "metrics-token", "FILE", "answer only those that bear the token in this file", OPT_STR,
	  AT(prometheus.token_file) },
	{ 0, "metrics-cert", "FILE", "serve by TLS, with this certificate (PEM)", OPT_STR, AT(prometheus.certificate) },
	{ 0, "metrics-key", "FILE", "the key of the certificate (PEM)", OPT_STR, AT(prometheus.key) },
	{ 0, "otlp", "URL",
	  "push metrics, traces of the slowest, failed and first inferences, and logs by OTLP over HTTP to this "
	  "receiver; /v1/metrics and so on are added; $OTEL_EXPORTER_OTLP_ENDPOINT does the same",
	  OPT_STR, AT(otlp.url[OTLP_METRICS]) },
	{ 0, "otlp-traces", "URL|none", "push traces to this receiver, or nowhere", OPT_STR,
	  AT(otlp.url[OTLP_TRACES]) },
	{ 0, "otlp-logs", "URL|none", "push logs to this receiver, or nowhere", OPT_STR, AT(otlp.url[OTLP_LOGS]) },
	{ 0, "otlp-headers", "FILE", "send these headers, a line \"Name: value\" each", OPT_STR,
	  AT(otlp.headers_file) },
	{ 0, "otlp-ca", "FILE", "check the receiver's certificate with these (PEM)", OPT_STR, AT(otlp.authority) },
	{ 0, "clickhouse", "URL",
	  "insert into ClickHouse through its HTTP interface, as http://HOST:8123; the tables are those of "
	  "examples/fleet/clickhouse.sql, in the database inftrace or that of ?database=NAME",
	  OPT_STR, AT(clickhouse.url) },
	{ 0, "clickhouse-headers", "FILE",
	  "send these headers, a line \"Name: value\" each: X-ClickHouse-User, X-ClickHouse-Key", OPT_STR,
	  AT(clickhouse.headers_file) },
	{ 0, "clickhouse-ca", "FILE", "check the server's certificate with these (PEM)", OPT_STR,
	  AT(clickhouse.authority) },
	{ 0, "clickhouse-every", "TIME", "insert so often what the intervals since then have summed up; at least 1s",
	  OPT_DURATION, AT(clickhouse.every_ns), "1m" },
	{ 0, "spool", "FOLDER",
	  "while a receiver of OTLP or ClickHouse does not answer, keep what it is to get in this folder, also after "
	  "inftrace has "
	  "ended; "
	  "without: in memory",
	  OPT_STR, AT(spool.folder) },
	{ 0, "spool-size", "SIZE", "keep at most so much for each receiver; then the oldest goes, and is counted",
	  OPT_SIZE, AT(spool.most_bytes), "256M" },
	{ 0, "lines", "FILE", "append each interval to this file as JSON lines; -: to standard output", OPT_STR,
	  AT(lines.path) },
	{ 0, "lines-size", "SIZE", "start a new file at this size", OPT_SIZE, AT(lines.most_bytes), "64M" },
	{ 0, "lines-keep", "N", "keep this many earlier files, as FILE.1, FILE.2 ...", OPT_INT, AT(lines.n_kept), "4" },
	{ 0, NULL, NULL, "Recordings of what was worth it:" },
	{ 'o', "output", "FILE",
	  "also record, and keep the newest part; when --dump-when holds, it is written to a separate file beside FILE",
	  OPT_STR, AT(shared.out) },
	{ 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, AT(shared.force) },
	{ 0, "keep", "TIME|SIZE", "how much is kept", OPT_STR, AT(shared.keep), "2m" },
	{ 0, "dump-when", "WHEN",
	  "p99>50ms, max>1s, mean>20ms or error; commas between several; SIGUSR1 does it always", OPT_LIST,
	  AT(shared.dump_when) },
	{ 0, "dump-after", "TIME", "time after the event that this file also covers", OPT_DURATION,
	  AT(shared.dump_after_ns), "10s" },
	{ 0, "max-dumps", "N", "write at most this many such files; only count later ones", OPT_INT,
	  AT(shared.max_dumps), "10" },
	{ 0, "dump", NULL,
	  "ask an inftrace watch that runs with -o for such a file, wait for it, and print its name; with a PID: the "
	  "one "
	  "that is this process",
	  OPT_FLAG, AT(dumps) },
	{ 0, NULL, NULL, "Other:" },
	{ 'q', "quiet", NULL, "do not print what is watched, and where it goes", OPT_FLAG, AT(shared.quiet) },
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace watch --metrics 9465", "all programs; curl http://127.0.0.1:9465/metrics" },
	{ "inftrace watch --lines - | jq -c 'select(.kind == \"inference\")'",
	  "the slowest, failed and first inferences of each 10 s" },
	{ "inftrace watch --metrics 9465 -o slow.pftrace --dump-when 'p99>50ms,error'",
	  "also a recording of the two minutes before each trouble" },
	{ "inftrace watch --metrics 9465 -- ./server --port 8080",
	  "a program that it starts, by the agent; without root" },
	{ "inftrace watch --dump", "such a recording of a watcher that runs, now" },
	{ "inftrace watch --metrics 0.0.0.0:9465 --metrics-token token --metrics-cert cert.pem --metrics-key key.pem",
	  "for a Prometheus on another machine" },
	{ 0 },
};

/* One run of the command. */
struct job {
	const struct watch_opts *opts;
	char **argv; /* the program to start; NULL: those that run are watched */
	struct launch launch;
	struct watch_guest guest;
	struct record_options shared;
	struct recording_file file;
	bool has_file;
	struct names *names; /* of the stream, where no file has it */
	uint32_t last_track;
	struct sink *sinks[3];
	size_t n_sinks;
	struct recorder_result result;
};

/* A file whose newest part is kept, and dumped on a signal at least. */
static int open_file(struct job *job, struct err *err)
{
	struct record_options *shared = &job->shared;
	int code;

	if (shared->dump_when.n < OPT_LIST_MAX)
		shared->dump_when.item[shared->dump_when.n++] = "signal";
	code = recording_file_open(&job->file, shared, err);
	job->has_file = !code;
	if (code)
		return code;
	memcpy(job->sinks, job->file.sinks, job->file.n_sinks * sizeof *job->sinks);
	job->n_sinks = job->file.n_sinks;
	return 0;
}

/* Absolute: who reads the rows is elsewhere. */
static void say_recorded(void *opaque, struct fleet_recording *recording)
{
	struct job *job = opaque;
	struct rotate_dumped dumped;
	char folder[PATH_MAX] = "";

	if (!recording_file_dump(&job->file, &dumped))
		return;
	if (*dumped.path.s != '/' && !getcwd(folder, sizeof folder))
		return;
	recording->begin_ns = dumped.begin_ns;
	recording->until_ns = dumped.until_ns;
	snprintf(recording->why, sizeof recording->why, "%.*s", (int)sizeof recording->why - 1, dumped.why);
	if (snprintf(recording->path, sizeof recording->path, "%s%s%s", folder, *folder ? "/" : "", dumped.path.s) >=
	    (int)sizeof recording->path)
		*recording->path = 0;
}

static void close_file(struct job *job, int code)
{
	if (!job->has_file)
		return;
	if (code || !job->result.n_processes)
		recording_file_drop(&job->file);
	else
		record_summary_close(&job->file, &job->result);
}

/* What is of a program that is started alone, and of others alone. */
static int check_program(const struct watch_opts *opts, bool is_started, struct err *err)
{
	if (is_started && (opts->name || opts->path))
		return opt_misused(err, "give a program to start, or --name or --path of those that run");
	if (!is_started && opts->shared.plan.kernels)
		return opt_misused(err, "--kernels needs a program to start: probes see no kernels");
	return 0;
}

static int check(const struct watch_opts *opts, struct err *err)
{
	if (opts->name && opts->path)
		return opt_misused(err, "give one of --name and --path, not both");
	if (opts->shared.plan.interval_ns < LEAST_INTERVAL_NS)
		return opt_misused(err, "--interval must be 100ms or more");
	if (opts->max_series < LEAST_SERIES || opts->max_series > MOST_SERIES)
		return opt_misused(err, "--max-series must be %d to %d", LEAST_SERIES, MOST_SERIES);
	if (!opts->prometheus.address && !opts->lines.path && !opts->clickhouse.url &&
	    !door_otlp_is_wanted(&opts->otlp))
		return opt_misused(err,
				   "nothing would come of it: give --metrics ADDRESS, --otlp URL, --clickhouse URL or "
				   "--lines FILE");
	if (opts->clickhouse.every_ns < 1000000000u || opts->clickhouse.every_ns > 3600000000000u)
		return opt_misused(err, "--clickhouse-every must be 1s to 1h");
	if (!opts->prometheus.address &&
	    (opts->prometheus.token_file || opts->prometheus.certificate || opts->prometheus.key))
		return opt_misused(err, "--metrics-token, --metrics-cert and --metrics-key need --metrics");
	if (!opts->prometheus.certificate != !opts->prometheus.key)
		return opt_misused(err, "--metrics-cert and --metrics-key need each other");
	if (!opts->shared.out && (opts->shared.dump_when.n || opts->shared.force))
		return opt_misused(err, "--dump-when and --force need -o FILE");
	if (opts->spool.most_bytes < SPOOL_LEAST_BYTES)
		return opt_misused(err, "--spool-size must be at least 1M");
	if (opts->lines.most_bytes < 4096)
		return opt_misused(err, "--lines-size must be at least 4K");
	return 0;
}

static int open_doors(struct job *job, struct err *err)
{
	const struct watch_opts *opts = job->opts;
	int code = 0;

	job->guest.spool = opts->spool;
	if (opts->prometheus.address)
		code = watch_guest_open(&job->guest, &door_prometheus, &opts->prometheus, err);
	if (!code && door_otlp_is_wanted(&opts->otlp))
		code = watch_guest_open(&job->guest, &door_otlp, &opts->otlp, err);
	if (!code && opts->clickhouse.url)
		code = watch_guest_open(&job->guest, &door_clickhouse, &opts->clickhouse, err);
	if (!code && opts->lines.path)
		code = watch_guest_open(&job->guest, &door_lines, &opts->lines, err);
	return code;
}

struct chosen {
	const struct watch_opts *opts;
	const struct top_choice *choice;
};

static void say_choice(void *opaque)
{
	const struct chosen *chosen = opaque;
	const struct top_choice *choice = chosen->choice;

	if (chosen->opts->shared.quiet)
		return;
	term_say("watching %s; Ctrl-C ends that, the programs go on", choice->what);
	if (*choice->unread)
		term_say("%s", choice->unread);
	if (*choice->remark)
		term_say("not watched: %s", choice->remark);
}

/* The sinks, and all that lives on the recorder's thread. */
static int begin(struct job *job, struct err *err)
{
	const struct watch_guest_opts guest_opts = { .interval_ns = job->opts->shared.plan.interval_ns,
						     .max_series = (size_t)job->opts->max_series };
	int code = 0;

	job->shared.plan.is_lean = !job->shared.out;
	if (job->shared.out)
		code = open_file(job, err);
	if (!code)
		code = watch_guest_begin(&job->guest, &guest_opts, job->has_file ? job->file.names : job->names,
					 job->has_file ? &job->file.last_track : &job->last_track, err);
	if (code)
		return code;
	if (job->has_file) {
		job->guest.recorded = say_recorded;
		job->guest.recorded_ctx = job;
	}
	job->sinks[job->n_sinks++] = fleet_sink(job->guest.fleet);
	return 0;
}

static struct recorder_opts recorder_opts_of(struct job *job, const char *command)
{
	return (struct recorder_opts){ .plan = job->shared.plan,
				       .sinks = job->sinks,
				       .n_sinks = job->n_sinks,
				       .usr1 = job->has_file ? recording_file_usr1(&job->file) : NULL,
				       .file = job->has_file ? job->file.fd : NULL,
				       .say = watch_guest_say(&job->guest),
				       .command = command,
				       .guest = &job->guest.guest };
}

static int end(struct job *job, int code, struct err *err)
{
	notify_stopping();
	if (!code)
		watch_guest_end(&job->guest);
	if (!code && job->guest.err.code) {
		*err = job->guest.err;
		code = -err->code;
	}
	return code;
}

/* With the agent in it, which sees all at little cost. */
static int watch_started(struct job *job, struct err *err)
{
	const struct recorder_launch_opts launch_opts = { .argv = job->argv, .ring_bytes = RING_BYTES };
	struct recorder_opts recorder_opts;
	int code = launch_prepare(&job->launch, job->argv, err);

	if (!strcmp(job->shared.plan.level, "auto"))
		job->shared.plan.level = "operator";
	if (!code)
		code = begin(job, err);
	if (code)
		return code;
	recorder_opts = recorder_opts_of(job, job->argv[0]);
	if (!job->opts->shared.quiet)
		term_say("watching %s, and what it starts, until it ends", job->argv[0]);
	notify_ready();
	return end(job, recorder_launch(&recorder_opts, &launch_opts, &job->launch, &job->result, err), err);
}

static int watch(struct job *job, struct attached *attached, struct err *err)
{
	const struct watch_opts *opts = job->opts;
	struct recorder_attach_opts attach = { .attached = attached,
					       .wish = { opts->name, opts->path },
					       .probes = probe_options_value(&opts->probes),
					       .ring_bytes = 8 << 20,
					       .spares = true };
	struct recorder_opts recorder_opts;
	struct top_choice choice;
	struct chosen chosen = { opts, &choice };
	int code = top_choose(&attach, 0, NULL, &choice, err);

	attach.probes.is_paced = !strcmp(job->shared.plan.level, "auto");
	if (attach.probes.is_paced)
		job->shared.plan.level = "operator";
	if (!code)
		code = begin(job, err);
	if (code)
		return code;
	job->guest.begun = say_choice;
	job->guest.begun_ctx = &chosen;
	recorder_opts = recorder_opts_of(job, choice.what);
	return end(job, recorder_attach(&recorder_opts, &attach, &job->result, err), err);
}

/* Those that run, and those to come. */
static int watch_all(struct job *job, struct err *err)
{
	struct attached attached = { 0 };
	int code = attached_init(&attached, err);

	if (!code)
		code = watch(job, &attached, err);
	attached_done(&attached);
	return code;
}

static int check_rights(struct err *err)
{
	int code = attach_check(err);
	bool was_on = privilege_use(true);

	if (!code)
		code = rights_check("", err);
	privilege_use(was_on);
	return code;
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct watch_opts *opts = opaque;
	struct job *job;
	int code, status = 0;

	if (opts->dumps)
		return argc > 1 ? opt_misused(err, "--dump takes one PID") : ask_dump(argc ? argv[0] : NULL, err);
	job = calloc(1, sizeof *job);
	if (!job)
		return err_no_memory(err, "cannot watch");
	job->opts = opts;
	job->argv = argc ? argv : NULL;
	job->shared = opts->shared;
	job->shared.thin = "auto";
	code = check_program(opts, argc, err);
	if (!code)
		code = check(opts, err);
	if (!code && !argc)
		code = check_rights(err);
	if (!code)
		code = open_doors(job, err);
	job->names = names_new();
	if (!code && !job->names)
		code = err_no_memory(err, "cannot watch");
	if (!code)
		code = argc ? watch_started(job, err) : watch_all(job, err);
	status = job->result.wait_status;
	close_file(job, code);
	watch_guest_done(&job->guest);
	launch_done(&job->launch);
	names_free(job->names);
	free(job);
	return code || !argc ? code : end_as(status);
}

const struct cmd cmd_watch = {
	.name = "watch",
	.usage = "[options] [[--] CMD [ARG...]] | --dump [PID]",
	.summary = "sum up the inferences of all programs, for the monitoring of a fleet",
	.help =
	    "Watches every program that runs models, including those that start later. Every 10 s it sums up the "
	    "inferences of each service and model: their number, durations and failures. Prometheus scrapes the sums, "
	    "OTLP or ClickHouse receives them, or a file takes them as JSON lines. The slowest, failed and first "
	    "inferences each get a separate line.\n\n"
	    "With CMD, it starts that program with the agent in it, as inftrace record does, and watches it and what "
	    "it "
	    "starts until it ends; the exit status is the program's own. This needs no rights, and also shows tokens "
	    "of "
	    "all runtimes and kernels of GPUs (--kernels).\n\n"
	    "A program's service is its OTEL_SERVICE_NAME, else its name; its "
	    "container and pod are those of its cgroup and of OTEL_RESOURCE_ATTRIBUTES. watch writes nothing into the "
	    "programs. When it ends, even by SIGKILL, they keep running.\n\n"
	    "Separate processes without rights send the "
	    "sums and answer requests. Addresses beyond this machine need a token and TLS.\n\n"
	    "Without CMD, it needs root, or the "
	    "capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, as inftrace attach does.",
	.examples = examples,
	.opts = watch_opt_table,
	.opts_size = sizeof(struct watch_opts),
	.order = OPT_FIRST,
	.max_args = -1,
	.words = CMD_PIDS,
	.is_privileged = true,
	.run = run,
};
