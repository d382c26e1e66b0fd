// SPDX-License-Identifier: Apache-2.0
/*
 * The file is that of the process, below its own root, as long as it lives; later, of this one's root if it is alike.
 * It stays open, for a child that has to start anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/agent/source_agent_in.h"

enum { PATH = 4096, TEXT = 4096, MOST_FILES = 64, MOST_MS = 2000 };
#define MS_NS UINT64_C(1000000)

struct caller_file {
	dev_t device;
	ino_t inode;
	int fd;
	bool is_sent, is_bad; /* to the child; it took too long, or ended it */
};

struct caller_asked {
	pid_t pid;
	uint32_t caller, file; /* file: number + 1; 0: none */
	uint64_t address;
	uint32_t place;
	bool is_taken;
};

static struct caller_file *file_at(const struct caller_places *places, uint32_t file)
{
	return file ? (struct caller_file *)places->file.data + file - 1 : NULL;
}

static struct caller_asked *asked_at(const struct caller_places *places, size_t at)
{
	return (struct caller_asked *)places->asked.data + at;
}

static int open_module(const struct recorded *process, const char *path)
{
	char below[PATH + 64];
	int fd = -1;

	if (process->pid > 0 &&
	    snprintf(below, sizeof below, "/proc/%d/root%s", process->pid, path) < (int)sizeof below)
		fd = open(below, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 && !process->is_elsewhere ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : fd;
}

/* 0: it cannot be read. */
static uint32_t file_of(struct caller_places *places, const struct recorded *process, const char *path)
{
	int fd = open_module(process, path);
	struct caller_file *file;
	struct stat stat;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode)) {
		for (uint32_t i = 1; i <= places->file.n; i++)
			if ((file = file_at(places, i))->device == stat.st_dev && file->inode == stat.st_ino) {
				close(fd);
				return i;
			}
		file = places->file.n < MOST_FILES ? array_add(&places->file, sizeof *file) : NULL;
		if (file) {
			*file = (struct caller_file){ stat.st_dev, stat.st_ino, fd, false, false };
			return (uint32_t)places->file.n;
		}
	}
	close(fd);
	return 0;
}

/* C++ interfaces of runtimes are compiled into the program, and call the runtime in its stead. */
static bool is_of_a_runtime(const char *file)
{
	static const char *const folders[] = { "openvino/", "torch/", "ATen/", "c10/", "tensorflow/", "litert/" };
	const char *include = strstr(file, "/include/");

	if (!strncmp(basename(file), "onnxruntime_cxx", 15))
		return true;
	for (size_t i = 0; include && i < sizeof folders / sizeof *folders; i++)
		if (strstr(include, folders[i]))
			return true;
	return false;
}

static uint32_t name_of(struct names *names, const struct code_place *place, const char *caller)
{
	uint32_t at = 0;
	char text[TEXT];

	while (at + 1 < place->n && is_of_a_runtime(place->at[at].file))
		at++;
	if (at == place->n || !*place->at[at].function)
		return 0;
	if (place->at[at].line && *place->at[at].file)
		snprintf(text, sizeof text, "%s (%s:%u)", place->at[at].function, place->at[at].file,
			 place->at[at].line);
	else
		snprintf(text, sizeof text, "%s (%s)", place->at[at].function, caller);
	return names_of(names, text);
}

static void settle(struct caller_places *places, struct names *names, const struct code_place *place)
{
	struct caller_asked *asked = asked_at(places, places->n_answered++);
	uint32_t name = place ? name_of(names, place, names_text(names, asked->caller)) : 0;

	asked->place = name ? name : asked->caller;
	places->is_sent = false;
}

/* Asks the oldest question that is open. -errno: it has no answer. */
static int ask(struct caller_places *places)
{
	const struct caller_asked *asked = asked_at(places, places->n_answered);
	struct caller_file *file = file_at(places, asked->file);
	struct code_question question = { .number = ++places->n_sent,
					  .kind = CODE_PLACE,
					  .file = asked->file - 1,
					  .by_address = 1,
					  .offset = asked->address };
	int failed;

	if (!file || file->is_bad)
		return -ENOENT;
	if (!places->reader.slot) {
		failed = code_reader_start(&places->reader, false);
		for (uint32_t i = 1; i <= places->file.n; i++)
			file_at(places, i)->is_sent = false;
		if (failed)
			return failed;
	}
	question.has_file = !file->is_sent;
	failed = code_reader_ask(&places->reader, &question, file->is_sent ? -1 : file->fd);
	if (failed == -EPIPE) /* it has ended: the next question starts another one */
		code_reader_stop(&places->reader);
	file->is_sent |= !failed;
	places->is_sent = !failed;
	places->sent_ns = clock_ns();
	return failed;
}

static void give_up(struct caller_places *places, struct names *names)
{
	struct caller_file *file = file_at(places, asked_at(places, places->n_answered)->file);

	code_reader_stop(&places->reader);
	if (file)
		file->is_bad = true;
	settle(places, names, NULL);
}

/* Takes the answer to the oldest question and asks the next one. */
static void step(struct caller_places *places, struct names *names, bool waits)
{
	uint64_t age_ms = (clock_ns() - places->sent_ns) / MS_NS;
	struct code_answer answer;
	int got;

	if (!places->is_sent) {
		if (ask(places))
			settle(places, names, NULL);
		return;
	}
	got = code_reader_answer(&places->reader, &answer, waits && age_ms < MOST_MS ? (int)(MOST_MS - age_ms) : 0);
	if (got > 0 && answer.number == places->n_sent && answer.kind == CODE_PLACE)
		settle(places, names, answer.is_known ? &answer.place : NULL);
	else if (got || age_ms >= MOST_MS)
		give_up(places, names);
}

static void work(struct caller_places *places, struct names *names)
{
	size_t before;

	do {
		before = places->n_answered;
		while (caller_places_wait(places) && !places->is_sent)
			step(places, names, false);
		if (caller_places_wait(places))
			step(places, names, false);
	} while (caller_places_wait(places) && places->n_answered > before);
}

/* The place of the question in the list; the number of questions: out of memory, or it names no address. */
static size_t find_or_ask(const struct callers_finder *finder, struct names *names, uint32_t caller)
{
	struct caller_places *places = finder->ctx;
	const char *text = names_text(names, caller), *plus = strrchr(text, '+');
	struct caller_asked *asked;
	char path[PATH];
	uint64_t address;

	for (size_t i = places->asked.n; i-- > 0;)
		if (asked_at(places, i)->pid == finder->process->pid && asked_at(places, i)->caller == caller)
			return i;
	address = plus ? strtoull(plus + 1, NULL, 16) : 0;
	if (!address || (size_t)(plus - text) >= sizeof path)
		return places->asked.n;
	memcpy(path, text, (size_t)(plus - text));
	path[plus - text] = 0;
	asked = array_add(&places->asked, sizeof *asked);
	if (!asked)
		return places->asked.n;
	asked->pid = finder->process->pid;
	asked->caller = caller;
	asked->file = file_of(places, finder->process, path);
	asked->address = address - 1; /* a call returns behind itself: that may be another line, or another function */
	return places->asked.n - 1;
}

/* The answers that were taken stand in the callers of their process. */
static void forget(struct caller_places *places)
{
	for (size_t i = 0; i < places->asked.n; i++)
		if (!asked_at(places, i)->is_taken)
			return;
	places->asked.n = places->n_answered = 0;
}

uint32_t caller_place_find(const struct callers_finder *finder, struct names *names, uint32_t caller, bool waits)
{
	struct caller_places *places = finder->ctx;
	size_t at = find_or_ask(finder, names, caller);
	uint32_t place;

	if (at == places->asked.n)
		return caller;
	work(places, names);
	while (waits && places->n_answered <= at)
		step(places, names, true);
	if (places->n_answered <= at)
		return 0;
	place = asked_at(places, at)->place;
	asked_at(places, at)->is_taken = true;
	forget(places);
	return place;
}

void caller_places_done(struct caller_places *places)
{
	code_reader_stop(&places->reader);
	for (uint32_t i = 1; i <= places->file.n; i++)
		close(file_at(places, i)->fd);
	array_done(&places->file, sizeof(struct caller_file));
	array_done(&places->asked, sizeof(struct caller_asked));
	*places = (struct caller_places){ 0 };
}
