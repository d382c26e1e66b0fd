// SPDX-License-Identifier: Apache-2.0
/*
 * Models that were mapped or given, and the names of sessions. A program may load several models before it builds an
 * interpreter of the first one, on any thread: where constants and names of tensors lie tells which one it has.
 */
#include <string.h>

#include "capture/agent/litert/litert_in.h"
#include "capture/agent/replace/mapped_file.h"
#include "runtime/find/peek.h"

enum { RECENT = 256 };

static struct {
	word base;
	uint64_t n_bytes;
} models[RECENT]; /* a ring, the newest at n_models - 1 */
static uint64_t n_models;

void litert_model_seen(word allocation)
{
	enum { BASE = 2, BYTES = 3 };
	const word *table = *(const word **)allocation;
	word base = ((word (*)(word))table[BASE])(allocation);
	uint64_t n_bytes = ((word (*)(word))table[BYTES])(allocation);

	agent_lock();
	models[n_models % RECENT].base = base;
	models[n_models++ % RECENT].n_bytes = n_bytes;
	agent_unlock();
}

/* Of the newest model in which the address lies; 0: it lies in none that is known. */
static uint64_t bytes_at(word address)
{
	uint64_t oldest, n_bytes = 0;

	agent_lock();
	oldest = n_models > RECENT ? n_models - RECENT : 0;
	for (uint64_t i = n_models; i-- > oldest && !n_bytes;)
		if (address - models[i % RECENT].base < models[i % RECENT].n_bytes)
			n_bytes = models[i % RECENT].n_bytes;
	agent_unlock();
	return n_bytes;
}

/* Is it in a model that is known, or in a file? */
static bool name_by(struct session *session, word address)
{
	char path[sizeof session->path];

	if (mapped_file_at(address, path, sizeof path)) {
		session_name_path(session, path);
		return true;
	}
	session->bytes = (int64_t)bytes_at(address);
	if (session->bytes)
		session_name_graph(session, "");
	return session->bytes;
}

/* An empty one may be the runtime's own. */
static word name_of(const struct litert_tensor *tensor)
{
	char first;

	return tensor->name && peek_read((word)tensor->name, &first, 1) && first ? (word)tensor->name : 0;
}

/* Constants lie in the model, and so do the names of the model's own tensors. */
void litert_name(struct session *session, const struct litert_context *context)
{
	uint64_t n_bytes = 0;
	word constant = 0, name = 0;

	for (uint64_t i = 0; i < context->n_tensors; i++) {
		const struct litert_tensor *tensor = &context->tensors[i];

		name = name ? name : name_of(tensor);
		if (tensor->allocation != LITERT_FILE || !tensor->data)
			continue;
		constant = constant ? constant : tensor->data;
		n_bytes += tensor->n_bytes;
	}
	if (!(constant && name_by(session, constant)) && !(name && name_by(session, name)))
		session_name_weights(session, n_bytes);
}
