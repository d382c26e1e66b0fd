// SPDX-License-Identifier: Apache-2.0
/* Energy of a span, from counters that were sampled at other times. */
#include "analyze/result/model/model_energy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The part of the name that says which package; 0: not the counter of a package. */
static size_t package_len(const char *name)
{
	size_t len = strcspn(name, " ");

	return !strncmp(name, "package-", 8) && !strcmp(name + len, " energy") ? len : 0;
}

/* Where the counter stood at a time; NAN: before the first or after the last sample. */
static double value_at(const struct store_samples *samples, uint64_t time_ns)
{
	size_t next = store_first_from(samples->time_ns, samples->n, time_ns);
	double part;

	if (next < samples->n && samples->time_ns[next] == time_ns)
		return samples->value[next];
	if (!next || next == samples->n)
		return NAN;
	part = (double)(time_ns - samples->time_ns[next - 1]) /
	       (double)(samples->time_ns[next] - samples->time_ns[next - 1]);
	return samples->value[next - 1] + part * (samples->value[next] - samples->value[next - 1]);
}

double model_energy_between(const struct store_samples *samples, uint64_t start_ns, uint64_t end_ns, size_t *n)
{
	*n = store_first_from(samples->time_ns, samples->n, end_ns) -
	     store_first_from(samples->time_ns, samples->n, start_ns);
	return value_at(samples, end_ns) - value_at(samples, start_ns);
}

static void add_package(struct model_energy *energy, const struct store_samples *samples, const char *package, int len,
			uint64_t start_ns, uint64_t end_ns)
{
	size_t n, used = strlen(energy->scope);
	double joules = model_energy_between(samples, start_ns, end_ns, &n);

	snprintf(energy->scope + used, sizeof energy->scope - used, "%s%.*s", used ? "+" : "", len, package);
	energy->joules += joules;
	if (*energy->missing)
		return;
	if (n < MODEL_ENERGY_SAMPLES)
		snprintf(
		    energy->missing, sizeof energy->missing,
		    "%zu sample%s of the energy of %.*s in that time, %d are needed: run longer, or with a shorter "
		    "--interval",
		    n, n == 1 ? "" : "s", len, package, MODEL_ENERGY_SAMPLES);
	else if (!(joules >= 0))
		snprintf(energy->missing, sizeof energy->missing, "the energy of %.*s was not recorded all the time",
			 len, package);
}

void model_energy_find(struct model_energy *energy, const struct store *store, uint64_t start_ns, uint64_t end_ns)
{
	size_t used;

	*energy = (struct model_energy){ 0 };
	for (uint32_t id = 1; start_ns < end_ns && id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);
		const char *name, *unit;

		if (!track || track->def.type != TRACK_COUNTER || !track->samples.n || store_process_of(store, id))
			continue;
		name = names_text(store_names(store), track->def.name);
		unit = names_text(store_names(store), track->def.unit);
		if (!package_len(name) || strcmp(unit, "J"))
			continue;
		energy->has_counter = true;
		add_package(energy, &track->samples, name, (int)package_len(name), start_ns, end_ns);
	}
	used = strlen(energy->scope);
	snprintf(energy->scope + used, sizeof energy->scope - used, "%s", energy->has_counter ? ", whole machine" : "");
	if (!energy->has_counter || *energy->missing)
		energy->joules = NAN;
}
