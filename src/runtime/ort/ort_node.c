// SPDX-License-Identifier: Apache-2.0
/* Reads a kernel's node and provider by the offsets of ort.h. */
#include "runtime/ort/ort_node.h"

#include <ctype.h>
#include <string.h>

#include "runtime/find/peek.h"

typedef void *get_string_fn(const void *, char *, size_t *);
typedef void release_fn(void *);

static bool api_string(const struct runtime_found *ort, unsigned slot, uint64_t info, char *to, size_t size)
{
	void *const *api = (void *const *)ort->api;
	void *status;

	*to = 0;
	if (!api || slot >= ort->n_api)
		return false;
	status = ((get_string_fn *)api[slot])((const void *)info, to, &size);
	if (!status)
		return true;
	((release_fn *)api[ORT_API_RELEASE_STATUS])(status);
	*to = 0;
	return false;
}

static void name_by_index(struct ort_node *node, uint64_t index)
{
	size_t len = strlen(node->type);
	char digits[24];
	int n = 0;

	memcpy(node->name, node->type, len);
	node->name[len++] = '_';
	do
		digits[n++] = (char)('0' + index % 10);
	while (index /= 10);
	while (n)
		node->name[len++] = digits[--n];
	node->name[len] = 0;
}

/* Of a Node. All of it is read at once, because each read is a system call and kernels are many. */
struct fields {
	char name[ORT_TEXT], type[64];
	uint64_t index;
};

static bool read_node(uint64_t at, struct fields *fields)
{
	unsigned char copy[ORT_NODE_NAME + 2 * ORT_STRING];
	const uint64_t name = at + ORT_NODE_NAME;

	if (peek_read(at, copy, sizeof copy) &&
	    peek_string_in(at, copy, ORT_NODE_NAME, fields->name, sizeof fields->name) >= 0) {
		memcpy(&fields->index, copy + ORT_NODE_INDEX, sizeof fields->index);
		return peek_string_in(at, copy, ORT_NODE_NAME + ORT_STRING, fields->type, sizeof fields->type) > 0;
	}
	fields->index = peek_word(at + ORT_NODE_INDEX);
	return peek_string_abi(name, true, fields->name, sizeof fields->name) >= 0 &&
	       peek_string_abi(name + ORT_OLD_STRING, true, fields->type, sizeof fields->type) > 0;
}

/* Takes name and type from the fields of Node; the name must equal the API's, if the API gave one. */
static void take_fields(struct ort_node *node, uint64_t at, bool has_name)
{
	struct fields fields;

	if (!at || !read_node(at, &fields) || !isalpha((unsigned char)fields.type[0]))
		return;
	if (has_name && strcmp(fields.name, node->name))
		return;
	memcpy(node->name, fields.name, sizeof fields.name);
	if (!node->type[0])
		memcpy(node->type, fields.type, sizeof fields.type);
	if (!node->name[0] && strlen(node->type) < sizeof node->name - 24)
		name_by_index(node, fields.index);
}

void ort_node_read(const struct runtime_found *ort, uint64_t kernel, struct ort_node *node)
{
	uint64_t info = kernel + ORT_KERNEL_INFO, words[4];
	bool has_name = false;

	memset(node, 0, sizeof *node);
	if (!ort->minor || ort->minor > ORT_INFO_INSIDE)
		info = peek_word(info);
	if (!info || !peek_read(info, words, sizeof words))
		return;
	node->provider = words[ORT_INFO_PROVIDER / 8];
	if (ort->minor >= 15)
		has_name = api_string(ort, ORT_API_NODE_NAME, info, node->name, sizeof node->name);
	if (ort->minor >= 24)
		api_string(ort, ORT_API_OPERATOR_TYPE, info, node->type, sizeof node->type);
	take_fields(node, words[ORT_INFO_NODE / 8], has_name);
	if (!node->type[0] && peek_class(kernel, node->type, sizeof node->type) < 0)
		node->type[0] = 0;
}

bool ort_may_be_provider(const char *text)
{
	const char *at = text;

	while (isalnum((unsigned char)*at) || (*at && strchr("_-.:", *at)))
		at++;
	return isalpha((unsigned char)*text) && !*at && at > text + 1;
}

/*
 * The runtime's own providers end in the suffix, which plugins need not do. A plugin's name lies where that of the
 * runtime's own lay; if none was read yet, it is the object's first string.
 */
void ort_provider_name(uint64_t provider, unsigned *offset, char *to, size_t size)
{
	static const char suffix[] = "ExecutionProvider";

	for (unsigned at = 8; at < 256; at += 8) {
		int len = peek_string(provider + at, to, size);
		if (len <= (int)strlen(suffix) || strcmp(to + len - strlen(suffix), suffix))
			continue;
		*offset = at;
		return;
	}
	if (*offset && peek_string(provider + *offset, to, size) >= 0)
		return;
	for (unsigned at = 8; at < 256; at += 8)
		if (peek_string_abi(provider + at, false, to, size) > 0 && ort_may_be_provider(to))
			return;
	*to = 0;
}

int ort_status_message(uint64_t state, char *to, size_t size)
{
	int len;

	*to = 0;
	if (!state)
		return 0;
	len = peek_string(state + ORT_STATUS_MESSAGE, to, size);
	return len < 0 ? 0 : len;
}
