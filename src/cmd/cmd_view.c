// SPDX-License-Identifier: Apache-2.0
/* `inftrace view [FILE]`: reads a recording and serves the page that shows it. What it answers is show/view's business.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/record/find_recording.h"
#include "cmd/record/page_options.h"
#include "show/term/term.h"
#include "show/view/view.h"
#include "show/view/view_loading.h"
#include "show/view/view_set.h"

struct view_opts {
	struct page_options page;
};

static const struct opt view_opt_table[] = {
	PAGE_OPTIONS(struct view_opts, page),
	{ 0 },
};

static int open_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What ends the page: Ctrl-C, kill, or standard input. */
struct stop {
	int epoll, signals;
};

static void close_stop(const struct stop *stop)
{
	if (stop->epoll >= 0)
		close(stop->epoll);
	if (stop->signals >= 0)
		close(stop->signals);
}

/* Its epoll is readable when the page is to end. */
static int open_stop(struct stop *stop, const struct page_options *options, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	int code = 0;

	*stop = (struct stop){ epoll_create1(EPOLL_CLOEXEC), open_signals() };
	if (stop->epoll < 0 || stop->signals < 0 || epoll_ctl(stop->epoll, EPOLL_CTL_ADD, stop->signals, &event))
		code = err_set(err, errno, "cannot wait for signals: %s", strerror(errno));
	if (!code)
		code = page_options_watch(options, stop->epoll, err);
	if (code)
		close_stop(stop);
	return code;
}

/* A page that can be looked at before all of the file is read. */
struct page {
	const struct view_opts *opts;
	struct http *http;
	struct view_loading loading;
	uint64_t begun_ns;
	bool is_announced, is_shown; /* is_shown: the terminal says what is being read */
	struct err *err;
	int code;	   /* of announcing */
	const char *place; /* in the page: "#..."; "": its beginning */
};

static int announce(struct page *page)
{
	char address[1200];

	snprintf(address, sizeof address, "%s%s", http_address(page->http), page->place);
	return page_options_announce(&page->opts->page, address, stdout, page->err);
}

/* "FILE#PLACE" is a link that the page made. Cuts the place off; a file of that whole name comes first. */
static const char *take_place(char *path, struct err *err)
{
	char *hash = strrchr(path, '#');
	struct stat file;

	if (!hash || !stat(path, &file))
		return "";
	for (const char *at = hash + 1; *at; at++)
		if (*at <= ' ' || *at > '~')
			hash = NULL;
	if (!hash || strlen(hash) > 1000) {
		err_set(err, EINVAL,
			"cannot open %.200s: there is no such file, and what follows # is no place of a page; copy the "
			"link "
			"again, with the button Link",
			path);
		return NULL;
	}
	memmove(hash + 1, hash, strlen(hash) + 1);
	*hash = 0;
	return hash + 1;
}

/* Most files are read before a browser is there; of a large one the page says how far it is. */
static void turn(void *ctx, uint64_t n_events, double share)
{
	static const uint64_t soon_ns = 300000000;
	struct page *page = ctx;
	struct http_handler handler = view_loading_handler(&page->loading);

	page->loading.n_events = n_events;
	page->loading.share = share;
	if (page->is_announced) {
		http_turn(page->http);
		return;
	}
	if (clock_ns() - page->begun_ns < soon_ns)
		return;
	page->is_announced = true;
	term_has_read(page->is_shown);
	page->is_shown = false;
	http_begin(page->http, &handler);
	page->code = announce(page);
}

static int serve(struct page *page, struct view_set *set)
{
	struct http_handler handler = view_set_handler(set);
	struct stop stop;
	int code = open_stop(&stop, &page->opts->page, page->err);

	if (code)
		return code;
	page->loading.is_over = true;
	if (!page->is_announced)
		page->code = announce(page);
	if (!page->code)
		page->code = http_run(page->http, &handler, stop.epoll, page->err);
	close_stop(&stop);
	return page->code;
}

static struct view *open_view(struct page *page, const char *path, const struct view_wait *wait)
{
	struct view *view;

	page->is_shown = term_reading(path);
	view = view_open(path, find_recording_is_written, wait, page->err);
	term_has_read(page->is_shown);
	page->is_shown = false;
	return view;
}

/* NULL and err: one of them cannot be read. beside: NULL: it is not compared. */
static struct view_set *open_set(struct page *page, const char *path, const char *beside)
{
	const struct view_wait wait = { turn, page };
	struct view *first = open_view(page, path, &wait), *other;
	struct view_set *set = first ? view_set_new(first, find_recording_is_written) : NULL;

	if (!set && first)
		err_set(page->err, ENOMEM, "cannot view %s: out of memory", path);
	if (!set || !beside)
		return set;
	other = open_view(page, beside, &wait);
	if (other) {
		view_set_beside(set, other);
		return set;
	}
	view_set_free(set);
	return NULL;
}

/* The port is taken before the recording is read, so that a wrong one is refused at once. */
static int show(const struct view_opts *opts, const char *path, const char *beside, const char *place, struct err *err)
{
	struct page page = { .opts = opts,
			     .loading = { .path = path, .share = NAN },
			     .err = err,
			     .begun_ns = clock_ns(),
			     .place = place };
	const struct http_door door = page_options_door(&opts->page);
	struct view_set *set = NULL;
	struct stat file;
	int code;

	page.http = http_open(&door, err);
	if (page.http) {
		page.loading.file_bytes = !stat(path, &file) && S_ISREG(file.st_mode) ? (uint64_t)file.st_size : 0;
		set = open_set(&page, path, beside);
	}
	code = set ? serve(&page, set) : -err->code;
	http_close(page.http);
	view_set_free(set);
	return code;
}

static int view_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct view_opts *opts = opaque;
	struct find_recording newest;
	const char *place = "";
	int code = page_options_check(&opts->page, err);
	char *path = NULL;

	if (!code && !argc)
		code = find_recording_newest(&newest, err);
	if (code)
		return code;
	if (asprintf(&path, "%s ", argc ? argv[0] : newest.path) < 0) /* room for the place's end */
		return err_set(err, ENOMEM, "out of memory");
	path[strlen(path) - 1] = 0;
	if (argc)
		place = take_place(path, err);
	code = place ? show(opts, path, argc > 1 ? argv[1] : NULL, place, err) : -err->code;
	free(path);
	return code;
}

const struct cmd cmd_view = {
	.name = "view",
	.usage = "[options] [FILE] | BASE NEW",
	.summary = "show a recording in a browser, or two beside each other",
	.help =
	    "Reads a recording and serves a page that shows it, to browsers on this machine alone, until Ctrl-C. The "
	    "first line of output is the page's address. It holds a secret: anyone who has it can see the recording, "
	    "so share it only with people who may have the file. On a desktop a browser opens the page; other users of "
	    "the machine may see the browser's command line, with the address: --no-browser avoids that.\n\n"
	    "The page "
	    "starts with the verdict of the report. Below are the resources and the events on one time axis, from the "
	    "whole recording down to single nanoseconds, and tables of models, inferences and operators. Nothing is "
	    "fetched from the network.\n\n"
	    "FILE is a recording, a folder of segments (*.pftrace.d), or a file of "
	    "another tool that inftrace import reads; - is standard input. Without FILE, the newest recording in this "
	    "folder is shown. All of it is kept in memory: about 40 bytes an event.\n\n"
	    "With BASE and NEW the page "
	    "shows both on one time axis, with the result of inftrace diff. A file that is dropped on the page, or "
	    "chosen there, is opened or compared.\n\n"
	    "FILE#PLACE opens the page at a place: Link on the page copies it.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace view", "the newest recording" },
		{ "inftrace view --no-browser inftrace.pftrace", "print the address alone" },
		{ "inftrace view before.pftrace after.pftrace", "two, compared" },
		{ "inftrace view --port 8080 inftrace.pftrace",
		  "a fixed port, for a tunnel: ssh -L 9000:localhost:8080 HOST" },
		{ 0 },
	    },
	.opts = view_opt_table,
	.opts_size = sizeof(struct view_opts),
	.min_args = 0,
	.max_args = 2,
	.words = CMD_RECORDINGS,
	.run = view_run,
};
