// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of ONNX Runtime in Python: an inference lasts from the call of the session's C function to its return, as it
 * does in programs that call the C API. So the arrays that the package makes runtime values of, and those that it makes
 * of results, are part of it.
 *
 * The class is found when Python passes a text to a session that is being created, or next gives the GIL back in the
 * runtime: the thread holds the GIL then. Its functions are objects of their own, with a definition that contains the
 * address of the C function; that word is replaced. It stays valid, because a reference to the object is kept.
 *
 * The package's own function, in Python, looks at the session and at the names of its inputs before it calls that
 * function. Its first look is where the inference begins: NodeArg.name and is_webgpu_graph_capture_enabled, by which
 * it looks, are replaced, too.
 *
 * A constructor that throws before it opens the model makes no session that a hook sees: the call that failed is a
 * creation that did.
 *
 * Before its return a call takes the GIL again. A wait for other threads of Python is the program's time, in which no
 * model runs: the inference ended when it began. What asynchronous calls do is not seen here (ort_async.c).
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/ort/ort_in.h"
#include "capture/agent/replace/hook.h"
#include "capture/agent/replace/python.h"
#include "capture/agent/run/caller.h"

enum {
	TUPLE_SIZE = 2,
	FIRST_ARGS = 3,
	MOST_LOOKS = 1000,
	MOST_TEXT = 240,
	MOST_ERROR = 1024,
	MOST_TYPE = 40,
	MOST_WAIT = 32
};

static const struct image *door; /* the module whose class is looked for; NULL: none is */
static struct ort_copy *own;	 /* of the module that was armed last */
static int is_looking;
static uint32_t n_looks; /* while is_looking */
static uint32_t place;	 /* of struct known */

struct known {
	/* the last session that ran: whether reading its usage is free. The object may be another's by now */
	const void *object;
	struct session *session;
	/* when a call of the package's function looked around first, by its frame; 0: none since the last call */
	uint64_t frame, since;
	int32_t offset;
	uint32_t generation;
};

static struct python_object *run_code; /* of the package's function; a reference is kept */
static bool has_called;

/* An inference that a call has begun. */
struct call {
	struct thread *thread; /* NULL: it has not */
	struct known *known;
	const void *object;
	struct python_object *given; /* what goes in; NULL: nothing */
	uint32_t generation, n_runs, run;
};

static struct known *known_of(struct thread *thread)
{
	struct known *known = place ? thread->kept[place] : NULL;

	return known ? known : agent_keep(thread, &place, sizeof *known);
}

/* The GIL is held: no frame of this thread moves. */
static void looks_around(void)
{
	struct thread *thread = self_thread;
	struct known *known;
	uint64_t now, frame;
	int32_t offset;

	if (!thread || thread->generation != hot->generation || thread->n_runs)
		return;
	/* the frames are no longer in the cache after an inference */
	now = agent_now();
	known = known_of(thread);
	frame = known ? caller_frame((uint64_t)(uintptr_t)run_code, &offset) : 0;
	if (!frame || (known->frame == frame && known->offset < offset && known->generation == hot->generation))
		return;
	known->frame = frame;
	known->offset = offset;
	known->since = now;
	known->generation = hot->generation;
}

/* When the package's function was called that calls now; 0: another one calls, or it did not look around. */
static uint64_t called_since(struct known *known)
{
	uint64_t frame = known->frame;
	int32_t offset;

	known->frame = 0;
	return frame && known->generation == hot->generation &&
		       caller_frame((uint64_t)(uintptr_t)run_code, &offset) == frame && offset > known->offset
		   ? known->since
		   : 0;
}

/* What goes in: a dictionary among the first arguments behind the session, or what is bound, the first of these. */
static struct python_object *given_of(struct python_object *const *args)
{
	for (int i = 1; i < FIRST_ARGS; i++)
		if (args[i] && args[i]->type == python.PyDict_Type)
			return args[i];
	return args[1];
}

/* args: the first FIRST_ARGS; NULL: there are fewer. */
static struct call enter(struct python_object *const *args)
{
	struct thread *thread = agent_thread();
	struct python_object *object = args[0];
	struct call call = { .object = object, .given = given_of(args) };
	uint64_t start = thread ? agent_now() : 0, since;
	struct open_run *run;
	int saved = errno;

	if (!thread || !object)
		return call;
	has_called = true;
	call.known = known_of(thread);
	thread->is_settled = true;
	since = call.known ? called_since(call.known) : 0;
	if (since)
		start = since;
	run = inference_begin(thread, OWNER_API, start, NULL);
	if (run) {
		run->is_in_python = true;
		call.thread = thread;
		call.generation = thread->generation;
		call.n_runs = thread->n_runs;
		call.run = run->run;
		run->follows = call.given ? ort_python_cache_maker(own, call.given) : 0;
		if (call.known && call.known->object == object) {
			run->session = call.known->session;
			usage_begin(thread, run);
			run->session = NULL;
		}
	}
	errno = saved;
	return call;
}

/* False: it has forked, recording has restarted, or the thread's stack was exchanged for another. */
static bool is_there(const struct call *call)
{
	struct thread *thread = call->thread;

	return thread && self_thread == thread && thread->generation == call->generation &&
	       hot->generation == call->generation && thread->n_runs >= call->n_runs &&
	       thread->run[call->n_runs - 1].run == call->run;
}

static uint32_t failure(void)
{
	char text[MOST_TEXT];
	uint32_t id = dict_text_of_run(text, python_error(text, sizeof text));

	return id ? id : dict_text("failed", 6);
}

/* A call that the runtime has evaluated nothing of is none: its arguments were wrong. */
static void leave(const struct call *call, struct python_object *result)
{
	struct open_run *run;
	int saved = errno;

	if (!is_there(call))
		return;
	inference_end_inner(call->thread, call->n_runs);
	run = inference_top(call->thread);
	if (!run->is_executing && !run->is_evaluated && !run->told && !run->message) {
		inference_drop(call->thread);
	} else {
		if (call->known) {
			call->known->object = call->object;
			call->known->session = run->session;
		}
		if (result && call->given)
			ort_python_cache_made(own, call->given, result, call->run);
		inference_end(call->thread, OWNER_API, result || run->message ? 0 : failure());
	}
	errno = saved;
}

static struct python_object *const *first_of_tuple(struct python_object **first, struct python_object *tuple)
{
	for (intptr_t i = 0; i < FIRST_ARGS; i++)
		first[i] = i < ((const intptr_t *)tuple)[TUPLE_SIZE] ? python.PyTuple_GetItem(tuple, i) : NULL;
	return first;
}

static struct python_object *const *first_of(struct python_object **first, struct python_object *const *args,
					     intptr_t n)
{
	for (intptr_t i = 0; i < FIRST_ARGS; i++)
		first[i] = i < (n & INTPTR_MAX) ? args[i] : NULL;
	return first;
}

#define METHODS(F) F(run) F(run_with_iobinding) F(run_with_ort_values) F(run_with_ortvaluevector)
#define OBJECT struct python_object *
#define METHOD(name) \
	static struct python_builtin of_##name; \
	static OBJECT on_##name(OBJECT self, OBJECT args, OBJECT names) \
	{ \
		OBJECT first[FIRST_ARGS]; \
		struct call call = enter(first_of_tuple(first, args)); \
		OBJECT result = ((python_c_call *)of_##name.next)(self, args, names); \
		leave(&call, result); \
		return result; \
	} \
	static OBJECT on_fast_##name(OBJECT self, OBJECT const *args, intptr_t n, OBJECT names) \
	{ \
		OBJECT first[FIRST_ARGS]; \
		struct call call = enter(first_of(first, args, n)); \
		OBJECT result = ((python_fast_call *)of_##name.next)(self, args, n, names); \
		leave(&call, result); \
		return result; \
	}
METHODS(METHOD)

/* An error of a constructor begins with a place in the runtime's source and ends with the reason, which is kept. */
static uint32_t reason(void)
{
	char text[MOST_ERROR];
	size_t len = python_error(text, sizeof text), from, to;
	const char *colon = memchr(text, ':', len < MOST_TYPE ? len : MOST_TYPE);

	while (len && text[len - 1] == '\n')
		len--;
	if (len > MOST_TEXT) {
		from = len - (MOST_TEXT - MOST_TYPE);
		to = colon ? (size_t)(colon - text) + 2 : 0;
		while (from < len && (text[from] & 0xc0) == 0x80) /* not within a character */
			from++;
		memcpy(text + to, "...", 3);
		memmove(text + to + 3, text + from, len - from);
		len = to + 3 + len - from;
	}
	return len ? dict_text(text, len) : dict_text("failed", 6);
}

/* A session that a constructor makes. */
struct making {
	struct thread *thread; /* NULL: it is not looked at */
	uint64_t start;
	uint32_t generation, n_creations;
};

static struct making make_begin(void)
{
	struct thread *thread = agent_thread();
	struct making making = { 0 };

	if (thread && !creation_is_open(thread) && !thread->n_runs)
		making = (struct making){ thread, agent_now(), thread->generation, thread->n_creations };
	return making;
}

static void name_from(struct session *session, struct python_object *given)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL;
	const char *path = NULL;

	python.PyErr_Fetch(&type, &value, &trace);
	if (given && given->type == python.PyUnicode_Type && !(path = python.PyUnicode_AsUTF8(given)))
		python.PyErr_Clear();
	if (path)
		session_name_path(session, path);
	python.PyErr_Restore(type, value, trace);
}

/* given: the model's path, or something else; NULL. */
static void make_end(const struct making *making, const struct python_object *result, struct python_object *given)
{
	struct thread *thread = making->thread;
	int saved = errno;
	uint32_t message;

	if (result || !thread || self_thread != thread || thread->generation != making->generation ||
	    hot->generation != making->generation || creation_is_open(thread) ||
	    thread->n_creations != making->n_creations)
		return;
	message = reason();
	creation_begin(thread, &runtime_onnxruntime, OWNER_EVALUATION, making->start);
	if (creation_is_open(thread)) {
		name_from(thread->creation.session, given);
		creation_end(thread, OWNER_EVALUATION, message);
	}
	errno = saved;
}

enum { GIVEN = 2 }; /* which argument the model is: behind the object and its options */

static struct python_builtin of_init;

static OBJECT on_init(OBJECT self, OBJECT args, OBJECT names)
{
	struct making making = make_begin();
	OBJECT result = ((python_c_call *)of_init.next)(self, args, names);

	make_end(&making, result, ((intptr_t *)args)[TUPLE_SIZE] > GIVEN ? python.PyTuple_GetItem(args, GIVEN) : NULL);
	return result;
}

static OBJECT on_fast_init(OBJECT self, OBJECT const *args, intptr_t n, OBJECT names)
{
	struct making making = make_begin();
	OBJECT result = ((python_fast_call *)of_init.next)(self, args, n, names);

	make_end(&making, result, (n & INTPTR_MAX) > GIVEN ? args[GIVEN] : NULL);
	return result;
}

/* What the package's function calls first, in some versions or all. */
#define FIRST(name) \
	static struct python_builtin of_##name; \
	static OBJECT on_##name(OBJECT self, OBJECT args, OBJECT names) \
	{ \
		looks_around(); \
		return ((python_c_call *)of_##name.next)(self, args, names); \
	} \
	static OBJECT on_fast_##name(OBJECT self, OBJECT const *args, intptr_t n, OBJECT names) \
	{ \
		looks_around(); \
		return ((python_fast_call *)of_##name.next)(self, args, n, names); \
	}
FIRST(getter)
FIRST(is_captured)

/* What these names lead to from a module that is imported, a new reference; NULL: it is not there yet. */
static struct python_object *find(const char *module, const char *const *names)
{
	struct python_object *at = python.PyDict_GetItemString(python.PyImport_GetModuleDict(), module), *next;

	if (at)
		python.Py_IncRef(at);
	for (; at && *names; names++) {
		next = python.PyObject_GetAttrString(at, *names);
		if (!next)
			python.PyErr_Clear();
		python.Py_DecRef(at);
		at = next;
	}
	return at;
}

#define BINDING "onnxruntime.capi.onnxruntime_pybind11_state"
#define PACKAGE "onnxruntime.capi.onnxruntime_inference_collection"

static void replace_getter(struct python_builtin *builtin, const char *const *path, const char *name,
			   python_c_call *with, python_fast_call *fast)
{
	struct python_object *getter = find(BINDING, path);

	if (getter)
		python_replace_builtin(builtin, getter, name, with, fast);
	if (getter)
		python.Py_DecRef(getter);
}

/* The package is imported after its binding. Without it, inferences begin a little later. */
static bool look_at_package(void)
{
	static const char *const of_inputs[] = { "NodeArg", "name", "fget", NULL };
	static const char *const of_session[] = { "InferenceSession", "is_webgpu_graph_capture_enabled", NULL };
	static const char *const of_package[] = { "Session", "run", "__code__", NULL };

	if (!run_code)
		run_code = find(PACKAGE, of_package);
	if (!run_code)
		return has_called;
	replace_getter(&of_getter, of_inputs, "", on_getter, on_fast_getter);
	replace_getter(&of_is_captured, of_session, of_session[1], on_is_captured, on_fast_is_captured);
	return true;
}

#define REPLACE(name) \
	method = python.PyObject_GetAttrString(class, #name); \
	if (!method) { \
		python.PyErr_Clear(); \
	} else { \
		is_replaced |= python_replace_builtin(&of_##name, method, #name, on_##name, on_fast_##name); \
		python.Py_DecRef(method); \
	}

static void look(void)
{
	struct python_object *type = NULL, *value = NULL, *trace = NULL, *class, *method;
	bool is_replaced = false;
	int saved = errno;

	python.PyErr_Fetch(&type, &value, &trace);
	/* another binding, whose runs are not seen here, would be looked for at each text for ever */
	if (++n_looks > MOST_LOOKS)
		__atomic_store_n(&door, NULL, __ATOMIC_RELEASE);
	class = find(BINDING, (const char *const[]){ "InferenceSession", NULL });
	if (class) {
		METHODS(REPLACE)
		method = python.PyObject_GetAttrString(class, "__init__");
		if (method) {
			python_replace_builtin(&of_init, method, "__init__", on_init, on_fast_init);
			python.Py_DecRef(method);
		} else {
			python.PyErr_Clear();
		}
		python.Py_DecRef(class);
		/* while the module is imported, its class has no functions yet */
		if (is_replaced && look_at_package())
			__atomic_store_n(&door, NULL, __ATOMIC_RELEASE);
	}
	python.PyErr_Restore(type, value, trace);
	errno = saved;
}

__attribute__((noinline)) static void look_once(void)
{
	if (__atomic_exchange_n(&is_looking, 1, __ATOMIC_ACQUIRE))
		return;
	look();
	__atomic_store_n(&is_looking, 0, __ATOMIC_RELEASE);
}

void ort_python_look(void)
{
	if (__builtin_expect(door != NULL, 0))
		look_once();
}

static void *on_save_thread(void)
{
	ort_python_look();
	return python.PyEval_SaveThread();
}

/* Waits for the GIL. */
static void on_restore_thread(void *state)
{
	struct thread *thread = self_thread;
	struct open_run *run = thread && thread->generation == hot->generation ? inference_top(thread) : NULL;
	uint32_t number = run && run->is_in_python && run->is_over ? run->run : 0;
	uint64_t asked, waited;

	if (!number) {
		python.PyEval_RestoreThread(state);
		return;
	}
	asked = agent_now();
	python.PyEval_RestoreThread(state);
	waited = agent_now() - asked;
	run = thread->generation == hot->generation ? inference_top(thread) : NULL;
	if (run && run->run == number && waited > usage_lost_ticks() && waited > (asked - run->start) / MOST_WAIT)
		run->left = asked;
}

static bool is_binding(const struct image *image)
{
	return hook_has_import(image, "PyEval_SaveThread") && hook_has_import(image, "PyEval_RestoreThread");
}

void ort_python_found(const struct copy *copy)
{
	if (is_binding(&copy->image))
		python_find();
}

void ort_python_arm(const struct copy *copy)
{
	if (!python.PyEval_SaveThread || copy->found.slot[ORT_RUN_START] < 0 || !is_binding(&copy->image))
		return;
	own = &ort_copies[copy->number];
	n_looks = 0;
	__atomic_store_n(&door, &copy->image, __ATOMIC_RELEASE);
	if (!hook_import(&copy->image, "PyEval_SaveThread", on_save_thread))
		__atomic_store_n(&door, NULL, __ATOMIC_RELEASE);
	else
		hook_import(&copy->image, "PyEval_RestoreThread", on_restore_thread);
}

#define PUT_BACK(name) python_put_back_builtin(&of_##name);

/* The copy may be unloaded: nothing of it is read. */
void ort_python_disarm(void)
{
	__atomic_store_n(&door, NULL, __ATOMIC_RELEASE);
	METHODS(PUT_BACK)
	python_put_back_builtin(&of_init);
	python_put_back_builtin(&of_getter);
	python_put_back_builtin(&of_is_captured);
}
