// SPDX-License-Identifier: Apache-2.0
/* One epoll descriptor for the clock, the keyboard and the size of the terminal. */
#include "cmd/table/top_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "capture/proc/machine.h"
#include "show/term/term.h"
#include "show/top/screen.h"

enum { LINES_WIDTH = 160, MOST_FILES = 1000 };

static int window_changed = -1;

static void on_window(int signo)
{
	uint64_t one = 1;
	int kept = errno;

	if (write(window_changed, &one, sizeof one) < 0)
		errno = kept;
	errno = kept;
}

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (file && fscanf(file, "%*s %llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The recording is under way: the first interval begins. */
static void begin(struct top_guest *guest)
{
	guest->has_begun = true;
	guest->top.n_cpus = machine_cpus("");
	guest->rolled_ns = clock_ns();
	guest->cpu_ns = cpu_ns();
	live_begin(guest->live, guest->rolled_ns);
}

static void roll(struct top_guest *guest)
{
	uint64_t now_ns = clock_ns(), cpu = cpu_ns();
	struct err ignored;

	if (!guest->has_begun) {
		begin(guest);
		return;
	}
	if (now_ns <= guest->rolled_ns)
		return;
	guest->top.cost.cpu = (double)(cpu - guest->cpu_ns) / (double)(now_ns - guest->rolled_ns);
	guest->top.cost.bytes = resident_bytes();
	guest->cpu_ns = cpu;
	guest->rolled_ns = now_ns;
	if (guest->opts.sink)
		guest->top.n_bytes = guest->opts.sink->n_bytes;
	sink_flush(live_sink(guest->live), &ignored);
	live_roll(guest->live, now_ns);
}

/* Nothing more is shown: the reader has gone, or the terminal. */
static bool give_up(struct top_guest *guest)
{
	guest->is_over = true;
	epoll_ctl(guest->epoll, EPOLL_CTL_DEL, guest->timer, NULL);
	if (guest->opts.output == TOP_PAGE) {
		/* a program that was started may go on for long */
		epoll_ctl(guest->epoll, EPOLL_CTL_DEL, guest->window, NULL);
		epoll_ctl(guest->epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		screen_close();
	}
	return false;
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool print(struct top_guest *guest)
{
	int width = term_page_width();

	if (guest->opts.output == TOP_JSON)
		top_print_json(&guest->top, stdout, realtime_ns());
	else
		top_print(&guest->top, stdout, width ? width : LINES_WIDTH);
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	if (errno != EPIPE)
		err_set(&guest->err, errno, "cannot write to standard output: %s", strerror(errno));
	clearerr(stdout); /* said, or no error: who reads has seen enough */
	return give_up(guest);
}

static bool draw(struct top_guest *guest)
{
	struct grid grid;
	int columns, rows;

	screen_size(&columns, &rows);
	if (grid_init(&grid, columns, rows)) {
		err_no_memory(&guest->err, "cannot draw the page");
		return give_up(guest);
	}
	top_draw(&guest->top, &grid);
	screen_paint(&grid, guest->wants_all);
	guest->wants_all = false;
	grid_done(&grid);
	return true;
}

/* Writes what is shown into a file that is new, with the rights of the user. */
static void write_state(struct top_guest *guest)
{
	bool was_on = privilege_use(false);
	char path[40] = "inftrace-top.json";
	int fd = -1;
	FILE *file;

	for (int i = 2; i < MOST_FILES; i++) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
		snprintf(path, sizeof path, "inftrace-top-%d.json", i);
	}
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file)
		top_print_json(&guest->top, file, realtime_ns());
	if (!file || fclose(file))
		snprintf(guest->top.message, sizeof guest->top.message, "cannot write %s: %s", path, strerror(errno));
	else
		snprintf(guest->top.message, sizeof guest->top.message, "written: %s", path);
	if (fd >= 0 && !file)
		close(fd);
	privilege_use(was_on);
}

/* False: the user wants to leave. */
static bool take_keys(struct top_guest *guest)
{
	bool has_changed = false;
	uint32_t key;

	while ((key = screen_key())) {
		enum top_action action = key == UINT32_MAX ? TOP_QUIT : top_key(&guest->top, key);

		guest->has_quit |= action == TOP_QUIT;
		if (action == TOP_QUIT)
			return give_up(guest);
		if (action == TOP_WRITE)
			write_state(guest);
		guest->wants_all |= action == TOP_REDRAW;
		has_changed |= action != TOP_NOTHING;
	}
	return has_changed ? draw(guest) : true;
}

static bool was_due(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof n) == sizeof n;
}

static bool ready_page(struct top_guest *guest)
{
	bool is_due = was_due(guest->timer), is_new_size = was_due(guest->window);

	if (!guest->is_open && screen_open(&guest->err))
		return give_up(guest);
	guest->is_open = true;
	if (is_new_size)
		screen_resize();
	if (is_due && !top_is_paused(&guest->top))
		roll(guest);
	if ((is_due || is_new_size) && !draw(guest))
		return false;
	return take_keys(guest);
}

static bool ready(void *ctx)
{
	struct top_guest *guest = ctx;
	bool is_first;

	if (guest->is_over)
		return false;
	if (guest->opts.output == TOP_PAGE)
		return ready_page(guest);
	if (!was_due(guest->timer))
		return true;
	is_first = !guest->has_begun;
	roll(guest);
	return is_first || print(guest);
}

static int watch(struct top_guest *guest, int fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && !epoll_ctl(guest->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return err_set(err, errno, "cannot wait for the clock and the keyboard: %s", strerror(errno));
}

static int start_clock(struct top_guest *guest, struct err *err)
{
	uint64_t ns = guest->opts.interval_ns;
	struct timespec every = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
	/* the first time comes when the recording is under way */
	const struct itimerspec spec = { every, { 0, 1 } };

	guest->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (guest->timer >= 0)
		timerfd_settime(guest->timer, 0, &spec, NULL);
	return watch(guest, guest->timer, err);
}

static int watch_terminal(struct top_guest *guest, struct err *err)
{
	struct sigaction action = { .sa_handler = on_window, .sa_flags = SA_RESTART };
	int code;

	guest->window = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	code = watch(guest, guest->window, err);
	if (code)
		return code;
	window_changed = guest->window;
	sigaction(SIGWINCH, &action, NULL);
	return watch(guest, STDIN_FILENO, err);
}

int top_guest_init(struct top_guest *guest, const struct top_guest_opts *opts, struct names *names,
		   uint32_t *last_track, struct err *err)
{
	int code;

	*guest = (struct top_guest){ .opts = *opts, .epoll = -1, .timer = -1, .window = -1, .wants_all = true };
	guest->live = live_new(names, last_track, clock_ns(), err);
	if (!guest->live)
		return -err->code;
	top_init(&guest->top, guest->live, names, opts->what);
	guest->top.is_ascii = term_wants_ascii();
	guest->top.models = opts->models;
	guest->top.is_by_process = opts->is_by_process;
	guest->top.cost.cpu = NAN;
	guest->top.memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	guest->rolled_ns = clock_ns();
	guest->cpu_ns = cpu_ns();
	guest->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (guest->epoll < 0)
		return err_set(err, errno, "cannot wait for the clock: %s", strerror(errno));
	guest->guest = (struct recorder_guest){ guest->epoll, ready, guest };
	code = start_clock(guest, err);
	return code || opts->output != TOP_PAGE ? code : watch_terminal(guest, err);
}

static void take_text(void *ctx, enum say_severity severity, const char *text)
{
	struct top_guest *guest = ctx;

	live_tell(guest->live, severity == SAY_WARNING ? LIVE_NOTE_UNSEEN : LIVE_NOTE_INFO, text);
	if (guest->has_quit && severity == SAY_WARNING)
		term_say("the page is closed; the program goes on until it ends (Ctrl-C ends it)");
	else if (guest->is_over || (guest->opts.output == TOP_LINES && severity == SAY_WARNING))
		term_say("%s", text);
}

/* Nothing more is recorded, though a program that was started may go on. */
static void take_end(void *ctx, const struct say_progress *progress)
{
	struct top_guest *guest = ctx;

	if (!progress->is_over || guest->is_over)
		return;
	if (guest->opts.output != TOP_PAGE && guest->has_begun) {
		roll(guest);
		print(guest);
	}
	give_up(guest);
}

struct say top_guest_say(struct top_guest *guest)
{
	return (struct say){ .text = take_text, .progress = take_end, .ctx = guest };
}

void top_guest_done(struct top_guest *guest)
{
	const int fds[] = { guest->epoll, guest->timer, guest->window };

	screen_close();
	if (window_changed >= 0)
		signal(SIGWINCH, SIG_DFL);
	window_changed = -1;
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	live_free(guest->live);
	guest->live = NULL;
}
