// SPDX-License-Identifier: Apache-2.0
/* Adds up what sessions keep. Decides nothing. */
#include "analyze/result/model/model_memory.h"

#include <string.h>

static bool is_release_seen(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (strstr(names_text(summary->names, summary->runtimes[i].left_out), "session release"))
			return false;
	return summary->recording.is_ours && !summary->recording.is_from_outside && summary->n_runtimes;
}

/* Programs that end in order release all their sessions then: what counts is the last creation. */
static bool is_alive_at(const struct summary_session *session, uint64_t time_ns)
{
	return session->has_slice && !session->is_failed && session->end_ns != STORE_OPEN &&
	       (!session->released_ns || session->released_ns > time_ns);
}

/* When the last session of this process was created. */
static uint64_t last_creation(const struct summary_session *session, uint32_t n, uint32_t process)
{
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (session[i].process == process && session[i].has_slice && session[i].begin_ns > last_ns)
			last_ns = session[i].begin_ns;
	return last_ns;
}

static int64_t bytes_of(const struct summary *summary, const struct summary_session *session)
{
	int64_t bytes = -1;

	for (uint32_t i = 0; i < summary->n_memory; i++) {
		const struct summary_memory *own = &summary->memory[i];

		if (own->process == session->process && own->session == session->number && own->session)
			bytes = (bytes < 0 ? 0 : bytes) + own->held + own->direct;
	}
	return bytes;
}

static void find_kept(struct model_memory *memory, const struct summary *summary, const struct summary_session *session,
		      uint32_t n)
{
	uint32_t process = SUMMARY_NONE;
	uint64_t last_ns = 0;

	memory->n_kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t used_ns = session[i].last_ns > session[i].end_ns ? session[i].last_ns : session[i].end_ns;
		int64_t bytes;

		if (session[i].process != process) {
			process = session[i].process;
			last_ns = last_creation(session, n, process);
		}
		if (!is_alive_at(&session[i], last_ns) || used_ns >= last_ns)
			continue;
		memory->n_kept++;
		bytes = bytes_of(summary, &session[i]);
		if (bytes >= 0)
			memory->kept_bytes = (memory->kept_bytes < 0 ? 0 : memory->kept_bytes) + bytes;
	}
}

void model_memory_find(struct model_memory *memory, const struct summary *summary, uint32_t model)
{
	const struct summary_range *own = &summary->models[model].sessions;

	*memory = (struct model_memory){ -1, -1, -1, -1, -1 };
	if (is_release_seen(summary))
		find_kept(memory, summary, summary->sessions + own->first, own->n);
	for (uint32_t i = 0; i < summary->n_memory; i++) {
		const struct summary_memory *row = &summary->memory[i];

		if (row->model != model || row->n_run_ends <= 0 || row->kept < 0)
			continue;
		if (memory->n_blocks < 0)
			memory->n_blocks = memory->blocks_bytes = memory->n_runs = 0;
		if (row->n_kept * 2 < row->n_run_ends)
			continue;
		memory->n_blocks += row->n_kept;
		memory->blocks_bytes += row->kept;
		memory->n_runs += row->n_run_ends;
	}
}
