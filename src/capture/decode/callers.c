// SPDX-License-Identifier: Apache-2.0
/* Gathers a bounded number of events: beyond that they go on with the address until the line comes. */
#include "capture/decode/callers.h"

enum { MOST_GATHERED = 1 << 16 };

uint32_t callers_place(struct callers *callers, struct names *names, uint32_t caller)
{
	uint32_t place;

	if (!callers->finder.find || *names_text(names, caller) != '/')
		return caller;
	for (uint32_t i = 0; i < callers->n; i++)
		if (callers->at[i].address == caller)
			return callers->at[i].place ? callers->at[i].place : caller;
	if (callers->n == CALLERS)
		return caller;
	place = callers->finder.find(&callers->finder, names, caller, false);
	callers->at[callers->n].address = caller;
	callers->at[callers->n++].place = place;
	callers->n_open += !place;
	return place ? place : caller;
}

static struct arg *caller_in(struct lane_event *event)
{
	for (uint32_t i = 0; i < event->n_args; i++)
		if (event->arg[i].key == KEY_CALLER)
			return &event->arg[i];
	return NULL;
}

/* The place of this address, or 0. */
static uint32_t found(const struct callers *callers, uint32_t address)
{
	for (uint32_t i = 0; i < callers->n; i++)
		if (callers->at[i].address == address)
			return callers->at[i].place;
	return address;
}

static uint64_t name_places(const struct callers *callers, struct lanes *lanes)
{
	uint64_t until_ns = UINT64_MAX;

	for (size_t i = 0; i < lanes->n; i++) {
		struct lane_event *event = &lanes->event[i];
		struct arg *arg = event->type == EVENT_BEGIN ? caller_in(event) : NULL;
		uint32_t place = arg ? found(callers, arg->name) : 0;

		if (place)
			arg->name = place;
		else if (arg && event->time_ns <= until_ns)
			until_ns = event->time_ns ? event->time_ns - 1 : 0;
	}
	return until_ns;
}

uint64_t callers_settle(struct callers *callers, struct lanes *lanes, struct names *names, bool waits)
{
	if (!callers->n_open)
		return UINT64_MAX;
	for (uint32_t i = 0; i < callers->n; i++) {
		struct caller_known *known = &callers->at[i];
		uint32_t place;

		if (known->place && !known->is_late)
			continue;
		place = callers->finder.find(&callers->finder, names, known->address, waits);
		known->is_late = !place && (known->is_late || lanes->n > MOST_GATHERED);
		if (place || known->is_late)
			known->place = place ? place : known->address;
		callers->n_open -= place != 0;
	}
	return name_places(callers, lanes);
}
