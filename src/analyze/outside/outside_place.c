// SPDX-License-Identifier: Apache-2.0
#include "analyze/outside/outside_place.h"

#include <string.h>

enum { NAME = 60 };

const char *outside_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Of "/lib/python3.11/", "/lib/python311.zip/", "/lib/pypy3.9/"; not of "/lib/python3-tools/". */
static bool is_in_library_of(const char *file, const char *folder)
{
	for (const char *at = strstr(file, folder); at; at = strstr(at, folder)) {
		at += strlen(folder);
		at += strspn(at, "0123456789.t");
		if (*at == '/' || begins(at, "zip/"))
			return true;
	}
	return false;
}

/*
 * Of a package or of Python's own library, also of one in a zip file, an egg, a wheel, or unpacked by pex or shiv.
 * Or of Node.js. "<string>" and "<stdin>" are the program's, and so is a package that is installed to be edited, or
 * named by PYTHONPATH.
 */
static bool is_library_file(const char *file)
{
	static const char *const parts[] = { "/site-packages/", "/dist-packages/", ".egg/",
					     ".whl/",		"/.pex/",	   "/node_modules/" };
	static const char *const folders[] = { "/lib/python3", "/lib64/python3", "/lib/pypy3" };

	if (!*file || begins(file, "<frozen") || begins(file, "node:"))
		return true;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(file, parts[i]))
			return true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (is_in_library_of(file, folders[i]))
			return true;
	return false;
}

/* Headers and sources of languages' own libraries, which compilers put into a program. */
static bool is_library_source(const char *file)
{
	return begins(file, "/usr/include/") || begins(file, "/usr/lib/") || begins(file, "/rustc/") ||
	       begins(file, "/usr/local/go/") || strstr(file, "/.cargo/registry/") || strstr(file, "/rustlib/") ||
	       strstr(file, "/go/src/runtime/");
}

/* Programs that run other people's code: their machine code is nobody's line. */
static bool is_interpreter(const char *module)
{
	const char *name = outside_file_name(module);

	return begins(name, "python") || begins(name, "libpython") || begins(name, "pypy") || begins(name, "libpypy") ||
	       !strcmp(name, "node") || begins(name, "libnode.so") || !strcmp(name, "java");
}

static bool is_library_module(const char *module)
{
	return !*module || *module == '[' || strstr(outside_file_name(module), ".so") || begins(module, "ld-") ||
	       is_interpreter(module);
}

static const struct frame *frame_of(const struct callstacks *stacks, uint32_t stack)
{
	const struct callstack *at = callstacks_get(stacks, stack);

	return at ? callstacks_frame_of(stacks, at->frame) : NULL;
}

static uint32_t caller_of(const struct callstacks *stacks, uint32_t stack)
{
	const struct callstack *at = callstacks_get(stacks, stack);

	return at ? at->caller : 0;
}

/* Of a language of its own, whose lines are the program's. */
static bool is_script(const struct frame *frame)
{
	return frame->kind == FRAME_PYTHON || frame->kind == FRAME_JAVASCRIPT || frame->kind == FRAME_JAVA;
}

static bool has_script(const struct callstacks *stacks, uint32_t stack)
{
	for (; stack; stack = caller_of(stacks, stack)) {
		const struct frame *frame = frame_of(stacks, stack);

		if (frame && is_script(frame))
			return true;
	}
	return false;
}

/* Of Java's own classes, of those of languages that run on its machine, or of a runtime of models. */
static bool is_library_class(const char *name)
{
	static const char *const packages[] = { "java.",	   "javax.",  "jdk.",	"sun.",
						"com.sun.",	   "kotlin.", "scala.", "groovy.",
						"ai.onnxruntime.", "ai.djl." };

	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
		if (begins(name, packages[i]))
			return true;
	return false;
}

static bool is_own(const struct names *names, const struct frame *frame, bool has_scripts)
{
	if (frame->kind == FRAME_JAVA)
		return !is_library_class(names_text(names, frame->function));
	if (is_script(frame))
		return !is_library_file(names_text(names, frame->file));
	return frame->kind == FRAME_NATIVE && !has_scripts && !is_library_module(names_text(names, frame->module)) &&
	       !is_library_source(names_text(names, frame->file));
}

/* Is it worth a name: not the inside of an interpreter, nor the runtime's start of a program. */
static bool is_named(const struct names *names, const struct frame *frame)
{
	return frame->function &&
	       (is_script(frame) || (frame->kind == FRAME_NATIVE && !is_interpreter(names_text(names, frame->module))));
}

/* A function inside of another one that calls a function of its language: of a decorator, as "f.<locals>.wrapper". */
static bool is_wrapper(const struct names *names, const struct frame *frame, const struct frame *called)
{
	return called && is_script(called) && is_script(frame) &&
	       strstr(names_text(names, frame->function), "<locals>");
}

/* A library without a name for what it does there. */
static bool is_of_library(const struct names *names, const struct frame *frame)
{
	const char *module = names_text(names, frame->module);

	return frame->kind == FRAME_NATIVE && !frame->function && *module && *module != '[' && !is_interpreter(module);
}

/* Whichever line asks for memory when it is due: a place of its own. */
static bool is_collection(const struct names *names, const struct frame *frame)
{
	return frame->kind == FRAME_PYTHON && !frame->file &&
	       !strcmp(names_text(names, frame->function), FRAME_COLLECTION);
}

/* Of a worker of multiprocessing: what is around it was copied by fork, or belongs to its start, and called nothing. */
static bool is_start_of_worker(const struct names *names, const struct frame *frame)
{
	static const char file[] = "/multiprocessing/process.py", function[] = "_bootstrap";
	const char *path = names_text(names, frame->file), *name = names_text(names, frame->function);
	size_t len = strlen(path), name_len = strlen(name);

	return frame->kind == FRAME_PYTHON && len >= sizeof file - 1 && !strcmp(path + len - (sizeof file - 1), file) &&
	       name_len >= sizeof function - 1 && !strcmp(name + name_len - (sizeof function - 1), function);
}

/* "python -c 'from multiprocessing.spawn import spawn_main; ...'", which the program did not write. */
static bool is_start_line(const struct names *names, const struct frame *frame, const struct frame *called)
{
	const char *file = called ? names_text(names, called->file) : "";

	return !strcmp(names_text(names, frame->file), "<string>") &&
	       (strstr(file, "/multiprocessing/spawn.py") || strstr(file, "/multiprocessing/forkserver.py"));
}

struct outside_place outside_place_of(const struct names *names, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(names);
	const struct frame *called = NULL, *library = NULL, *innermost = NULL, *any = NULL;
	bool has_scripts = has_script(stacks, stack);

	for (; stack; stack = caller_of(stacks, stack)) {
		const struct frame *frame = frame_of(stacks, stack);

		if (!frame || frame->kind == FRAME_CUT)
			continue;
		if (is_collection(names, frame))
			return (struct outside_place){ frame, NULL };
		if (is_start_of_worker(names, frame) || is_start_line(names, frame, called))
			break;
		if (is_own(names, frame, has_scripts)) {
			called = called ? called : library;
			return called ? (struct outside_place){ called, frame } : (struct outside_place){ frame, NULL };
		}
		any = any ? any : frame;
		if (is_of_library(names, frame))
			library = frame;
		if (!is_named(names, frame))
			continue;
		innermost = innermost ? innermost : frame;
		called = is_wrapper(names, frame, called) ? called : frame;
	}
	return (struct outside_place){ innermost ? innermost : any, NULL };
}

/* Of Python's threading, of the C and C++ libraries, or of Rust's and Go's. */
static bool is_of_locks(const struct names *names, const struct frame *frame)
{
	const char *file = names_text(names, frame->file), *module = names_text(names, frame->module);

	if (frame->kind == FRAME_PYTHON)
		return !strcmp(outside_file_name(file), "threading.py");
	module = outside_file_name(module);
	return frame->kind == FRAME_NATIVE && (is_library_source(file) || begins(module, "libc.so") ||
					       begins(module, "libstdc++.so") || begins(module, "libpthread"));
}

const struct frame *outside_lock_frame(const struct names *names, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(names);
	bool has_scripts = has_script(stacks, stack);

	for (; stack; stack = caller_of(stacks, stack)) {
		const struct frame *frame = frame_of(stacks, stack);

		if (frame && is_own(names, frame, has_scripts))
			return frame;
		if (!frame || !is_of_locks(names, frame))
			return NULL;
	}
	return NULL;
}

static struct printable text_of(const char *text)
{
	return printable_text(text, strlen(text), NAME, false);
}

/* "c_pre.py:6", "libc.so.6" */
static struct printable line_words(const struct names *names, const struct frame *frame)
{
	struct printable text = { "" };

	if (frame->file)
		printable_add(&text, "%s", text_of(outside_file_name(names_text(names, frame->file))).s);
	else if (frame->module)
		printable_add(&text, "%s", text_of(outside_file_name(names_text(names, frame->module))).s);
	if (frame->file && frame->line)
		printable_add(&text, ":%u", frame->line);
	return text;
}

static bool is_of_importlib(const struct names *names, const struct frame *frame)
{
	return frame->kind == FRAME_PYTHON && begins(names_text(names, frame->file), "<frozen importlib");
}

static bool is_import(const struct names *names, const struct frame *frame)
{
	return is_of_importlib(names, frame) && !strcmp(names_text(names, frame->function), "_find_and_load");
}

bool outside_is_inside_import(const struct names *names, const struct frame *frame)
{
	return is_of_importlib(names, frame) && !is_import(names, frame);
}

/* "import": what the interpreter does for that has no better name. Of a library without names, the library. */
static struct printable function_words(const struct names *names, const struct frame *frame)
{
	if (is_import(names, frame))
		return (struct printable){ "import" };
	return frame->function ? text_of(names_text(names, frame->function)) : line_words(names, frame);
}

struct printable outside_frame_words(const struct names *names, const struct frame *frame)
{
	struct printable text = { "" }, line;
	const char *function;

	if (!frame)
		return text;
	if (frame->kind == FRAME_CUT)
		return (struct printable){ "callers that are not known" };
	if (is_import(names, frame))
		return (struct printable){ "import" };
	line = line_words(names, frame);
	function = names_text(names, frame->function);
	if (!frame->function && !frame->file && frame->module && frame->offset)
		printable_add(&text, "%s + 0x%llx", line.s, (unsigned long long)frame->offset);
	else if (!frame->function || !strcmp(function, "<module>"))
		printable_add(&text, "%s", line.s);
	else if (*line.s)
		printable_add(&text, "%s (%s)", text_of(function).s, line.s);
	else
		printable_add(&text, "%s", text_of(function).s);
	return text;
}

/* A program without symbols is one place: an address more would make each moment one of its own. */
struct printable outside_place_words(const struct names *names, const struct outside_place *place)
{
	const struct frame *in = place->in;
	struct printable text = { "" };

	if (!place->from && in && in->kind == FRAME_NATIVE && !in->function && !in->file)
		return line_words(names, in);
	if (!place->from)
		return outside_frame_words(names, in);
	printable_add(&text, "%s, called from %s", function_words(names, place->in).s,
		      line_words(names, place->from).s);
	return text;
}
