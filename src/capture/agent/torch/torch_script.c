// SPDX-License-Identifier: Apache-2.0
/*
 * Scripts of TorchScript, in Python and C++: a function of a script is an inference where it is called outermost, so a
 * script's module in a program without Python. Its virtual function `run` is replaced. The first calls compile: the two
 * functions of the executor that do are imports of the library itself.
 *
 * A program's function has the name "__torch__.Net.forward", at a place that is checked, or is one of a
 * torch.jit.CompilationUnit, whose name is one word. Another function may get the address of one that is gone: its name
 * tells.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_native.h"
#include "runtime/find/dynamic.h"
#include "runtime/find/peek.h"
#include "runtime/torch/torch.h"

/* Words of a function: its tables, a vector of the words of its name, its name. */
enum { WORDS_AT = 8, NAME_AT = 32, MOST_NAME = 200, MOST_SCRIPTS = 4096 };
/* std::string: its text, its length, and as much again. */
enum { STRING = 32, LENGTH_AT = 8 };
/* A value on the stack: a word, and what it is. */
enum { VALUE_WORDS = 2, MOST_VALUES = 1024, TENSOR = 1 };

struct script {
	uint64_t name; /* hash */
	uint32_t session;
};
static struct map scripts; /* by address of the function */
static uint32_t n_scripts;

static const char root[] = "__torch__.";
static bool is_known; /* where a function has its name */
static bracket_function *to_profile, *optimized;

static inline bool is_of_module(const char *qualified)
{
	return !strncmp(qualified, root, sizeof root - 1);
}

/* Where the component before `at` begins. */
static const char *component(const char *text, const char *at)
{
	while (at > text && at[-1] != '.')
		at--;
	return at;
}

/* "__torch__.zoo.Net.forward": "Net (TorchScript)"; of another function with what it is in: "Net.encode", "zoo.add". */
static void put_name(const char *qualified, char *to, size_t size)
{
	static const char forward[] = ".forward", mangled[] = "___torch_mangle_";
	const char *end, *name, *in;
	size_t len;

	if (is_of_module(qualified))
		qualified += sizeof root - 1;
	len = strlen(qualified);
	end = qualified + len;
	if (len > sizeof forward - 1 && !strcmp(end - (sizeof forward - 1), forward)) {
		end -= sizeof forward - 1;
		name = component(qualified, end);
	} else {
		name = component(qualified, end);
		in = name > qualified ? component(qualified, name - 1) : name;
		name = strncmp(in, mangled, sizeof mangled - 1) ? in : name;
	}
	snprintf(to, size, "%.*s (TorchScript)", (int)(end - name), name);
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash;
}

/* NULL: there is no room for another. */
static struct script *script_of(word function)
{
	struct script *script;

	agent_lock();
	script = map_get(&scripts, function);
	if (!script && n_scripts < MOST_SCRIPTS && (script = arena_alloc(&agent.arena, sizeof *script))) {
		n_scripts++;
		if (!map_put(&scripts, function, script))
			script = NULL;
	}
	agent_unlock();
	return script;
}

/* From some number of functions on those of one name share a session. */
static __attribute__((noinline)) struct session *new_session(word function, const char *qualified)
{
	const uint64_t hash = hash_of(qualified);
	struct script *script = script_of(function);
	const word object = script ? function : hash | 1; /* no function is there */
	struct session *session = script ? NULL : session_of_object(object);
	char name[MOST_NAME];

	if (session || !(session = session_new(&runtime_torch)))
		return session;
	put_name(qualified, name, sizeof name);
	session_bind(session, object);
	session_name_graph(session, name);
	if (script) {
		agent_lock();
		*script = (struct script){ hash, session->number };
		agent_unlock();
	}
	return session;
}

/* Whether a function has its name where it should: the vector before it has one word, which is the name. */
static bool has_one_word(word function)
{
	uint64_t vector[2], string[2], name[2];
	char text[MOST_NAME], first[MOST_NAME];

	return peek_read(function + WORDS_AT, vector, sizeof vector) && vector[1] - vector[0] == STRING &&
	       peek_read(vector[0], string, sizeof string) && peek_read(function + NAME_AT, name, sizeof name) &&
	       string[1] == name[1] && name[1] < sizeof text && peek_string(vector[0], first, sizeof first) > 0 &&
	       peek_string(function + NAME_AT, text, sizeof text) > 0 && strlen(text) == name[1] &&
	       !strcmp(first, text);
}

/* Of one that is believed: PyTorch makes functions that compute default arguments, and calls them so. */
static bool is_of_unit(word function, const char *name)
{
	const uint64_t *vector = (const uint64_t *)(function + WORDS_AT);

	return vector[1] - vector[0] == STRING && strcmp(name, "defaults") != 0;
}

/*
 * The function's name, in it or elsewhere; NULL: it is no program's, such as one of default arguments, or not known.
 * The first one is read with care.
 */
static const char *name_of(word function)
{
	const char *name;
	char text[MOST_NAME];

	if (__builtin_expect(!__atomic_load_n(&is_known, __ATOMIC_RELAXED), 0)) {
		if (peek_string(function + NAME_AT, text, sizeof text) <= 0 ||
		    (!is_of_module(text) && !has_one_word(function)))
			return NULL;
		__atomic_store_n(&is_known, true, __ATOMIC_RELAXED);
	}
	name = *(const char *const *)(function + NAME_AT);
	return is_of_module(name) || is_of_unit(function, name) ? name : NULL;
}

static struct session *session_at(word function, const char *name)
{
	const struct script *script = map_get(&scripts, function);
	struct session *session = session_of_object(function);

	if (__builtin_expect(session && script && session->number == script->session && script->name == hash_of(name),
			     1))
		return session;
	if (session)
		session_release(function);
	return new_session(function, name);
}

/* stack: { begin, end } of what goes in. */
static void take_inputs(struct torch_native *call, const word *stack)
{
	const word *value = (const word *)stack[0], *end = (const word *)stack[1];

	for (size_t n = 0; value < end && n < MOST_VALUES; n++, value += VALUE_WORDS)
		if ((uint32_t)value[1] == TENSOR)
			torch_native_take(call, value[0]);
}

static bracket_function *original_of(word self)
{
	const struct copy *copy = copies_of_class(*(word *)self);
	void *original = copy ? copies_original(copy, *(word *)self, TORCH_SCRIPTS) : NULL;

	return original ? original : copies_any_original(&runtime_torch, TORCH_SCRIPTS, self, 0);
}

/* a: the function, b: the stack. */
static word on_run(TORCH_ARGS)
{
	bracket_function *next = original_of(a);
	struct thread *thread = agent_thread();
	struct torch_native call;
	struct session *session;
	int saved = errno;
	const char *name;

	if (!thread || !torch_native_is_outermost(thread) || !(name = name_of(a)))
		return next(TORCH_PASS);
	torch_native_start(&call);
	take_inputs(&call, (const word *)b);
	session = session_at(a, name);
	errno = saved;
	return torch_native_run(&call, thread, session, next, TORCH_PASS);
}

void *torch_script_hook(unsigned family)
{
	return family == TORCH_SCRIPTS ? (void *)on_run : NULL;
}

static word on_profile(TORCH_ARGS)
{
	struct thread *thread = self_thread;

	return thread && thread->n_runs
		   ? torch_native_compile(thread, dict_text("TorchScript to profile", 22), to_profile, TORCH_PASS)
		   : to_profile(TORCH_PASS);
}

static word on_optimize(TORCH_ARGS)
{
	struct thread *thread = self_thread;

	return thread && thread->n_runs
		   ? torch_native_compile(thread, dict_text("TorchScript optimized", 21), optimized, TORCH_PASS)
		   : optimized(TORCH_PASS);
}

void torch_script_arm(const struct image *image)
{
	struct dynamic dynamic;

	if (!dynamic_read(&dynamic, image))
		return;
	to_profile = (bracket_function *)dynamic_function(&dynamic, TORCH_TO_PROFILE);
	optimized = (bracket_function *)dynamic_function(&dynamic, TORCH_OPTIMIZED);
	if (to_profile)
		hook_import(image, TORCH_TO_PROFILE, on_profile);
	if (optimized)
		hook_import(image, TORCH_OPTIMIZED, on_optimize);
}

void torch_script_forget_all(void)
{
	agent_lock();
	map_clear(&scripts);
	n_scripts = 0;
	agent_unlock();
}
