// SPDX-License-Identifier: Apache-2.0
/*
 * What is known of the runtime's objects by their addresses. Of sessions and providers the program tells every
 * std::string that it finds in them. A provider's type ends in "ExecutionProvider", or is its first string.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/probe/uprobe_process.h"
#include "runtime/model_name.h"
#include "runtime/ort/ort_node.h"
#include "runtime/ort/ort_session_texts.h"

enum { MAX_KERNELS = 1 << 20, MAX_OBJECTS = 1 << 16 };

/* Who runs for months meets names without end. */
static uint32_t intern(struct uprobe_process *process, const char *text)
{
	struct names *names = process->recorded->map.names;
	bool is_full = process->is_lean && names_count(names) >= UPROBE_NAMES;

	return is_full && !names_find(names, text, strlen(text)) ? names_of(names, "other") : names_of(names, text);
}

/* Of a text that is only looked at soon. */
static uint32_t pass(struct uprobe_process *process, const char *text)
{
	return process->is_lean ? names_pass(process->recorded->map.names, text, strlen(text)) : intern(process, text);
}

static uint32_t intern_model(struct uprobe_process *process, const char *model)
{
	struct names *names = process->recorded->map.names;

	if (process->is_lean && !names_find(names, model, strlen(model)) && process->n_models++ >= UPROBE_MODELS)
		return names_of(names, "other");
	return intern(process, model);
}

uint32_t uprobe_text(struct uprobe_process *process, const char *text)
{
	struct segment_map *map = &process->recorded->map;
	uint32_t name = intern(process, text), id = name ? uprobe_table_get(&process->text, name) : 0;

	if (!name || id)
		return id;
	id = segment_add_text(map, names_text(map->names, name), names_len(map->names, name));
	return id && uprobe_table_put(&process->text, name, id) ? id : 0;
}

static bool is_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 32 || *text == 127)
			return false;
	return true;
}

static const char *text_at(const struct uprobe_process *process, const struct uprobe_texts *texts, uint32_t i)
{
	return names_text(process->recorded->map.names, texts->text[i].name);
}

static struct uprobe_texts *find_texts(const struct uprobe_process *process, uint64_t object)
{
	uint32_t index = uprobe_table_get(&process->texts, object);

	return index ? &process->text_of[index - 1] : NULL;
}

bool uprobe_text_learn(const struct uprobe_step *step)
{
	const struct uprobe_named *named = (const struct uprobe_named *)step->hit;
	struct uprobe_process *process = step->process;
	struct uprobe_texts *texts = find_texts(process, step->hit->object), *grown;
	const char *text = uprobe_hit_text(step);
	size_t n = process->n_text_of;
	uint32_t at;

	if (!*text || !is_text(text))
		return true;
	if (!texts && n == MAX_OBJECTS) {
		uprobe_table_done(&process->texts);
		process->n_text_of = n = 0;
	}
	if (!texts) {
		if (!(n & (n - 1))) {
			grown = realloc(process->text_of, (n ? 2 * n : 1) * sizeof *grown);
			if (!grown)
				return false;
			process->text_of = grown;
		}
		if (!uprobe_table_put(&process->texts, step->hit->object, (uint32_t)n + 1))
			return false;
		texts = &process->text_of[process->n_text_of++];
		texts->n = 0;
		texts->generation = 0;
	}
	if (texts->generation < named->provider) {
		texts->n = 0;
		texts->generation = named->provider;
	}
	at = texts->n;
	if (at == UPROBE_MAX_TEXTS || texts->generation != named->provider)
		return true;
	while (at && texts->text[at - 1].offset > named->index)
		at--;
	/* two threads may tell the same; and what found no room in the ring is told again with all others */
	if (at && texts->text[at - 1].offset == named->index)
		return true;
	memmove(&texts->text[at + 1], &texts->text[at], (texts->n++ - at) * sizeof texts->text[0]);
	texts->text[at].offset = (uint32_t)named->index;
	texts->text[at].name = pass(process, text);
	return true;
}

static size_t list_texts(const struct uprobe_process *process, const struct uprobe_texts *texts, struct ort_text *to)
{
	for (uint32_t i = 0; i < texts->n; i++)
		to[i] = (struct ort_text){ .offset = texts->text[i].offset, .text = text_at(process, texts, i) };
	return texts->n;
}

void uprobe_session_name(struct uprobe_process *process, uint32_t number, bool is_old_string)
{
	struct session *told = sessions_at(&process->recorded->sessions, number);
	const struct uprobe_texts *texts = told ? find_texts(process, told->object) : NULL;
	char path[UPROBE_LONG_NAME + sizeof process->cwd + 2], model[UPROBE_NAME];
	struct ort_text list[UPROBE_MAX_TEXTS];
	const char *at;
	size_t n;

	if (!told || told->is_named || !texts)
		return;
	n = list_texts(process, texts, list);
	at = ort_texts_path(list, n, is_old_string);
	if (at) {
		while (*process->cwd && !strncmp(at, "./", 2))
			at += 2;
		snprintf(path, sizeof path, "%s%s%s", *at == '/' ? "" : process->cwd,
			 *at == '/' || !*process->cwd ? "" : "/", at);
		model_name_of_path(model, sizeof model, path);
		told->path = process->is_lean ? 0 : intern(process, path);
		told->model = intern_model(process, model);
	} else {
		at = ort_texts_graph(list, n, is_old_string);
		told->model = intern_model(process, at ? at : "model from memory");
	}
	told->is_named = true;
}

void uprobe_session_count(const struct uprobe_step *step, uint32_t number, bool is_new)
{
	const struct uprobe_process *process = step->process;
	const struct session *session = sessions_find(&process->recorded->sessions, number);
	const struct uprobe_texts *texts = session ? find_texts(process, session->object) : NULL;
	struct ort_text list[UPROBE_MAX_TEXTS];
	uint32_t offset = 0;

	if (!step->counts || !session || uprobe_counts_has(step->counts, number))
		return;
	if (texts)
		offset = ort_texts_loading(list, list_texts(process, texts, list));
	uprobe_counts_add(step->counts, number, offset ? session->object + offset : 0, is_new, clock_ns());
}

uint32_t uprobe_session_find(const struct uprobe_process *process, uint64_t object)
{
	return uprobe_table_get(&process->sessions, object);
}

uint32_t uprobe_session_new(const struct uprobe_step *step)
{
	struct uprobe_process *process = step->process;
	uint64_t object = step->hit->object;
	uint32_t before = uprobe_session_find(process, object), number = process->last_session + 1;
	struct session *session = sessions_at(&process->recorded->sessions, number);

	if (!session || !uprobe_table_put(&process->sessions, object, number))
		return 0;
	session->object = object;
	session->runtime = step->runtime ? intern(process, step->runtime) : 0;
	process->last_session = number;
	sessions_release(&process->recorded->sessions, before); /* its release was not seen */
	return number;
}

void uprobe_session_forget(struct uprobe_process *process, uint32_t number)
{
	const struct session *session = sessions_at(&process->recorded->sessions, number);
	struct uprobe_texts *texts = session ? find_texts(process, session->object) : NULL;

	if (session && uprobe_session_find(process, session->object) == number)
		uprobe_table_put(&process->sessions, session->object, 0);
	if (texts)
		texts->n = 0;
}

/*
 * The provider's type, id in names; 0: not known. Those of the runtime itself end in the suffix. A plugin's need not:
 * it is the object's first string.
 */
static uint32_t provider_name(const struct uprobe_process *process, uint64_t object)
{
	static const char suffix[] = "ExecutionProvider";
	const struct uprobe_texts *texts = find_texts(process, object);
	size_t len;

	for (uint32_t i = 0; texts && i < texts->n; i++) {
		len = strlen(text_at(process, texts, i));
		if (len >= sizeof suffix && !strcmp(text_at(process, texts, i) + len - (sizeof suffix - 1), suffix))
			return texts->text[i].name;
	}
	for (uint32_t i = 0; texts && i < texts->n; i++)
		if (ort_may_be_provider(text_at(process, texts, i)))
			return texts->text[i].name;
	return 0;
}

uint32_t uprobe_session_provider(struct uprobe_process *process, uint32_t session, uint64_t provider)
{
	uint32_t id = provider_name(process, provider);
	struct session *told = sessions_at(&process->recorded->sessions, session);
	const char *name = names_text(process->recorded->map.names, id), *before;
	char text[1024];

	if (!told || !id)
		return 0;
	before = names_text(process->recorded->map.names, told->providers);
	if (!strstr(before, name) &&
	    snprintf(text, sizeof text, "%s%s%s", before, *before ? "," : "", name) < (int)sizeof text)
		told->providers = intern(process, text);
	return id;
}

/* The node of this name, type and provider. 0: out of memory. */
static uint32_t node_id(struct uprobe_process *process, const struct segment_node *node)
{
	uint64_t key = ((uint64_t)node->name << 32 | node->type) ^ (uint64_t)node->provider << 52;
	uint32_t id = uprobe_table_get(&process->nodes, key);
	struct segment_node known = segment_node(&process->recorded->map, id);

	if (id && known.name == node->name && known.type == node->type && known.provider == node->provider)
		return id;
	id = segment_add_node(&process->recorded->map, node);
	return id && uprobe_table_put(&process->nodes, key, id) ? id : 0;
}

/* The name of a node, or nothing; what has no room is cut, and ends with what the runtime calls it without a name. */
static void node_name(char name[SEGMENT_MAX_TEXT + 1], const char *text, const char *made)
{
	size_t len = strlen(text), room = SEGMENT_MAX_TEXT - strlen(made) - 8;

	*name = 0;
	if (!is_text(text))
		return;
	if (len <= SEGMENT_MAX_TEXT) {
		memcpy(name, text, len + 1);
		return;
	}
	while (room && (text[room] & 0xc0) == 0x80) /* within a character */
		room--;
	snprintf(name, SEGMENT_MAX_TEXT + 1, "%.*s... (%s)", (int)room, text, made);
}

bool uprobe_kernel_learn(const struct uprobe_step *step)
{
	const struct uprobe_named *named = (const struct uprobe_named *)step->hit;
	struct uprobe_process *process = step->process;
	char type[UPROBE_TYPE + 1], name[SEGMENT_MAX_TEXT + 1], made[UPROBE_TYPE + 32];
	struct segment_node node = { 0, 0, 0 };
	uint32_t id;

	if (step->size < sizeof *named) {
		process->n_unplaced++;
		return true;
	}
	snprintf(type, sizeof type, "%.*s", UPROBE_TYPE, named->type);
	if (!is_text(type) || !isalpha((unsigned char)*type))
		*type = 0;
	/* one without a name, as the runtime itself names them */
	snprintf(made, sizeof made, "%s_%llu", type, (unsigned long long)named->index);
	node_name(name, uprobe_hit_text(step), made);
	node.name = process->is_lean ? 0 : intern(process, *name ? name : *type ? made : "");
	node.type = intern(process, type);
	node.provider = provider_name(process, named->provider);
	id = node_id(process, &node);
	if (process->kernels.entries.n > MAX_KERNELS) /* what is told again is known again */
		uprobe_table_done(&process->kernels);
	return id && uprobe_table_put(&process->kernels, named->record.object, id);
}

uint32_t uprobe_kernel_node(const struct uprobe_process *process, uint64_t object)
{
	return uprobe_table_get(&process->kernels, object);
}
