// SPDX-License-Identifier: Apache-2.0
/* Starts recordings for a live page, and tells how they are. Knows no page, and starts nothing but inftrace. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/json.h"
#include "cmd/record/record_in.h"

enum { MOST = 16, MOST_WORDS = 24, TEXT = 200, MOST_OUTPUT = 8 << 20 };

extern char **environ;

/* An inftrace that was started. */
struct child {
	pid_t pid; /* 0: it has ended */
	int out;   /* what it prints, on both streams */
	int status;
};

struct recording {
	struct child child, viewer;
	char words[TEXT + 40]; /* what is recorded */
	char path[64];	       /* the file that it makes */
	bool is_model;
	unsigned number; /* in the name of its file */
};

struct live_record {
	const struct http_handler *inner;
	struct recording recording[MOST];
	unsigned n, last; /* last: number of a file */
};

static void settle(struct child *child)
{
	if (child->pid && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->pid = 0;
}

/* argv: without the program's name, NULL at the end. false: no process, and errno says why. */
static bool start(struct child *child, const char *const *argv)
{
	const char *all[MOST_WORDS + 2] = { "inftrace" };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int code;

	for (size_t i = 0; i < MOST_WORDS && argv[i]; i++)
		all[i + 1] = argv[i];
	*child = (struct child){ .out = memfd_create("output", MFD_CLOEXEC) };
	if (child->out < 0)
		return false;
	sigemptyset(&none);
	sigfillset(&usual);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, child->out, 1);
	posix_spawn_file_actions_adddup2(&files, child->out, 2);
	code = posix_spawn(&child->pid, "/proc/self/exe", &files, &attr, (char *const *)all, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (!code)
		return true;
	close(child->out);
	*child = (struct child){ 0 };
	errno = code;
	return false;
}

/* All that it has printed; the caller frees it. NULL: nothing, or no memory. */
static char *output_of(const struct child *child, size_t *size)
{
	off_t end = child->out > 0 ? lseek(child->out, 0, SEEK_END) : 0;
	char *text = end > 0 && end < MOST_OUTPUT ? malloc((size_t)end + 1) : NULL;

	if (!text || pread(child->out, text, (size_t)end, 0) != end) {
		free(text);
		return NULL;
	}
	text[end] = 0;
	*size = (size_t)end;
	return text;
}

/* Waits for a child whose output is the answer: all of it, or its first line as the address of a page. */
struct wait {
	struct http_job job;
	struct child own, *child;
	const char *type;
	bool is_address;
};

static void answer_address(const char *text, struct http_answer *answer)
{
	int len = (int)strcspn(text, "\n");
	char *json;

	if (strncmp(text, "http://127.0.0.1:", 17) != 0 ||
	    asprintf(&json, "{\"address\": \"%.*s\"}\n", len, text) < 0) {
		http_say(answer, 503, "the recording cannot be opened: %.*s", len, text);
		return;
	}
	*answer = (struct http_answer){ 200, "application/json", json, strlen(json), false };
}

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct wait *wait = (struct wait *)job;
	size_t size = 0;
	char *text;

	settle(wait->child);
	text = wait->is_address || !wait->child->pid ? output_of(wait->child, &size) : NULL;
	if (wait->child->pid && !(wait->is_address && text && strchr(text, '\n'))) {
		free(text);
		return false;
	}
	if (!text)
		http_say(answer, 503, "inftrace has ended without an answer");
	else if (wait->is_address)
		answer_address(text, answer);
	else if (wait->child->status)
		http_say(answer, 503, "%s", text);
	else
		*answer = (struct http_answer){ 200, wait->type, text, size, false };
	if (answer->body != text)
		free(text);
	return true;
}

static void end_child(struct child *child, int signo)
{
	if (child->pid) {
		kill(child->pid, signo);
		waitpid(child->pid, NULL, 0);
	}
	if (child->out > 0)
		close(child->out);
	*child = (struct child){ 0 };
}

static void free_wait(struct http_job *job)
{
	struct wait *wait = (struct wait *)job;

	end_child(&wait->own, SIGKILL);
	free(wait);
}

/* child NULL: argv is started for this answer alone. */
static struct http_job *wait_for(struct child *child, const char *const *argv, const char *type,
				 struct http_answer *answer)
{
	struct wait *wait = calloc(1, sizeof *wait);

	if (!wait || (!child && !start(&wait->own, argv))) {
		http_say(answer, 503, "inftrace cannot be started: %s", strerror(errno));
		free(wait);
		return NULL;
	}
	wait->job = (struct http_job){ step, free_wait, .waits = true };
	wait->child = child ? child : &wait->own;
	wait->type = type;
	wait->is_address = child != NULL;
	return &wait->job;
}

static bool is_of(const char *text, const char *allowed)
{
	return *text && strlen(text) < TEXT && text[strspn(text, allowed)] == 0;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* Words of a command line in the making. */
struct words {
	const char *word[MOST_WORDS];
	size_t n;
	const char *problem; /* NULL: none */
};

static void add(struct words *words, const char *word)
{
	if (words->n + 1 < MOST_WORDS)
		words->word[words->n++] = word;
}

/* An option with the value that the request has for it, if it has one. allowed: its characters; NULL: any. */
static const char *add_option(struct words *words, const struct http_request *request, const char *key,
			      const char *option, const char *allowed)
{
	const char *value = http_request_text(request, key);

	if (!value || !*value)
		return NULL;
	if (allowed ? !is_of(value, allowed) : strlen(value) >= TEXT || *value == '-')
		words->problem = key;
	if (option)
		add(words, option);
	add(words, value);
	return value;
}

static const char *attach_words(struct words *words, const struct http_request *request)
{
	const char *pid = http_request_text(request, "pid"), *what;

	add(words, "attach");
	what = add_option(words, request, "name", "--name", NULL);
	what = what ? what : add_option(words, request, "path", "--path", NULL);
	if (what) {
		add(words, "--first");
		return what;
	}
	if (!pid || !is_of(pid, DIGITS))
		words->problem = "pid, name or path";
	else
		add(words, pid);
	return pid ? "process" : NULL;
}

static const char *model_words(struct words *words, const struct http_request *request)
{
	const char *model = http_request_text(request, "model");
	struct stat file;

	add(words, "model");
	if (!model || !*model || *model == '-' || strlen(model) >= TEXT || stat(model, &file) || !S_ISREG(file.st_mode))
		words->problem = "model: it is no file";
	else
		add(words, model);
	add_option(words, request, "ep", "--ep", LETTERS DIGITS ",_:.-");
	add_option(words, request, "policy", "--policy", LETTERS DIGITS "_-");
	add_option(words, request, "runtime", "--runtime", NULL);
	return model;
}

/* A file that does not exist yet, and that none of those that were started will make. */
static bool find_path(struct recording *recording, unsigned first)
{
	for (unsigned i = first; i < first + 10000; i++) {
		snprintf(recording->path, sizeof recording->path, "inftrace-live-%u.%s", i,
			 recording->is_model ? "html" : "pftrace");
		recording->number = i;
		if (access(recording->path, F_OK))
			return true;
	}
	return false;
}

static struct recording *room(struct live_record *record)
{
	return record->n < MOST ? &record->recording[record->n] : NULL;
}

static void start_one(struct live_record *record, const struct http_request *request, struct http_answer *answer)
{
	const char *mode = http_request_text(request, "mode"), *what = NULL;
	struct recording *recording = room(record), made = { .is_model = mode && !strcmp(mode, "model") };
	struct words words = { .n = 0 };

	if (!recording) {
		http_say(answer, 503, "%d recordings were started already; use the command line for more", MOST);
		return;
	}
	if (mode && !strcmp(mode, "next")) {
		add(&words, "next");
		what = add_option(&words, request, "name", "--name", NULL);
		what = what ? what : "the next program";
	} else if (mode && !strcmp(mode, "attach")) {
		what = attach_words(&words, request);
	} else if (made.is_model) {
		what = model_words(&words, request);
	} else {
		words.problem = "mode";
	}
	add_option(&words, request, "duration", "--duration", DIGITS ".nusmh");
	if (made.is_model)
		add(&words, "--quiet");
	add(&words, made.is_model ? "--report" : "--output");
	if (!find_path(&made, record->last + 1))
		words.problem = "no name for the file";
	add(&words, made.path);
	if (words.problem) {
		http_say(answer, 400, "the recording cannot be started: wrong %s", words.problem);
		return;
	}
	snprintf(made.words, sizeof made.words, "%s%s%s", what ? what : "", what && !strcmp(what, "process") ? " " : "",
		 what && !strcmp(what, "process") ? http_request_text(request, "pid") : "");
	if (!start(&made.child, words.word)) {
		http_say(answer, 503, "inftrace cannot be started: %s", strerror(errno));
		return;
	}
	*recording = made;
	record->last = made.number;
	http_say(answer, 200, "%u", record->n++);
}

/* NULL: the answer says that there is none. */
static struct recording *find(struct live_record *record, const struct http_request *request,
			      struct http_answer *answer)
{
	uint64_t id = UINT64_MAX;

	if (http_request_count(request, "id", MOST, &id) && id < record->n)
		return &record->recording[id];
	http_say(answer, 404, "there is no recording of this number");
	return NULL;
}

/* Its last line, without an end of line: what came of it, or why nothing did. */
static const char *end_of(char *text, size_t size)
{
	char *line;

	while (size && text[size - 1] == '\n')
		text[--size] = 0;
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

static void put_recording(struct json *json, struct recording *recording, unsigned id)
{
	struct child *child = &recording->child;
	size_t size = 0;
	char *text;

	settle(child);
	text = output_of(child, &size);
	json_object(json, NULL);
	json_count(json, "id", id);
	json_text(json, "words", recording->words);
	json_text(json, "file", recording->path);
	json_bool(json, "model", recording->is_model);
	json_text(json, "state",
		  child->pid					   ? "running"
		  : child->status || access(recording->path, F_OK) ? "failed"
								   : "done");
	json_text(json, "said", text ? end_of(text, size) : "");
	json_end(json, '}');
	free(text);
}

static void list(struct live_record *record, struct http_answer *answer)
{
	char *data = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);
	struct json json;

	if (!out) {
		http_say(answer, 503, "out of memory");
		return;
	}
	json_init(&json, out);
	json_array(&json, NULL);
	for (unsigned i = 0; i < record->n; i++)
		put_recording(&json, &record->recording[i], i);
	json_end(&json, ']');
	json_done(&json);
	fclose(out);
	*answer = (struct http_answer){ 200, "application/json", data, size, false };
}

/* Where the next recording and the next report go, and how a path that somebody types may go on. */
static void files(const struct live_record *record, const struct http_request *request, struct http_answer *answer)
{
	const char *begun = http_request_text(request, "begun"), *kind = http_request_text(request, "kind");
	struct recording next = { .is_model = false }, report = { .is_model = true };
	char *data = NULL, *folder = getcwd(NULL, 0);
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);
	struct json json;

	if (!out) {
		free(folder);
		http_say(answer, 503, "out of memory");
		return;
	}
	json_init(&json, out);
	json_object(&json, NULL);
	json_text(&json, "folder", folder);
	json_text(&json, "recording", find_path(&next, record->last + 1) ? next.path : NULL);
	json_text(&json, "report", find_path(&report, record->last + 1) ? report.path : NULL);
	json_array(&json, "files");
	live_files_put(&json, begun ? begun : "", kind && !strcmp(kind, "runtime"));
	json_end(&json, ']');
	json_end(&json, '}');
	json_done(&json);
	fclose(out);
	free(folder);
	*answer = (struct http_answer){ 200, "application/json", data, size, false };
}

static struct http_job *open_one(struct recording *recording, struct http_answer *answer)
{
	const char *const argv[] = { "view", "--no-browser", recording->path, NULL };

	settle(&recording->viewer);
	if (!recording->viewer.pid) {
		end_child(&recording->viewer, SIGTERM);
		if (!start(&recording->viewer, argv)) {
			http_say(answer, 503, "inftrace cannot be started: %s", strerror(errno));
			return NULL;
		}
	}
	return wait_for(&recording->viewer, NULL, NULL, answer);
}

static struct http_job *report_of(struct recording *recording, struct http_answer *answer)
{
	const char *const argv[] = { "report", "--format", "html", recording->path, NULL };
	FILE *in = recording->is_model ? fopen(recording->path, "re") : NULL;
	char *data = in ? malloc(MOST_OUTPUT) : NULL;

	if (!recording->is_model)
		return wait_for(NULL, argv, "text/plain; charset=utf-8", answer);
	if (data)
		*answer = (struct http_answer){ 200, "text/plain; charset=utf-8", data, fread(data, 1, MOST_OUTPUT, in),
						false };
	else
		http_say(answer, 503, "the report cannot be read");
	if (in)
		fclose(in);
	return NULL;
}

static struct http_job *handle(void *ctx, const struct http_request *request, struct http_answer *answer)
{
	static const char *const ps[] = { "ps", "--json", NULL };
	struct live_record *record = ctx;
	struct recording *recording;
	const char *name = request->name;
	bool is_deed = !strcmp(name, "start") || !strcmp(name, "stop") || !strcmp(name, "open");

	if (is_deed != request->is_post) {
		http_say(answer, 405, is_deed ? "this needs POST" : "this needs GET");
		return NULL;
	}
	if (!strcmp(name, "programs.json"))
		return wait_for(NULL, ps, "application/json", answer);
	if (!strcmp(name, "recordings.json"))
		return list(record, answer), NULL;
	if (!strcmp(name, "files.json"))
		return files(record, request, answer), NULL;
	if (!strcmp(name, "start"))
		return start_one(record, request, answer), NULL;
	if (!is_deed && strcmp(name, "report"))
		return record->inner->handle(record->inner->ctx, request, answer);
	recording = find(record, request, answer);
	if (!recording)
		return NULL;
	if (!strcmp(name, "open"))
		return open_one(recording, answer);
	if (!strcmp(name, "report"))
		return report_of(recording, answer);
	settle(&recording->child);
	if (recording->child.pid)
		kill(recording->child.pid, SIGINT);
	http_say(answer, 200, "stopping");
	return NULL;
}

static const char *tick(void *ctx)
{
	struct live_record *record = ctx;

	return record->inner->tick ? record->inner->tick(record->inner->ctx) : NULL;
}

struct live_record *live_record_new(const struct http_handler *inner)
{
	struct live_record *record = calloc(1, sizeof *record);

	if (record)
		record->inner = inner;
	return record;
}

struct http_handler live_record_handler(struct live_record *record)
{
	struct http_handler handler = *record->inner;

	handler.handle = handle;
	handler.tick = tick;
	handler.ctx = record;
	handler.takes_posts = true;
	return handler;
}

void live_record_free(struct live_record *record)
{
	if (!record)
		return;
	for (unsigned i = 0; i < record->n; i++)
		if (record->recording[i].child.pid)
			kill(record->recording[i].child.pid, SIGINT);
	for (unsigned i = 0; i < record->n; i++) {
		end_child(&record->recording[i].child, SIGINT);
		end_child(&record->recording[i].viewer, SIGTERM);
	}
	free(record);
}
