// SPDX-License-Identifier: Apache-2.0
/*
 * Processes, their services and their sessions. A process holds the series that it adds to, so that they stay as long
 * as it lives.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/provider.h"
#include "fleet/aggregate/fleet_in.h"

struct fleet_process *fleet_process_of(const struct fleet *fleet, const struct fleet_track *track)
{
	const struct fleet_track *process = fleet_track_at(fleet, track->process);

	return process ? process->of : NULL;
}

static bool is_same(const struct origin_program *a, const struct origin_program *b)
{
	return !strcmp(a->service, b->service) && !strcmp(a->service_version, b->service_version) &&
	       !strcmp(a->k8s_namespace, b->k8s_namespace) && !strcmp(a->k8s_pod, b->k8s_pod) &&
	       !strcmp(a->container, b->container);
}

/* Once there are as many as may be, the last one is that of all others. */
static struct fleet_service *service_of(struct fleet *fleet, const struct origin_program *origin)
{
	struct origin_program other = { .service = SERIES_OTHER };

	for (uint32_t i = 0; i < fleet->n_services; i++)
		if (is_same(&fleet->service[i]->origin, origin))
			return fleet->service[i];
	if (fleet->n_services == FLEET_SERVICES)
		return fleet->service[FLEET_SERVICES - 1];
	fleet->service[fleet->n_services] = calloc(1, sizeof(struct fleet_service));
	if (!fleet->service[fleet->n_services])
		return NULL;
	fleet->service[fleet->n_services]->origin = fleet->n_services == FLEET_SERVICES - 1 ? other : *origin;
	return fleet->service[fleet->n_services++];
}

void fleet_process_define(struct fleet *fleet, struct fleet_track *track, const struct event *event)
{
	struct fleet_process *process = track->of;

	if (!event->def->pid) /* the machine's */
		return;
	if (!process) {
		process = fleet->n_processes < FLEET_PROCESSES ? calloc(1, sizeof *process) : NULL;
		if (!process) {
			fleet->own.n_processes_refused++;
			return;
		}
		process->track = event->track;
		process->number = ++fleet->last_process;
		fleet->process[fleet->n_processes++] = process;
		track->of = process;
	}
	process->pid = event->def->pid;
	snprintf(process->name, sizeof process->name, "%s", names_text(fleet->sink.names, event->def->name));
}

/* Who it is is read once it has a runtime: most processes never have one. */
static void identify(struct fleet *fleet, struct fleet_process *process)
{
	struct origin_program origin;

	if (process->service)
		return;
	fleet->opts.identify(&origin, fleet->opts.sysroot, process->pid, process->name);
	process->service = service_of(fleet, &origin);
	if (!process->service) {
		fleet->is_out_of_memory = true;
		return;
	}
	process->service->n_processes++;
	process->service->ended_interval = 0;
}

static void free_process(struct fleet_process *process)
{
	fleet_unseen_done(process);
	free(process->open);
	free(process->recent);
	free(process->session);
	free(process);
}

void fleet_process_end(struct fleet *fleet, struct fleet_track *track)
{
	struct fleet_process *process = track->of;

	track->of = NULL;
	fleet_operators_forget(fleet, process);
	for (uint32_t i = 0; i < process->n_sessions; i++)
		if (process->session[i].series && process->session[i].exists && process->session[i].series->n_sessions)
			process->session[i].series->n_sessions--;
	for (uint32_t i = 0; i < process->n_used; i++)
		process->used[i]->n_users--;
	if (process->service && !--process->service->n_processes)
		process->service->ended_interval = fleet->interval.number + 1;
	for (uint32_t i = 0; i < fleet->n_processes; i++)
		if (fleet->process[i] == process) {
			fleet->process[i] = fleet->process[--fleet->n_processes];
			break;
		}
	free_process(process);
}

/* The process keeps it; those for which it has no room stay for good. */
static void hold(struct fleet_process *process, struct series *series)
{
	for (uint32_t i = 0; i < process->n_used; i++)
		if (process->used[i] == series)
			return;
	series->n_users++;
	if (process->n_used < FLEET_USED)
		process->used[process->n_used++] = series;
}

/* Models may have new names without end. */
static uint32_t keep_model(const struct fleet *fleet, uint32_t model)
{
	struct names *names = fleet->sink.names;

	if (names_count(names) < FLEET_NAMES || names_find(names, names_text(names, model), names_len(names, model)))
		return names_keep(names, model);
	return names_of(names, SERIES_OTHER);
}

struct fleet_session *fleet_session_of(struct fleet *fleet, struct fleet_process *process, int64_t number,
				       uint32_t model)
{
	struct fleet_session *session, *grown;

	model = names_is_passing(model) ? keep_model(fleet, model) : model;
	for (uint32_t i = process->n_sessions; i-- > 0;) {
		session = &process->session[i];
		if (session->number != number || (number < 0 && session->model != model))
			continue;
		if (session->model != model && model) {
			session->model = model;
			session->series = NULL;
		}
		return session;
	}
	if (process->n_sessions == FLEET_SESSIONS)
		return &process->session[FLEET_SESSIONS - 1];
	if (!(process->n_sessions & (process->n_sessions - 1))) {
		grown = realloc(process->session, (process->n_sessions ? 2 * process->n_sessions : 1) * sizeof *grown);
		if (!grown)
			return NULL;
		process->session = grown;
	}
	session = &process->session[process->n_sessions++];
	*session = (struct fleet_session){ .number = number, .model = model };
	return session;
}

/* "CUDAExecutionProvider{...},CPUExecutionProvider": the first one, without what all have in common. */
static void say_provider(char *to, size_t size, const char *providers)
{
	size_t len = provider_length(providers, strcspn(providers, "{,"));

	origin_copy(to, size, providers, len);
}

static const char *device_of(const char *provider)
{
	static const struct {
		const char *provider, *device;
	} known[] = {
		{ "CPU", "cpu" },    { "XNNPACK", "cpu" },	 { "DNNL", "cpu" },	{ "ACL", "cpu" },
		{ "CUDA", "gpu" },   { "TensorRT", "gpu" },	 { "Tensorrt", "gpu" }, { "ROCM", "gpu" },
		{ "DML", "gpu" },    { "NvTensorRTRTX", "gpu" }, { "MIGraphX", "gpu" }, { "WebGPU", "gpu" },
		{ "QNN", "npu" },    { "VitisAI", "npu" },	 { "CANN", "npu" },	{ "RKNPU", "npu" },
		{ "CoreML", "npu" }, { "VSINPU", "npu" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(provider, known[i].provider))
			return known[i].device;
	return "";
}

struct series *fleet_series_of(struct fleet *fleet, struct fleet_process *process, struct fleet_session *session)
{
	const struct origin_program *origin;
	const char *model = names_text(fleet->sink.names, session->model), *slash = strrchr(model, '/');
	const char *runtime = *session->runtime ? session->runtime : process->has_several ? "" : process->runtime;
	struct series_labels labels = { "" };

	if (session->series)
		return session->series;
	identify(fleet, process);
	if (!process->service)
		return NULL;
	origin = &process->service->origin;
	strcpy(labels.service, origin->service);
	strcpy(labels.k8s_namespace, origin->k8s_namespace);
	strcpy(labels.k8s_pod, origin->k8s_pod);
	strcpy(labels.container, origin->container);
	strcpy(labels.service_version, origin->service_version);
	model = slash && slash[1] ? slash + 1 : model;
	origin_copy(labels.model, sizeof labels.model, model, strlen(model));
	snprintf(labels.runtime, sizeof labels.runtime, "%s", runtime);
	if (*runtime && !strcmp(runtime, process->runtime) && !process->has_several)
		strcpy(labels.runtime_version, process->version);
	if (session->provider)
		say_provider(labels.provider, sizeof labels.provider, names_text(fleet->sink.names, session->provider));
	snprintf(labels.device, sizeof labels.device, "%s", device_of(labels.provider));
	session->series = series_get(&fleet->series, &labels);
	if (!session->series) {
		fleet->is_out_of_memory = true;
		return NULL;
	}
	hold(process, session->series);
	if (!session->exists && session->number >= 0 && !session->released)
		session->series->n_sessions++;
	session->exists = true;
	return session->series;
}

static void forget(struct fleet_session *session)
{
	if (session->series && session->exists && session->series->n_sessions)
		session->series->n_sessions--;
	session->series = NULL;
	session->exists = false;
}

/* What is known of it has changed: the series is chosen anew. */
static void take_session(struct fleet *fleet, struct fleet_process *process, const struct event *event)
{
	uint32_t model = event_text(event, KEY_MODEL), providers = event_text(event, KEY_PROVIDERS);
	uint32_t status = event_text(event, KEY_STATUS), runtime = event_text(event, KEY_RUNTIME);
	struct fleet_session *session = fleet_session_of(fleet, process, event_int(event, KEY_SESSION, -1), model);

	if (!session || !model || (status && status != fleet->ok))
		return;
	forget(session);
	session->provider = providers ? names_keep(fleet->sink.names, providers) : session->provider;
	if (runtime)
		snprintf(session->runtime, sizeof session->runtime, "%s", names_text(fleet->sink.names, runtime));
	fleet_series_of(fleet, process, session);
}

static void take_release(const struct fleet *fleet, struct fleet_process *process, const struct event *event)
{
	int64_t number = event_int(event, KEY_SESSION, -1);

	for (uint32_t i = 0; i < process->n_sessions; i++)
		if (process->session[i].number == number) {
			forget(&process->session[i]);
			process->session[i].released = fleet->interval.number + 1;
			return;
		}
}

static void drop_released(struct fleet_process *process, uint32_t number)
{
	for (uint32_t i = process->n_sessions; i-- > 0;)
		if (process->session[i].released && process->session[i].released < number)
			process->session[i] = process->session[--process->n_sessions];
}

static void take_runtime(struct fleet *fleet, struct fleet_process *process, const struct event *event)
{
	const char *name = names_text(fleet->sink.names, event_text(event, KEY_RUNTIME));
	const char *version = names_text(fleet->sink.names, event_text(event, KEY_VERSION));

	if (*process->runtime && strcmp(process->runtime, name) != 0)
		process->has_several = true;
	snprintf(process->runtime, sizeof process->runtime, "%s", name);
	origin_copy(process->version, sizeof process->version, version, strlen(version));
	process->is_watched = true;
	identify(fleet, process);
}

const char *fleet_level_name(enum fleet_level level)
{
	static const char *const names[] = { "operators", "operators in windows", "inferences", "inferences in windows",
					     "out" };

	return names[level];
}

static const struct series *series_of_number(struct fleet *fleet, struct fleet_process *process, int64_t number)
{
	for (uint32_t i = 0; i < process->n_sessions; i++)
		if (process->session[i].number == number)
			return fleet_series_of(fleet, process, &process->session[i]);
	return NULL;
}

static void take_level(struct fleet *fleet, struct fleet_process *process, const struct event *event)
{
	int64_t n_unseen = event_int(event, KEY_COUNT, 0), session = event_int(event, KEY_SESSION, 0);
	const char *level = names_text(fleet->sink.names, event_text(event, KEY_LEVEL));

	process->is_paced = true;
	for (int i = 0; i < N_FLEET_LEVELS; i++)
		if (!strcmp(level, fleet_level_name((enum fleet_level)i)))
			process->level = (enum fleet_level)i;
	if (n_unseen > 0 && session > 0)
		fleet_unseen_take_series(fleet, process, series_of_number(fleet, process, session), (uint64_t)n_unseen);
	else if (n_unseen > 0)
		fleet_unseen_take(fleet, process, (uint64_t)n_unseen);
}

void fleet_take_note(struct fleet *fleet, const struct fleet_track *track, const struct event *event)
{
	struct fleet_process *process = fleet_process_of(fleet, track);
	int64_t count = event_int(event, KEY_COUNT, 0);

	if (event->kind == KIND_LOST)
		fleet->own.n_lost += count > 0 ? (uint64_t)count : 0;
	/* of processes that were not met */
	if (event->kind == KIND_NOTE && !event->track && event->name == fleet->topic.paced && count > 0)
		fleet->own.n_unknown += (uint64_t)count;
	if (event->kind != KIND_NOTE || !process)
		return;
	if (event->name == fleet->topic.runtime)
		take_runtime(fleet, process, event);
	else if (event->name == fleet->topic.created || event->name == fleet->topic.session)
		take_session(fleet, process, event);
	else if (event->name == fleet->topic.released)
		take_release(fleet, process, event);
	else if (event->name == fleet->topic.sampled_out && count > 0)
		fleet->own.n_skipped += (uint64_t)count;
	else if (event->name == fleet->topic.paced)
		take_level(fleet, process, event);
	else if (event->name == fleet->topic.process && event_text(event, KEY_STATE))
		process->is_unseen = true;
}

void fleet_take_counter(struct fleet *fleet, struct fleet_track *track, const struct event *event)
{
	struct fleet_process *process = track->counter ? fleet_process_of(fleet, track) : NULL;

	if (!process)
		return;
	if (track->counter == FLEET_RESIDENT)
		process->resident_bytes = event->value;
	if (track->counter != FLEET_CPU)
		return;
	if (process->service && process->cpu_ns && event->time_ns > process->cpu_ns)
		process->service->cpu_s += event->value / 100 * (double)(event->time_ns - process->cpu_ns) / 1e9;
	process->cpu_ns = event->time_ns;
}

void fleet_programs_roll(struct fleet *fleet)
{
	uint32_t n = 0;

	fleet->own.n_watched = fleet->own.n_unseen = 0;
	memset(fleet->own.n_at, 0, sizeof fleet->own.n_at);
	for (uint32_t i = 0; i < fleet->n_services; i++)
		fleet->service[i]->resident_bytes = 0;
	for (uint32_t i = 0; i < fleet->n_processes; i++) {
		struct fleet_process *process = fleet->process[i];

		drop_released(process, fleet->interval.number);
		fleet_unseen_roll(process);
		if (process->open && !process->open->n_used && process->open->n > FLEET_FIRST_OPEN)
			fleet_operators_forget(fleet, process);
		fleet->own.n_watched += process->is_watched;
		fleet->own.n_at[process->level] += process->is_paced;
		fleet->own.n_unseen += process->is_unseen && !process->is_watched;
		if (process->service)
			process->service->resident_bytes += process->resident_bytes;
	}
	for (uint32_t i = 0; i < fleet->n_services; i++) {
		struct fleet_service *service = fleet->service[i];

		service->last_cpu_s = service->cpu_s - service->rolled_cpu_s;
		service->rolled_cpu_s = service->cpu_s;
		if (service->ended_interval &&
		    service->ended_interval + fleet->opts.idle_intervals < fleet->interval.number)
			free(service);
		else
			fleet->service[n++] = service;
	}
	fleet->n_services = n;
}

void fleet_programs_done(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->n_processes; i++) {
		free_process(fleet->process[i]);
	}
	for (uint32_t i = 0; i < fleet->n_services; i++)
		free(fleet->service[i]);
}
