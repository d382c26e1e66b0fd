// SPDX-License-Identifier: Apache-2.0
/*
 * Hooks for functions of the OrtApi table, replaced in place, so that every user of the table calls them. A process may
 * have several copies of the runtime, each with its own table, and no argument identifies the copy; so each hook exists
 * once per copy (EACH_COPY).
 *
 * The table provides what virtual functions do not: the model's path or bytes before the load, inputs, requested
 * providers and options, and the status returned to the program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/agent/ort/ort_in.h"
#include "capture/agent/run/caller.h"
#include "event/event.h"

/* A program's requests in an OrtSessionOptions. */
struct options {
	char providers[256], config[256];
	struct options *next_free;
};
static struct map all_options; /* OrtSessionOptions -> struct options */
static struct options *free_options;

static ort_function *real(const struct ort_copy *copy, unsigned slot)
{
	return (ort_function *)hook_original(copy->api + 8 * (uint64_t)slot);
}

/* The message of an OrtStatus as a text id; 0 for NULL. */
static uint32_t message_of(const struct ort_copy *copy, word status)
{
	void *const *api = (void *const *)copy->api;
	const char *text;

	if (!status)
		return 0;
	text = ((const char *(*)(word))api[ORT_API_GET_ERROR_MESSAGE])(status);
	return text && *text ? dict_text_of_run(text, strnlen(text, 2000)) : dict_text("failed", 6);
}

static void free_locked(struct options *options)
{
	options->next_free = free_options;
	free_options = options;
}

static struct options *options_of(word key, bool make)
{
	struct options *options = map_get(&all_options, key);

	if (options || !make || !key)
		return options;
	agent_lock();
	options = free_options;
	if (options)
		free_options = options->next_free;
	else
		options = arena_alloc(&agent.arena, sizeof *options);
	if (options) {
		memset(options, 0, sizeof *options);
		if (!map_put(&all_options, key, options)) {
			free_locked(options);
			options = NULL;
		}
	}
	agent_unlock();
	return options;
}

void ort_c_api_forget_all(void)
{
	const struct map_table *table;

	agent_lock();
	table = all_options.table;
	for (uint64_t i = 0; table && i <= table->mask; i++)
		if (table->entry[i].value)
			free_locked(table->entry[i].value);
	map_clear(&all_options);
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

static word create_session(struct ort_copy *copy, unsigned slot, bool is_path, ORT_ARGS)
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
		return real(copy, slot)(ORT_PASS);
	creation_begin(thread, &runtime_onnxruntime, OWNER_API, 0);
	session = thread->creation.session;
	if (creation_is_open(thread) && b) {
		if (is_path)
			creation_path(thread, (const char *)b);
		else
			creation_bytes(thread, (const char *)b, c);
	}
	status = real(copy, slot)(ORT_PASS);
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
	creation_end(thread, OWNER_API, message_of(copy, status));
	return status;
}

static const char *tag_of(const struct ort_copy *copy, word run_options)
{
	void *const *api = (void *const *)copy->api;
	const char *tag = NULL;
	word status;

	if (!run_options)
		return NULL;
	status = ((word (*)(word, const char **))api[ORT_API_RUN_OPTIONS_GET_RUN_TAG])(run_options, &tag);
	if (status)
		((void (*)(word))api[ORT_API_RELEASE_STATUS])(status);
	return status ? NULL : tag;
}

/* What goes into a run. values NULL: it is bound; binding 0: it is not. */
struct run_inputs {
	const char *const *names;
	const word *values;
	word n, binding;
};

/* Among the first inputs, where programs put them. */
static void see_prompt(struct ort_copy *copy, struct thread *thread, const struct open_run *open,
		       const struct run_inputs *inputs)
{
	enum { FIRST = 4 };
	struct shape shape;

	for (word i = 0; inputs->names && i < inputs->n && i < FIRST; i++) {
		const char *name = inputs->names[i];

		if (!name || name[0] != ORT_PROMPT_NAME[0] || strcmp(name, ORT_PROMPT_NAME) != 0)
			continue;
		ort_shape_of_value(copy, inputs->values[i], &shape);
		ort_prompt_see(copy, thread, open, inputs->values[i], &shape);
		return;
	}
}

static uint32_t maker_of(struct ort_copy *copy, const struct run_inputs *inputs)
{
	word bound[ORT_BOUND];
	size_t n = inputs->values ? inputs->n : ort_binding_values(copy, inputs->binding, false, bound);

	return ort_cache_maker(copy, inputs->values ? inputs->values : bound, n);
}

/* Before a run: a is the session, b its options. Returns the thread if run_leave must end the run. */
static struct thread *run_enter(struct ort_copy *copy, word a, word b, const struct run_inputs *inputs,
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
		session = thread->last_session = ort_late_session_of_object(copy, a);
	thread->is_settled = true;
	if (!(open = inference_begin(thread, OWNER_API, 0, session)))
		return NULL;
	*n_runs = thread->n_runs;
	open->run_options = b;
	if (inputs->values && inputs->n <= 64)
		open->shapes =
		    ort_shape_of_values(copy, thread, (const void *const *)inputs->values, inputs->n, &open->batch);
	inference_tell(thread, open, tag_of(copy, b));
	if (inputs->values && inputs->n <= 64)
		see_prompt(copy, thread, open, inputs);
	open->follows = maker_of(copy, inputs);
	return thread;
}

/* results: as inputs. */
static void run_leave(struct ort_copy *copy, struct thread *thread, uint32_t n_runs, word status,
		      const struct run_inputs *results)
{
	word bound[ORT_BOUND];
	bool is_bound = results->binding;

	inference_end_inner(thread, n_runs);
	if (!status && thread->generation == hot->generation && thread->n_runs == n_runs)
		ort_cache_made(copy, is_bound ? bound : results->values,
			       is_bound ? ort_binding_values(copy, results->binding, true, bound) : results->n,
			       inference_top(thread)->run);
	inference_end(thread, OWNER_API, message_of(copy, status));
}

/* Of the API's object around it. */
static word binding_of(word object)
{
	return object ? *(const word *)object : 0;
}

/* Inline, so that arguments are passed on only once. */
static inline __attribute__((always_inline)) word run(struct ort_copy *copy, unsigned slot, ORT_ARGS)
{
	ort_function *next = slot == ORT_API_RUN ? (ort_function *)copy->run : real(copy, slot);
	bool is_bound = slot != ORT_API_RUN;
	const struct run_inputs inputs = { (const char *const *)c, is_bound ? NULL : (const word *)d, e,
					   is_bound ? binding_of(c) : 0 };
	const struct run_inputs results = { NULL, is_bound ? NULL : (const word *)h, g, inputs.binding };
	uint32_t n_runs = 0;
	struct thread *thread;
	word status;

	caller_came_from(__builtin_return_address(0));
	thread = run_enter(copy, a, b, &inputs, &n_runs);
	status = next(ORT_PASS);
	if (thread)
		run_leave(copy, thread, n_runs, status, &results);
	return status;
}

/* (options, name, keys, values, n) */
static word append_provider(struct ort_copy *copy, unsigned slot, ORT_ARGS)
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
	return real(copy, slot)(ORT_PASS);
}

static word append_named(struct ort_copy *copy, unsigned slot, ORT_ARGS)
{
	struct options *options = options_of(a, true);

	if (options && options->providers[0])
		append(options->providers, sizeof options->providers, ",");
	if (options)
		append(options->providers, sizeof options->providers,
		       slot == ORT_API_APPEND_CUDA	 ? "CUDAExecutionProvider"
		       : slot == ORT_API_APPEND_OPENVINO ? "OpenVINOExecutionProvider"
							 : "TensorrtExecutionProvider");
	return real(copy, slot)(ORT_PASS);
}

static word add_config(struct ort_copy *copy, unsigned slot, ORT_ARGS)
{
	struct options *options = options_of(a, true);

	if (options && b && c) {
		if (options->config[0])
			append(options->config, sizeof options->config, " ");
		append(options->config, sizeof options->config, (const char *)b);
		append(options->config, sizeof options->config, "=");
		append(options->config, sizeof options->config, (const char *)c);
	}
	return real(copy, slot)(ORT_PASS);
}

static word clone_options(struct ort_copy *copy, unsigned slot, ORT_ARGS)
{
	word status = real(copy, slot)(ORT_PASS);
	struct options *from = map_get(&all_options, a), *to;

	if (!status && from && b && (to = options_of(*(word *)b, true)))
		*to = *from;
	return status;
}

static word release_options(struct ort_copy *copy, unsigned slot, ORT_ARGS)
{
	struct options *options = map_get(&all_options, a);

	if (options) {
		agent_lock();
		map_put(&all_options, a, NULL);
		free_locked(options);
		agent_unlock();
	}
	return real(copy, slot)(ORT_PASS);
}

#define COPY(n) \
	static word create_##n(ORT_ARGS) \
	{ \
		caller_came_from(__builtin_return_address(0)); \
		return create_session(&ort_copies[n], 7, true, ORT_PASS); \
	} \
	static word create_array_##n(ORT_ARGS) \
	{ \
		caller_came_from(__builtin_return_address(0)); \
		return create_session(&ort_copies[n], 8, false, ORT_PASS); \
	} \
	static word create_packed_##n(ORT_ARGS) \
	{ \
		caller_came_from(__builtin_return_address(0)); \
		return create_session(&ort_copies[n], 168, true, ORT_PASS); \
	} \
	static word create_array_packed_##n(ORT_ARGS) \
	{ \
		caller_came_from(__builtin_return_address(0)); \
		return create_session(&ort_copies[n], 169, false, ORT_PASS); \
	} \
	static word run_##n(ORT_ARGS) \
	{ \
		return run(&ort_copies[n], 9, ORT_PASS); \
	} \
	static word run_binding_##n(ORT_ARGS) \
	{ \
		return run(&ort_copies[n], 133, ORT_PASS); \
	} \
	static word append_##n(ORT_ARGS) \
	{ \
		return append_provider(&ort_copies[n], 216, ORT_PASS); \
	} \
	static word append_cuda_##n(ORT_ARGS) \
	{ \
		return append_named(&ort_copies[n], 152, ORT_PASS); \
	} \
	static word append_openvino_##n(ORT_ARGS) \
	{ \
		return append_named(&ort_copies[n], 154, ORT_PASS); \
	} \
	static word append_tensorrt_##n(ORT_ARGS) \
	{ \
		return append_named(&ort_copies[n], 159, ORT_PASS); \
	} \
	static word add_config_##n(ORT_ARGS) \
	{ \
		return add_config(&ort_copies[n], 130, ORT_PASS); \
	} \
	static word clone_##n(ORT_ARGS) \
	{ \
		return clone_options(&ort_copies[n], 12, ORT_PASS); \
	} \
	static word release_##n(ORT_ARGS) \
	{ \
		return release_options(&ort_copies[n], 100, ORT_PASS); \
	}
COPY(0)
COPY(1)
COPY(2)
COPY(3)
COPY(4)
COPY(5)
COPY(6)
COPY(7)

#define ROW(n) \
	{ create_##n,	   create_array_##n, create_packed_##n, create_array_packed_##n, run_##n, \
	  run_binding_##n, append_##n,	     append_cuda_##n,	append_openvino_##n,	 append_tensorrt_##n, \
	  add_config_##n,  clone_##n,	     release_##n }
static const uint16_t slots[] = { 7, 8, 168, 169, 9, 133, 216, 152, 154, 159, 130, 12, 100 };
static ort_function *const stand_ins[MAX_COPIES][sizeof slots / sizeof *slots] = { ROW(0), ROW(1), ROW(2), ROW(3),
										   ROW(4), ROW(5), ROW(6), ROW(7) };

void ort_c_api_arm(struct ort_copy *copy)
{
	void *now;

	if (!copy->api)
		return;
	/*
	 * before the slot is replaced, because other threads may call it at once. The old value may belong to another
	 * module.
	 */
	now = ((void **)copy->api)[ORT_API_RUN];
	for (unsigned s = 0; s < sizeof slots / sizeof *slots; s++)
		if (slots[s] == ORT_API_RUN && now != (void *)stand_ins[copy->copy->number][s])
			copy->run = now;
	agent_lock();
	if (!hook_open(&copy->copy->image)) {
		agent_unlock();
		return;
	}
	for (unsigned s = 0; s < sizeof slots / sizeof *slots; s++)
		if (slots[s] < copy->n_api)
			hook_word(copy->api + 8 * slots[s], (void *)stand_ins[copy->copy->number][s]);
	hook_close(&copy->copy->image);
	agent_unlock();
}
