// SPDX-License-Identifier: Apache-2.0
/* The tables of operators, by node and by type, of kernels of devices, and of the phases of session creation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_scan.h"
#include "show/view/view_table.h"

enum { OPERATOR_COLUMNS = 16 };

static const struct view_table_column operator_columns[] = {
	{ "name", "Operator", "", "text" },
	{ "op_type", "Type", "", "text" },
	{ "model", "Model", "", "text" },
	{ "provider", "Provider", "", "text" },
	{ "calls", "Calls", "", "number" },
	{ "self_ns", "Time", "ns", "number" },
	{ "share", "Share", "percent", "number" },
	{ "mean_ns", "Mean", "ns", "number" },
	{ "min_ns", "Shortest", "ns", "number" },
	{ "max_ns", "Longest", "ns", "number" },
	{ "device_ns", "On the device", "ns", "number" }, /* where there are kernels */
	{ "class", "Class", "", "number" },
	{ "name_number", "Name", "", "number" },
	{ "halted", "Left out", "", "number" }, /* where a process was stopped, traced or frozen */
};

static const struct view_table_column kernel_columns[] = {
	{ "name", "Kernel", "", "text" },	 { "model", "Model", "", "text" },
	{ "provider", "Provider", "", "text" },	 { "calls", "Calls", "", "number" },
	{ "self_ns", "Time", "ns", "number" },	 { "share", "Share", "percent", "number" },
	{ "mean_ns", "Mean", "ns", "number" },	 { "min_ns", "Shortest", "ns", "number" },
	{ "max_ns", "Longest", "ns", "number" }, { "class", "Class", "", "number" },
	{ "name_number", "Name", "", "number" }, { NULL },
};

static const struct view_table_column phase_columns[] = {
	{ "name", "Phase", "", "text" },
	{ "kind", "Kind", "", "text" },
	{ "calls", "Calls", "", "number" },
	{ "self_ns", "Own time", "ns", "number" },
	{ "share", "Share", "percent", "number" },
	{ "total_ns", "Time", "ns", "number" },
	{ "mean_ns", "Mean", "ns", "number" },
	{ "max_ns", "Longest", "ns", "number" },
	{ "class", "Class", "", "number" },
	{ "name_number", "Name", "", "number" },
	{ NULL },
};

struct operators {
	struct groups groups;
	struct view_table table;
	struct view_table_column columns[OPERATOR_COLUMNS]; /* of this recording */
};

/* By the columns' names, so that the tables share it. */
static struct view_table_cell cell_of(const struct view *view, const struct group *group, double share,
				      const char *column)
{
	if (!strcmp(column, "name"))
		return view_table_text(view_name(view, group->name));
	if (!strcmp(column, "op_type"))
		return view_table_text(view_class_name(view, group->class));
	if (!strcmp(column, "model"))
		return view_table_text(view_name(view, group->model));
	if (!strcmp(column, "provider"))
		return view_table_text(view_name(view, group->provider));
	if (!strcmp(column, "kind"))
		return view_table_text(event_kind_name(group->kind));
	if (!strcmp(column, "calls"))
		return view_table_number((double)group->n);
	if (!strcmp(column, "self_ns"))
		return view_table_number((double)group->self_ns);
	if (!strcmp(column, "total_ns"))
		return view_table_number((double)group->total_ns);
	if (!strcmp(column, "share"))
		return view_table_number(share * 100);
	if (!strcmp(column, "halted"))
		return view_table_number(group->n_halted ? (double)group->n_halted : NAN);
	if (!strcmp(column, "device_ns"))
		return view_table_number(group->device_ns ? (double)group->device_ns : NAN);
	if (!strcmp(column, "class"))
		return view_table_number(group->class);
	if (!strcmp(column, "name_number"))
		return view_table_number(group->name);
	if (group->min_ns > group->max_ns) /* none has ended */
		return view_table_number(NAN);
	if (!strcmp(column, "mean_ns"))
		return view_table_number((double)group->total_ns / (double)group->n);
	return view_table_number((double)(!strcmp(column, "min_ns") ? group->min_ns : group->max_ns));
}

static void finish(struct groups *groups, struct http_answer *answer)
{
	struct operators *to = (struct operators *)groups;
	const struct view *view = groups->scan.view;
	const struct group *group = groups->rows.data;
	double all_ns = 0;

	for (size_t i = 0; i < groups->rows.n; i++)
		all_ns += (double)group[i].self_ns;
	for (size_t i = 0; i < groups->rows.n; i++) {
		struct view_table_cell *cell;

		if (!group[i].n && !group[i].n_halted) /* kernels alone: it began before the range */
			continue;
		if (!view_table_wants(&to->table, view_name(view, group[i].model), view_name(view, group[i].name),
				      view_class_name(view, group[i].class)))
			continue;
		cell = view_table_row(&to->table);
		for (uint32_t k = 0; cell && k < to->table.n_columns; k++)
			cell[k] = cell_of(view, &group[i], all_ns > 0 ? (double)group[i].self_ns / all_ns : NAN,
					  to->table.columns[k].name);
	}
	view_table_finish(&to->table, answer);
}

static void freed(struct groups *groups)
{
	view_table_done(&((struct operators *)groups)->table);
}

static bool has_kind(const struct view *view, enum event_kind kind)
{
	for (uint32_t id = 1; id <= store_n_tracks(view->store); id++) {
		const struct store_track *track = store_track(view->store, id);

		if (track && track->slices.n && track->slices.kind[0] == kind)
			return true;
	}
	return false;
}

static struct operators *make(struct view *view, const struct view_table_column *columns, uint32_t kinds,
			      const struct http_request *request, struct http_answer *answer)
{
	struct operators *to;
	struct view_table table;

	if (!view_table_init(&table, columns, request, answer))
		return NULL;
	if (!http_request_text(request, "sort"))
		while (strcmp(columns[table.query.sort].name, "self_ns"))
			table.query.sort++;
	to = groups_new(view, sizeof *to, request, answer);
	if (!to)
		return NULL;
	to->table = table;
	to->groups.kinds = kinds;
	to->groups.finished = finish;
	to->groups.freed = freed;
	return to;
}

static bool is_only_of_nodes(const char *column)
{
	return !strcmp(column, "name") || !strcmp(column, "provider") || !strcmp(column, "name_number");
}

static struct http_job *make_operators(struct view *view, bool by_type, const struct http_request *request,
				       struct http_answer *answer)
{
	bool has_halts = has_kind(view, KIND_HALT), has_device = has_kind(view, KIND_KERNEL);
	struct view_table_column own[OPERATOR_COLUMNS] = { { 0 } };
	struct operators *to;
	size_t n = 0;

	for (size_t i = 0; i < sizeof operator_columns / sizeof *operator_columns; i++) {
		const char *name = operator_columns[i].name;

		if ((by_type && is_only_of_nodes(name)) || (!has_halts && !strcmp(name, "halted")) ||
		    (!has_device && !strcmp(name, "device_ns")))
			continue;
		own[n++] = operator_columns[i];
	}
	to = make(view, own, 1u << KIND_OPERATOR, request, answer);
	if (!to)
		return NULL;
	memcpy(to->columns, own, sizeof own);
	to->table.columns = to->columns;
	to->groups.by_type = by_type;
	to->groups.with_device = has_device;
	return &to->groups.scan.job;
}

struct http_job *table_operators(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	return make_operators(view, false, request, answer);
}

struct http_job *table_operator_types(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	return make_operators(view, true, request, answer);
}

struct http_job *table_kernels(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	struct operators *to = make(view, kernel_columns, 1u << KIND_KERNEL, request, answer);

	return to ? &to->groups.scan.job : NULL;
}

struct http_job *table_phases(struct view *view, const struct http_request *request, struct http_answer *answer)
{
	const uint32_t kinds =
	    1u << KIND_SESSION | 1u << KIND_LOAD | 1u << KIND_SPECIALIZE | 1u << KIND_PHASE | 1u << KIND_PROVIDER_READY;
	struct operators *to = make(view, phase_columns, kinds, request, answer);

	return to ? &to->groups.scan.job : NULL;
}
