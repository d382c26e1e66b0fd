// SPDX-License-Identifier: Apache-2.0
/* Reads a kernel's node and provider by the offsets of ort.h. */
#include "runtime/ort_node.h"

#include <ctype.h>
#include <string.h>

#include "runtime/peek.h"

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

/* Reads name and type from the fields of Node; the name must equal the API's, if the API gave one. */
static void read_fields(struct ort_node *node, uint64_t info, bool has_name)
{
	uint64_t at = peek_word(info + ORT_INFO_NODE);
	char name[ORT_TEXT], type[64];
	bool is_old;

	if (!at)
		return;
	is_old = peek_string_abi(at + ORT_NODE_NAME, false, name, sizeof name) < 0;
	if (is_old && peek_string_abi(at + ORT_NODE_NAME, true, name, sizeof name) < 0)
		return;
	if (has_name && strcmp(name, node->name))
		return;
	if (peek_string_abi(at + ORT_NODE_NAME + (is_old ? ORT_OLD_STRING : ORT_STRING), is_old, type, sizeof type) <=
		0 ||
	    !isalpha((unsigned char)type[0]))
		return;
	memcpy(node->name, name, sizeof name);
	if (!node->type[0])
		memcpy(node->type, type, sizeof type);
	if (!node->name[0] && strlen(node->type) < sizeof node->name - 24)
		name_by_index(node, peek_word(at + ORT_NODE_INDEX));
}

void ort_node_read(const struct runtime_found *ort, uint64_t kernel, struct ort_node *node)
{
	uint64_t info = kernel + ORT_KERNEL_INFO;
	bool has_name = false;

	memset(node, 0, sizeof *node);
	if (!ort->minor || ort->minor > ORT_INFO_INSIDE)
		info = peek_word(info);
	if (!info || !peek_read(info, &(uint64_t[4]){ 0 }, 32))
		return;
	node->provider = peek_word(info + ORT_INFO_PROVIDER);
	if (ort->minor >= 15)
		has_name = api_string(ort, ORT_API_NODE_NAME, info, node->name, sizeof node->name);
	if (ort->minor >= 24)
		api_string(ort, ORT_API_OPERATOR_TYPE, info, node->type, sizeof node->type);
	read_fields(node, info, has_name);
	if (!node->type[0] && peek_class(kernel, node->type, sizeof node->type) < 0)
		node->type[0] = 0;
}

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
	if (!*offset || peek_string(provider + *offset, to, size) < 0)
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
