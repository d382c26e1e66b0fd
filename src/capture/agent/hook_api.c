// SPDX-License-Identifier: Apache-2.0
/*
 * What stands in for functions of the OrtApi table, replaced in place: whoever holds the table calls us.
 * Several copies of the runtime may be in a process, each with a table of its own and no argument that
 * tells which; so each stand-in exists once per copy (EACH_COPY).
 *
 * The table gives what virtual functions do not: the model's path or bytes before they are loaded, inputs,
 * providers and options asked for, and the status that the program gets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/agent/ort.h"
#include "event/event.h"

typedef uintptr_t word;
#define ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define PASS a, b, c, d, e, f, g, h, i, j, k, l
typedef word function(ARGS);

/* What a program asked for, by OrtSessionOptions. */
struct options {
	char providers[256], config[256];
};
static struct map all_options;

static function *real(const struct runtime *runtime, unsigned slot)
{
	return (function *)hook_original(runtime->ort.api + 8 * (uint64_t)slot);
}

/* The message of an OrtStatus as a text id; 0 for NULL. */
static uint32_t message_of(const struct runtime *runtime, word status)
{
	void *const *api = (void *const *)runtime->ort.api;
	const char *text;

	if (!status)
		return 0;
	text = ((const char *(*)(word))api[ORT_API_GET_ERROR_MESSAGE])(status);
	return text && *text ? dict_text(text, strnlen(text, 2000)) : dict_text("failed", 6);
}

static struct options *options_of(word key, bool make)
{
	struct options *options = map_get(&all_options, key);

	if (options || !make || !key)
		return options;
	agent_lock();
	options = arena_alloc(&agent.arena, sizeof *options);
	if (options && !map_put(&all_options, key, options))
		options = NULL;
	agent_unlock();
	return options;
}

void api_forget(void)
{
	agent_lock();
	for (uint64_t i = 0; all_options.table && i <= all_options.table->mask; i++)
		if (all_options.table->entry[i].value)
			memset(all_options.table->entry[i].value, 0, sizeof(struct options));
	agent_unlock();
}

static void append(char *to, size_t size, const char *text)
{
	size_t used = strlen(to), len = strnlen(text, size);

	if (used + len + 1 > size)
		len = size - used - 1;
	memcpy(to + used, text, len);
	to[used + len] = 0;
}

static word create_session(struct runtime *runtime, unsigned slot, bool is_path, ARGS)
{
	struct thread *thread = agent_thread();
	struct options *options = map_get(&all_options, is_path ? c : d);
	word out = slot == ORT_API_CREATE_SESSION	       ? d
		   : slot == ORT_API_CREATE_SESSION_FROM_ARRAY ? e
		   : slot == ORT_API_CREATE_SESSION_PREPACKED  ? e
							       : f;
	struct session *session;
	word status;

	if (!thread)
		return real(runtime, slot)(PASS);
	creation_begin(thread, OWNER_API, 0);
	session = thread->creation.session;
	if (creation_is_open(thread) && b) {
		if (is_path)
			creation_path(thread, (const char *)b);
		else
			creation_bytes(thread, (const char *)b, c);
	}
	status = real(runtime, slot)(PASS);
	if (!creation_is_open(thread))
		return status;
	if (!thread->creation.n_nested) {
		if (!status && out)
			session_bind(session, *(word *)out);
		if (options && options->config[0])
			dict_fact(session->number, KEY_OPTIONS, dict_text(options->config, strlen(options->config)), 0);
		if (options && options->providers[0])
			session_asked(session, options->providers);
	}
	creation_end(thread, OWNER_API, message_of(runtime, status));
	return status;
}

static const char *tag_of(const struct runtime *runtime, word run_options)
{
	void *const *api = (void *const *)runtime->ort.api;
	const char *tag = NULL;
	word status;

	if (!run_options)
		return NULL;
	status = ((word (*)(word, const char **))api[ORT_API_RUN_OPTIONS_GET_RUN_TAG])(run_options, &tag);
	if (status)
		((void (*)(word))api[ORT_API_RELEASE_STATUS])(status);
	return status ? NULL : tag;
}

/* Before a run: a is the session, b its options, d and e the inputs. Returns the thread if run_leave is to end it. */
static struct thread *run_enter(struct runtime *runtime, unsigned slot, word a, word b, word d, word e,
				uint32_t *n_runs)
{
	struct thread *thread = agent_thread();
	struct session *session;
	struct open_run *open;

	if (!thread)
		return NULL;
	session = thread->last_session;
	if (!session || session->object != a || !session->number)
		session = thread->last_session = session_of_object(a);
	if (!session && agent.late_since)
		session = thread->last_session = late_session_of_object(a);
	thread->is_settled = true;
	if (!(open = run_begin(thread, OWNER_API, 0, session)))
		return NULL;
	*n_runs = thread->n_runs;
	open->run_options = b;
	if (slot == ORT_API_RUN && d && e <= 64)
		open->shapes = shape_of_values(runtime, thread, (const void *const *)d, e, &open->batch);
	run_tell(thread, open, tag_of(runtime, b));
	return thread;
}

static void run_leave(struct runtime *runtime, struct thread *thread, uint32_t n_runs, word status)
{
	/* inner brackets that an error left open */
	while (thread->n_runs > n_runs)
		run_end(thread, (enum run_owner)run_top(thread)->owner, 0);
	run_end(thread, OWNER_API, message_of(runtime, status));
}

/* Inline, so that the arguments are passed on once only. */
static inline __attribute__((always_inline)) word run(struct runtime *runtime, unsigned slot, ARGS)
{
	function *next = slot == ORT_API_RUN ? (function *)runtime->run : real(runtime, slot);
	uint32_t n_runs = 0;
	struct thread *thread = run_enter(runtime, slot, a, b, d, e, &n_runs);
	word status = next(PASS);

	if (thread)
		run_leave(runtime, thread, n_runs, status);
	return status;
}

/* (options, name, keys, values, n) */
static word append_provider(struct runtime *runtime, unsigned slot, ARGS)
{
	struct options *options = options_of(a, true);
	const char *const *keys = (const char *const *)c, *const *values = (const char *const *)d;

	if (options && b) {
		if (options->providers[0])
			append(options->providers, sizeof options->providers, ",");
		append(options->providers, sizeof options->providers, (const char *)b);
		for (word at = 0; at < e && keys && values && keys[at] && values[at]; at++) {
			append(options->providers, sizeof options->providers, at ? " " : "(");
			append(options->providers, sizeof options->providers, keys[at]);
			append(options->providers, sizeof options->providers, "=");
			append(options->providers, sizeof options->providers, values[at]);
		}
		if (e && keys)
			append(options->providers, sizeof options->providers, ")");
	}
	return real(runtime, slot)(PASS);
}

static word append_named(struct runtime *runtime, unsigned slot, ARGS)
{
	struct options *options = options_of(a, true);

	if (options && options->providers[0])
		append(options->providers, sizeof options->providers, ",");
	if (options)
		append(options->providers, sizeof options->providers,
		       slot == ORT_API_APPEND_CUDA	 ? "CUDAExecutionProvider"
		       : slot == ORT_API_APPEND_OPENVINO ? "OpenVINOExecutionProvider"
							 : "TensorrtExecutionProvider");
	return real(runtime, slot)(PASS);
}

static word add_config(struct runtime *runtime, unsigned slot, ARGS)
{
	struct options *options = options_of(a, true);

	if (options && b && c) {
		if (options->config[0])
			append(options->config, sizeof options->config, " ");
		append(options->config, sizeof options->config, (const char *)b);
		append(options->config, sizeof options->config, "=");
		append(options->config, sizeof options->config, (const char *)c);
	}
	return real(runtime, slot)(PASS);
}

static word clone_options(struct runtime *runtime, unsigned slot, ARGS)
{
	word status = real(runtime, slot)(PASS);
	struct options *from = map_get(&all_options, a), *to;

	if (!status && from && b && (to = options_of(*(word *)b, true)))
		*to = *from;
	return status;
}

static word release_options(struct runtime *runtime, unsigned slot, ARGS)
{
	struct options *options = map_get(&all_options, a);

	if (options) /* the place is kept for options that come to lie there */
		memset(options, 0, sizeof *options);
	return real(runtime, slot)(PASS);
}

#define COPY(n) \
	static word create_##n(ARGS) \
	{ \
		return create_session(&runtimes[n], 7, true, PASS); \
	} \
	static word create_array_##n(ARGS) \
	{ \
		return create_session(&runtimes[n], 8, false, PASS); \
	} \
	static word create_packed_##n(ARGS) \
	{ \
		return create_session(&runtimes[n], 168, true, PASS); \
	} \
	static word create_array_packed_##n(ARGS) \
	{ \
		return create_session(&runtimes[n], 169, false, PASS); \
	} \
	static word run_##n(ARGS) \
	{ \
		return run(&runtimes[n], 9, PASS); \
	} \
	static word run_binding_##n(ARGS) \
	{ \
		return run(&runtimes[n], 133, PASS); \
	} \
	static word append_##n(ARGS) \
	{ \
		return append_provider(&runtimes[n], 216, PASS); \
	} \
	static word append_cuda_##n(ARGS) \
	{ \
		return append_named(&runtimes[n], 152, PASS); \
	} \
	static word append_openvino_##n(ARGS) \
	{ \
		return append_named(&runtimes[n], 154, PASS); \
	} \
	static word append_tensorrt_##n(ARGS) \
	{ \
		return append_named(&runtimes[n], 159, PASS); \
	} \
	static word add_config_##n(ARGS) \
	{ \
		return add_config(&runtimes[n], 130, PASS); \
	} \
	static word clone_##n(ARGS) \
	{ \
		return clone_options(&runtimes[n], 12, PASS); \
	} \
	static word release_##n(ARGS) \
	{ \
		return release_options(&runtimes[n], 100, PASS); \
	}
COPY(0)
COPY(1)
COPY(2)
COPY(3)
COPY(4)
COPY(5) COPY(6) COPY(7)

#define ROW(n) \
	{ create_##n,	   create_array_##n, create_packed_##n, create_array_packed_##n, run_##n, \
	  run_binding_##n, append_##n,	     append_cuda_##n,	append_openvino_##n,	 append_tensorrt_##n, \
	  add_config_##n,  clone_##n,	     release_##n }
    static const uint16_t slots[] = { 7, 8, 168, 169, 9, 133, 216, 152, 154, 159, 130, 12, 100 };
static function *const stand_ins[MAX_RUNTIMES][sizeof slots / sizeof *slots] = { ROW(0), ROW(1), ROW(2), ROW(3),
										 ROW(4), ROW(5), ROW(6), ROW(7) };

void api_arm(struct runtime *runtime)
{
	void *now;

	if (!runtime->ort.api)
		return;
	/* before the slot is replaced: others may call it at once. What stood there once may be of another module. */
	now = ((void **)runtime->ort.api)[ORT_API_RUN];
	for (unsigned s = 0; s < sizeof slots / sizeof *slots; s++)
		if (slots[s] == ORT_API_RUN && now != (void *)stand_ins[runtime->number][s])
			runtime->run = now;
	agent_lock();
	if (!hook_open(&runtime->image)) {
		agent_unlock();
		return;
	}
	for (unsigned s = 0; s < sizeof slots / sizeof *slots; s++)
		if (slots[s] < runtime->ort.n_api)
			hook_word(runtime->ort.api + 8 * slots[s], (void *)stand_ins[runtime->number][s]);
	hook_close(&runtime->image);
	agent_unlock();
}
