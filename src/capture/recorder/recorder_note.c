// SPDX-License-Identifier: Apache-2.0
/*
 * Notes lie on a track of the recording's own, which is made for the first one. They pass the tap like the events of
 * sources, so that every sink of the recording gets them.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "capture/proc/machine.h"
#include "capture/recorder/recorder_in.h"

static uint32_t own_track(struct recorder *recorder)
{
	struct track_def def = { .type = TRACK_GROUP };
	struct event event = { .type = EVENT_TRACK, .def = &def };
	struct err ignored;

	if (recorder->track)
		return recorder->track;
	def.name = names_of(recorder->tap.sink.names, "inftrace");
	event.track = recorder->track = sink_new_track(&recorder->tap.sink);
	sink_put(&recorder->tap.sink, &event, &ignored);
	return recorder->track;
}

static void note_at(struct recorder *recorder, uint64_t time_ns, const char *topic, const struct arg *args, size_t n)
{
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_NOTE,
			       .track = own_track(recorder),
			       .name = names_of(recorder->tap.sink.names, topic),
			       .time_ns = time_ns,
			       .args = args,
			       .n_args = n };
	struct err ignored;

	sink_put(&recorder->tap.sink, &event, &ignored);
}

void recorder_note(struct recorder *recorder, const char *topic, const struct arg *args, size_t n)
{
	note_at(recorder, clock_ns(), topic, args, n);
}

void recorder_note_start(struct recorder *recorder)
{
	struct timespec now;
	struct arg args[8];
	char machine[300];
	size_t n = 5;
	unsigned n_cpus = machine_cpus(recorder->target->sysroot);

	clock_gettime(CLOCK_REALTIME, &now);
	args[0] = arg_text(KEY_COMMAND, &recorder->tap.sink, recorder->opts->command);
	args[1] = arg_text(KEY_LEVEL, &recorder->tap.sink, recorder->target->level);
	args[2] = arg_int(KEY_INTERVAL_NS, (int64_t)recorder->target->interval_ns);
	args[3] = arg_text(KEY_VERSION, &recorder->tap.sink, INFTRACE_VERSION);
	args[4] = arg_int(KEY_START_REALTIME_NS, now.tv_sec * 1000000000ll + now.tv_nsec);
	machine_describe(recorder->target->sysroot, machine, sizeof machine);
	if (*machine)
		args[n++] = arg_text(KEY_MACHINE, &recorder->tap.sink, machine);
	if (n_cpus)
		args[n++] = arg_int(KEY_COUNT, n_cpus);
	if (recorder->target->uprobes)
		args[n++] = arg_text(KEY_SOURCE, &recorder->tap.sink, "uprobe");
	/* --duration counts from there, too */
	note_at(recorder, recorder->start_ns, EVENT_NOTE_RECORDING, args, n);
}

void recorder_note_exit(struct recorder *recorder, pid_t pid, const int *status)
{
	struct arg args[4] = { arg_int(KEY_PID, pid) };
	size_t n = 1;

	if (status && pid == recorder->target->pid && recorder->result->peak_bytes)
		args[n++] = arg_int(KEY_PEAK, recorder->result->peak_bytes);
	if (status)
		args[n++] = WIFSIGNALED(*status) ? arg_int(KEY_SIGNAL, WTERMSIG(*status))
						 : arg_int(KEY_EXIT_STATUS, WEXITSTATUS(*status));
	if (recorder->result->n_left)
		args[n++] = arg_int(KEY_COUNT, (int64_t)recorder->result->n_left);
	recorder_note(recorder, EVENT_NOTE_EXIT, args, n);
}

static void note_cost(struct recorder *recorder)
{
	struct recorder_result *result = recorder->result;
	const struct sink *sink = &recorder->tap.sink;
	double fault_ns = recorder_cost_fault_ns();
	struct arg args[7];
	size_t n = 0;

	result->cpu_ns = recorder_cost_cpu_ns(RUSAGE_SELF) - recorder->start_cpu_ns + recorder->helpers_ns;
	args[n++] = arg_int(KEY_EVENTS, (int64_t)recorder->tap.n_events);
	args[n++] = arg_int(KEY_RECORDER_CPU_NS, (int64_t)result->cpu_ns);
	if (recorder_cost_peak_bytes())
		args[n++] = arg_int(KEY_RECORDER_PEAK_BYTES, recorder_cost_peak_bytes());
	/* of a record that the program writes itself */
	if (!recorder->target->uprobes)
		args[n++] = arg_real(KEY_EVENT_NS, recorder_cost_event_ns());
	args[n++] = arg_int(KEY_LOST, (int64_t)recorder->tap.n_lost);
	if (sink->n_moved)
		args[n++] = arg_int(KEY_MOVED, (int64_t)sink->n_moved);
	if (fault_ns > 0)
		args[n++] = arg_real(KEY_FAULT_NS, fault_ns);
	recorder_note(recorder, EVENT_NOTE_COST, args, n);
}

void recorder_note_end(struct recorder *recorder)
{
	const struct recorder_way *way = recorder->way;
	const struct recorder_result *result = recorder->result;

	if (way->program_reason) {
		struct arg args[3] = { arg_int(KEY_PID, recorder->target->pid),
				       arg_text(KEY_STATE, &recorder->tap.sink, way->program_reason),
				       arg_int(KEY_COUNT, 1) };
		recorder_note(recorder, EVENT_NOTE_PROCESS, args, 3);
	}
	if (result->has_stopped) {
		struct arg why = arg_text(KEY_TEXT, &recorder->tap.sink, result->stop_reason);
		recorder_note(recorder, EVENT_NOTE_STOPPED, &why, 1);
	} else if (!way->attached) {
		recorder_note_exit(recorder, recorder->target->pid, &result->wait_status);
	}
	note_cost(recorder);
}
