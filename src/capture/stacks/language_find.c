// SPDX-License-Identifier: Apache-2.0
/*
 * Finds interpreters of languages in a process: by names of files, and in the program itself, which may contain one. A
 * file is read by a child without rights, once for all processes that have it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/file_look.h"
#include "capture/proc/modules.h"
#include "capture/stacks/stack_language.h"
#include "runtime/find/dynamic.h"

/* Plain data, because it is sent through a pipe. */
struct answer {
	uint64_t map_offset; /* given: where the module's first code lies in the file */
	uint64_t bias;	     /* to be added to addresses, with where the code is mapped */
	uint32_t is_python, is_v8, is_java;
	struct cpython_place place;
	struct v8_place v8;
	struct hotspot_place java;
};

struct language_file {
	uint64_t device, inode, changed_ns;
	struct answer answer;
};

static int look(const struct image_file *file, void *opaque, struct err *err)
{
	struct answer *answer = opaque;
	struct dynamic dynamic;
	uint64_t sizes, size = 0;

	if (!image_file_bias(file, 0, answer->map_offset, &answer->bias) ||
	    !dynamic_read(&dynamic, image_file_image(file)))
		return 0;
	answer->is_python = cpython_find(&answer->place, &dynamic, 0);
	answer->is_java = hotspot_find(&answer->java, &dynamic, 0);
	answer->is_v8 = v8_find(&answer->v8, &dynamic, 0);
	if (!answer->is_v8 || answer->v8.bytecode_sizes)
		return 0;
	sizes = image_file_symbol(file, V8_BYTECODE_SIZES, &size);
	v8_place_sizes(&answer->v8, sizes, size);
	return 0;
}

static const struct answer *read_file(struct language_files *files, const struct module *module, int fd)
{
	struct language_file *file = files->file.data, wanted = { 0 };
	struct stat is;
	struct err err;

	if (fstat(fd, &is))
		return NULL;
	wanted.device = is.st_dev;
	wanted.inode = is.st_ino;
	wanted.changed_ns = (uint64_t)is.st_ctim.tv_sec * 1000000000u + (uint64_t)is.st_ctim.tv_nsec;
	wanted.answer.map_offset = module->offset;
	for (size_t i = 0; i < files->file.n; i++)
		if (file[i].device == wanted.device && file[i].inode == wanted.inode &&
		    file[i].changed_ns == wanted.changed_ns && file[i].answer.map_offset == module->offset)
			return &file[i].answer;
	if (file_look_at(look, &wanted.answer, sizeof wanted.answer, fd, "a module", &err))
		wanted.answer.is_python = wanted.answer.is_v8 = wanted.answer.is_java = 0;
	file = array_add(&files->file, sizeof *file);
	if (!file)
		return NULL;
	*file = wanted;
	return &file->answer;
}

static bool may_be_interpreter(const struct modules *modules, size_t i)
{
	const char *path = modules->module[i].path;
	char program[512], link[32];
	ssize_t len;

	if (stack_language_is_read(path))
		return true;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)modules->pid);
	len = readlink(link, program, sizeof program - 1);
	return len > 0 && (size_t)len == strlen(path) && !memcmp(program, path, (size_t)len);
}

static uint64_t add(uint64_t address, uint64_t bias)
{
	return address ? address + bias : 0;
}

static void open_python(struct stack_python *python, const struct answer *answer, const struct module *module)
{
	const struct cpython_memory memory = { stack_memory_read, python->memory };
	uint64_t bias = answer->bias + module->start;
	struct cpython_place place = answer->place;
	const char *why;

	place.runtime = add(place.runtime, bias);
	place.version = add(place.version, bias);
	place.code_type = add(place.code_type, bias);
	place.text_type = add(place.text_type, bias);
	place.this_thread = add(place.this_thread, bias);
	python->is_there = true;
	why = cpython_open(&python->python, &place, &memory);
	snprintf(python->why, sizeof python->why, "%s", why ? why : "");
}

static void open_v8(struct stack_v8 *v8, const struct answer *answer, const struct module *module,
		    struct stack_memory *memory)
{
	uint64_t bias = answer->bias + module->start;
	struct v8_place place = answer->v8;

	for (size_t i = 0; i < N_V8_FIELDS; i++)
		place.field[i] = add(place.field[i], bias);
	place.major = add(place.major, bias);
	place.minor = add(place.minor, bias);
	place.bytecode_sizes = add(place.bytecode_sizes, bias);
	stack_v8_open(v8, &place, memory);
	v8->begin = module->start;
}

static void open_java(struct stack_java *java, const struct answer *answer, const struct module *module,
		      struct stack_memory *memory)
{
	struct hotspot_place place = answer->java;

	for (size_t i = 0; i < N_HOTSPOT_NUMBERS; i++)
		place.number[i] += answer->bias + module->start;
	stack_java_open(java, &place, memory);
	java->begin = module->start;
}

/* Of a module whose frames can be read, or that says itself why not. */
static bool is_known(const struct stack_languages *languages, const struct module *module)
{
	return (languages->v8.is_there && module->start == languages->v8.begin) ||
	       (languages->java.is_there && module->start == languages->java.begin);
}

void stack_languages_find(struct stack_languages *languages, struct language_files *files, struct stack_memory *memory,
			  pid_t pid)
{
	struct stack_python *python = &languages->python;
	struct stack_v8 *v8 = &languages->v8;
	struct stack_java *java = &languages->java;
	struct modules modules;
	struct err err;

	python->memory = memory;
	python->is_there = false;
	v8->is_there = v8->is_there && !v8->v8.is_unread;
	java->is_there = java->is_there && !java->hotspot.is_unread;
	languages->other = NULL;
	if (modules_read(&modules, "", pid, &err)) {
		python->is_refused = err.code == EACCES || err.code == EPERM;
		modules_done(&modules);
		return;
	}
	for (size_t i = 0; !modules.is_32bit && i < modules.n && !(python->is_there && v8->is_there && java->is_there);
	     i++) {
		const struct answer *answer;
		int fd;

		if (!may_be_interpreter(&modules, i) || (fd = modules_open(pid, &modules.module[i], &err)) < 0)
			continue;
		answer = read_file(files, &modules.module[i], fd);
		close(fd);
		if (answer && answer->is_python && !python->is_there)
			open_python(python, answer, &modules.module[i]);
		if (answer && answer->is_v8 && !v8->is_there)
			open_v8(v8, answer, &modules.module[i], memory);
		if (answer && answer->is_java && !java->is_there)
			open_java(java, answer, &modules.module[i], memory);
	}
	for (size_t i = 0; i < modules.n && !languages->other; i++)
		if (!is_known(languages, &modules.module[i]))
			languages->other = stack_language_of(modules.module[i].path);
	modules_done(&modules);
}

void language_files_done(struct language_files *files)
{
	array_done(&files->file, sizeof(struct language_file));
}
