// SPDX-License-Identifier: Apache-2.0
/* `inftrace attach PID | --name NAME | --path PATH`: chooses programs that run already. recorder_attach records them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/privilege.h"
#include "base/text/printable.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_near.h"
#include "cmd/cmd.h"
#include "cmd/record/attach_file.h"
#include "cmd/table/ps_table.h"
#include "show/term/term.h"

enum { COMMAND = 200 }; /* bytes of a command line, cut there */

struct attach_opts {
	struct record_options shared;
	struct live_options live;
	struct probe_options probes;
	const char *name, *path;
	bool first, all, follow, inject, allows_seccomp;
	uint64_t ring_bytes;
};

static const struct opt attach_opt_table[] = {
	{ 0, NULL, NULL, "Which programs:" },
	{ 0, "name", "NAME", "match by name: of the program, or of the script an interpreter is running", OPT_STR,
	  offsetof(struct attach_opts, name) },
	{ 0, "path", "PATH", "match by path: of the executable, or of the script", OPT_STR,
	  offsetof(struct attach_opts, path) },
	{ 0, "first", NULL, "if several match, take one: prefer one with a runtime loaded, then the oldest", OPT_FLAG,
	  offsetof(struct attach_opts, first) },
	{ 0, "all", NULL, "record all that match, including programs that start later", OPT_FLAG,
	  offsetof(struct attach_opts, all) },
	{ 0, "follow", NULL,
	  "when it ends, continue with the next program started from the same file; also record its children", OPT_FLAG,
	  offsetof(struct attach_opts, follow) },
	{ 0, NULL, NULL, "What is recorded:" },
	RECORD_OPTIONS(struct attach_opts, shared),
	PROBE_OPTIONS(struct attach_opts, probes),
	{ 0, NULL, NULL, "How:" },
	{ 0, "inject", NULL,
	  "load the agent of record into the program instead of probing it: needs no root, costs less, records all "
	  "that record does",
	  OPT_FLAG, offsetof(struct attach_opts, inject) },
	{ 0, "ring-size", "SIZE", "with --inject: largest buffer per thread for events not yet written to the file",
	  OPT_SIZE, offsetof(struct attach_opts, ring_bytes), "8M" },
	{ 0, "allow-seccomp", NULL,
	  "with --inject: accept programs under a seccomp filter, which may kill them for a system call of the agent",
	  OPT_FLAG, offsetof(struct attach_opts, allows_seccomp) },
	{ 0, NULL, NULL, "Live page:" },
	LIVE_OPTIONS(struct attach_opts, live),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace attach 4242", "record a running program, until Ctrl-C or until it ends" },
	{ "inftrace attach -d 10s -l inference --name app.py",
	  "ten seconds of inferences of the program that runs this script" },
	{ "inftrace attach --path /usr/bin/server --all", "every program that runs this executable, now and later" },
	{ "inftrace attach --follow 4242", "a program that is restarted now and then" },
	{ "inftrace attach --inject 4242", "everything that record shows, without root, at record's cost" },
	{ "inftrace attach --keep 1h --dump-when signal 4242",
	  "the newest hour; SIGUSR1 to inftrace writes it to a separate file" },
	{ "inftrace attach --sample 16 4242", "every 16th inference, where a program runs very many" },
	{ 0 },
};

static int check(const struct attach_opts *opts, int argc, struct err *err)
{
	int n_ways = (argc > 0) + (opts->name != NULL) + (opts->path != NULL);

	if (n_ways > 1)
		return opt_misused(err, "give one of PID, --name and --path, not several");
	if (opts->first && opts->all)
		return opt_misused(err, "--first and --all contradict each other");
	if (argc && (opts->first || opts->all))
		return opt_misused(err, "--first and --all need --name or --path, which may match several programs");
	if (opts->follow && (opts->all || argc > 1))
		return opt_misused(err, "--follow follows one program; --all already includes later ones");
	if (opts->follow && opts->inject)
		return opt_misused(err, "--follow needs probes; it does not work with --inject");
	if (opts->inject &&
	    (strcmp(opts->probes.sample, "1") || opts->probes.rate || strcmp(opts->probes.link, "auto")))
		return opt_misused(err, "--sample, --rate and --link need probes; they do not work with --inject");
	return record_options_check_ring(opts->ring_bytes, err);
}

static int add(struct recorder_attach_opts *job, const struct attach_match *match, struct err *err)
{
	return attached_add(job->attached, match->pid, match->start_ticks, err);
}

static int choose_pid(struct recorder_attach_opts *job, const char *word, struct attach_match *match, struct err *err)
{
	char *end;
	long pid = strtol(word, &end, 10);
	int code;

	if (*end || end == word || pid <= 0 || pid > 1 << 22)
		return opt_misused(err, "'%.60s' is not a PID; give a name by --name", word);
	code = attach_find_pid((pid_t)pid, match, err);
	return code ? code : add(job, match, err);
}

static const char *wish_text(const struct attach_wish *wish)
{
	return wish->name ? wish->name : wish->path;
}

static const char *harmless(struct printable *text, const char *words)
{
	*text = printable_text(words, strlen(words), 200, term_wants_ascii());
	return text->s;
}

static void print_matches(FILE *to, const struct attach_matches *matches)
{
	struct printable text;

	fprintf(to, "%s%9s  %9s  %-7s  %s%s\n", term_style(to, TERM_BOLD), "PID", "AGE", "RUNTIME", "COMMAND",
		term_style(to, TERM_PLAIN));
	for (size_t i = 0; i < matches->n; i++) {
		const struct attach_match *match = &matches->match[i];
		fprintf(to, "%9d  %9s  %-7s  %s\n", (int)match->pid, ps_table_age(match->age_s).s,
			match->has_runtime   ? "yes"
			: match->is_readable ? "no"
					     : "?",
			harmless(&text, *match->command ? match->command : match->name));
	}
}

/* Not for main, which would print the usage as well. */
static int too_many(const struct attach_matches *matches, const struct attach_wish *wish)
{
	print_matches(stderr, matches);
	term_say("%zu processes match '%.80s'; give a PID, or use --first or --all", matches->n, wish_text(wish));
	return CMD_USAGE;
}

/* What to type instead. */
static int none(const struct attach_opts *opts, struct err *err)
{
	const char *hidden = attach_find_is_hidden(1)
				 ? "; /proc hides the processes of other users here (hidepid): run "
				   "inftrace with sudo"
				 : "";
	char near[260] = "";

	if (opts->name)
		attach_near(opts->name, near, sizeof near);
	if (*near)
		return err_set(err, ESRCH, "cannot attach: no running program is called %.80s; did you mean %s?%s",
			       opts->name, near, hidden);
	return err_set(err, ESRCH,
		       "cannot attach: no running program %s %.80s%s; inftrace ps lists the programs that "
		       "have a runtime loaded",
		       opts->name ? "is called" : "has the path", opts->name ? opts->name : opts->path, hidden);
}

/* Without a word: the programs to choose from. */
static int ask_which(struct err *err)
{
	struct attach_list list;
	int code = attach_list_find(&list, err), pid;

	if (!code)
		ps_table_print(stderr, &list, false);
	pid = list.n ? list.row[0].match.pid : 0;
	attach_list_done(&list);
	if (code)
		return code;
	if (pid)
		term_say("which program? give its PID (inftrace attach %d), --name or --path", pid);
	else
		term_say("which program? give its PID, --name or --path; or start it: inftrace record -- CMD");
	return CMD_USAGE;
}

/* command: gets what is recorded, as the report shows it. */
static int choose_by_wish(const struct attach_opts *opts, struct recorder_attach_opts *job, char command[COMMAND],
			  struct err *err)
{
	struct attach_matches matches;
	int code = attach_find(&job->wish, &matches, err);
	size_t n = opts->first && matches.n ? 1 : matches.n;

	if (!code && !matches.n && !job->attached->waits)
		code = none(opts, err);
	if (!code && n > 1 && !opts->all)
		code = too_many(&matches, &job->wish);
	for (size_t i = 0; i < n && !code; i++) {
		code = add(job, &matches.match[i], err);
		/* one of several that has ended since is none */
		if (code == -ESRCH && n > 1)
			code = 0;
	}
	if (!code && n)
		snprintf(command, COMMAND, "%s", matches.match[0].command);
	if (!code && n != 1)
		snprintf(command, COMMAND, "%.100s", wish_text(&job->wish));
	attach_matches_done(&matches);
	return code;
}

static int choose(const struct attach_opts *opts, int argc, char **argv, struct recorder_attach_opts *job,
		  char command[COMMAND], struct err *err)
{
	struct attach_match match = { 0 };
	int code = 0;

	if (!argc)
		return choose_by_wish(opts, job, command, err);
	for (int i = 0; i < argc && !code; i++)
		code = choose_pid(job, argv[i], &match, err);
	snprintf(command, COMMAND, "%s", match.command);
	if (argc > 1)
		snprintf(command, COMMAND, "%d programs", argc);
	return code;
}

/* Whoever is started from the same file; a name that was given stays what is looked for. */
static void follow(struct recorder_attach_opts *job, char *path, size_t size)
{
	if (!job->wish.name && !job->wish.path) {
		attach_fit_path(job->attached->program[0].pid, path, size);
		job->wish.path = path;
	}
	job->attached->waits = job->follows = true;
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct attach_opts *opts = opaque;
	char command[COMMAND], path[PATH_MAX];
	struct attached attached = { 0 };
	bool was_on;
	struct recorder_attach_opts job = { .attached = &attached,
					    .wish = { opts->name, opts->path },
					    .takes_all = opts->all && !opts->inject,
					    .injects = opts->inject,
					    .probes = probe_options_value(&opts->probes),
					    .ring_bytes = opts->ring_bytes,
					    .allows_seccomp = opts->allows_seccomp };
	int code = check(opts, argc, err);

	was_on = privilege_use(true);
	if (!code && !argc && !opts->name && !opts->path)
		code = ask_which(err);
	privilege_use(was_on);
	if (!code)
		code = attach_file_check(&opts->shared, &opts->live, &job.wish, err);
	if (code)
		return code;
	code = attached_init(&attached, err);
	attached.waits = job.takes_all;
	privilege_use(true);
	if (!code)
		code = choose(opts, argc, argv, &job, command, err);
	if (!code && opts->follow)
		follow(&job, path, sizeof path);
	privilege_use(was_on);
	if (!code)
		code = attach_file_record(&opts->shared, &opts->live, &job, command, err);
	attached_done(&attached);
	return code;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.usage = "[options] PID... | --name NAME | --path PATH",
	.summary = "record programs that are already running",
	.help = "Records running programs with probes of the kernel: session creation, inferences, and at level "
		"operator every operator. Nothing is loaded into the programs. When the recording ends, even by "
		"SIGKILL, the kernel removes the probes and the programs continue unchanged. Child processes are "
		"recorded as well; children started later only with --follow or --all. Without a PID or name, attach "
		"lists the programs that can be recorded (inftrace ps).\n\n"
		"This needs root, or the capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, which inftrace drops "
		"once the probes are installed. Each operator costs the program one or two microseconds, which slows "
		"down programs with many tiny operators. --level inference costs about a microsecond per inference; "
		"--sample and --rate limit the cost. Level detail records the same as operator: probes cannot read "
		"shapes.\n\n"
		"The exit status is 0 when the recording was made, 2 on a usage error or when several programs match, "
		"3 on failure.",
	.examples = examples,
	.opts = attach_opt_table,
	.opts_size = sizeof(struct attach_opts),
	.min_args = 0,
	.max_args = -1,
	.words = CMD_PIDS,
	.is_privileged = true,
	.run = run,
};
