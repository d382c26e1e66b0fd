// SPDX-License-Identifier: Apache-2.0
/*
 * A line is "BEGIN SIZE NAME", in hexadecimal digits; a later one holds where two overlap. The file is the program's:
 * it is taken only if it is a regular one of the process's user, and so much of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "capture/proc/proc.h"
#include "capture/stacks/stack_image.h"

enum { MOST_BYTES = 32 << 20, MOST_CODES = 1 << 18, LINE = 1024, MOST_FAILED = 20 };
#define AGAIN_NS UINT64_C(1000000000)

struct made_code {
	uint64_t begin, end;
	uint64_t name; /* in text */
};

/* Its number in its own namespace, by which it names the file. */
static int inner_pid(pid_t pid)
{
	char text[4096], *line, *end;
	ssize_t got = proc_read("", pid, "status", text, sizeof text - 1);

	text[got > 0 ? got : 0] = 0;
	line = strstr(text, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return pid;
	*end = 0;
	line = strrchr(line, '\t');
	return line ? atoi(line + 1) : pid;
}

static int open_file(struct stack_jit *jit)
{
	char path[96];
	struct stat file, process;
	int fd;

	if (!jit->inner_pid)
		jit->inner_pid = inner_pid(jit->pid);
	snprintf(path, sizeof path, "/proc/%d", (int)jit->pid);
	if (stat(path, &process))
		return -1;
	snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", (int)jit->pid, jit->inner_pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_uid == process.st_uid))
		return fd;
	close(fd);
	return -1;
}

static void add(struct stack_jit *jit, char *line)
{
	struct made_code code = { .name = jit->text.n }, *to;
	uint64_t size;
	int at = 0;
	size_t len;

	if (sscanf(line, "%lx %lx %n", &code.begin, &size, &at) != 2 || !at || !line[at] || jit->map.n >= MOST_CODES ||
	    code.begin + size < code.begin)
		return;
	code.end = code.begin + size;
	err_disarm(line + at);
	len = strlen(line + at) + 1;
	for (size_t i = 0; i < len; i++) {
		char *byte = array_add(&jit->text, 1);

		if (!byte)
			return;
		*byte = line[at + (int)i];
	}
	to = array_add(&jit->map, sizeof *to);
	if (to)
		*to = code;
}

/* Whole lines that have come. */
static void read_more(struct stack_jit *jit)
{
	uint64_t now_ns = clock_ns();
	char line[LINE];
	FILE *file;
	int fd;

	if (jit->taken >= MOST_BYTES || (jit->n_failed >= MOST_FAILED && now_ns - jit->tried_ns < AGAIN_NS))
		return;
	jit->tried_ns = now_ns;
	fd = open_file(jit);
	jit->n_failed += fd < 0;
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (!fseek(file, jit->taken, SEEK_SET))
		while (jit->taken < MOST_BYTES && fgets(line, sizeof line, file)) {
			size_t len = strlen(line);
			bool is_whole = len && line[len - 1] == '\n';

			if (!is_whole && len < sizeof line - 1)
				break; /* it is being written */
			jit->taken += (int64_t)len;
			line[len - is_whole] = 0;
			add(jit, line);
		}
	fclose(file);
}

/* Among those from this one on. An address is asked for once. */
static const struct made_code *find(const struct stack_jit *jit, uint64_t address, size_t from)
{
	const struct made_code *code = jit->map.data;

	for (size_t i = jit->map.n; i-- > from;)
		if (address - code[i].begin < code[i].end - code[i].begin)
			return &code[i];
	return NULL;
}

/* "JS:*resize /srv/app.js:31:14", "LazyCompile:~resize /srv/app.js:31": function, file, line of V8's names. */
static bool take_script(const char *name, struct code_place *place)
{
	const char *colon = strchr(name, ':'), *space = strrchr(name, ' '), *function, *last;
	char numbers[2][12] = { "", "" };
	size_t len;

	if (!colon || !space || space < colon)
		return false;
	function = colon + 1 + strspn(colon + 1, "*~^+");
	len = strlen(space + 1);
	last = space + 1 + len;
	for (int i = 0; i < 2; i++) {
		const char *digits = last;

		while (digits > space + 1 && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		if (digits == last || digits[-1] != ':' || last - digits >= (int)sizeof numbers[0])
			break;
		memcpy(numbers[i], digits, (size_t)(last - digits));
		last = digits - 1;
	}
	if (!*numbers[0])
		return false;
	place->at[0].line = (uint32_t)strtoul(*numbers[1] ? numbers[1] : numbers[0], NULL, 10);
	snprintf(place->at[0].file, sizeof place->at[0].file, "%.*s", (int)(last - space - 1), space + 1);
	snprintf(place->at[0].function, sizeof place->at[0].function, "%.*s", (int)(space - function), function);
	if (!*place->at[0].function)
		strcpy(place->at[0].function, "(anonymous)");
	return true;
}

bool stack_jit_find(struct stack_jit *jit, uint64_t address, struct code_place *place)
{
	const struct made_code *code = find(jit, address, 0);
	const size_t n_before = jit->map.n;
	const char *name;

	if (!code) {
		read_more(jit);
		code = find(jit, address, n_before);
	}
	if (!code)
		return false;
	name = (const char *)jit->text.data + code->name;
	*place = (struct code_place){ .address = address, .begin = code->begin, .n = 1 };
	if (!take_script(name, place))
		snprintf(place->at[0].function, sizeof place->at[0].function, "%s", name);
	return true;
}

void stack_jit_done(struct stack_jit *jit)
{
	array_done(&jit->map, sizeof(struct made_code));
	array_done(&jit->text, 1);
}
