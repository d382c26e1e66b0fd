// SPDX-License-Identifier: Apache-2.0
/*
 * Layouts, the same in all builds from 1.8 to 1.31 for x86-64 (doc/onnxruntime.md):
 *
 *   OpKernel + 8      OpKernelInfo *, which is the public OrtKernelInfo
 *   OpKernelInfo + 8  Node *          + 24  IExecutionProvider *
 *   Node + 0          index           + 8   std::string name, behind it std::string op_type
 *   Status            pointer to { int category; int code; std::string message }, null for OK
 *
 * std::string takes 32 bytes { text, length, ... } or, in the older ABI, 8 bytes: a text with its length
 * 24 bytes before it.
 */
#include "runtime/ort_node.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool ort_peek(uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };
	int saved = errno;
	bool ok = from >= 4096 && process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;

	errno = saved;
	return ok;
}

static uint64_t peek_word(uint64_t from)
{
	uint64_t word;

	return ort_peek(from, &word, 8) ? word : 0;
}

static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 32 && !strchr("\n\t", text[i])) || text[i] == 127)
			return false;
	return true;
}

int ort_peek_string_abi(uint64_t string, bool is_old, char *to, size_t size)
{
	uint64_t text = peek_word(string), len, kept;

	*to = 0;
	if (!text)
		return -1;
	len = peek_word(is_old ? text - 24 : string + 8);
	if (len > 1 << 20)
		return -1;
	kept = len < size - 1 ? len : size - 1;
	/* one byte more than is kept: a text of its whole length ends in NUL */
	if (kept && !ort_peek(text, to, kept))
		return -1;
	to[kept] = 0;
	if (kept < len && kept > 3)
		memcpy(to + kept - 3, "...", 3);
	char end = 1;
	if (!ort_peek(text + len, &end, 1) || end || !is_text(to, kept)) {
		*to = 0;
		return -1;
	}
	return (int)kept;
}

int ort_peek_string(uint64_t string, char *to, size_t size)
{
	int len = ort_peek_string_abi(string, false, to, size);

	return len >= 0 ? len : ort_peek_string_abi(string, true, to, size);
}

typedef void *get_string_fn(const void *, char *, size_t *);
typedef void release_fn(void *);

static bool api_string(const struct ort *ort, unsigned slot, uint64_t info, char *to, size_t size)
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

/* Name and type by the fields of Node; the name must be the one that the API told, if it did. */
static void read_fields(struct ort_node *node, uint64_t info, bool has_name)
{
	uint64_t at = peek_word(info + 8);
	char name[ORT_TEXT], type[64];
	bool is_old;

	if (!at)
		return;
	is_old = ort_peek_string_abi(at + 8, false, name, sizeof name) < 0;
	if (is_old && ort_peek_string_abi(at + 8, true, name, sizeof name) < 0)
		return;
	if (has_name && strcmp(name, node->name))
		return;
	if (ort_peek_string_abi(at + 8 + (is_old ? 8 : 32), is_old, type, sizeof type) <= 0 ||
	    !isalpha((unsigned char)type[0]))
		return;
	memcpy(node->name, name, sizeof name);
	if (!node->type[0])
		memcpy(node->type, type, sizeof type);
	if (!node->name[0] && strlen(node->type) < sizeof node->name - 24)
		name_by_index(node, peek_word(at));
}

void ort_node_read(const struct ort *ort, uint64_t kernel, struct ort_node *node)
{
	uint64_t info = peek_word(kernel + 8);
	bool has_name = false;

	memset(node, 0, sizeof *node);
	if (!info || !ort_peek(info, &(uint64_t[4]){ 0 }, 32))
		return;
	node->provider = peek_word(info + 24);
	if (ort->minor >= 15)
		has_name = api_string(ort, ORT_API_NODE_NAME, info, node->name, sizeof node->name);
	if (ort->minor >= 24)
		api_string(ort, ORT_API_OPERATOR_TYPE, info, node->type, sizeof node->type);
	read_fields(node, info, has_name);
}

void ort_provider_name(uint64_t provider, unsigned *offset, char *to, size_t size)
{
	static const char suffix[] = "ExecutionProvider";

	for (unsigned at = 8; at < 256; at += 8) {
		int len = ort_peek_string(provider + at, to, size);
		if (len <= (int)strlen(suffix) || strcmp(to + len - strlen(suffix), suffix))
			continue;
		*offset = at;
		return;
	}
	if (!*offset || ort_peek_string(provider + *offset, to, size) < 0)
		*to = 0;
}

int ort_status_message(uint64_t state, char *to, size_t size)
{
	int len;

	*to = 0;
	if (!state)
		return 0;
	len = ort_peek_string(state + 8, to, size);
	return len < 0 ? 0 : len;
}
