// SPDX-License-Identifier: Apache-2.0
/*
 * Hooks for runtimes that the table describes by data alone: what a family's function is (enum runtime_event), which
 * argument is `this`, where objects keep their names. A hook exists once for each family of each such runtime, because
 * only its own address identifies the family. Names no runtime.
 *
 * An operator on a thread without an inference is written without one, unless exactly one is running.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/code.h"
#include "capture/agent/creation.h"
#include "capture/agent/dict.h"
#include "event/event.h"
#include "runtime/peek.h"

enum { MAX_PLACES = 24, NAME = 256, TYPE = 64 };

typedef uintptr_t word;
/* Six register and six stack words: the arguments of a function with up to twelve parameters. */
#define ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define PASS a, b, c, d, e, f, g, h, i, j, k, l
typedef word function(ARGS);

/* One family of one runtime. */
static struct place {
	const struct runtime *runtime;
	const struct runtime_family *family;
	unsigned number; /* index of the family */
} places[MAX_PLACES];
static unsigned n_places;

/* An object whose function is replaced. */
struct object {
	word vptr;
	function *next; /* its class's own function */
	uint32_t generation, node;
	const struct place *place;
};
static struct map objects; /* by key_of */

/* One object may have functions of several families. */
static inline word key_of(const struct place *place, word self)
{
	return self ^ (word)place->number << 48;
}

static void read_names(const struct runtime_family *family, word self, char *name, char *type)
{
	if (!family->object_name || peek_path(family->object_name, self, name, NAME) <= 0)
		*name = 0;
	if (!family->object_type || peek_path(family->object_type, self, type, TYPE) <= 0)
		*type = 0;
}

/* First call of an object, or of a new one at a known address. NULL: out of memory, or not a known class. */
static __attribute__((noinline)) struct object *learn(const struct place *place, word self)
{
	const struct copy *copy = copies_of_class(peek_word(self));
	struct object *object = NULL;
	char name[NAME], type[TYPE];
	int saved = errno;

	agent_lock();
	if (copy && !(object = map_get(&objects, key_of(place, self))) &&
	    (object = arena_alloc(&agent.arena, sizeof *object)) && !map_put(&objects, key_of(place, self), object))
		object = NULL;
	agent_unlock();
	if (object) {
		object->place = place;
		object->next = (function *)copies_original(copy, *(word *)self, place->number);
		read_names(place->family, self, name, type);
		if (place->family->event == RUNTIME_OPERATOR)
			object->node = dict_node(dict_text(name, strlen(name)), dict_text(type, strlen(type)), 0);
		object->generation = hot->generation;
		__atomic_store_n(&object->vptr, *(word *)self, __ATOMIC_RELEASE);
	}
	errno = saved;
	return object && object->next ? object : NULL;
}

static inline const struct object *object_of(const struct place *place, word self)
{
	const struct object *object = map_get(&objects, key_of(place, self));

	if (__builtin_expect(!object || object->vptr != *(word *)self || object->place != place ||
				 object->generation != hot->generation,
			     0))
		object = learn(place, self);
	return object;
}

/* The inference that an operator on this thread belongs to; 0: unknown. */
static uint32_t run_of(const struct thread *thread)
{
	uint32_t run, only = 0;

	if (thread->n_runs)
		return thread->run[thread->n_runs - 1].run;
	if (creation_is_open(thread) || agent.late_since)
		return 0;
	for (uint64_t rest = __atomic_load_n(&hot->lanes, __ATOMIC_RELAXED); rest; rest &= rest - 1) {
		run = __atomic_load_n(&inference_active[__builtin_ctzll(rest)].run, __ATOMIC_ACQUIRE);
		if (run && only)
			return 0;
		only = run ? run : only;
	}
	return only;
}

static word operate(struct thread *thread, const struct object *object, ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	struct open_operator *op;
	uint64_t end;
	word r;

	if (thread->depth)
		inference_tell_operators(thread, frame);
	if (thread->depth >= MAX_DEPTH) {
		ring_lose(&thread->ring);
		return object->next(PASS);
	}
	op = &thread->open[thread->depth++];
	*op = (struct open_operator){ .frame = frame, .node = object->node, .run = run_of(thread) };
	op->start = agent_now();
	r = object->next(PASS);
	end = agent_now();
	/* it has forked, or recording has restarted: the entry belongs to another operator */
	if (thread->generation != hot->generation || !op->start || op->frame != frame)
		return r;
	thread->depth = (uint32_t)(op - thread->open);
	inference_end_operator(thread, op, end, 0);
	return r;
}

/* The session of this object; made at the first call. NULL: out of memory. */
static struct session *session_at(const struct runtime_family *family, word at)
{
	struct session *session = session_of_object(at);
	char name[NAME], type[TYPE];

	if (session || !(session = session_new()))
		return session;
	session_bind(session, at);
	read_names(family, at, name, type);
	session_name_graph(session, name);
	return session;
}

static word run(struct thread *thread, const struct object *object, word self, ARGS)
{
	struct session *session = session_at(object->place->family, self);
	struct open_run *open = inference_begin(thread, OWNER_API, 0, session);
	uint32_t n_runs = thread->n_runs;
	word r;

	if (!open)
		return object->next(PASS);
	inference_tell(thread, open, NULL);
	r = object->next(PASS);
	inference_end_inner(thread, n_runs);
	inference_end(thread, OWNER_API, 0);
	return r;
}

static word create(struct thread *thread, const struct object *object, word self, ARGS)
{
	char name[NAME], type[TYPE];
	word r;

	creation_begin(thread, OWNER_API, 0);
	r = object->next(PASS);
	if (creation_is_open(thread) && !thread->creation.n_nested) {
		read_names(object->place->family, self, name, type);
		session_bind(thread->creation.session, self);
		session_name_graph(thread->creation.session, name);
	}
	creation_end(thread, OWNER_API, 0);
	return r;
}

static word load(struct thread *thread, const struct object *object, ARGS)
{
	uint64_t start = agent_now();
	word r = object->next(PASS);

	if (creation_is_open(thread))
		creation_loaded(thread, start);
	return r;
}

static word part(struct thread *thread, const struct object *object, word self, ARGS)
{
	char name[NAME], type[TYPE];
	bool is_told = false;
	word r;

	if (creation_is_open(thread)) {
		read_names(object->place->family, self, name, type);
		is_told = creation_part_begin(thread, NULL, *name ? name : type);
	}
	r = object->next(PASS);
	if (is_told)
		creation_part_end(thread, 0, 0);
	return r;
}

static void release(struct thread *thread, word self)
{
	const struct session *session = session_of_object(self);
	struct record *record = session ? agent_claim(thread) : NULL;

	if (record) {
		*record = (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED };
		agent_publish(thread);
	}
	session_release(self);
}

static word serve(const struct place *place, ARGS)
{
	word self = place->family->is_self_second ? b : a;
	const struct object *object = object_of(place, self);
	struct thread *thread = agent_thread();

	if (!object) { /* out of memory, or it is not the argument that the table says: the function is known all the
			  same */
		void *next = copies_any_original(place->runtime, place->number, self, self == a ? b : a);
		return ((function *)next)(PASS);
	}
	if (!thread)
		return object->next(PASS);
	switch (place->family->event) {
	case RUNTIME_OPERATOR:
		return operate(thread, object, PASS);
	case RUNTIME_RUN:
		return run(thread, object, self, PASS);
	case RUNTIME_CREATION:
		return create(thread, object, self, PASS);
	case RUNTIME_LOAD:
		return load(thread, object, PASS);
	case RUNTIME_PART:
		return part(thread, object, self, PASS);
	case RUNTIME_RELEASE:
		release(thread, self);
	}
	return object->next(PASS);
}

/* clang-format off */
#define EACH_PLACE(F) \
	F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) \
	F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23)
/* clang-format on */
#define STAND_IN(n) \
	static word stand_in_##n(ARGS) \
	{ \
		return serve(&places[n], PASS); \
	}
EACH_PLACE(STAND_IN)

static void *hook(const struct runtime *runtime, unsigned number)
{
#define ENTRY(n) stand_in_##n,
	static function *const stand_ins[MAX_PLACES] = { EACH_PLACE(ENTRY) };
	const struct runtime_family *family = &runtime->family[number];
	unsigned at = 0;

	if (family->event == RUNTIME_OTHER)
		return NULL;
	while (at < n_places && places[at].family != family)
		at++;
	if (at == MAX_PLACES)
		return NULL;
	places[at] = (struct place){ runtime, family, number };
	n_places = at == n_places ? at + 1 : n_places;
	return (void *)stand_ins[at];
}

static void forget_all(void)
{
	agent_lock();
	for (uint64_t n = 0; objects.table && n <= objects.table->mask; n++) {
		struct object *object = objects.table->entry[n].value;
		if (object) /* the entry is kept for an object that gets the same address */
			__atomic_store_n(&object->vptr, 0, __ATOMIC_RELEASE);
	}
	agent_unlock();
}

const struct agent_code agent_plain = { .hook = hook, .forget_all = forget_all };
