// SPDX-License-Identifier: Apache-2.0
/*
 * Folded stacks: one line for each place of the tree, frames between semicolons, and the nanoseconds spent there and
 * not below. Semicolons and control characters in names become other characters.
 */
#include "trace/export/stacks.h"

static void put_frame(struct text_out *out, const char *name)
{
	if (!*name)
		text_out_char(out, '?');
	for (; *name; name++) {
		char c = *name;

		if (c == ';')
			c = ':';
		else if ((unsigned char)c < ' ' || c == 0x7f)
			c = ' ';
		text_out_char(out, c);
	}
}

static void put_line(struct stacks *stacks, const struct stacks_node *leaf)
{
	const struct stacks_node *nodes = stacks->nodes.data, *path[STACKS_DEPTH + 1];
	struct text_out *out = &stacks->pairing.out;
	size_t n = 0;

	for (const struct stacks_node *node = leaf; node != nodes; node = &nodes[node->parent])
		path[n++] = node;
	while (n) {
		put_frame(out, pairing_text(&stacks->pairing, path[--n]->name));
		text_out_char(out, n ? ';' : ' ');
	}
	text_out_uint(out, leaf->self_ns);
	text_out_char(out, '\n');
}

static struct sink *open(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct stacks *stacks = stacks_new(fd, names, last_track, err);

	return stacks ? &stacks->pairing.sink : NULL;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct stacks *stacks = (struct stacks *)sink;
	const struct stacks_node *nodes;
	int code;

	if (!stacks)
		return 0;
	code = stacks_finish(stacks, losses, err);
	nodes = stacks->nodes.data;
	for (size_t i = 1; i < stacks->nodes.n && !code; i++)
		if (nodes[i].self_ns)
			put_line(stacks, &nodes[i]);
	if (!code)
		code = text_out_flush(&stacks->pairing.out, err);
	stacks_free(stacks);
	return code;
}

const struct exporter export_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks in nanoseconds, for flamegraph.pl, inferno and Speedscope",
	.open = open,
	.close = end,
};
