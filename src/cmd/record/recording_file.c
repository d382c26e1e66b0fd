// SPDX-License-Identifier: Apache-2.0
/* Opens, names and removes files of recordings. What is in them is perfetto_write.c's business. */
#include "cmd/record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invoker.h"
#include "capture/recorder/recorder_disk.h"
#include "cmd/record/record_in.h"
#include "show/term/term.h"
#include "trace/rotate/rotate_folder.h"

#define DAY_NS UINT64_C(86400000000000)
#define WHOLE_BYTES (UINT64_C(4) << 30)

static const char default_out[] = "inftrace.pftrace";

static int refuse(const char *path, int code, struct err *err)
{
	if (code == EEXIST)
		return err_set(err, code,
			       "cannot write %s: it exists already; use another -o, or --force to overwrite it", path);
	if (code == ELOOP)
		return err_set(err, code,
			       "cannot write %s: it is a symbolic link, and inftrace follows none; name the file that "
			       "it leads to",
			       path);
	if (code == EISDIR)
		return err_set(err, code, "cannot write %s: it is a folder; name a file in it", path);
	return err_set(err, code, "cannot write %s: %s", path, strerror(code));
}

/* A folder of segments has the name already, of a recording that goes on or that was killed. */
static bool has_segments(const char *path)
{
	struct rotate_path folder = rotate_folder_of(path);

	return *folder.s && !access(folder.s, F_OK);
}

/* 0, or -errno and err. */
static int open_once(struct recording_file *file, const struct record_options *options, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (options->force ? 0 : O_EXCL);

	if (!options->force && has_segments(file->path))
		return refuse(file->path, EEXIST, err);
	file->own_fd = open(file->path, flags, 0600);
	if (file->own_fd < 0)
		return refuse(file->path, errno, err);
	/* one that was there has its owner */
	if (!options->force)
		invoker_give(file->own_fd);
	return 0;
}

static void say_dumped(void *ctx, const char *path, const char *why, const struct err *err)
{
	const struct recording_file *file = ctx;

	/* a rule that holds for long asks again and again; who sends a signal wants an answer */
	if (err && (err->code == EBUSY || err->code == EDQUOT) && strcmp(why, dump_when_signal_name) != 0)
		return;
	if (err)
		term_say("no dump (%s): %s", why, err->msg);
	else if (!file->is_quiet)
		term_say("dump: %s (%s)", path, why);
}

static int rotate_once(struct recording_file *file, const struct record_options *options, struct err *err)
{
	struct rotate_opts opts = { .path = file->path,
				    .keep = options->keep,
				    .compress = !options->no_compress,
				    .overwrites = options->force,
				    .dump_after_ns = options->dump_after_ns,
				    .max_dumps = (uint32_t)options->max_dumps,
				    .dumped = say_dumped,
				    .ctx = file,
				    .left_bytes = recorder_disk_left_of };
	struct stat there;
	struct keep_option keep;
	int code = keep_option_parse(options->keep, &keep, err);

	if (code)
		return code;
	opts.keep_ns = keep.ns;
	opts.keep_bytes = keep.bytes;
	if (!lstat(file->path, &there) && (!options->force || !S_ISREG(there.st_mode)))
		return refuse(file->path, S_ISDIR(there.st_mode) ? EISDIR : EEXIST, err);
	file->rotate = rotate_new(file->names, &file->last_track, &opts, err);
	return file->rotate ? 0 : -err->code;
}

/* Without -o: the first name that is free. */
static int open_any(struct recording_file *file, const struct record_options *options, struct err *err)
{
	int (*open_it)(struct recording_file *, const struct record_options *, struct err *) =
	    options->keep ? rotate_once : open_once;
	int code;

	file->path = options->out ? options->out : default_out;
	code = open_it(file, options, err);
	for (int i = 2; code == -EEXIST && !options->out && i < 10000; i++) {
		snprintf(file->buf, sizeof file->buf, "inftrace-%d.pftrace", i);
		file->path = file->buf;
		code = open_it(file, options, err);
	}
	return code;
}

static int open_writer(struct recording_file *file, const struct record_options *options, struct err *err)
{
	const struct perfetto_write_opts opts = { .compress = !options->no_compress,
						  .overwrites = true,
						  .in_background = true };

	if (file->rotate) {
		file->sink = rotate_sink(file->rotate);
		file->fd = rotate_fd(file->rotate);
		return 0;
	}
	file->fd = &file->own_fd;
	file->writer = perfetto_write_new(file->own_fd, file->names, &file->last_track, &opts, err);
	file->sink = file->writer ? perfetto_write_sink(file->writer) : NULL;
	return file->writer ? 0 : -err->code;
}

static struct thin_room room_of(void *ctx)
{
	const struct recording_file *file = ctx;

	return (struct thin_room){ .left_bytes = recorder_disk_left_of(*file->fd),
				   .kept_bytes = file->rotate ? rotate_kept_bytes(file->rotate) : 0 };
}

/* What a recording may take before operators are thinned out: a tenth of the room, and no more than people keep. */
static uint64_t whole_bytes(uint64_t left_bytes)
{
	return left_bytes / 10 < WHOLE_BYTES ? left_bytes / 10 : WHOLE_BYTES;
}

static int open_thin(struct recording_file *file, const struct record_options *options, struct err *err)
{
	struct thin_opts opts = { .every = (uint32_t)record_options_thin(options), .room = room_of, .ctx = file };
	struct keep_option keep;
	int code = keep_option_parse(options->keep, &keep, err);

	if (code)
		return code;
	/* with --keep SIZE the disk has room for as long as it takes */
	if (!opts.every && !keep.bytes)
		opts.horizon_ns = keep.ns ? keep.ns : DAY_NS;
	opts.whole_bytes = whole_bytes(recorder_disk_left_of(*file->fd));
	file->thin = thin_new(file->sink, &opts, err);
	if (!file->thin)
		return -err->code;
	file->sink = thin_sink(file->thin);
	return 0;
}

static void ask(void *ctx, const char *why)
{
	rotate_ask_dump(((struct recording_file *)ctx)->rotate, why);
}

static void take_signal(void *ctx)
{
	dump_when_signal(ctx);
}

static int open_dumps(struct recording_file *file, const struct record_options *options, struct err *err)
{
	struct dump_when_opts opts = { .ask = ask, .ctx = file };
	int code = dump_option_parse(&options->dump_when, &opts.rules, err);

	if (code)
		return code;
	file->when = dump_when_new(file->sink, &opts, err);
	if (!file->when)
		return -err->code;
	file->sinks[file->n_sinks++] = dump_when_sink(file->when);
	if (dump_rules_have_signal(&opts.rules))
		file->usr1 = (struct recorder_signal){ take_signal, file->when };
	return 0;
}

int recording_file_open(struct recording_file *file, const struct record_options *options, struct err *err)
{
	int code;

	*file = (struct recording_file){ .own_fd = -1, .names = names_new(), .is_quiet = options->quiet };
	code = file->names ? open_any(file, options, err) : err_no_memory(err, "cannot write the recording");
	if (!code)
		code = open_writer(file, options, err);
	if (!code && record_options_thin(options) != 1)
		code = open_thin(file, options, err);
	file->sinks[0] = file->sink;
	file->n_sinks = 1;
	if (!code && options->dump_when.n)
		code = open_dumps(file, options, err);
	if (code)
		recording_file_drop(file);
	return code;
}

const struct recorder_signal *recording_file_usr1(const struct recording_file *file)
{
	return file->usr1.came ? &file->usr1 : NULL;
}

struct live_page_stream recording_file_stream(struct recording_file *file, const struct record_options *options,
					      const char *name)
{
	return (struct live_page_stream){ .names = file->names,
					  .last_track = &file->last_track,
					  .sinks = file->sinks,
					  .n_sinks = file->n_sinks,
					  .name = name,
					  .file = file->path,
					  .interval_ns = options->plan.interval_ns };
}

bool recording_file_dump(struct recording_file *file, struct rotate_dumped *dumped)
{
	struct err ignored;

	if (!file->rotate || !file->when)
		return false;
	/* it looks for what it watches for in a flush */
	sink_flush(dump_when_sink(file->when), &ignored);
	return rotate_newest_dump(file->rotate, dumped);
}

static int close_segments(struct recording_file *file, struct err *err)
{
	char path[PATH_MAX];
	struct stat written;
	int code = rotate_close(file->rotate, path, err);

	snprintf(file->buf, sizeof file->buf, "%s", path);
	file->path = file->buf;
	if (!code && !stat(path, &written))
		file->n_bytes = (uint64_t)written.st_size;
	return code;
}

int recording_file_close(struct recording_file *file, struct err *err)
{
	int code = 0;

	file->n_bytes = file->sink->n_bytes;
	if (file->rotate)
		code = close_segments(file, err);
	else
		perfetto_write_free(file->writer, NULL);
	dump_when_free(file->when);
	thin_free(file->thin);
	names_free(file->names);
	if (file->own_fd >= 0)
		close(file->own_fd);
	return code;
}

void recording_file_drop(struct recording_file *file)
{
	bool has_begun = file->sink && file->sink->n_bytes;
	struct stat stat_;

	if (file->own_fd >= 0 && !fstat(file->own_fd, &stat_) && S_ISREG(stat_.st_mode) &&
	    (has_begun || !stat_.st_size))
		unlink(file->path);
	perfetto_write_drop(file->writer);
	rotate_drop(file->rotate);
	dump_when_free(file->when);
	thin_free(file->thin);
	names_free(file->names);
	if (file->own_fd >= 0)
		close(file->own_fd);
}
