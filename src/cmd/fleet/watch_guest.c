// SPDX-License-Identifier: Apache-2.0
/* One epoll descriptor for the clock and the channels of the doors. */
#include "cmd/fleet/watch_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/fleet/notify.h"
#include "show/term/term.h"

/* How long a series stays that nobody adds to: longer than an engine takes a series to be the same one. */
#define IDLE_NS UINT64_C(3600000000000)

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double cpu_s_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (file && fscanf(file, "%*s %llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void measure(struct watch_guest *guest)
{
	struct metrics_own *own = &guest->own;
	uint64_t n_dropped = metrics_n_dropped(own);
	double cpu_s = own->cpu_s;

	own->cpu_s = cpu_s_of(RUSAGE_SELF) + cpu_s_of(RUSAGE_CHILDREN);
	own->last_cpu_s = own->cpu_s - cpu_s;
	own->resident_bytes = resident_bytes();
	own->n_doors = guest->n_ships;
	for (size_t i = 0; i < guest->n_ships; i++) {
		struct ship_counts counts = ship_counts(&guest->ship[i]);

		own->door[i] = (struct metrics_door){ .name = guest->ship[i].door->name,
						      .n_sent = counts.n_sent,
						      .n_dropped = counts.n_dropped,
						      .n_waiting = counts.n_waiting,
						      .spool_bytes = counts.spool_bytes,
						      .has_spool = guest->ship[i].door->has_spool };
	}
	own->n_dropped_last = metrics_n_dropped(own) - n_dropped;
}

/* What the door could not send any more. */
static void say_left(const struct ship *ship)
{
	struct ship_counts counts = ship_counts(ship);

	if (counts.n_waiting)
		term_say("%llu batch%s of the door %s %s", (unsigned long long)counts.n_waiting,
			 counts.n_waiting == 1 ? "" : "es", ship->door->name,
			 counts.is_on_disk ? "wait for the next inftrace watch with this --spool"
					   : "could not be sent, and are lost");
}

/* Prints a warning once, however often it comes, and of whichever process. */
static void warn(struct watch_guest *guest, const char *text)
{
	uint64_t hash = 14695981039346656037u;
	char safe[DOOR_MESSAGE];

	snprintf(safe, sizeof safe, "%s", text);
	err_disarm(safe);
	for (const char *at = safe; *at; at++)
		if (*at < '0' || *at > '9')
			hash = (hash ^ (unsigned char)*at) * 1099511628211u;
	for (size_t i = 0; i < guest->n_said && i < WATCH_SAID; i++)
		if (guest->said[i] == hash)
			return;
	guest->said[guest->n_said++ % WATCH_SAID] = hash;
	term_say("%s", safe);
}

static void read_texts(struct watch_guest *guest)
{
	char text[DOOR_MESSAGE];

	for (size_t i = 0; i < guest->n_ships; i++)
		while (ship_read_text(&guest->ship[i], text, sizeof text))
			term_say("%s", text);
}

static void roll(struct watch_guest *guest)
{
	const struct door_in in = { guest->fleet, &guest->own };

	measure(guest);
	if (guest->recorded) {
		struct fleet_recording recording = { 0 };

		guest->recorded(guest->recorded_ctx, &recording);
		fleet_set_recording(guest->fleet, &recording);
	}
	if (fleet_roll(guest->fleet, clock_ns(), realtime_ns(), &guest->err))
		return;
	for (size_t i = 0; i < guest->n_ships; i++)
		ship_send(&guest->ship[i], &in);
}

static bool ready(void *ctx)
{
	struct watch_guest *guest = ctx;
	uint64_t n;

	if (read(guest->timer, &n, sizeof n) == sizeof n) {
		roll(guest);
		notify_watchdog();
	}
	read_texts(guest);
	return !guest->err.code;
}

static int watch(struct watch_guest *guest, int fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && !epoll_ctl(guest->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return err_set(err, errno, "cannot wait for the clock: %s", strerror(errno));
}

int watch_guest_open(struct watch_guest *guest, const struct door *door, const void *opts, struct err *err)
{
	const struct ship_opts ship_opts = { door, opts, guest->spool };
	int code = ship_start(&guest->ship[guest->n_ships], &ship_opts, err);

	guest->n_ships += !code;
	return code;
}

int watch_guest_begin(struct watch_guest *guest, const struct watch_guest_opts *opts, struct names *names,
		      uint32_t *last_track, struct err *err)
{
	const struct fleet_opts fleet_opts = { .max_series = opts->max_series,
					       .idle_intervals = IDLE_NS / opts->interval_ns + 1,
					       .sysroot = "",
					       .n_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN) };
	const struct timespec every = { (time_t)(opts->interval_ns / 1000000000u),
					(long)(opts->interval_ns % 1000000000u) };
	const struct itimerspec spec = { every, every };
	int code = 0;

	guest->opts = *opts;
	guest->own.version = INFTRACE_VERSION;
	origin_read_host(&guest->own.host, "", getenv("OTEL_RESOURCE_ATTRIBUTES"));
	guest->fleet = fleet_new(names, last_track, &fleet_opts, err);
	if (!guest->fleet)
		return -err->code;
	guest->epoll = epoll_create1(EPOLL_CLOEXEC);
	guest->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (guest->epoll < 0 || guest->timer < 0)
		return err_set(err, errno, "cannot wait for the clock: %s", strerror(errno));
	timerfd_settime(guest->timer, 0, &spec, NULL);
	guest->guest = (struct recorder_guest){ guest->epoll, ready, guest };
	code = watch(guest, guest->timer, err);
	for (size_t i = 0; i < guest->n_ships && !code; i++)
		code = watch(guest, guest->ship[i].channel, err);
	roll(guest);
	return code;
}

static void take_text(void *ctx, enum say_severity severity, const char *text)
{
	struct watch_guest *guest = ctx;

	if (severity == SAY_WARNING)
		warn(guest, text);
	/* what the recorder says when it has begun */
	if (severity == SAY_INFO && !strncmp(text, "waiting for ", 12)) {
		if (guest->begun)
			guest->begun(guest->begun_ctx);
		notify_ready();
	}
}

struct say watch_guest_say(struct watch_guest *guest)
{
	return (struct say){ .text = take_text, .ctx = guest };
}

void watch_guest_end(struct watch_guest *guest)
{
	roll(guest);
	read_texts(guest);
}

void watch_guest_done(struct watch_guest *guest)
{
	for (size_t i = 0; i < guest->n_ships; i++) {
		ship_end(&guest->ship[i]);
		say_left(&guest->ship[i]);
	}
	if (guest->timer > 0)
		close(guest->timer);
	if (guest->epoll > 0)
		close(guest->epoll);
	fleet_free(guest->fleet);
	guest->fleet = NULL;
}
