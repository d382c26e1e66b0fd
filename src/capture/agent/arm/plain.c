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

#include "capture/agent/arm/code.h"
#include "capture/agent/dict.h"
#include "capture/agent/run/bracket.h"
#include "capture/agent/run/caller.h"
#include "capture/agent/run/creation.h"
#include "capture/agent/run/prompt.h"
#include "event/event.h"
#include "runtime/find/peek.h"

enum { MAX_PLACES = 20, MAX_OPERATORS = 4 };

typedef uintptr_t word;
/* Six register and six stack words: the arguments of a function with up to twelve parameters. */
#define ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define PASS a, b, c, d, e, f, g, h, i, j, k, l
typedef word function(ARGS);
/* An operator's function has at most five parameters: hooks of the hot path pass on registers alone. */
#define REGISTERS word a, word b, word c, word d, word e
#define PASS_REGISTERS a, b, c, d, e
typedef bracket_operator_function operator_function;

/* One family of one runtime. */
static struct place {
	const struct runtime *runtime;
	const struct runtime_family *family;
	unsigned number;   /* index of the family */
	unsigned leads_at; /* where its objects have the one that they lead to; a guess */
	bool is_self_second;
} places[MAX_PLACES], operator_places[MAX_OPERATORS];

/* An object whose function is replaced. */
struct object {
	word vptr, self;
	function *next; /* its class's own function */
	uint32_t generation, node;
	const struct place *place;
	unsigned leads_at; /* where it has the object that it leads to (runtimes.h), 0: nowhere */
	word leads_to;	   /* and what stood there */
	uint64_t asked_by; /* with asked_at: who (caller.h) */
	uint64_t asked_at; /* of a run's: when the program asked for the next one; 0: it did not, or waits for it */
	struct runtime_inputs inputs; /* of a run's: where it has them */
	bool has_inputs;
	uint64_t last_run;  /* of a run's: its last one, behind that one's generation */
	uint8_t looks_left; /* of an operator's: for the shapes of its inputs */
	uint32_t shapes;    /* their text, which may be forgotten; 0: none yet */
};
enum { LOOKS = 4 };
static struct map objects; /* by key_of */

/* One object may have functions of several families. */
static inline word key_of(const struct place *place, word self)
{
	return self ^ (word)place->number << 48;
}

static void read_names(const struct runtime_family *family, word self, struct runtime_names *names)
{
	*names->name = *names->type = *names->path = 0;
	if (family->names) {
		family->names(self, names);
		return;
	}
	if (!family->object_name || peek_path(family->object_name, self, names->name, sizeof names->name) <= 0)
		*names->name = 0;
	if (!family->object_type || peek_path(family->object_type, self, names->type, sizeof names->type) <= 0)
		*names->type = 0;
}

static uint32_t node_of(const struct runtime_family *family, word self)
{
	struct runtime_names names;
	const char *provider = family->provider;

	read_names(family, self, &names);
	return dict_node(dict_text(names.name, strlen(names.name)), dict_text(names.type, strlen(names.type)),
			 provider ? dict_text(provider, strlen(provider)) : 0);
}

static void look_for_timer(const struct runtime_family *family, word self)
{
	const struct thread *thread = self_thread;
	const struct open_run *run = NULL;

	if (thread && thread->n_runs && thread->generation == hot->generation)
		run = &thread->run[thread->n_runs - 1];
	if (family->is_timed && run && run->session && !run->session->is_timed)
		run->session->is_timed = family->is_timed(self);
}

/* First call of an object, or of a new one at a known address. NULL: out of memory, or not a known class. */
static __attribute__((noinline)) struct object *learn(struct place *place, word self)
{
	const struct copy *copy = copies_of_class(peek_word(self));
	struct object *object = NULL;
	int saved = errno;

	agent_lock();
	if (copy && !(object = map_get(&objects, key_of(place, self))) &&
	    (object = arena_alloc(&agent.arena, sizeof *object)) && !map_put(&objects, key_of(place, self), object))
		object = NULL;
	agent_unlock();
	if (object) {
		object->place = place;
		object->self = self;
		object->next = (function *)copies_original(copy, *(word *)self, place->number);
		if (place->family->event == RUNTIME_OPERATOR) {
			object->node = node_of(place->family, self);
			look_for_timer(place->family, self);
		}
		object->looks_left = place->family->shapes && hot->level == LEVEL_DETAIL ? LOOKS : 0;
		object->shapes = 0;
		object->leads_at = 0;
		object->asked_at = 0;
		if (place->family->leads_to) {
			object->leads_to = place->family->leads_to(self, &place->leads_at);
			object->leads_at = object->leads_to ? place->leads_at : 0;
		}
		object->has_inputs =
		    place->family->find_inputs && place->family->find_inputs(self, object->leads_at, &object->inputs);
		object->generation = hot->generation;
		__atomic_store_n(&object->vptr, *(word *)self, __ATOMIC_RELEASE);
	}
	errno = saved;
	return object && object->next ? object : NULL;
}

static inline struct object *object_of(struct place *place, word self)
{
	struct object *object = map_get(&objects, key_of(place, self));

	if (__builtin_expect(!object || object->vptr != *(word *)self || object->place != place ||
				 object->generation != hot->generation ||
				 (object->leads_at && *(word *)(self + object->leads_at) != object->leads_to),
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

/* Of the call that waits for a run: n_runs were open before. */
static void call_ends(struct thread *thread, uint32_t n_runs, uint32_t message)
{
	if (thread->generation != hot->generation || thread->n_runs <= n_runs)
		return;
	inference_end_inner(thread, n_runs + 1);
	if (inference_top(thread)->awaited)
		inference_drop(thread);
	else
		inference_end(thread, OWNER_API, message);
}

/* An exception leaves what a function of the runtime began; message: its text. */
static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	message = message ? message : dict_text("failed", 6);
	switch (bracket->event) {
	case RUNTIME_RUN:
		inference_end_inner(thread, bracket->level);
		inference_end(thread, OWNER_API, message);
		return;
	case RUNTIME_REQUEST: /* the run has ended with the same exception, unless it came later */
		call_ends(thread, bracket->level, message);
		return;
	case RUNTIME_CREATION:
		creation_end(thread, OWNER_API, message);
		return;
	case RUNTIME_PART:
		creation_part_end(thread, FLAG_FAILED, message);
	}
}

/* It has forked, or recording has restarted: the entry belongs to another operator. */
static inline bool is_stale(const struct thread *thread, const struct open_operator *op, word frame)
{
	return thread->generation != hot->generation || !op->start || op->frame != frame;
}

static __attribute__((noinline)) void end_any(struct thread *thread, struct open_operator *op, uint64_t end, word frame)
{
	if (is_stale(thread, op, frame))
		return;
	thread->depth = (uint32_t)(op - thread->open);
	if (op->told)
		inference_end_operator(thread, op, end, 0);
	else
		inference_put_operator(thread, op, end);
}

static __attribute__((noinline)) uint32_t learn_shapes(struct object *object)
{
	int saved = errno;
	struct shapes shapes;
	uint32_t text = 0;

	uint8_t left = __atomic_load_n(&object->looks_left, __ATOMIC_RELAXED);

	if (object->place->family->shapes(object->self, &shapes))
		text = shapes_text(&shapes);
	if (!text && left)
		__atomic_store_n(&object->looks_left, (uint8_t)(left - 1), __ATOMIC_RELAXED);
	__atomic_store_n(&object->shapes, text, __ATOMIC_RELAXED);
	errno = saved;
	return text;
}

static inline uint32_t shapes_of(const struct object *object)
{
	uint32_t text;

	if (__builtin_expect(!object->looks_left, 1))
		return 0;
	text = __atomic_load_n(&object->shapes, __ATOMIC_RELAXED);
	return text && dict_is_valid(text) ? text : learn_shapes((struct object *)object);
}

/* Any operator: inside another, on a thread without an inference, or new. */
static __attribute__((noinline)) word operate_any(REGISTERS, struct place *place)
{
	const word frame = (word)__builtin_frame_address(0), self = place->is_self_second ? b : a;
	const struct object *object = object_of(place, self);
	struct thread *thread = agent_thread();
	operator_function *next = object ? (operator_function *)(word)object->next : NULL;
	struct open_operator *op;
	uint64_t end;
	word r;

	if (!object) {
		void *any = copies_any_original(place->runtime, place->number, self, self == a ? b : a);
		return ((operator_function *)any)(PASS_REGISTERS);
	}
	if (!thread)
		return next(PASS_REGISTERS);
	if (thread->depth)
		inference_tell_operators(thread, frame);
	if (thread->depth >= MAX_DEPTH) {
		ring_lose(&thread->ring);
		return next(PASS_REGISTERS);
	}
	op = &thread->open[thread->depth++];
	*op = (struct open_operator){
		.frame = frame, .node = object->node, .run = run_of(thread), .shapes = shapes_of(object)
	};
	op->start = agent_now();
	r = bracket_call_operator(PASS_REGISTERS, next);
	end = agent_now();
	end_any(thread, op, end, frame);
	return r;
}

/* The object, if nothing about it has changed since it was met; else NULL. */
static inline const struct object *object_quick(const struct place *place, word self)
{
	const struct map_table *table = __atomic_load_n(&objects.table, __ATOMIC_ACQUIRE);
	const word wanted = key_of(place, self);
	const struct object *object;
	word key;

	if (!table)
		return NULL;
	for (uint64_t at = map_hash(wanted);; at++) {
		const struct map_entry *entry = &table->entry[at & table->mask];
		key = __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE);
		if (__builtin_expect(key == wanted, 1)) {
			object = __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
			break;
		}
		if (!key)
			return NULL;
	}
	/* the table may have been overwritten meanwhile (map.h) */
	return object && object->self == self && object->place == place && object->vptr == *(word *)self ? object
													 : NULL;
}

/* The short path, for what nearly all operators are: known, in an inference of this thread, not inside another. */
static inline __attribute__((always_inline)) word serve_operator(REGISTERS, struct place *place, word frame)
{
	const struct object *object = object_quick(place, place->is_self_second ? b : a);
	struct thread *thread = self_thread;
	struct open_operator *op;
	uint64_t end;
	word r;

	if (__builtin_expect(!thread || !object, 0) || __builtin_expect(object->generation != thread->plain, 0) ||
	    __builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(thread->depth, 0))
		return operate_any(PASS_REGISTERS, place);
	op = &thread->open[0];
	op->frame = frame;
	op->node = object->node;
	op->run = thread->current_run;
	op->shapes = shapes_of(object);
	op->told = false;
	thread->depth = 1;
	op->start = clock_ticks();
	r = bracket_call_operator(PASS_REGISTERS, (operator_function *)(word)object->next);
	end = clock_ticks();
	if (__builtin_expect(hot->generation != thread->plain, 0) || __builtin_expect(op->told, 0)) {
		end_any(thread, op, end, frame);
		return r;
	}
	thread->depth = 0;
	inference_put_operator(thread, op, end);
	return r;
}

/* The session of this object; made at the first call. NULL: out of memory. */
static struct session *session_at(const struct place *place, word at)
{
	struct session *session = session_of_object(at);
	struct runtime_names names;

	if (session || !(session = session_new(place->runtime)))
		return session;
	session_bind(session, at);
	read_names(place->family, at, &names);
	if (*names.path)
		session_name_path(session, names.path);
	else
		session_name_graph(session, names.name);
	return session;
}

static struct session *session_of_run(const struct object *object)
{
	return session_at(object->place, object->leads_at ? object->leads_to : object->self);
}

/* What goes into a run. */
struct input {
	uint32_t sequences; /* the id of what of which sequence; 0: not known */
	struct prompt_row row[PROMPT_ROWS];
	size_t n; /* of these, that may be tokens */
};

static struct input take_inputs(struct open_run *run, const struct object *object)
{
	enum { TEXT = 4096 };
	const struct runtime_family *family = object->place->family;
	struct input input = { .n = 0 };
	struct shapes shapes;
	char text[TEXT];
	size_t len;

	shapes_init(&shapes);
	if (!family->inputs(object->self, &object->inputs, &shapes))
		return input;
	run->shapes = shapes_text(&shapes);
	run->batch = shapes_batch(&shapes);
	if (!family->sequences)
		return input;
	len = family->sequences(&shapes, text, sizeof text);
	input.sequences = len ? dict_text_of_run(text, len) : 0;
	for (uint32_t i = 0; i < shapes.n && input.n < PROMPT_ROWS && !len; i++) {
		input.row[input.n] = prompt_row_of((uintptr_t)shapes.input[i].data, &shapes.input[i]);
		input.n += input.row[input.n].n != 0;
	}
	return input;
}

/* A request that keeps caches, or has them among its tensors, goes on where it was. */
static uint32_t last_run_of(struct object *object, const struct open_run *run)
{
	uint64_t last =
	    __atomic_exchange_n(&object->last_run, (uint64_t)hot->generation << 32 | run->run, __ATOMIC_RELAXED);

	return last >> 32 == hot->generation ? (uint32_t)last : 0;
}

static void tell(struct thread *thread, struct open_run *run, struct object *object)
{
	struct input input = { .n = 0 };

	if (object->has_inputs) {
		input = take_inputs(run, object);
		run->follows = last_run_of(object, run);
	}
	inference_tell(thread, run, NULL);
	inference_tell_sequences(thread, run, input.sequences);
	prompt_tell_first(thread, run, input.row, input.n);
}

static word run(struct thread *thread, struct object *object, ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	struct open_run *open = inference_top(thread);
	bool is_awaited = open && open->awaited == object;
	uint32_t n_runs;
	word r;

	if (__atomic_load_n(&object->asked_at, __ATOMIC_RELAXED)) {
		thread->asked_by = __atomic_load_n(&object->asked_by, __ATOMIC_RELAXED);
		thread->queued_since = __atomic_exchange_n(&object->asked_at, 0, __ATOMIC_RELAXED);
	}
	if (is_awaited) /* the call that waits for it ends it */
		open->awaited = NULL;
	else
		open = inference_begin(thread, OWNER_API, 0, session_of_run(object));
	n_runs = thread->n_runs;

	if (!open)
		return object->next(PASS);
	open->is_executing = true;
	tell(thread, open, object);
	bracket_begin(thread, RUNTIME_RUN, frame, n_runs, left);
	r = bracket_call(object->next, PASS);
	bracket_end(thread, frame);
	inference_end_inner(thread, n_runs);
	if (!is_awaited)
		inference_end(thread, OWNER_API, 0);
	return r;
}

/* Before the call: where the model is an argument, its names are known then. */
static void name_model(struct thread *thread, const struct runtime_family *family, word at)
{
	struct runtime_names names;

	if (!creation_is_open(thread) || !at)
		return;
	read_names(family, at, &names);
	if (*names.path)
		session_name_path(thread->creation.session, names.path);
	else if (*names.name)
		session_name_graph(thread->creation.session, names.name);
}

static word create(struct thread *thread, const struct object *object, word self, ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	const struct runtime_family *family = object->place->family;
	word r, made;

	if (creation_is_open(thread)) /* another runtime's, or one of this, makes it inside: it is a part of that */
		return object->next(PASS);
	creation_begin(thread, object->place->runtime, OWNER_API, 0);
	if (family->has_model)
		name_model(thread, family, peek_word(c));
	bracket_begin(thread, RUNTIME_CREATION, frame, 0, left);
	r = bracket_call(object->next, PASS);
	bracket_end(thread, frame);
	made = family->is_self_second ? peek_word(a) : self;
	if (creation_is_open(thread) && made) {
		session_release(made); /* another one had this address, whose end was not seen */
		session_bind(thread->creation.session, made);
		if (!family->has_model)
			name_model(thread, family, made);
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
	const word frame = (word)__builtin_frame_address(0);
	const struct runtime_family *family = object->place->family;
	struct runtime_names names;
	bool is_told = false;
	word r;

	if (creation_is_open(thread)) {
		read_names(family, self, &names);
		is_told = creation_part_begin(thread, NULL, *names.name ? names.name : names.type);
	}
	if (!is_told)
		return object->next(PASS);
	bracket_begin(thread, RUNTIME_PART, frame, 0, left);
	r = bracket_call(object->next, PASS);
	bracket_end(thread, frame);
	creation_part_end(thread, !family->is_change_told ? 0 : r & 1 ? FLAG_MODIFIED : FLAG_UNMODIFIED, 0);
	return r;
}

/* The run's object that this one leads to. NULL: none, or its runs are not hooked. */
static struct object *run_asked(const struct object *request)
{
	for (unsigned i = 0; request->leads_at && i < MAX_PLACES; i++)
		if (places[i].runtime == request->place->runtime && places[i].family->event == RUNTIME_RUN)
			return object_of(&places[i], request->leads_to);
	return NULL;
}

/*
 * A call that waits is the inference, as its caller sees it: on the way out of the threads of the runtime it may lose
 * its CPU. It is one once the run has come to this thread.
 */
static word request(struct thread *thread, const struct object *object, ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	const bool is_queued = object->place->family->is_queued;
	struct object *run = run_asked(object);
	uint32_t n_runs = thread->n_runs;
	struct open_run *open;
	word r;

	if (run && is_queued)
		__atomic_store_n(&run->asked_by, caller_asks(thread), __ATOMIC_RELAXED);
	if (run)
		__atomic_store_n(&run->asked_at, is_queued ? agent_now() : 0, __ATOMIC_RELAXED);
	if (!run || is_queued || !(open = inference_begin(thread, OWNER_API, 0, session_of_run(run))))
		return object->next(PASS);
	open->awaited = run;
	bracket_begin(thread, RUNTIME_REQUEST, frame, n_runs, left);
	r = bracket_call(object->next, PASS);
	bracket_end(thread, frame);
	call_ends(thread, n_runs, 0);
	return r;
}

static word see(const struct object *object, ARGS)
{
	word r = object->next(PASS);
	int saved = errno;

	object->place->family->seen(a, b, c);
	errno = saved;
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

static word serve(struct place *place, ARGS)
{
	word self = place->family->is_self_second ? b : a;
	struct object *object = object_of(place, self);
	struct thread *thread = agent_thread();

	if (!object) { /* out of memory, or it is not the argument that the table says: the function is known all the
			  same */
		void *next = copies_any_original(place->runtime, place->number, self, self == a ? b : a);
		return ((function *)next)(PASS);
	}
	if (!thread)
		return object->next(PASS);
	switch (place->family->event) {
	case RUNTIME_RUN:
		return run(thread, object, PASS);
	case RUNTIME_CREATION:
		return create(thread, object, self, PASS);
	case RUNTIME_LOAD:
		return load(thread, object, PASS);
	case RUNTIME_PART:
		return part(thread, object, self, PASS);
	case RUNTIME_REQUEST:
		return request(thread, object, PASS);
	case RUNTIME_SEEN:
		return see(object, PASS);
	case RUNTIME_RELEASE:
		release(thread, self);
	}
	return object->next(PASS);
}

/* clang-format off */
#define EACH_OPERATOR(F) F(0) F(1) F(2) F(3)
#define EACH_PLACE(F) \
	F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19)
/* clang-format on */
/*
 * A hook with more parameters than its caller passes must not leave by a jump: the compiler may put arguments of the
 * next function where the caller's own data is. The one for operators has no parameter on the stack.
 */
#define STAND_IN(n) \
	static word stand_in_##n(ARGS) \
	{ \
		return serve(&places[n], PASS); \
	}
#define OPERATOR_STAND_IN(n) \
	static word operator_stand_in_##n(REGISTERS) \
	{ \
		return serve_operator(PASS_REGISTERS, &operator_places[n], (word)__builtin_frame_address(0)); \
	}
EACH_PLACE(STAND_IN)
EACH_OPERATOR(OPERATOR_STAND_IN)

#define ENTRY(n) stand_in_##n,
static function *const stand_ins[MAX_PLACES] = { EACH_PLACE(ENTRY) };
#define OPERATOR_ENTRY(n) operator_stand_in_##n,
static operator_function *const operator_stand_ins[MAX_OPERATORS] = { EACH_OPERATOR(OPERATOR_ENTRY) };

/* The family's place among these; -1: all are taken. */
static int take(struct place *of, int n, const struct runtime *runtime, unsigned number)
{
	const struct runtime_family *family = &runtime->family[number];
	int at = 0;

	while (at < n && of[at].family && of[at].family != family)
		at++;
	if (at == n)
		return -1;
	of[at] = (struct place){
		.runtime = runtime, .family = family, .number = number, .is_self_second = family->is_self_second
	};
	return at;
}

static void *hook(const struct runtime *runtime, unsigned number)
{
	int at;

	switch (runtime->family[number].event) {
	case RUNTIME_OTHER:
		return NULL;
	case RUNTIME_OPERATOR:
		at = take(operator_places, MAX_OPERATORS, runtime, number);
		return at < 0 ? NULL : (void *)operator_stand_ins[at];
	default:
		at = take(places, MAX_PLACES, runtime, number);
		return at < 0 ? NULL : (void *)stand_ins[at];
	}
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
