// SPDX-License-Identifier: Apache-2.0
/* Ties a view of what happens, its server and the recorder together. What the page shows is show/view's business. */
#include "cmd/record/live_page.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "show/term/term.h"

enum { LEAST_TICK_NS = 200000000, LEAST_BYTES = 8 << 20 };

int live_options_check(const struct live_options *options, struct err *err)
{
	if (options->memory_bytes < LEAST_BYTES)
		return opt_misused(err, "--live-memory must be at least 8M");
	if (options->window_ns < 1000000000)
		return opt_misused(err, "--live-window must be at least 1s");
	return page_options_check(&options->page, err);
}

int live_page_open(struct live_page *page, const struct live_options *options, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct http_door door;

	*page = (struct live_page){ .turns = -1 };
	if (!options || !options->is_wanted)
		return 0;
	page->options = options;
	door = page_options_door(&options->page);
	page->http = http_open(&door, err);
	if (!page->http)
		return -err->code;
	page->turns = epoll_create1(EPOLL_CLOEXEC);
	if (page->turns < 0 || epoll_ctl(page->turns, EPOLL_CTL_ADD, http_fd(page->http), &event))
		return err_set(err, errno, "cannot serve the page: %s", strerror(errno));
	return page_options_watch(&options->page, page->turns, err);
}

static bool ready(void *ctx)
{
	struct live_page *page = ctx;
	/* strangers' requests are answered with the rights of the user */
	bool was_on = privilege_use(false);

	http_turn(page->http);
	privilege_use(was_on);
	return !page_options_is_over(&page->options->page);
}

int live_page_start(struct live_page *page, const struct live_page_stream *stream, FILE *to, struct recorder_opts *opts,
		    struct err *err)
{
	struct sink *const *own;
	struct http_handler handler;
	size_t n_own;

	for (page->n_sinks = 0; page->n_sinks < stream->n_sinks; page->n_sinks++)
		page->sinks[page->n_sinks] = stream->sinks[page->n_sinks];
	opts->sinks = page->sinks;
	opts->n_sinks = page->n_sinks;
	if (!page->http)
		return 0;
	page->opts = (struct view_live_opts){ .name = stream->name,
					      .file = stream->file,
					      .window_ns = page->options->window_ns,
					      /* a quarter is for the pyramid above it */
					      .max_bytes = page->options->memory_bytes / 4 * 3,
					      .interval_ns = stream->interval_ns > LEAST_TICK_NS ? stream->interval_ns
												 : LEAST_TICK_NS };
	page->view = view_live_open(stream->names, stream->last_track, &page->opts, err);
	if (!page->view)
		return -err->code;
	own = view_live_sinks(page->view, &n_own);
	for (size_t i = 0; i < n_own; i++)
		page->sinks[page->n_sinks++] = own[i];
	page->guest = (struct recorder_guest){ page->turns, ready, page };
	opts->n_sinks = page->n_sinks;
	opts->guest = &page->guest;
	page->of_view = view_handler(page->view);
	page->record = live_record_new(&page->of_view);
	if (!page->record)
		return err_no_memory(err, "cannot show what happens");
	handler = live_record_handler(page->record);
	http_begin(page->http, &handler);
	return page_options_announce(&page->options->page, http_address(page->http), to, err);
}

/* Readable when the user wants it to end. */
static int open_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A browser that is reloading, or whose tab is hidden for a moment, comes back. */
static bool is_left(const struct live_page *page, uint64_t *left_ns)
{
	static const uint64_t grace_ns = 5000000000;

	if (http_n_streams(page->http))
		*left_ns = 0;
	else if (!*left_ns)
		*left_ns = clock_ns();
	return *left_ns && clock_ns() - *left_ns > grace_ns;
}

/* Serves until a signal, or until the page is left. */
static void serve(struct live_page *page, bool ends_when_left)
{
	enum { LOOK_MS = 500 };
	struct pollfd fds[2] = { { page->turns, POLLIN, 0 }, { open_signals(), POLLIN, 0 } };
	uint64_t left_ns = 0;

	signal(SIGPIPE, SIG_IGN);
	while (fds[1].fd >= 0 && !(ends_when_left && is_left(page, &left_ns))) {
		if ((poll(fds, 2, LOOK_MS) > 0 && fds[1].revents) || !ready(page))
			break;
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
}

void live_page_stay(struct live_page *page)
{
	if (!page->view)
		return;
	http_tell(page->http, view_live_end(page->view));
	if (!ready(page) || !http_n_streams(page->http))
		return;
	term_say("recording is over; its page is served until it is closed, or Ctrl-C");
	serve(page, true);
}

void live_page_idle(struct live_page *page, const char *problem)
{
	page->opts.problem = problem;
	view_live_end(page->view);
	serve(page, false);
}

void live_page_close(struct live_page *page)
{
	if (page->http && page->turns >= 0)
		close(page->turns);
	http_close(page->http);
	live_record_free(page->record);
	view_close(page->view);
	*page = (struct live_page){ .turns = -1 };
}
