// SPDX-License-Identifier: Apache-2.0
/*
 * Frames of real interpreters, read from outside while they stand still, compared with what they say themselves: the
 * system's, those of pyenv, and those that INFTRACE_TEST_PYTHONS names (paths, between colons).
 */
#include "runtime/python/cpython.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/proc/modules.h"
#include "cases.h"
#include "runtime/find/image_file.h"
#include "turn.h"

enum { MOST_FRAMES = 100, TEXT = 4096 };

static bool read_process(void *of, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return process_vm_readv(*(pid_t *)of, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool find_in(pid_t pid, const struct module *module, struct cpython_place *place)
{
	struct err err = { 0 };
	struct image_file file = { 0 };
	int fd = modules_open(pid, module, &err);
	struct dynamic dynamic;
	uint64_t bias;
	bool is_found;

	if (fd < 0)
		return false;
	is_found = !image_file_open(&file, fd, module->path, &err) &&
		   image_file_bias(&file, module->start, module->offset, &bias) &&
		   dynamic_read(&dynamic, image_file_image(&file)) && cpython_find(place, &dynamic, bias);
	image_file_close(&file);
	close(fd);
	return is_found;
}

static void open_interpreter(struct cpython *python, pid_t *pid)
{
	const struct cpython_memory memory = { read_process, pid };
	struct cpython_place place = { 0 };
	struct modules modules = { 0 };
	struct err err = { 0 };
	bool is_found = false;
	const char *why;

	assert_int_equal(modules_read(&modules, "", *pid, &err), 0);
	for (size_t i = 0; i < modules.n && !is_found; i++)
		is_found = find_in(*pid, &modules.module[i], &place);
	modules_done(&modules);
	assert_true(is_found);
	why = cpython_open(python, &place, &memory);
	if (why)
		fail_msg("%s", why);
	assert_true(place.runtime_size > 600 && place.this_thread);
}

struct program {
	pid_t pid;
	FILE *out;
	int in;
};

static void start(struct program *program, const char *path)
{
	int in[2], out[2];

	assert_int_equal(pipe(in) | pipe(out), 0);
	program->pid = fork();
	if (!program->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		setenv("PYTHONIOENCODING", "utf-8", 1);
		execl(path, path, TEST_DIR "/unit/cpython_frames.py", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	program->in = in[1];
	program->out = fdopen(out[0], "r");
}

static void end(struct program *program)
{
	kill(program->pid, SIGKILL);
	waitpid(program->pid, NULL, 0);
	fclose(program->out);
	close(program->in);
}

/* One line of `expected`, as the script prints it. */
static void describe(const struct cpython *python, const struct cpython_frame *frame, char *to)
{
	char file[TEXT / 2], name[256];
	struct cpython_code code;

	assert_true(cpython_read_code(python, frame->code, &code));
	assert_true(cpython_text(python, code.file, file, sizeof file) > 0);
	assert_true(cpython_text(python, code.name, name, sizeof name) > 0);
	snprintf(to, TEXT, "frame\t%s\t%s\t%d\n", file, name, cpython_line(python, &code, frame->offset));
}

static bool find_thread(const struct cpython *python, uint64_t ident, struct cpython_thread *thread)
{
	*thread = (struct cpython_thread){ 0 };
	while (cpython_next_thread(python, thread))
		if (thread->pthread == ident)
			return true;
	return false;
}

/* Walks through all threads as the script prints them. Returns how many frames there were. */
static int compare(const struct cpython *python, FILE *expected)
{
	enum cpython_step step = CPYTHON_END;
	char line[TEXT], found[TEXT];
	struct cpython_thread thread;
	struct cpython_frame frame;
	unsigned long ident;
	int n = 0, tid;

	while (fgets(line, sizeof line, expected) && strcmp(line, "end\n")) {
		if (sscanf(line, "thread\t%lu\t%d", &ident, &tid) == 2) {
			assert_int_equal(step, CPYTHON_END);
			assert_true(find_thread(python, ident, &thread));
			if (python->minor >= 11)
				assert_int_equal(thread.tid, tid);
			step = cpython_first_frame(python, thread.at, &frame);
			continue;
		}
		assert_int_equal(step, CPYTHON_FRAME);
		describe(python, &frame, found);
		assert_string_equal(found, line);
		step = cpython_next_frame(python, &frame);
		n++;
	}
	assert_int_equal(step, CPYTHON_END);
	return n;
}

static unsigned random_state;

/* Sometimes nothing is there, sometimes something else. */
static bool read_badly(void *of, uint64_t from, void *to, size_t size)
{
	unsigned dice = (random_state = random_state * 1103515245 + 12345) >> 16 & 63;

	if (!dice || !read_process(of, from, to, size))
		return false;
	if (dice < 4)
		((unsigned char *)to)[(random_state >> 8) % size] ^= (unsigned char)(1 << dice);
	return true;
}

/* What a read returns need not make sense: every walk ends, and counts what it could not follow. */
static void wrong_bytes_end_the_walk(const struct cpython *right)
{
	struct cpython wrong = *right;
	int n_torn = 0, n_whole = 0;

	wrong.memory.read = read_badly;
	for (unsigned seed = 0; seed < 100; seed++) {
		struct cpython_thread thread = { 0 };
		struct cpython_frame frame;
		enum cpython_step step;
		char text[64];
		random_state = seed;
		while (cpython_next_thread(&wrong, &thread)) {
			int depth = 0;
			for (step = cpython_first_frame(&wrong, thread.at, &frame);
			     step == CPYTHON_FRAME && depth < MOST_FRAMES; depth++) {
				struct cpython_code code;
				if (!cpython_read_code(&wrong, frame.code, &code) ||
				    cpython_text(&wrong, code.name, text, sizeof text) < 0 ||
				    cpython_line(&wrong, &code, frame.offset) < 0)
					n_torn++;
				step = cpython_next_frame(&wrong, &frame);
			}
			n_torn += step == CPYTHON_TORN;
			n_whole += step == CPYTHON_END;
		}
	}
	assert_true(n_torn > 10 && n_whole > 10);
}

/* All threads wait, so none holds the GIL; then the main one, the oldest, computes. */
static void the_holder_of_the_gil_is_found(const struct cpython *python, const struct program *program)
{
	struct cpython_thread thread = { 0 }, main_thread = { 0 };

	if (python->is_free_threaded)
		return;
	while (cpython_next_thread(python, &thread))
		main_thread = thread;
	assert_true(main_thread.at != 0);
	assert_int_equal(cpython_gil_holder(python, &main_thread), 0);
	assert_int_equal(write(program->in, "\n", 1), 1);
	while (cpython_gil_holder(python, &main_thread) != main_thread.at)
		assert_int_equal(kill(program->pid, 0), 0);
}

static bool knows_collections(const struct cpython *python)
{
	return !python->is_free_threaded && (python->layout.runtime_collecting != CPYTHON_NONE ||
					     python->layout.interpreter_collecting != CPYTHON_NONE);
}

/* The main thread does nothing else then, and the others wait. */
static void a_collection_of_garbage_is_seen(const struct cpython *python, bool is_on)
{
	struct cpython_thread thread = { 0 }, main_thread = { 0 };
	int n_main = 0, n_others = 0;

	for (int i = 0; i < 2000 && !n_main; i++) {
		thread = (struct cpython_thread){ 0 };
		while (cpython_next_thread(python, &thread)) {
			main_thread = thread;
			n_others += cpython_is_collecting(python, &thread);
		}
		n_main = cpython_is_collecting(python, &main_thread);
		n_others -= n_main;
	}
	assert_true(is_on == (n_main > 0));
	assert_true(n_others <= 1); /* it began or ended meanwhile */
}

/* What the main thread alone sets, before it collects. */
static void a_profile_is_seen(const struct cpython *python, bool is_on)
{
	struct cpython_thread thread = { 0 }, main_thread = { 0 };
	int n = 0;

	while (cpython_next_thread(python, &thread)) {
		main_thread = thread;
		n += cpython_is_traced(python, thread.at);
	}
	assert_int_equal(n, is_on);
	assert_true(cpython_is_traced(python, main_thread.at) == is_on);
}

static void check_interpreter(const char *path)
{
	struct program program;
	struct cpython python;
	int n;

	start(&program, path);
	/* what it prints comes when all threads stand still */
	ungetc(fgetc(program.out), program.out);
	open_interpreter(&python, &program.pid);
	n = compare(&python, program.out);
	print_message("%s: 3.%u%s, %d frames\n", path, python.minor, python.is_free_threaded ? " free-threaded" : "",
		      n);
	assert_true(n > 50);
	wrong_bytes_end_the_walk(&python);
	a_collection_of_garbage_is_seen(&python, false);
	a_profile_is_seen(&python, false);
	the_holder_of_the_gil_is_found(&python, &program);
	assert_true(knows_collections(&python) == (!python.is_free_threaded && python.minor < 15));
	if (knows_collections(&python))
		a_collection_of_garbage_is_seen(&python, true);
	if (python.minor < 14)
		a_profile_is_seen(&python, true);
	end(&program);
}

TEST(frames_are_what_the_interpreter_says)
{
	const char *more = getenv("INFTRACE_TEST_PYTHONS"), *home = getenv("HOME");
	char pattern[TEXT], *list = strdup(more ? more : ""), *at = list, *path;
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/.pyenv/versions/3.*/bin/python3", home ? home : "/nowhere");
	check_interpreter("/usr/bin/python3");
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (!strstr(found.gl_pathv[i], "/3.6.") && !strstr(found.gl_pathv[i], "/3.7.") &&
			    is_in_turn(i, 6))
				check_interpreter(found.gl_pathv[i]);
	globfree(&found);
	while ((path = strsep(&at, ":")))
		if (*path)
			check_interpreter(path);
	free(list);
}

static uint64_t made_version;
static bool read_made(void *of, uint64_t from, void *to, size_t size)
{
	if (from == 8192 && size == 8)
		memcpy(to, &made_version, 8);
	else
		memset(to, 0, size);
	return true;
}

TEST(other_versions_are_refused_with_a_reason)
{
	const struct cpython_memory memory = { read_made, NULL };
	struct cpython_place place = { .runtime = 4096, .version = 8192, .code_type = 1, .text_type = 1 };
	struct cpython python;

	made_version = 0x031000f0;
	assert_string_equal(cpython_open(&python, &place, &memory), "this Python is newer than 3.15");
	made_version = 0x040000f0;
	assert_string_equal(cpython_open(&python, &place, &memory), "this Python is newer than 3");
	made_version = 0x030d00f0; /* without its table */
	assert_non_null(strstr(cpython_open(&python, &place, &memory), "no table"));
	place.version = 0;
	place.minor = 0;
	assert_string_equal(cpython_open(&python, &place, &memory), "this Python is older than 3.8");
	place.minor = 9;
	assert_null(cpython_open(&python, &place, &memory));
}
