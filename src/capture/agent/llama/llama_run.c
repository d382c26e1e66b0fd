// SPDX-License-Identifier: Apache-2.0
/*
 * Models, contexts and batches of llama.cpp. A context is a session, made from a model that was loaded before; a batch
 * that is decoded or encoded is an inference, and its tokens are the inference's input. If a model's first context
 * follows its load at once, the session's creation begins with the load.
 *
 * Functions that programs call pass structures by value: their hooks pass on as much of the stack as those may take.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/syscalls.h"
#include "capture/agent/dict.h"
#include "capture/agent/llama/llama_in.h"
#include "capture/agent/replace/places.h"
#include "capture/agent/run/bracket.h"
#include "capture/agent/run/caller.h"
#include "capture/agent/run/creation.h"
#include "capture/agent/run/phase.h"
#include "event/event.h"

enum { MAX_MODELS = 64, AT_ONCE = 1 << 28 /* ticks: some 100 ms */ };

static struct place places[PLACES]; /* role: enum llama_role */

/* A model that was loaded; another one may get the address of one that is gone, and is loaded then. */
static struct model {
	word at; /* 0: free. Stored last */
	uint64_t start, end;
	bool is_used;
	char path[1024];
} models[MAX_MODELS];

static __thread bool is_loading;
static word (*ask_model)(word context);
static int32_t (*ask_text)(word model, const char *key, char *to, size_t size);

static bracket_long_function *next(const struct place *place)
{
	return (bracket_long_function *)place->real;
}

static struct model *model_of(word at)
{
	for (int i = 0; i < MAX_MODELS && at; i++)
		if (__atomic_load_n(&models[i].at, __ATOMIC_ACQUIRE) == at)
			return &models[i];
	return NULL;
}

/* The program may have another working directory when a context is made. */
static void put_path(char *to, size_t size, const char *path)
{
	size_t used = 0;

	if (path[0] != '/' && CALL(SYS_getcwd, (long)to, size - 1) > 0 && to[0] == '/') {
		used = strlen(to);
		to[used++] = '/';
		while (!strncmp(path, "./", 2))
			path += 2;
	}
	snprintf(to + used, size - used, "%s", path);
}

static void know_model(word at, const char *path, uint64_t start)
{
	static unsigned next;
	struct model *model = model_of(at);
	int saved = errno;

	if (!model)
		model = &models[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % MAX_MODELS];
	__atomic_store_n(&model->at, 0, __ATOMIC_RELEASE);
	model->start = start;
	model->end = agent_now();
	model->is_used = false;
	put_path(model->path, sizeof model->path, path);
	__atomic_store_n(&model->at, at, __ATOMIC_RELEASE);
	errno = saved;
}

void llama_run_know(const struct llama_names *names)
{
	ask_model = (word (*)(word))names->look_up(names, "llama_get_model");
	ask_text = (int32_t (*)(word, const char *, char *, size_t))names->look_up(names, "llama_model_meta_val_str");
	llama_extended_know(names);
}

/* Of a model whose load was not seen: the name in its file. */
static void name_model(struct session *session, word model)
{
	char name[sizeof session->model];
	int saved = errno;

	if (!model || !ask_text || ask_text(model, "general.name", name, sizeof name) <= 0)
		*name = 0;
	session_name_graph(session, name);
	errno = saved;
}

static struct session *session_at(word context)
{
	struct session *session = session_of_object(context);
	const struct model *model;
	word of;

	if (session || !(session = session_new(&runtime_llama)))
		return session;
	session_bind(session, context);
	of = ask_model ? ask_model(context) : 0;
	model = model_of(of);
	if (model)
		session_name_path(session, model->path);
	else
		name_model(session, of);
	return session;
}

/* An exception leaves what a hook began; message: its text. */
static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	message = message ? message : dict_text("failed", 6);
	if (bracket->event == RUNTIME_RUN) {
		llama_operator_end(thread, agent_now());
		inference_end_inner(thread, bracket->level);
		inference_end(thread, OWNER_API, message);
	} else {
		creation_end(thread, OWNER_API, message);
	}
}

/* The words of llama.h. */
static uint32_t failure_of(int32_t status)
{
	const char *text = status == 1	  ? "could not find a KV slot for the batch"
			   : status == 2  ? "aborted"
			   : status == -1 ? "invalid input batch"
					  : "fatal error";

	return status ? dict_text(text, strlen(text)) : 0;
}

static word run(const struct place *place, struct thread *thread, const struct llama_batch_words *batch, BRACKET_LONG)
{
	enum { INT32 = 6 };
	const word frame = (word)__builtin_frame_address(0);
	struct session *session = session_at(a);
	const struct open_run *outer = inference_top(thread);
	const struct shape tokens = { .type = INT32, .n_dims = 1, .dim = { batch->n_tokens } };
	struct shapes shapes;
	struct open_run *open;
	uint32_t n_runs;
	word r;

	if ((outer && session && outer->session == session) || !(open = inference_begin(thread, OWNER_API, 0, session)))
		return next(place)(BRACKET_PASS_LONG);
	open->is_executing = true;
	n_runs = thread->n_runs;
	if (batch->n_tokens) {
		shapes_init(&shapes);
		shapes_add(&shapes, &tokens);
		open->shapes = shapes_text(&shapes);
		open->batch = batch->n_tokens;
	}
	llama_operator_start(thread);
	inference_tell(thread, open, place->is_encoder ? "encode" : NULL);
	bracket_begin(thread, RUNTIME_RUN, frame, n_runs, left);
	r = bracket_call_long(next(place), BRACKET_PASS_LONG);
	bracket_end(thread, frame);
	llama_operator_end(thread, agent_now());
	inference_end_inner(thread, n_runs);
	/* of a batch that was refused, nothing went in: programs try again with a part of it */
	if (!(int32_t)r && !place->is_encoder)
		inference_tell_sequences(thread, open, llama_batch_text(batch, a));
	inference_end(thread, OWNER_API, failure_of((int32_t)r));
	return r;
}

/* Begins the creation of a context of a model. */
static void begin_creation(struct thread *thread, word of)
{
	uint64_t now = agent_now();
	struct model *model = model_of(of);
	bool is_first = model && !model->is_used && now - model->end < AT_ONCE;

	creation_begin(thread, &runtime_llama, OWNER_API, is_first ? model->start : 0);
	if (!creation_is_open(thread))
		return;
	if (model) {
		session_name_path(thread->creation.session, model->path);
		model->is_used = true;
	} else {
		name_model(thread->creation.session, of);
	}
	if (is_first)
		creation_has_loaded(thread, model->start, model->end);
}

static void end_creation(struct thread *thread, word context, uint32_t message)
{
	if (creation_is_open(thread) && context) {
		session_release(context); /* another one had this address, whose end was not seen */
		session_bind(thread->creation.session, context);
	}
	creation_end(thread, OWNER_API, message);
}

/* a: the context, b: the model. It throws. */
static word create(const struct place *place, struct thread *thread, BRACKET_LONG)
{
	const word frame = (word)__builtin_frame_address(0);
	word r;

	if (creation_is_open(thread))
		return next(place)(BRACKET_PASS_LONG);
	begin_creation(thread, b);
	bracket_begin(thread, RUNTIME_CREATION, frame, 0, left);
	r = bracket_call_long(next(place), BRACKET_PASS_LONG);
	bracket_end(thread, frame);
	end_creation(thread, a, 0);
	return r;
}

/* a: the model. Returns the context, or NULL. */
static word create_by_c(const struct place *place, struct thread *thread, BRACKET_LONG)
{
	word r;

	if (creation_is_open(thread))
		return next(place)(BRACKET_PASS_LONG);
	begin_creation(thread, a);
	r = next(place)(BRACKET_PASS_LONG);
	end_creation(thread, r, r ? 0 : dict_text("no context was made", 19));
	return r;
}

static word reserve(const struct place *place, struct thread *thread, BRACKET_LONG)
{
	word r;

	phase_begin(thread, EVENT_PHASE_PLAN, agent_now());
	thread->creation.n_values = 0;
	r = next(place)(BRACKET_PASS_LONG);
	if (creation_is_open(thread))
		phase_close(thread, agent_now());
	return r;
}

static void refuse(struct thread *thread, const char *path, uint64_t start)
{
	static const char message[] = "the model was not loaded";

	if (creation_is_open(thread))
		return;
	creation_begin(thread, &runtime_llama, OWNER_API, start);
	if (creation_is_open(thread))
		session_name_path(thread->creation.session, path);
	creation_end(thread, OWNER_API, dict_text(message, sizeof message - 1));
}

/* Returns the model, or NULL. An older name calls the newer one. */
static word load(const struct place *place, struct thread *thread, const char *path, BRACKET_LONG)
{
	uint64_t start = agent_now();
	word r;

	if (is_loading || !path)
		return next(place)(BRACKET_PASS_LONG);
	is_loading = true;
	r = next(place)(BRACKET_PASS_LONG);
	is_loading = false;
	if (r)
		know_model(r, path, start);
	else
		refuse(thread, path, start);
	return r;
}

static void release(struct thread *thread, word context)
{
	const struct session *session = session_of_object(context);
	struct record *record = session ? agent_claim(thread) : NULL;

	if (record) {
		*record = (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED };
		agent_publish(thread);
	}
	session_release(context);
}

/* struct llama_batch of llama.h. */
static struct llama_batch_words batch_at(const word *batch)
{
	return (struct llama_batch_words){ (uint32_t)batch[0], batch[1], batch[3], batch[4], batch[5], batch[6], NULL };
}

/* The batch of a C call is a structure on the stack, or one that the second argument points at. */
static struct llama_batch_words batch_of(word second, const word *on_stack)
{
#if defined(__x86_64__)
	return batch_at(on_stack);
#else
	return batch_at((const word *)second);
#endif
}

static word serve(const struct place *place, BRACKET_LONG)
{
	struct thread *thread = agent_thread();
	struct llama_batch_words batch = { .n_tokens = 0 };

	if (!thread)
		return next(place)(BRACKET_PASS_LONG);
	switch ((enum llama_role)place->role) {
	case LLAMA_RUN:
		batch = batch_at((const word *)b);
		return run(place, thread, &batch, BRACKET_PASS_LONG);
	case LLAMA_RUN_EXTENDED:
		batch = llama_extended_batch(a, b);
		return run(place, thread, &batch, BRACKET_PASS_LONG);
	case LLAMA_C_RUN:
		batch = batch_of(b, (const word[]){ g, g1, g2, g3, g4, g5, h });
		return run(place, thread, &batch, BRACKET_PASS_LONG);
	case LLAMA_CREATE:
		return create(place, thread, BRACKET_PASS_LONG);
	case LLAMA_C_CREATE:
		return create_by_c(place, thread, BRACKET_PASS_LONG);
	case LLAMA_RESERVE:
		return reserve(place, thread, BRACKET_PASS_LONG);
	case LLAMA_LOAD:
		return load(place, thread, (const char *)a, BRACKET_PASS_LONG);
	case LLAMA_LOAD_PARTS:
		return load(place, thread, a && b ? *(const char *const *)a : NULL, BRACKET_PASS_LONG);
	case LLAMA_DELETE:
	case LLAMA_C_DELETE:
		release(thread, a);
		break;
	default:
		break;
	}
	return next(place)(BRACKET_PASS_LONG);
}

#define STAND_IN(n) \
	static word stand_in_##n(BRACKET_LONG) \
	{ \
		if (places[n].role == LLAMA_C_RUN || places[n].role == LLAMA_C_CREATE || \
		    places[n].role == LLAMA_C_CALLED) \
			caller_came_from(__builtin_return_address(0)); \
		return serve(&places[n], BRACKET_PASS_LONG); \
	}
PLACES_EACH(STAND_IN)

#define ENTRY(n) stand_in_##n,
static bracket_long_function *const stand_ins[PLACES] = { PLACES_EACH(ENTRY) };

void *llama_run_hook(const struct copy *copy, const char *name, enum llama_role role, void *real)
{
	unsigned at = places_take(places, copy, (uint8_t)role, real);

	if (at == PLACES)
		return NULL;
	places[at].is_encoder = strstr(name, "encode") != NULL;
	return (void *)stand_ins[at];
}

void llama_run_forget_gone(void)
{
	places_forget_gone(places);
}

void llama_run_forget_all(void)
{
	for (unsigned i = 0; i < MAX_MODELS; i++)
		models[i].at = 0;
}
