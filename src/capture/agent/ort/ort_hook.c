// SPDX-License-Identifier: Apache-2.0
/*
 * Hooks for ONNX Runtime's virtual functions, except those of operators (ort_operator.c).
 *
 * A hook of a function that returns a class gets the address of the result, then `this` (ort_call.h). It passes on
 * twelve words, whatever the true number of parameters: parameters added by a new version do no harm. Hooks called in
 * every run, whose functions have at most four parameters, pass on only six.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/arm/injected.h"
#include "capture/agent/ort/ort_call.h"
#include "capture/agent/run/phase.h"
#include "event/event.h"
#include "runtime/find/peek.h"
#include "runtime/ort/ort_node.h"

#define PASS_REGISTERS a, b, c, d, e, f

/* The session that runs with this provider, also if it is older than the agent. saved: ORT_SAVED(). */
static struct session *session_running(const struct ort_met *met, word provider, word saved)
{
	struct session *session = session_of_provider(provider);
	struct ort_copy *copy;

	if (__builtin_expect(!agent.late_since, 1)) {
		if (__builtin_expect(session != NULL, 1))
			return session;
		return session_is_shared(provider) ? ort_running(saved) : ort_late_unseen(provider, saved);
	}
	copy = met->vptr ? &ort_copies[met->copy->copy->number] : NULL;
	if (!session && !session_is_shared(provider))
		session = ort_late_session(provider);
	if (!session) /* it may have become shared just now */
		return copy && session_is_shared(provider) ? ort_late_running(copy, provider, saved) : NULL;
	if (session->is_late && !session->was_sought)
		ort_late_name(session, provider);
	/* another session, not seen before, may share the provider; this may be one that another thread just found */
	if (copy && session->object && copy->n_looks < ORT_LOOKS &&
	    ((const word *)saved)[copy->session_place] != session->object)
		return ort_late_running(copy, provider, saved);
	return session;
}

/* Whether a hook sees that a creation ends. */
static bool is_end_seen(const struct ort_copy *copy)
{
	return copy->copy->found.slot[ORT_CREATION_END] >= 0 || copy->copy->found.slot[ORT_SESSION_READY] >= 0;
}

/* What begins on this thread shows that its creation has ended, if no hook sees that. */
static void end_unseen_creation(struct thread *thread, const struct ort_met *met)
{
	if (creation_is_open(thread) && thread->creation.owner == OWNER_EVALUATION && met->vptr &&
	    !is_end_seen(met->copy))
		creation_end(thread, OWNER_EVALUATION, thread->creation.message);
}

/*
 * Whether OnRunStart was called for a part of a run: the executors of some builds do, also on threads of the runtime's
 * own. Where the begin of an evaluation is hooked, the run itself has begun already; else the function of its session
 * is running. Such a caller is remembered: looking for the session takes microseconds.
 */
static bool is_part(const struct ort_met *met, const struct open_run *run, word provider, word saved, word caller)
{
	static word parts_caller;
	const struct session *session;

	if (!met->vptr || met->copy->copy->found.slot[ORT_EVALUATION_START] < 0)
		return false;
	if (run || caller == parts_caller)
		return true;
	session = session_running(met, provider, saved);
	if (session ? !session->object || ort_running(saved) == session : !session_is_shared(provider))
		return false;
	parts_caller = caller;
	return true;
}

/* b: the session's CPU provider; c: the public OrtRunOptions (1.18 and later; garbage before). */
word ort_on_run_start(ORT_REGISTERS)
{
	const word saved = ORT_SAVED();
	struct ort_met met = ort_meet(b, a, ORT_RUN_START);
	struct thread *thread = agent_thread();

	if (thread) {
		const struct ort_copy *copy = met.copy;
		struct open_run *run = inference_top(thread);
		const char *tag = NULL;
		bool has_options = copy->minor >= 18, is_new = !run || run->is_executing;
		if (is_new)
			end_unseen_creation(thread, &met);
		if (is_new && is_part(&met, run, b, saved, (word)__builtin_return_address(0)))
			return ORT_CALL_REGISTERS(met.next);
		if (has_options && copy->api && c && (is_new || !run->told)) {
			void *const *api = (void *const *)copy->api;
			void *status = ((void *(*)(word, const char **))api[ORT_API_RUN_OPTIONS_GET_RUN_TAG])(c, &tag);
			if (status)
				((void (*)(void *))api[ORT_API_RELEASE_STATUS])(status);
		}
		inference_executing(thread, is_new || !run->session ? session_running(&met, b, saved) : run->session,
				    has_options ? c : 0, tag);
	}
	return ORT_CALL_REGISTERS(met.next);
}

word ort_on_run_end(ORT_REGISTERS)
{
	const word saved = ORT_SAVED();
	struct ort_met met = ort_meet(b, a, ORT_RUN_END);
	word r = ORT_CALL_REGISTERS(met.next);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? inference_top(thread) : NULL;

	if (!run) {
		if (thread && agent.late_since && !thread->is_settled && hot->is_changing != CHANGE_OUT)
			ort_late_end(thread, met.copy, session_running(&met, b, saved));
		return r;
	}
	if (__builtin_expect(thread->depth > run->depth, 0))
		inference_close_operators(thread, run->depth, 0);
	if (run->owner == OWNER_PROVIDER)
		inference_end(thread, OWNER_PROVIDER, 0);
	else
		run->is_over = true;
	if (__builtin_expect(hot->is_child, 0))
		injected_look();
	return r;
}

static void learn_provider(struct thread *thread, word at)
{
	static unsigned offset; /* a guess; a race does no harm */
	char name[64] = "";

	ort_provider_name(at, &offset, name, sizeof name);
	session_add_provider(thread->creation.session, at, name);
}

/* a: result, a vector of capabilities; b: the provider */
word ort_on_capability(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_GET_CAPABILITY);
	struct thread *thread = agent_thread();
	struct provider *provider;
	word r;

	if (!met.vptr || !thread || !creation_is_open(thread))
		return ORT_CALL(met.next);
	learn_provider(thread, b);
	provider = map_get(&session_providers, b);
	/* in 1.23 the weights are copied here, in later versions earlier */
	phase_was(thread, met.copy->minor == ORT_COPIES_EARLY - 1 ? EVENT_PHASE_COPY : EVENT_PHASE_PARTITION,
		  agent_now());
	creation_part_begin(thread, "partition ", provider ? provider->text : NULL);
	r = ORT_CALL(met.next);
	phase_begin(thread, EVENT_PHASE_PARTITION,
		    creation_part_end(thread, FLAG_COUNT, (uint32_t)((((word *)a)[1] - ((word *)a)[0]) / 8)));
	return r;
}

word ort_on_compile(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_COMPILE);
	struct thread *thread = agent_thread();
	struct provider *provider = map_get(&session_providers, b);
	word r;

	if (!met.vptr || !thread || !creation_part_begin(thread, "compile ", provider ? provider->text : NULL))
		return ORT_CALL(met.next);
	r = ORT_CALL(met.next);
	phase_begin(
	    thread, EVENT_PHASE_PARTITION,
	    creation_part_end(thread, *(word *)a ? FLAG_FAILED : 0, *(word *)a ? ort_copy_failure(*(word *)a) : 0));
	return r;
}

/* The last step of session creation, for the CPU provider, which every session has. */
word ort_on_session_ready(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_SESSION_READY);
	struct thread *thread;
	word r = ORT_CALL(met.next);

	thread = agent_thread();
	if (met.vptr && thread && met.copy->copy->found.slot[ORT_CREATION_END] < 0 && met.vptr == met.copy->cpu_vtable)
		creation_end(thread, OWNER_EVALUATION, *(word *)a ? ort_copy_failure(*(word *)a) : 0);
	return r;
}

word ort_on_evaluation_start(ORT_REGISTERS)
{
	ort_registers_function *next = (ort_registers_function *)(word)ort_original(a, b, ORT_EVALUATION_START);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? inference_top(thread) : NULL;

	if (thread && run && run->owner == OWNER_EVALUATION && !run->is_executing)
		inference_end(thread, OWNER_EVALUATION, run->message); /* rejected without a message */
	run = thread ? inference_top(thread) : NULL;
	if (thread && (!run || run->is_executing)) {
		thread->is_settled = true;
		run = inference_begin(thread, OWNER_EVALUATION, 0, NULL);
	}
	if (run)
		run->is_evaluated = true;
	return next(PASS_REGISTERS);
}

word ort_on_evaluation_stop(ORT_REGISTERS)
{
	ort_registers_function *next = (ort_registers_function *)(word)ort_original(a, b, ORT_EVALUATION_STOP);
	word r = next(PASS_REGISTERS);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? inference_top(thread) : NULL;

	if (run && run->owner <= OWNER_EVALUATION)
		inference_end(thread, OWNER_EVALUATION, 0);
	else if (run)
		run->is_over = true;
	return r;
}

static void begin_creation(struct thread *thread, const struct ort_met *met)
{
	creation_begin(thread, &runtime_onnxruntime, OWNER_EVALUATION, 0);
	thread->creation.is_end_unseen = met->vptr && !is_end_seen(met->copy);
}

/* Called when initialisation begins, after the model was loaded. */
word ort_on_creation_start(ORT_ARGS)
{
	struct ort_met met = ort_meet(a, b, ORT_CREATION_START);
	struct thread *thread = agent_thread();

	if (thread) {
		if (!creation_is_open(thread))
			begin_creation(thread, &met);
		creation_loaded(thread, thread->creation.load_start);
	}
	return met.next(ORT_PASS);
}

/* b, in 1.7 to 1.9, where the function returns nothing, a: the InferenceSession, which is the public OrtSession */
word ort_on_predefined_transformers(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_PREDEFINED_TRANSFORMERS);
	struct thread *thread = agent_thread();
	word session = b, r;

	if (!met.vptr) {
		met = ort_meet_second(b, a, ORT_PREDEFINED_TRANSFORMERS);
		session = a;
	}
	if (met.vptr && thread) {
		if (creation_is_open(thread) && thread->creation.session->object) {
			struct model_hint next = thread->hint;
			end_unseen_creation(thread, &met);
			thread->hint = next;
		}
		if (!creation_is_open(thread))
			begin_creation(thread, &met);
		if (creation_is_open(thread) && !thread->creation.n_nested)
			session_bind(thread->creation.session, session);
		phase_begin(thread, EVENT_PHASE_TRANSFORMERS, agent_now());
	}
	r = ORT_CALL(met.next);
	if (met.vptr && (thread = agent_thread()))
		phase_begin(thread, met.copy->minor < ORT_COPIES_EARLY ? EVENT_PHASE_PREPARE : EVENT_PHASE_COPY,
			    agent_now());
	return r;
}

/* Names known only to the loaded model: the graph's name is the second or third word on the stack. */
word ort_on_creation(ORT_LONG_ARGS)
{
	struct ort_met met = ort_meet(a, b, ORT_CREATION);
	ort_long_function *next = (ort_long_function *)(word)met.next;
	struct thread *thread = agent_thread();
	char graph[80];

	if (!met.vptr)
		return next(ORT_LONG_PASS);
	if (thread && creation_is_open(thread) && !thread->creation.session->model[0]) {
		bool has_file = met.copy->minor >= 23;
		if (peek_string(has_file ? i : h, graph, sizeof graph) >= 0)
			session_name_graph(thread->creation.session, graph);
	}
	if (thread && creation_is_open(thread))
		session_know(met.copy->copy->number, thread->creation.session, (uint32_t)b);
	return next(ORT_LONG_PASS);
}

/* c: Status const & */
word ort_on_creation_end(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_CREATION_END);
	word r = next(ORT_PASS);
	struct thread *thread = agent_thread();
	uint64_t state = 0;

	if (thread) {
		peek_read(c, &state, 8);
		creation_end(thread, OWNER_EVALUATION, state ? ort_copy_failure(state) : 0);
	}
	return r;
}

word ort_on_load_start(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_LOAD_START);
	struct thread *thread = agent_thread();

	if (thread && creation_is_open(thread))
		thread->creation.load_start = agent_now();
	return next(ORT_PASS);
}

word ort_on_load_end(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_LOAD_END);
	struct thread *thread = agent_thread();

	if (thread && creation_is_open(thread))
		creation_loaded(thread, thread->creation.load_start);
	return next(ORT_PASS);
}

/* The session of a run that fails before a provider sees it. number: the runtime's, or 0. */
static struct session *session_rejecting(const struct ort_met *met, uint32_t number, word saved)
{
	uint32_t copy = met->copy->copy->number;
	struct session *session = session_known(copy, number);

	if (session || !agent.late_since)
		return session;
	session = ort_late_rejected(saved);
	if (session && number)
		session_know(copy, session, number);
	return session;
}

/* b: the runtime's number of the session, or 0; c: Status const & */
word ort_on_runtime_error(ORT_ARGS)
{
	const word saved = ORT_SAVED();
	struct ort_met met = ort_meet(a, b, ORT_RUNTIME_ERROR);
	struct thread *thread = agent_thread();
	struct open_run *run = thread ? ort_run_of(thread) : NULL;
	uint64_t state = 0;

	if (met.vptr && thread && peek_read(c, &state, 8) && state) {
		thread->last_message = ort_copy_failure(state);
		if (run) {
			run->message = thread->last_message;
			if (!run->session)
				run->session = session_rejecting(&met, (uint32_t)b, saved);
			if (run->owner == OWNER_EVALUATION && !run->is_executing && (uint32_t)b)
				inference_end(thread, OWNER_EVALUATION, run->message);
		} else if (creation_is_open(thread)) {
			thread->creation.message = thread->last_message;
		}
	}
	return met.next(ORT_PASS);
}

static void put_release(struct thread *thread, const struct session *session, uint8_t flag)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return;
	*record = (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED, .flags = flag };
	agent_publish(thread);
}

/* In a child of fork the release of an inherited session may wait for threads that only its parent has. */
word ort_on_session_delete(ORT_ARGS)
{
	ort_function *next = ort_original(a, b, ORT_SESSION_DELETE);
	struct thread *thread = agent_thread();
	struct session *session = session_of_object(a);
	const struct ort_copy *copy = session ? ort_copy_of(a) : NULL;
	word r;

	if (thread && session && creation_is_open(thread) && thread->creation.session == session) {
		/* where no end of a creation is seen, this is no sign of a failure */
		uint32_t otherwise = !copy || is_end_seen(copy) ? dict_text("failed", 6) : 0;
		creation_end(thread, (enum run_owner)thread->creation.owner,
			     thread->creation.message ? thread->creation.message : otherwise);
	} else if (thread && session) {
		bool is_inherited = agent.segment && agent.segment->forked_from;
		struct session gone = { .number = session->number };

		put_release(thread, session, is_inherited ? FLAG_RELEASES : 0);
		session_release(a);
		if (is_inherited) {
			r = next(ORT_PASS);
			thread = agent_thread();
			if (thread)
				put_release(thread, &gone, FLAG_END);
			return r;
		}
	} else if (thread) {
		creation_unseen_gone(thread, &runtime_onnxruntime);
	}
	return next(ORT_PASS);
}
