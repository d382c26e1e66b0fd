// SPDX-License-Identifier: Apache-2.0
/* The process that makes the report, and what it has made; whether it would still read the same file. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/insight/recorded.h"
#include "analyze/summary/recording.h"
#include "base/privilege.h"
#include "show/view/view_in.h"
#include "show/words/export.h"

enum { OWN_FD = 3 };

static int sum_up(const struct view_report_source *source, struct recording *to, struct err *err)
{
	const struct summary_file file = { .path = source->path };
	const struct summary_opts opts = { .slow_at_ns = source->slow_at_ns };

	if (source->slow_at_ns)
		return recording_sum_up(to, source->path, &opts, err);
	if (source->import)
		return recording_sum_up_open(to, source->import, err);
	to->summary = summary_end(source->maker, &file, err);
	return to->summary ? 0 : -ENOMEM;
}

static int write_report(FILE *out, const struct view_report_source *source, struct err *err)
{
	struct recording recording = { 0 };
	struct recorded recorded = { 0 };
	int code = sum_up(source, &recording, err);
	struct report report;

	if (!code)
		code = recorded_init(&recorded, recording.summary, err);
	if (code)
		return code;
	report = (struct report){ .summary = recording.summary,
				  .analysis = recorded.model,
				  .n_analyses = recorded.n,
				  .is_running = source->is_growing };
	export_json(out, &report);
	return fflush(out) || ferror(out) ? err_set(err, EIO, "cannot keep the report: %s", strerror(errno)) : 0;
}

/*
 * Ends with this process's parent; frees nothing, because it ends at once. It keeps no file of the parent open, so that
 * connections which that closes are closed.
 */
static void work(pid_t parent, int fd, const struct view_report_source *source)
{
	struct err err = { 0 };
	FILE *out;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(fd, OWN_FD) != OWN_FD || syscall(SYS_close_range, OWN_FD + 1, UINT_MAX, 0))
		_exit(1);
	fd = OWN_FD;
	privilege_drop();
	out = fdopen(fd, "w");
	if (!out)
		_exit(1);
	if (!(source->write ? source->write(out, source->ctx, &err) : write_report(out, source, &err)) && !fflush(out))
		_exit(0);
	rewind(out);
	if (!ftruncate(fd, 0))
		fprintf(out, "%s\n", err.msg);
	fflush(out);
	_exit(1);
}

struct view_file view_file_of(const char *path, bool is_growing)
{
	struct stat file;

	if (stat(path, &file))
		return (struct view_file){ 0 };
	if (is_growing || !S_ISREG(file.st_mode))
		return (struct view_file){ .device = file.st_dev, .number = file.st_ino };
	return (struct view_file){ file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec };
}

const char *view_refuse_again(const struct view *view)
{
	struct view_file file;

	if (view->live)
		return "what is live has no file to read again; record to a file";
	if (!strcmp(view->path, "-"))
		return "standard input cannot be read again";
	file = view_file_of(view->path, view->is_growing);
	/* where it is gone, the error of reading it says so */
	if (file.number &&
	    (file.device != view->file.device || file.number != view->file.number || file.size != view->file.size ||
	     file.written_s != view->file.written_s || file.written_ns != view->file.written_ns))
		return "the file has changed since it was opened; open it again";
	return NULL;
}

int view_report_start(struct view_report *report, const struct view_report_source *source, struct err *err)
{
	pid_t parent = getpid();

	report->begun_ns = view_now_ns();
	report->fd = memfd_create("report", MFD_CLOEXEC);
	if (report->fd < 0)
		return err_set(err, errno, "cannot make a report: no memory for it: %s", strerror(errno));
	report->pid = fork();
	if (!report->pid)
		work(parent, report->fd, source);
	if (report->pid > 0)
		return 0;
	report->pid = 0;
	close(report->fd);
	return err_set(err, errno, "cannot make a report: no process for it: %s", strerror(errno));
}

bool view_report_is_done(struct view_report *report)
{
	int status;
	pid_t ended = report->pid ? waitpid(report->pid, &status, WNOHANG) : 0;

	if (!ended)
		return !report->pid;
	report->has_failed = ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status);
	report->pid = 0;
	report->ended_ns = view_now_ns();
	return true;
}

static void put(struct view_report *report, struct http_answer *answer)
{
	off_t size = report->fd > 0 ? lseek(report->fd, 0, SEEK_END) : 0;
	char *data = size > 0 ? malloc((size_t)size) : NULL;

	if (!data || pread(report->fd, data, (size_t)size, 0) != (ssize_t)size)
		http_say(answer, 503, "the report could not be made: its process ended");
	else if (report->has_failed)
		http_say(answer, report->is_question ? 400 : 503, "%.*s", (int)size - 1, data);
	else
		*answer = (struct http_answer){ 200, report->type ? report->type : "application/json", data,
						(size_t)size, false };
	if (answer->body != data)
		free(data);
}

struct wait {
	struct http_job job;
	struct view_report *report;
};

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct view_report *report = ((struct wait *)job)->report;

	if (!view_report_is_done(report))
		return false;
	put(report, answer);
	return true;
}

static void free_wait(struct http_job *job)
{
	free(job);
}

struct http_job *view_report_answer(struct view_report *report, struct http_answer *answer)
{
	struct wait *wait;

	if (view_report_is_done(report)) {
		put(report, answer);
		return NULL;
	}
	wait = malloc(sizeof *wait);
	if (!wait) {
		view_say_no_memory(answer);
		return NULL;
	}
	*wait = (struct wait){ { step, free_wait, true }, report };
	return &wait->job;
}

void view_report_stop(struct view_report *report)
{
	if (report->pid > 0) {
		kill(report->pid, SIGKILL);
		waitpid(report->pid, NULL, 0);
	}
	if (report->fd > 0)
		close(report->fd);
	*report = (struct view_report){ 0 };
}
