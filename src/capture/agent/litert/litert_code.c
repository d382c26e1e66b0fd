// SPDX-License-Identifier: Apache-2.0
/* The agent's code for TensorFlow Lite: hooks of its virtual functions, called by arm.c and injected.c. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/arm/code.h"
#include "capture/agent/dict.h"
#include "capture/agent/litert/litert_in.h"
#include "runtime/find/peek.h"

static void *original_of(word self, unsigned family)
{
	const struct copy *copy = copies_of_class(*(word *)self);
	void *original = copy ? copies_original(copy, *(word *)self, family) : NULL;

	return original ? original : copies_any_original(&runtime_litert, family, self, 0);
}

/* Also called when tensors are allocated again; no operator follows then. */
static word on_ready(word self)
{
	word (*next)(word) = original_of(self, LITERT_RUNS);
	struct thread *thread = agent_thread();
	struct litert_thread *state = thread ? litert_thread(thread) : NULL;
	const struct copy *copy = copies_of_class(*(word *)self);

	if (state && copy) {
		litert_left(thread, (word)__builtin_frame_address(0));
		state->ready = litert_graph_of(copy, self);
		state->ready_since = agent_now(); /* learning is no part of it */
	}
	return next(self);
}

static word on_release(word self)
{
	word (*next)(word) = original_of(self, LITERT_RELEASE);
	struct thread *thread = agent_thread();
	word interpreter = thread ? litert_interpreter_of(self) : 0;
	const struct session *session = thread ? session_of_object(interpreter) : NULL;
	struct record *record = session ? agent_claim(thread) : NULL;
	int saved = errno;

	if (record) {
		*record = (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED };
		agent_publish(thread);
	}
	session_release(interpreter);
	litert_graph_gone(self);
	errno = saved;
	return next(self);
}

static word on_model(word self)
{
	word (*next)(word) = original_of(self, LITERT_MODELS);
	struct thread *thread = agent_thread();
	word r = next(self);
	struct litert_thread *state = thread && (r & 0xff) ? litert_thread(thread) : NULL;

	if (state) {
		state->model_since = agent_now();
		litert_model_seen(self);
	}
	return r;
}

static word on_error(word self, const char *format, va_list more)
{
	word (*next)(word, const char *, va_list) = original_of(self, LITERT_ERRORS);
	struct thread *thread = agent_thread();
	struct litert_thread *state = thread ? litert_thread(thread) : NULL;
	int saved = errno;
	char text[512];
	va_list copy;

	if (state && !state->message) {
		va_copy(copy, more);
		vsnprintf(text, sizeof text, format, copy);
		va_end(copy);
		state->message = dict_text_of_run(text, strlen(text));
	}
	errno = saved;
	return next(self, format, more);
}

static void *hook(const struct runtime *runtime, unsigned family)
{
	static void *const hooks[N_LITERT_FAMILIES] = { [LITERT_RELEASE] = on_release,
							[LITERT_ERRORS] = on_error,
							[LITERT_MODELS] = on_model,
							[LITERT_RUNS] = on_ready };

	return hooks[family];
}

static void found(struct copy *copy, struct rtti *rtti)
{
	litert_operator_arm();
	litert_graph_found(copy, rtti);
}

/* After injection another thread may be in the functions that creation would change. */
static void arm(struct copy *copy)
{
	if (!agent.late_since)
		litert_create_arm(copy);
}

const struct agent_code agent_litert = {
	.runtime = &runtime_litert,
	.hook = hook,
	.found = found,
	.arm = arm,
	.forget_all = litert_graph_forget_all,
};
