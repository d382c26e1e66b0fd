// SPDX-License-Identifier: Apache-2.0
/* Brings the agent, finds its segment, drains it. Nothing here is on a path of the program's own threads. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/library_in.h"

enum { ARM_MS = 20000, LEAVE_MS = 5000, RING_BYTES = 8 << 20, UPDATE_MS = 250, CLOCK_MS = 5, AGAIN_MS = 20 };

/* Read by the agent for as long as it is in the process. */
static struct ferry_head head;
static struct ferry_state state;
static uint32_t has_returned = 1; /* no thread of the agent is here */

struct port *inftrace_port(void);

static void sleep_ms(unsigned ms)
{
	struct timespec pause = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&pause, NULL);
}

/* Beside this library in a build folder, in a folder below it when installed. */
static void *open_agent(void)
{
	static const char *const places[] = { "", "inftrace/" };
	char folder[PATH_MAX], path[PATH_MAX + 64];
	Dl_info self;
	void *agent = dlopen(PORT_AGENT, RTLD_NOW | RTLD_NOLOAD);

	if (agent || !dladdr((void *)inftrace_port, &self) || !realpath(self.dli_fname, folder))
		return agent;
	strrchr(folder, '/')[1] = 0;
	for (size_t i = 0; !agent && i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, "%s%s%s", folder, places[i], PORT_AGENT);
		agent = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return agent;
}

static void *run_agent(void *entry)
{
	void (*inject)(const struct ferry_head *);

	memcpy(&inject, &entry, sizeof inject);
	inject(&head);
	__atomic_store_n(&has_returned, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* With all signals blocked: those of the program are for its own threads. */
static int start_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -code; /* the agent detaches its thread itself */
}

static int make_folder(struct collector *collector)
{
	static const char *const places[] = { "/dev/shm/inftrace-handle-XXXXXX", "/tmp/inftrace-handle-XXXXXX" };
	char path[FERRY_DIR + sizeof FERRY_LIFELINE + 1];

	collector->lifeline = -1;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		strcpy(collector->dir, places[i]);
		if (!mkdtemp(collector->dir))
			continue;
		snprintf(path, sizeof path, "%s/%s", collector->dir, FERRY_LIFELINE);
		if (!mkfifo(path, 0600))
			collector->lifeline = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		return collector->lifeline < 0 ? -EIO : 0;
	}
	collector->dir[0] = 0;
	return -EIO;
}

static void remove_folder(struct collector *collector)
{
	DIR *dir = collector->dir[0] ? opendir(collector->dir) : NULL;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (collector->dir[0])
		rmdir(collector->dir);
	collector->dir[0] = 0;
}

static bool has_phase(uint32_t phase)
{
	return (uint32_t)__atomic_load_n(&state.phase, __ATOMIC_ACQUIRE) == phase;
}

/* Until the agent has come so far, or its thread is gone. */
static void wait_for(uint32_t phase, unsigned ms)
{
	for (unsigned i = 0; i < ms && !has_phase(phase) && !__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE); i++)
		sleep_ms(1);
}

static int bring_agent(struct collector *collector, enum collector_level level)
{
	void *agent = open_agent(), *entry = agent ? dlsym(agent, FERRY_ENTRY) : NULL;
	int code;

	if (!entry)
		return -ENOENT;
	memset(&state, 0, sizeof state);
	memset(&head, 0, sizeof head);
	head.magic = FERRY_MAGIC;
	head.state = (uint64_t)(uintptr_t)&state;
	head.segment_layout = SEGMENT_LAYOUT;
	head.ring_bytes = RING_BYTES;
	head.level = level;
	head.use_ticks = clock_is_invariant("", NULL);
	memcpy(head.dir, collector->dir, sizeof head.dir);
	__atomic_store_n(&has_returned, 0, __ATOMIC_RELEASE);
	code = start_thread(run_agent, entry);
	if (code) {
		has_returned = 1;
		return -ENOMEM;
	}
	wait_for(FERRY_ARMED, ARM_MS);
	if (has_phase(FERRY_ARMED))
		return 0;
	if (state.code)
		return state.code == EBUSY || state.code == EAGAIN ? -(int)state.code : -EIO;
	return -EAGAIN; /* as with that code: it serves a recorder that comes, or has just left */
}

/* The agent's segment of this process. */
static bool find_segment(struct collector *collector)
{
	DIR *dir = opendir(collector->dir);
	char prefix[24];
	bool found = false;
	int n = snprintf(prefix, sizeof prefix, "%d-", (int)getpid());

	for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
		size_t len = strlen(entry->d_name), suffix = strlen(SEGMENT_SUFFIX);

		found = len > suffix && !strncmp(entry->d_name, prefix, (size_t)n) &&
			!strcmp(entry->d_name + len - suffix, SEGMENT_SUFFIX);
		if (found)
			snprintf(collector->path, sizeof collector->path, "%s/%.150s", collector->dir, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The segment has the name of the agent's thread. */
static void name_process(struct collector *collector)
{
	struct sink *sink = &collector->gather.sink;
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	char name[32];
	ssize_t len = fd < 0 ? 0 : read(fd, name, sizeof name);
	struct track_def def = { .type = TRACK_PROCESS, .pid = getpid() };
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(sink), .def = &def };

	if (fd >= 0)
		close(fd);
	len -= len > 0 && name[len - 1] == '\n';
	def.name = len > 0 ? names_intern(sink->names, name, (size_t)len) : 0;
	if (!sink_put(sink, &event, NULL))
		collector->process->track = collector->process->lanes.process_track = event.track;
}

static int open_segment(struct collector *collector, bool use_ticks)
{
	clock_map_init(&collector->clock, NULL, CLOCK_MS);
	collector->updated_ns = clock_ns();
	collector->process =
	    recorded_open(collector->path, collector->gather.sink.names, use_ticks ? &collector->clock : NULL, NULL);
	if (!collector->process)
		return -EIO;
	collector->gather.sessions = &collector->process->sessions;
	name_process(collector);
	return 0;
}

static const struct port_calls *calls_that_share(void)
{
	const struct port_calls *calls = library_calls();

	return calls && calls->size >= sizeof *calls ? calls : NULL;
}

/* 0; -ENOENT: nobody records the process; -EAGAIN: the recorder has just left. */
static int join_recorder(struct collector *collector)
{
	const struct port_calls *calls = calls_that_share();
	struct port_share share = { .segment_layout = SEGMENT_LAYOUT };
	int code = calls ? calls->share(&share) : -ENOENT;

	if (code)
		return code;
	collector->is_shared = true;
	collector->level = (enum collector_level)share.level;
	strcpy(collector->path, share.path);
	code = open_segment(collector, share.use_ticks);
	return code ? -EAGAIN : recorded_share(collector->process, &collector->gather.sink, NULL);
}

static int start_agent(struct collector *collector, enum collector_level level)
{
	int code = make_folder(collector);

	collector->level = level;
	if (!code)
		code = bring_agent(collector, level);
	if (!code)
		code = find_segment(collector) ? open_segment(collector, head.use_ticks) : -EIO;
	/* both sides have it open: nothing is left over when the process is killed, and children make none */
	remove_folder(collector);
	return code;
}

static int try_to_open(struct collector *collector, enum collector_level level, const struct gather_calls *calls)
{
	int code;

	memset(collector, 0, sizeof *collector);
	collector->lifeline = -1;
	if (!gather_init(&collector->gather, NULL, NULL))
		return -ENOMEM;
	collector->gather.calls = *calls;
	code = join_recorder(collector);
	if (code == -ENOENT)
		code = start_agent(collector, level);
	if (code)
		collector_close(collector);
	return code;
}

int collector_open(struct collector *collector, enum collector_level level, const struct gather_calls *calls)
{
	uint64_t until_ns = clock_ns() + LEAVE_MS * 1000000ull;
	int code;

	while ((code = try_to_open(collector, level, calls)) == -EAGAIN && clock_ns() < until_ns)
		sleep_ms(AGAIN_MS);
	return code == -EAGAIN ? -EBUSY : code;
}

int collector_drain(struct collector *collector)
{
	struct recorded_drain drain = { .out = &collector->gather.sink, .now_ns = clock_ns() };

	if (drain.now_ns - collector->updated_ns > UPDATE_MS * 1000000ull) {
		clock_map_update(&collector->clock);
		collector->updated_ns = drain.now_ns;
	}
	return collector->process ? recorded_drain(collector->process, &drain, NULL) : 0;
}

void collector_close(struct collector *collector)
{
	if (collector->is_shared)
		calls_that_share()->unshare();
	if (collector->lifeline >= 0) {
		close(collector->lifeline);
		wait_for(FERRY_DISARMED, LEAVE_MS);
	}
	collector->gather.sessions = NULL;
	recorded_close(collector->process);
	if (collector->lifeline >= 0)
		for (unsigned i = 0; i < LEAVE_MS && !__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE); i++)
			sleep_ms(1);
	gather_done(&collector->gather);
	memset(collector, 0, sizeof *collector);
	collector->lifeline = -1;
}

void collector_leave_child(struct collector *collector)
{
	if (collector->lifeline >= 0)
		close(collector->lifeline);
	collector->lifeline = -1;
}
