// SPDX-License-Identifier: Apache-2.0
/* Keeps a stack of open slices for each track, and gives each slice to the exporter when it ends. */
#include "trace/export/pairing.h"

#include <errno.h>

static const char failure[] = "cannot write the file";

struct pairing_track *pairing_track(struct pairing *pairing, uint32_t number)
{
	struct pairing_track *track =
	    number < pairing->tracks.n ? (struct pairing_track *)pairing->tracks.data + number : NULL;

	return track && track->is_defined ? track : NULL;
}

static int define(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct pairing_track *track, *parent;

	while (pairing->tracks.n <= event->track)
		if (!array_add(&pairing->tracks, sizeof *track))
			return err_no_memory(err, failure);
	track = (struct pairing_track *)pairing->tracks.data + event->track;
	parent = event->def->parent != event->track ? pairing_track(pairing, event->def->parent) : NULL;
	track->def = *event->def;
	track->is_defined = true;
	track->process = 0;
	if (event->def->type == TRACK_PROCESS)
		track->process = event->track;
	else if (parent)
		track->process = parent->process;
	if (parent && track->def.pid <= 0)
		track->def.pid = parent->def.pid;
	return 0;
}

static int add_args(struct pairing_track *track, const struct event *event, struct err *err)
{
	for (size_t i = 0; i < event->n_args; i++) {
		struct arg *arg = array_add_raw(&track->args, sizeof *arg);

		if (!arg)
			return err_no_memory(err, failure);
		*arg = event->args[i];
	}
	((struct pairing_open *)track->open.data)[track->open.n - 1].n_args += event->n_args;
	return 0;
}

static int begin(struct pairing *pairing, struct pairing_track *track, const struct event *event, struct err *err)
{
	struct pairing_open *open = array_add(&track->open, sizeof *open);
	int code;

	if (!open)
		return err_no_memory(err, failure);
	*open = (struct pairing_open){
		.kind = event->kind, .name = event->name, .begin_ns = event->time_ns, .first_arg = track->args.n
	};
	code = add_args(track, event, err);
	if (!code && pairing->begin)
		pairing->begin(pairing, track);
	return code;
}

static int end(struct pairing *pairing, struct pairing_track *track, const struct event *event, struct err *err)
{
	struct pairing_open *open;
	struct pairing_slice slice;
	int code;

	if (!track->open.n)
		return 0;
	code = add_args(track, event, err);
	if (code)
		return code;
	open = (struct pairing_open *)track->open.data + track->open.n - 1;
	slice = (struct pairing_slice){ .kind = open->kind,
					.name = open->name,
					.track = event->track,
					.begin_ns = open->begin_ns,
					.end_ns = event->time_ns > open->begin_ns ? event->time_ns : open->begin_ns,
					.args = array_from(&track->args, open->first_arg, sizeof(struct arg)),
					.n_args = open->n_args,
					.self = open,
					.of = track,
					.parent = track->open.n > 1 ? open - 1 : NULL };
	code = pairing->take(pairing, &slice, err);
	track->args.n = open->first_arg;
	track->open.n--;
	return code;
}

static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	if (pairing->take_other)
		return pairing->take_other(pairing, event, err);
	pairing->n_instants += event->type == EVENT_INSTANT;
	pairing->n_samples += event->type == EVENT_COUNTER;
	return 0;
}

static int take(struct order *order, const struct event *event, struct err *err)
{
	struct pairing *pairing = (struct pairing *)((char *)order - offsetof(struct pairing, order));
	struct pairing_track *track;

	if (event->type == EVENT_TRACK)
		return define(pairing, event, err);
	track = pairing_track(pairing, event->track);
	if (!track)
		return err_set(err, EINVAL, "cannot write an event: track %u is not defined", event->track);
	if (event->type == EVENT_BEGIN)
		return begin(pairing, track, event, err);
	if (event->type == EVENT_END)
		return end(pairing, track, event, err);
	return take_other(pairing, event, err);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct pairing *pairing = (struct pairing *)sink;
	struct pairing_track *process = event->type == EVENT_SAMPLE ? pairing_track(pairing, event->track) : NULL;
	int code = order_put(&pairing->order, event, err);

	if (process && event->sample && pairing->take_sample)
		pairing->take_sample(pairing, process, event->sample);

	return !code && pairing->out.code ? text_out_flush(&pairing->out, err) : code;
}

void pairing_init(struct pairing *pairing, int fd, struct names *names, uint32_t *last_track)
{
	pairing->sink = (struct sink){ .put = put, .names = names, .last_track = last_track };
	order_init(&pairing->order, take);
	text_out_init(&pairing->out, fd);
}

int pairing_finish(struct pairing *pairing, struct err *err)
{
	return order_finish(&pairing->order, err);
}

void pairing_done(struct pairing *pairing)
{
	struct pairing_track *tracks = pairing->tracks.data;

	for (size_t i = 0; i < pairing->tracks.n; i++) {
		array_done(&tracks[i].open, sizeof(struct pairing_open));
		array_done(&tracks[i].args, sizeof(struct arg));
	}
	array_done(&pairing->tracks, sizeof *tracks);
	order_done(&pairing->order);
}

void export_lost(struct export_losses *losses, uint64_t n, const char *what, const char *rest)
{
	if (n && losses->n < EXPORT_LOSSES)
		losses->loss[losses->n++] = (struct export_loss){ n, what, rest };
}

void pairing_losses(const struct pairing *pairing, struct export_losses *losses)
{
	const struct pairing_track *tracks = pairing->tracks.data;
	uint64_t n_open = 0;

	for (size_t i = 0; i < pairing->tracks.n; i++)
		n_open += tracks[i].open.n;
	export_lost(losses, pairing->n_slices, "slice", " of other kinds");
	export_lost(losses, n_open, "slice", " without an end");
	export_lost(losses, pairing->order.n_late, "event", " out of order");
	export_lost(losses, pairing->n_instants, "instant", "");
	export_lost(losses, pairing->n_samples, "sample", "");
}

const struct arg *pairing_arg(const struct pairing_slice *slice, enum event_key key, enum arg_type type)
{
	for (size_t i = slice->n_args; i-- > 0;)
		if (slice->args[i].key == key && slice->args[i].type == type)
			return &slice->args[i];
	return NULL;
}

int64_t pairing_int(const struct pairing_slice *slice, enum event_key key, int64_t fallback)
{
	const struct arg *arg = pairing_arg(slice, key, ARG_INT);

	return arg ? arg->integer : fallback;
}

uint32_t pairing_name(const struct pairing_slice *slice, enum event_key key)
{
	const struct arg *arg = pairing_arg(slice, key, ARG_NAME);

	return arg ? arg->name : 0;
}

const char *pairing_text(const struct pairing *pairing, uint32_t name)
{
	return names_text(pairing->sink.names, name);
}

const struct pairing_track *pairing_model(struct pairing *pairing, const struct pairing_track *group)
{
	const struct pairing_track *model = pairing_track(pairing, group->def.parent), *above;

	above = model && model->def.type == TRACK_GROUP ? pairing_track(pairing, model->def.parent) : NULL;
	return above && above->def.type == TRACK_GROUP && !strcmp(pairing_text(pairing, above->def.name), "models")
		   ? model
		   : NULL;
}
