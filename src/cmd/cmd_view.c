// SPDX-License-Identifier: Apache-2.0
/* `inftrace view [FILE]`: reads a recording and serves the page that shows it. What it answers is show/view's business.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/record/find_recording.h"
#include "show/term/term.h"
#include "show/view/http/browser.h"
#include "show/view/view.h"
#include "show/view/view_loading.h"

struct view_opts {
	int port;
	bool no_browser;
};

#define AT(field) offsetof(struct view_opts, field)

static const struct opt view_opt_table[] = {
	{ 0, "port", "N", "serve the page on this port; 0: on any that is free", OPT_INT, AT(port), "0" },
	{ 0, "no-browser", NULL, "open no browser; by default one is opened on a desktop", OPT_FLAG, AT(no_browser) },
	{ 0 },
};

/* Readable when the user wants it to end: Ctrl-C, or kill. */
static int open_stop_fd(struct err *err)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "cannot wait for signals: %s", strerror(errno)) : fd;
}

/* A page whose address nobody learns is of no use. */
static int announce(const struct view_opts *opts, const char *address, struct err *err)
{
	if (printf("%s\n", address) < 0 || fflush(stdout)) {
		err_set(err, errno, "cannot print the page's address: %s", strerror(errno));
		clearerr(stdout); /* said */
		return -err->code;
	}
	if (isatty(STDERR_FILENO))
		term_say("open this address in a browser; Ctrl-C ends");
	if (!opts->no_browser && browser_is_there() && !browser_open(address))
		term_say("cannot start xdg-open: open the address yourself");
	return 0;
}

/* A page that can be looked at before all of the file is read. */
struct page {
	const struct view_opts *opts;
	struct http *http;
	struct view_loading loading;
	uint64_t begun_ns;
	bool is_announced, is_shown; /* is_shown: the terminal says what is being read */
	struct err *err;
	int code; /* of announcing */
};

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
	page->code = announce(page->opts, http_address(page->http), page->err);
}

static int serve(struct page *page, struct view *view)
{
	struct http_handler handler = view_handler(view);
	int stop_fd = open_stop_fd(page->err);

	if (stop_fd < 0)
		return stop_fd;
	page->loading.is_over = true;
	if (!page->is_announced)
		page->code = announce(page->opts, http_address(page->http), page->err);
	if (!page->code)
		page->code = http_run(page->http, &handler, stop_fd, page->err);
	close(stop_fd);
	return page->code;
}

/* The port is taken before the recording is read, so that a wrong one is refused at once. */
static int show(const struct view_opts *opts, const char *path, struct err *err)
{
	struct page page = {
		.opts = opts, .loading = { .path = path, .share = NAN }, .err = err, .begun_ns = clock_ns()
	};
	const struct view_wait wait = { turn, &page };
	struct view *view = NULL;
	struct stat file;
	int code;

	page.http = http_open((uint16_t)opts->port, err);
	if (page.http) {
		page.loading.file_bytes = !stat(path, &file) && S_ISREG(file.st_mode) ? (uint64_t)file.st_size : 0;
		page.is_shown = term_reading(path);
		view = view_open(path, find_recording_is_written, &wait, err);
		term_has_read(page.is_shown);
	}
	code = view ? serve(&page, view) : -err->code;
	http_close(page.http);
	view_close(view);
	return code;
}

static int view_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct view_opts *opts = opaque;
	struct find_recording newest;
	int code = 0;

	if (opts->port > UINT16_MAX)
		return opt_misused(err, "--port must be from 0 to %d", UINT16_MAX);
	if (!argc)
		code = find_recording_newest(&newest, err);
	return code ? code : show(opts, argc ? argv[0] : newest.path, err);
}

const struct cmd cmd_view = {
	.name = "view",
	.usage = "[options] [FILE]",
	.summary = "show a recording in a browser",
	.help =
	    "Reads a recording and serves a page that shows it, to browsers on this machine alone, until Ctrl-C. The "
	    "first line of output is the page's address. It holds a secret: anyone who has it can see the recording, "
	    "so "
	    "share it only with people who may have the file. On a desktop a browser opens the page; other users of "
	    "the "
	    "machine may see the browser's command line, with the address: --no-browser avoids that.\n\n"
	    "The page first says what the report says, then shows the resources and the events on one axis of time, "
	    "from the whole recording down to single nanoseconds, and tables of models, inferences and operators. "
	    "Nothing is fetched from the network.\n\n"
	    "FILE is a recording, a folder of segments (*.pftrace.d), or a file of another tool that inftrace import "
	    "reads; - is standard input. Without FILE, the newest recording in this folder is shown. All of it is kept "
	    "in memory: about 40 bytes an event.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace view", "the newest recording" },
		{ "inftrace view --no-browser inftrace.pftrace", "print the address alone" },
		{ "inftrace view --port 8080 inftrace.pftrace",
		  "a fixed port, for a tunnel: ssh -L 8080:localhost:8080 HOST" },
		{ 0 },
	    },
	.opts = view_opt_table,
	.opts_size = sizeof(struct view_opts),
	.min_args = 0,
	.max_args = 1,
	.words = CMD_RECORDINGS,
	.run = view_run,
};
