// SPDX-License-Identifier: Apache-2.0
/*
 * Session creation: one slice for all of it, with slices inside for the load and for each step that adapts the model to
 * the machine. The creating thread writes all of its records.
 */
#include "capture/agent/run/creation.h"

#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/run/caller.h"
#include "capture/agent/run/phase.h"
#include "capture/agent/run/waits.h"
#include "event/begin_value.h"
#include "event/event.h"
#include "runtime/onnx_peek.h"

bool creation_is_open(const struct thread *thread)
{
	return thread->creation.start != 0;
}

static void tell(struct thread *thread)
{
	struct creation *creation = &thread->creation;
	struct session *session = creation->session;
	struct record *record;

	if (creation->told)
		return;
	creation->told = true;
	session_tell(session);
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = creation->start,
				   .value = BEGIN_VALUE(creation->lane, 0, creation->caller),
				   .id = session->number,
				   .text = dict_text(session->model, strlen(session->model)),
				   .type = RECORD_SLICE_BEGIN,
				   .flags = KIND_SESSION };
	agent_publish(thread);
}

static void use_hint(struct thread *thread)
{
	struct session *session = thread->creation.session;

	if (!thread->hint.time)
		return;
	if (thread->hint.n_bytes || !thread->hint.text[0]) {
		session->bytes = (int64_t)thread->hint.n_bytes;
		session_name_graph(session, thread->hint.text);
	} else if (!session->path[0]) {
		session_name_path(session, thread->hint.text);
	}
	if (thread->hint.asked[0])
		session_asked(session, thread->hint.asked);
}

void creation_begin(struct thread *thread, const struct runtime *runtime, enum run_owner owner, uint64_t start)
{
	struct creation *creation = &thread->creation;
	struct session *session;

	if (creation->start) {
		creation->n_nested += creation->owner == (uint8_t)owner;
		return;
	}
	session = session_new(runtime);
	if (!session)
		return;
	thread->n_creations++;
	if (!start)
		start = owner == OWNER_API ? 0 : thread->hint.time;
	*creation = (struct creation){ .session = session,
				       .owner = (uint8_t)owner,
				       .lane = inference_take_lane(start),
				       .caller = caller_of(thread) };
	if (!start || start != thread->hint.time)
		waits_start(thread);
	creation->start = start ? start : agent_now();
	if (owner != OWNER_API) {
		creation->loaded = thread->hint.time ? thread->hint.loaded : 0;
		use_hint(thread);
	}
	if (owner == OWNER_API) {
		thread->hint.prepared = 0;
		phase_forget_reads(thread);
	}
	thread->hint.time = 0;
	if (session->model[0])
		tell(thread);
}

static void hint_at(struct thread *thread, const char *path)
{
	thread->hint.time = 0; /* what was opened before is not the model */
	if (strlen(path) >= sizeof thread->hint.text)
		return;
	strcpy(thread->hint.text, path);
	thread->hint.n_bytes = thread->hint.loaded = thread->hint.prepared = 0;
	thread->hint.asked[0] = 0;
	phase_forget_reads(thread);
	waits_start(thread);
	thread->hint.time = agent_now();
}

void creation_path(struct thread *thread, const char *path)
{
	struct creation *creation = &thread->creation;

	if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5)) /* the runtime asks about the machine */
		return;
	if (creation->start && !creation->has_loaded && !creation->n_nested && !thread->reads.end)
		thread->hint.prepared = agent_now();
	/* while one is open: it may have ended unseen, and this is the next one's */
	if (!creation->start || (creation->told && creation->owner == OWNER_EVALUATION))
		hint_at(thread, path);
	if (!creation->start || creation->told || creation->n_nested)
		return;
	session_name_path(creation->session, path);
	tell(thread);
}

void creation_bytes(struct thread *thread, const char *bytes, uint64_t size)
{
	struct creation *creation = &thread->creation;

	/* as with a path */
	if (!creation->start || (creation->told && creation->owner == OWNER_EVALUATION)) {
		onnx_peek_graph_name(bytes, size, thread->hint.text, sizeof thread->hint.text);
		thread->hint.n_bytes = size;
		thread->hint.loaded = thread->hint.prepared = 0;
		phase_forget_reads(thread);
		thread->hint.asked[0] = 0;
		waits_start(thread);
		thread->hint.time = agent_now();
	}
	if (!creation->start || creation->told || creation->n_nested)
		return;
	session_name_bytes(creation->session, bytes, size);
	tell(thread);
}

void creation_asked(struct thread *thread, const char *text)
{
	struct model_hint *hint = &thread->hint;
	size_t used = strlen(hint->asked), len = strnlen(text, sizeof hint->asked);
	bool is_provider = strstr(text, "ExecutionProvider") != NULL, is_value;

	if (!hint->loaded)
		hint->loaded = agent_now();
	/* "A,B key=value key=value" */
	is_value = used && strchr(hint->asked, ' ') && !strchr(strrchr(hint->asked, ' '), '=');
	if ((!used && !is_provider) || used + len + 2 > sizeof hint->asked)
		return;
	if (used)
		hint->asked[used++] = is_provider ? ',' : is_value ? '=' : ' ';
	memcpy(hint->asked + used, text, len);
	hint->asked[used + len] = 0;
}

void creation_unsure(struct thread *thread, uint64_t size)
{
	thread->hint.unsure = agent_now();
	thread->hint.n_unsure = size;
	thread->hint.unsure_run = thread->next_run;
}

static void refuse(struct thread *thread, const struct runtime *runtime, uint32_t message)
{
	creation_begin(thread, runtime, OWNER_EVALUATION, 0);
	creation_end(thread, OWNER_EVALUATION, message ? message : dict_text("failed", 6));
	thread->hint.unsure = 0;
}

static bool is_unsure(const struct thread *thread)
{
	return thread->hint.unsure && thread->hint.unsure_run == thread->next_run;
}

/*
 * The constructor of Python's session class loads the model. If it fails, its exception deletes the session's object
 * right after this; an error of a run does not.
 */
void creation_refused(struct thread *thread, const struct runtime *runtime, uint32_t message)
{
	struct creation *creation = &thread->creation;

	creation->refusal = 0;
	if (creation->start && (!creation->is_end_unseen || creation->owner != OWNER_EVALUATION)) {
		creation_end(thread, OWNER_EVALUATION, message);
	} else if (creation->start) {
		creation->message = message;
		creation->refusal = thread->hint.time || is_unsure(thread) ? message : 0;
	} else if (thread->hint.time) {
		refuse(thread, runtime, message);
	} else if (is_unsure(thread)) {
		creation->refusal = message ? message : dict_text("failed", 6);
	}
}

void creation_unseen_gone(struct thread *thread, const struct runtime *runtime)
{
	const uint32_t message = thread->creation.refusal;
	struct model_hint *hint = &thread->hint;
	struct model_hint next;

	thread->creation.refusal = 0;
	if (!message)
		return;
	if (creation_is_open(thread)) {
		next = *hint;
		creation_end(thread, OWNER_EVALUATION, 0);
		*hint = next;
	}
	if (!hint->time && is_unsure(thread)) {
		hint->time = hint->unsure;
		hint->n_bytes = hint->n_unsure;
		hint->loaded = hint->text[0] = hint->asked[0] = 0;
	}
	if (hint->time)
		refuse(thread, runtime, message);
}

void creation_prepared(struct thread *thread)
{
	if (phase_is_loading(thread))
		thread->hint.prepared = agent_now();
}

static void put_load(struct thread *thread, uint64_t start, uint64_t end)
{
	struct creation *creation = &thread->creation;

	creation->has_loaded = true;
	if (!start)
		start = thread->hint.prepared;
	phase_loaded(thread, start > creation->start && start <= end ? start : creation->start, end);
}

void creation_loaded(struct thread *thread, uint64_t start)
{
	struct creation *creation = &thread->creation;
	uint64_t end;

	if (!creation->start || creation->has_loaded || creation->n_nested)
		return;
	tell(thread);
	end = creation->loaded ? creation->loaded : agent_now();
	put_load(thread, start, end);
	phase_begin(thread, EVENT_PHASE_PROVIDERS, end);
}

void creation_has_loaded(struct thread *thread, uint64_t start, uint64_t end)
{
	if (!creation_is_open(thread) || thread->creation.has_loaded)
		return;
	tell(thread);
	thread->creation.has_loaded = true;
	phase_loaded(thread, start, end);
}

/*
 * Between transformers lies only what calls the next one, for less than a microsecond: it is the next one's, as its own
 * begin. What takes longer is something else. `now` if not.
 */
static uint64_t begin_in_turn(struct creation *creation, uint64_t now)
{
	enum { CLOSE = 1 << 16 }; /* ticks: some 25 us */
	bool is_in_turn = creation->is_in_turn && !creation->phase && !creation->n_parts;

	creation->is_in_turn = false;
	return is_in_turn && now - creation->part_end < CLOSE ? creation->part_end : now;
}

bool creation_part_begin(struct thread *thread, const char *prefix, const char *name)
{
	struct creation *creation = &thread->creation;
	char text[160];
	size_t used = 0, len;
	struct record *record;
	uint64_t now = agent_now();

	if (!creation->start || creation->n_nested)
		return false;
	tell(thread);
	if (!prefix)
		now = begin_in_turn(creation, now);
	if (!creation->n_parts++)
		phase_close(thread, now);
	waits_open(thread);
	if (prefix) {
		used = strlen(prefix);
		memcpy(text, prefix, used);
	}
	len = name ? strnlen(name, sizeof text - used - 1) : 0;
	memcpy(text + used, name, len);
	record = agent_claim(thread);
	if (!record)
		return true;
	*record = (struct record){ .time = now,
				   .value = creation->lane,
				   .id = creation->session->number,
				   .text = dict_text(text, used + len),
				   .type = RECORD_SLICE_BEGIN,
				   .flags = KIND_SPECIALIZE };
	agent_publish(thread);
	return true;
}

uint64_t creation_part_end(struct thread *thread, uint8_t flags, uint32_t count)
{
	struct creation *creation = &thread->creation;
	uint64_t now = agent_now();
	struct record *record;

	creation->n_parts -= creation->n_parts != 0;
	creation->part_end = now;
	if (creation->start)
		waits_close(thread);
	/* it began in an earlier recording: this creation is not recorded */
	if (!creation->start || !(record = agent_claim(thread)))
		return now;
	*record = (struct record){ .time = now,
				   .value = creation->lane,
				   .id = creation->session->number,
				   .run = count,
				   .type = RECORD_SLICE_END,
				   .flags = KIND_SPECIALIZE,
				   .more = flags };
	agent_publish(thread);
	return now;
}

/* text: of a node, or of a name. */
static void put_part(struct thread *thread, uint32_t text, uint64_t start, uint64_t end, uint8_t flag)
{
	struct creation *creation = &thread->creation;
	struct record *record;

	if (!creation->start)
		return;
	tell(thread);
	waits_since(thread);
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = start,
				   .value = end,
				   .id = creation->session->number,
				   .run = creation->lane,
				   .text = text,
				   .type = RECORD_SLICE,
				   .flags = KIND_SPECIALIZE,
				   .more = flag };
	agent_publish(thread);
}

void creation_part_node(struct thread *thread, uint32_t node, uint64_t start, uint64_t end)
{
	put_part(thread, node, start, end, FLAG_NODE);
}

void creation_part_was(struct thread *thread, const char *name, uint64_t start, uint64_t end)
{
	put_part(thread, dict_text(name, strlen(name)), start, end, 0);
}

void creation_load_was(struct thread *thread, uint64_t start, uint64_t end)
{
	if (!thread->creation.start || thread->creation.has_loaded)
		return;
	tell(thread);
	put_load(thread, start, end);
}

void creation_end(struct thread *thread, enum run_owner owner, uint32_t message)
{
	struct creation *creation = &thread->creation;
	uint64_t end = agent_now();
	struct record *record;

	if (!creation->start || creation->owner != (uint8_t)owner || thread->generation != hot->generation)
		return;
	if (creation->n_nested) {
		creation->n_nested--;
		return;
	}
	inference_close_operators(thread, 0, 0);
	if (!creation->session->model[0])
		session_name_graph(creation->session, "");
	tell(thread);
	if (message && !creation->has_loaded)
		put_load(thread, creation->load_start, end);
	phase_close(thread, end);
	phase_forget_reads(thread);
	session_tell(creation->session);
	pool_tell(thread, creation->session->number);
	waits_end(thread);
	record = agent_claim(thread);
	if (record) {
		*record = (struct record){ .time = end,
					   .value = creation->lane,
					   .id = creation->session->number,
					   .text = message,
					   .type = RECORD_SLICE_END,
					   .flags = KIND_SESSION,
					   .more = message ? FLAG_FAILED : 0 };
		agent_publish(thread);
	}
	inference_give_lane(creation->lane, end);
	thread->hint.time = 0;
	creation->start = 0;
	if (message)
		session_drop(creation->session);
}
