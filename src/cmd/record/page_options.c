// SPDX-License-Identifier: Apache-2.0
/* Where a page is served, and until when; see page_options.h. */
#include "cmd/record/page_options.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "show/term/term.h"
#include "show/view/http/browser.h"

int page_options_check(const struct page_options *options, struct err *err)
{
	if (options->port < 0 || options->port > UINT16_MAX)
		return opt_misused(err, "--port must be from 0 to %d", UINT16_MAX);
	if (options->socket && options->port)
		return opt_misused(err, "give one of --port and --socket, not both");
	return 0;
}

struct http_door page_options_door(const struct page_options *options)
{
	return (struct http_door){ .port = (uint16_t)options->port,
				   .socket = options->socket,
				   .is_framed = options->is_framed };
}

int page_options_announce(const struct page_options *options, const char *address, FILE *to, struct err *err)
{
	if (to == stderr)
		term_say("live page: %s", address);
	else if (fprintf(to, "%s\n", address) < 0 || fflush(to)) {
		err_set(err, errno, "cannot print the page's address: %s", strerror(errno));
		clearerr(to); /* said */
		return -err->code;
	}
	if (options->socket)
		return 0;
	if (to != stderr && isatty(STDERR_FILENO))
		term_say("open this address in a browser; Ctrl-C ends");
	if (!options->no_browser && browser_is_there() && !browser_open(address))
		term_say("cannot start xdg-open: open the address yourself");
	return 0;
}

int page_options_watch(const struct page_options *options, int epoll, struct err *err)
{
	/* what is written to it is left there: only its end counts */
	struct epoll_event event = { .events = EPOLLRDHUP, .data.fd = STDIN_FILENO };

	if (!options->ends_with_stdin || !epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event))
		return 0;
	return err_set(err, errno, "cannot end with standard input: it is no pipe: %s", strerror(errno));
}

bool page_options_is_over(const struct page_options *options)
{
	struct pollfd input = { STDIN_FILENO, POLLRDHUP, 0 };

	return options->ends_with_stdin && poll(&input, 1, 0) > 0;
}
