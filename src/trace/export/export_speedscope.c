// SPDX-License-Identifier: Apache-2.0
/*
 * Speedscope's own file: each track is an "evented" profile, names are shared frames, times are nanoseconds since the
 * first event. Each thread that was sampled is a "sampled" one: its stacks, one behind the other, with the time that
 * each stands for; what it did other than to run is the innermost frame. The format holds one profile behind the other,
 * but events come track by track in pieces: they wait in an unnamed temporary file, 16 bytes each, and memory holds 4
 * KiB for each track.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/export/stacks.h"
#include "trace/perfetto/perfetto_map.h"

enum { CHUNK = 256 }; /* events */

struct step {
	uint64_t at_ns;
	uint32_t frame;
	uint32_t is_end;
};

/* A thread that was sampled; of its steps, at_ns is the time of a sample, frame its stack, is_end its state's name. */
struct sampled {
	uint32_t process; /* track */
	int32_t tid;
	uint32_t name; /* the last one */
	struct line *line;
};

/* The events of a track. */
struct line {
	struct array steps;  /* struct step: those that are not in the temporary file */
	struct array chunks; /* uint64_t: places of those that are, CHUNK of them each */
	uint64_t first_ns, last_ns;
};

struct speedscope {
	struct pairing pairing;
	struct array lines, frames; /* struct line, by number of the track; uint32_t: names */
	struct array sampled;	    /* struct sampled */
	struct perfetto_map thread_of;
	struct perfetto_map frame_of;
	uint64_t base_ns; /* of the first event */
	uint32_t active;  /* the first track with inferences */
	int spool, code;  /* code: errno of the first failure of the temporary file */
	uint64_t n_spooled;
	bool has_event;
};

/* One frame for each name; 0 for all others when memory runs out. */
static uint32_t frame_of(struct speedscope *speedscope, uint32_t name)
{
	uint32_t kept = names_keep(speedscope->pairing.sink.names, name);
	uint32_t frame = perfetto_map_get(&speedscope->frame_of, (uint64_t)kept + 1), *added;

	if (frame)
		return frame - 1;
	added = array_add(&speedscope->frames, sizeof *added);
	if (!added || !perfetto_map_put(&speedscope->frame_of, (uint64_t)kept + 1, (uint32_t)speedscope->frames.n)) {
		speedscope->code = speedscope->code ? speedscope->code : ENOMEM;
		return 0;
	}
	*added = kept;
	return (uint32_t)speedscope->frames.n - 1;
}

static void spool(struct speedscope *speedscope, struct line *line)
{
	const char *at = line->steps.data;
	size_t len = line->steps.n * sizeof(struct step);
	uint64_t *place = array_add(&line->chunks, sizeof *place);

	if (!place) {
		speedscope->code = ENOMEM;
		return;
	}
	*place = speedscope->n_spooled;
	while (len && !speedscope->code) {
		ssize_t n = pwrite(speedscope->spool, at, len, (off_t)speedscope->n_spooled);

		if (n <= 0 && errno != EINTR)
			speedscope->code = n && errno ? errno : EIO;
		if (n <= 0)
			continue;
		at += n;
		len -= (size_t)n;
		speedscope->n_spooled += (size_t)n;
	}
	line->steps.n = 0;
}

static void keep_step(struct speedscope *speedscope, struct line *line, struct step step)
{
	struct step *added;

	if (line->steps.n == CHUNK)
		spool(speedscope, line);
	added = array_add_raw(&line->steps, sizeof *added);
	if (added)
		*added = step;
	else
		speedscope->code = ENOMEM;
}

static void add_step(struct speedscope *speedscope, uint32_t track, struct step step)
{
	struct line *line;

	while (speedscope->lines.n <= track)
		if (!array_add(&speedscope->lines, sizeof *line)) {
			speedscope->code = ENOMEM;
			return;
		}
	line = (struct line *)speedscope->lines.data + track;
	if (!line->last_ns && !line->steps.n)
		line->first_ns = step.at_ns;
	if (step.at_ns < line->last_ns)
		step.at_ns = line->last_ns;
	line->last_ns = step.at_ns;
	if (!speedscope->has_event || step.at_ns < speedscope->base_ns)
		speedscope->base_ns = step.at_ns;
	speedscope->has_event = true;
	keep_step(speedscope, line, step);
}

/* NULL: out of memory. */
static struct sampled *sampled_of(struct speedscope *speedscope, uint32_t process, int32_t tid)
{
	uint64_t key = (uint64_t)process << 32 | (uint32_t)tid;
	uint32_t number = perfetto_map_get(&speedscope->thread_of, key);
	struct sampled *sampled;

	if (number)
		return (struct sampled *)speedscope->sampled.data + number - 1;
	sampled = array_add(&speedscope->sampled, sizeof *sampled);
	if (!sampled || !perfetto_map_put(&speedscope->thread_of, key, (uint32_t)speedscope->sampled.n))
		return NULL;
	*sampled = (struct sampled){ process, tid, 0, calloc(1, sizeof *sampled->line) };
	return sampled->line ? sampled : NULL;
}

static void take_sample(struct pairing *pairing, struct pairing_track *process, const struct event_sample *sample)
{
	struct speedscope *speedscope = (struct speedscope *)pairing;
	uint32_t track = (uint32_t)(process - (const struct pairing_track *)pairing->tracks.data);
	struct sampled *sampled = sampled_of(speedscope, track, sample->tid);

	if (!sampled) {
		speedscope->code = ENOMEM;
		return;
	}
	sampled->name = sample->thread_name ? names_keep(pairing->sink.names, sample->thread_name) : sampled->name;
	keep_step(speedscope, sampled->line,
		  (struct step){ sample->weight_ns, sample->stack,
				 names_keep(pairing->sink.names, stacks_state_name(pairing->sink.names, sample)) });
}

static uint32_t number_of(const struct pairing *pairing, const struct pairing_track *track)
{
	return (uint32_t)(track - (const struct pairing_track *)pairing->tracks.data);
}

static void begin(struct pairing *pairing, struct pairing_track *track)
{
	struct speedscope *speedscope = (struct speedscope *)pairing;
	const struct pairing_open *open = (const struct pairing_open *)track->open.data + track->open.n - 1;
	uint32_t number = number_of(pairing, track);

	if (!speedscope->active && open->kind == KIND_INFERENCE)
		speedscope->active = number;
	add_step(speedscope, number, (struct step){ open->begin_ns, frame_of(speedscope, open->name), false });
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct speedscope *speedscope = (struct speedscope *)pairing;

	add_step(speedscope, slice->track, (struct step){ slice->end_ns, frame_of(speedscope, slice->name), true });
	return speedscope->code ? err_set(err, speedscope->code, "cannot keep events in a temporary file: %s",
					  strerror(speedscope->code))
				: 0;
}

/* The file. */

static void put_steps(struct speedscope *speedscope, const struct step *steps, size_t n, bool *has_step)
{
	struct text_out *out = &speedscope->pairing.out;

	for (size_t i = 0; i < n; i++) {
		text_out_text(out, *has_step ? ",\n" : "\n");
		text_out_text(out, steps[i].is_end ? "{\"type\":\"C\",\"frame\":" : "{\"type\":\"O\",\"frame\":");
		text_out_uint(out, steps[i].frame);
		text_out_text(out, ",\"at\":");
		text_out_uint(out, steps[i].at_ns - speedscope->base_ns);
		text_out_char(out, '}');
		*has_step = true;
	}
}

static void read_chunk(struct speedscope *speedscope, uint64_t place, struct step *steps)
{
	size_t len = CHUNK * sizeof *steps, done = 0;

	while (done < len && !speedscope->code) {
		ssize_t n = pread(speedscope->spool, (char *)steps + done, len - done, (off_t)(place + done));

		if (n <= 0 && errno != EINTR)
			speedscope->code = n && errno ? errno : EIO;
		if (n > 0)
			done += (size_t)n;
	}
}

/* "python 42: squeezenet: inferences" */
static void put_name(struct speedscope *speedscope, const struct pairing_track *track)
{
	struct pairing *pairing = &speedscope->pairing;
	const struct pairing_track *process = pairing_track(pairing, track->process);
	const struct pairing_track *group = pairing_track(pairing, track->def.parent), *model;
	const char *name = pairing_text(pairing, track->def.name);
	char text[900], thread[40] = "", number[20] = "";

	if (group && group->def.type != TRACK_GROUP)
		group = NULL;
	model = group ? pairing_model(pairing, group) : NULL;
	if (track->def.type == TRACK_THREAD)
		snprintf(thread, sizeof thread, "%sthread %d", *name ? ", " : "", track->def.tid);
	if (track->def.pid > 0)
		snprintf(number, sizeof number, " %d", track->def.pid);
	snprintf(text, sizeof text, "%.200s%s: %.200s%s%.200s%s%.200s%s",
		 process ? pairing_text(pairing, process->def.name) : "machine", number,
		 model ? pairing_text(pairing, model->def.name) : "", model ? ": " : "",
		 group ? pairing_text(pairing, group->def.name) : "", group ? ": " : "", name, thread);
	text_out_json(&pairing->out, text);
}

/* What was not ended ends with its track. */
static void close_open(struct speedscope *speedscope, uint32_t number)
{
	const struct pairing_track *track = pairing_track(&speedscope->pairing, number);
	const struct pairing_open *open = track->open.data;

	for (size_t i = track->open.n; i-- > 0;)
		add_step(speedscope, number, (struct step){ 0, frame_of(speedscope, open[i].name), true });
}

static void put_profile(struct speedscope *speedscope, uint32_t number)
{
	struct line *line = (struct line *)speedscope->lines.data + number;
	struct text_out *out = &speedscope->pairing.out;
	struct step steps[CHUNK];
	bool has_step = false;

	close_open(speedscope, number);
	text_out_text(out, "{\"type\":\"evented\",\"name\":");
	put_name(speedscope, pairing_track(&speedscope->pairing, number));
	text_out_text(out, ",\"unit\":\"nanoseconds\",\"startValue\":");
	text_out_uint(out, line->first_ns - speedscope->base_ns);
	text_out_text(out, ",\"endValue\":");
	text_out_uint(out, line->last_ns - speedscope->base_ns);
	text_out_text(out, ",\"events\":[");
	for (size_t i = 0; i < line->chunks.n && !speedscope->code; i++) {
		read_chunk(speedscope, ((const uint64_t *)line->chunks.data)[i], steps);
		put_steps(speedscope, steps, speedscope->code ? 0 : CHUNK, &has_step);
	}
	put_steps(speedscope, line->steps.data, line->steps.n, &has_step);
	text_out_text(out, "\n]}");
}

static void put_stack(struct speedscope *speedscope, const struct step *step)
{
	struct names *names = speedscope->pairing.sink.names;
	const struct callstacks *all = names_callstacks(names);
	struct text_out *out = &speedscope->pairing.out;
	uint32_t path[STACKS_DEPTH], n = 0;

	for (const struct callstack *at = callstacks_get(all, step->frame); at && n < STACKS_DEPTH;
	     at = callstacks_get(all, at->caller))
		path[n++] = at->frame;
	text_out_char(out, '[');
	while (n) {
		text_out_uint(out, frame_of(speedscope, stacks_frame_name(names, callstacks_frame_of(all, path[--n]))));
		if (n || step->is_end)
			text_out_char(out, ',');
	}
	if (step->is_end)
		text_out_uint(out, frame_of(speedscope, step->is_end));
	text_out_char(out, ']');
}

/* Stacks, then their times: what is in the temporary file is read twice. The sum of the times. */
static uint64_t put_samples(struct speedscope *speedscope, const struct line *line, bool are_times)
{
	struct text_out *out = &speedscope->pairing.out;
	struct step steps[CHUNK];
	uint64_t sum_ns = 0;
	bool is_first = true;

	for (size_t i = 0; i <= line->chunks.n && !speedscope->code; i++) {
		bool is_rest = i == line->chunks.n;
		const struct step *step = is_rest ? line->steps.data : steps;

		if (!is_rest)
			read_chunk(speedscope, ((const uint64_t *)line->chunks.data)[i], steps);
		for (size_t j = 0; j < (is_rest ? line->steps.n : CHUNK); j++, is_first = false) {
			text_out_text(out, is_first ? "\n" : ",\n");
			if (are_times)
				text_out_uint(out, step[j].at_ns);
			else
				put_stack(speedscope, &step[j]);
			sum_ns += step[j].at_ns;
		}
	}
	return sum_ns;
}

/* "python 42: MainThread, thread 42: samples" */
static void put_sampled(struct speedscope *speedscope, const struct sampled *sampled)
{
	struct pairing *pairing = &speedscope->pairing;
	const struct pairing_track *process = pairing_track(pairing, sampled->process);
	struct text_out *out = &pairing->out;
	uint64_t sum_ns;
	char text[300];

	snprintf(text, sizeof text, "%.100s %d: %.100s%sthread %d: samples",
		 process ? pairing_text(pairing, process->def.name) : "", process ? process->def.pid : 0,
		 pairing_text(pairing, sampled->name), sampled->name ? ", " : "", sampled->tid);
	text_out_text(out, "{\"type\":\"sampled\",\"name\":");
	text_out_json(out, text);
	text_out_text(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[");
	put_samples(speedscope, sampled->line, false);
	text_out_text(out, "],\"weights\":[");
	sum_ns = put_samples(speedscope, sampled->line, true);
	text_out_text(out, "],\"endValue\":");
	text_out_uint(out, sum_ns);
	text_out_char(out, '}');
}

static void put_file(struct speedscope *speedscope)
{
	struct text_out *out = &speedscope->pairing.out;
	const struct line *lines = speedscope->lines.data;
	const uint32_t *frames;
	uint32_t n = 0, active = 0;

	text_out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[");
	for (uint32_t i = 0; i < speedscope->lines.n && !speedscope->code; i++) {
		if (!lines[i].steps.n && !lines[i].chunks.n)
			continue;
		text_out_text(out, n ? ",\n" : "\n");
		active = i == speedscope->active ? n : active;
		n++;
		put_profile(speedscope, i);
	}
	for (size_t i = 0; i < speedscope->sampled.n && !speedscope->code; i++) {
		text_out_text(out, n++ ? ",\n" : "\n");
		put_sampled(speedscope, (const struct sampled *)speedscope->sampled.data + i);
	}
	text_out_text(out, "\n],\"shared\":{\"frames\":[");
	frames = speedscope->frames.data;
	for (size_t i = 0; i < speedscope->frames.n; i++) {
		text_out_text(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		text_out_json(out, pairing_text(&speedscope->pairing, frames[i]));
		text_out_char(out, '}');
	}
	text_out_text(out, "\n]},\"activeProfileIndex\":");
	text_out_uint(out, active);
	text_out_text(out, ",\"exporter\":\"inftrace\"}\n");
}

static int open_spool(struct err *err)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (!folder || *folder != '/')
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		err_set(err, errno, "cannot create a temporary file in %s: %s; name another folder in TMPDIR", folder,
			strerror(errno));
	return fd;
}

static struct sink *start(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct speedscope *speedscope;
	int temporary = open_spool(err);

	if (temporary < 0)
		return NULL;
	speedscope = calloc(1, sizeof *speedscope);
	if (!speedscope) {
		err_no_memory(err, "cannot write the file");
		close(temporary);
		return NULL;
	}
	pairing_init(&speedscope->pairing, fd, names, last_track);
	speedscope->pairing.begin = begin;
	speedscope->pairing.take = take;
	speedscope->pairing.take_sample = take_sample;
	speedscope->spool = temporary;
	return &speedscope->pairing.sink;
}

static void line_done(struct line *line)
{
	array_done(&line->steps, sizeof(struct step));
	array_done(&line->chunks, sizeof(uint64_t));
}

static void done(struct speedscope *speedscope)
{
	struct line *lines = speedscope->lines.data;
	struct sampled *sampled = speedscope->sampled.data;

	for (size_t i = 0; i < speedscope->lines.n; i++)
		line_done(&lines[i]);
	for (size_t i = 0; i < speedscope->sampled.n; i++) {
		if (sampled[i].line)
			line_done(sampled[i].line);
		free(sampled[i].line);
	}
	array_done(&speedscope->sampled, sizeof *sampled);
	perfetto_map_done(&speedscope->thread_of);
	array_done(&speedscope->lines, sizeof *lines);
	array_done(&speedscope->frames, sizeof(uint32_t));
	perfetto_map_done(&speedscope->frame_of);
	pairing_done(&speedscope->pairing);
	close(speedscope->spool);
	free(speedscope);
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct speedscope *speedscope = (struct speedscope *)sink;
	int code;

	if (!speedscope)
		return 0;
	code = pairing_finish(&speedscope->pairing, err);
	if (losses)
		pairing_losses(&speedscope->pairing, losses);
	if (!code)
		put_file(speedscope);
	if (!code && speedscope->code)
		code = err_set(err, speedscope->code, "cannot keep events in a temporary file: %s",
			       strerror(speedscope->code));
	if (!code)
		code = text_out_flush(&speedscope->pairing.out, err);
	done(speedscope);
	return code;
}

const struct exporter export_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "Speedscope's JSON: every track with its slices in time, samples of threads",
	.open = start,
	.close = end,
};
