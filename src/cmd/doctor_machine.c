// SPDX-License-Identifier: Apache-2.0
/* What recording needs of the machine, one function per check. A new one is a function and a row at the end. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part_path.h"
#include "base/privilege.h"
#include "base/processor.h"
#include "capture/probe/uprobes.h"
#include "capture/proc/cpuinfo.h"
#include "capture/proc/rights.h"
#include "capture/proc/usable_cpus.h"
#include "cmd/doctor.h"

/* The first bytes of a small file, NUL-terminated, without a final line break; "" and -errno when unreadable. */
int doctor_read(const char *sysroot, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	ssize_t len;
	int fd;

	*buf = 0;
	snprintf(full, sizeof full, "%s%s", sysroot, path);
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may ever write into a FIFO */
	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	close(fd);
	if (len < 0)
		return -EIO;
	buf[len] = 0;
	if (len && buf[len - 1] == '\n')
		buf[len - 1] = 0;
	return 0;
}

__attribute__((format(printf, 3, 4))) static void say(struct doctor_finding *finding, enum doctor_state state,
						      const char *fmt, ...)
{
	va_list args;

	finding->state = state;
	va_start(args, fmt);
	vsnprintf(finding->text, sizeof finding->text, fmt, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void advise(struct doctor_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->advice, sizeof finding->advice, fmt, args);
	va_end(args);
}

/* The value of the first line "key<blanks><separator> value" of a text file; "" when there is none. */
static void find_value(const char *text, const char *key, char separator, char *value, size_t size)
{
	size_t len = strlen(key);

	*value = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *rest = line + len;

		if (strncmp(line, key, len) != 0)
			continue;
		rest += strspn(rest, " \t");
		if (*rest != separator)
			continue;
		rest += 1 + strspn(rest + 1, " \t\"");
		snprintf(value, size, "%.*s", (int)strcspn(rest, "\"\n"), rest);
		return;
	}
}

static void look_at_system(struct doctor_finding *finding, const char *sysroot)
{
	char text[4096], name[128], release[128];

	doctor_read(sysroot, "/etc/os-release", text, sizeof text);
	find_value(text, "PRETTY_NAME", '=', name, sizeof name);
	doctor_read(sysroot, "/proc/sys/kernel/osrelease", release, sizeof release);
	say(finding, DOCTOR_NOTE, "%s, Linux %s", *name ? name : "unknown distribution",
	    *release ? release : "of unknown version");
}

static void look_at_processor(struct doctor_finding *finding, const char *sysroot)
{
	char text[8192], name[128];

	if (doctor_read(sysroot, "/proc/cpuinfo", text, sizeof text)) {
		say(finding, DOCTOR_NO, "unknown: cannot read /proc/cpuinfo");
		advise(finding, "mount /proc");
		return;
	}
	if (cpuinfo_is_ours(text)) {
		cpuinfo_name(text, name, sizeof name);
		say(finding, DOCTOR_OK, PROCESSOR_NAME ": %s", *name ? name : "unnamed");
		return;
	}
	say(finding, DOCTOR_NO, "not " PROCESSOR_NAME);
	advise(finding, "this inftrace is built for " PROCESSOR_NAME "; build one for that processor");
}

/* Of what inftrace, and a program that it starts, may use. Of another machine's files that is the process of "self". */
static void look_at_cpus(struct doctor_finding *finding, const char *sysroot)
{
	char path[PATH_MAX], self[32];
	struct usable_cpus cpus;
	ssize_t len;

	snprintf(path, sizeof path, "%s/proc/self", sysroot);
	len = readlink(path, self, sizeof self - 1);
	self[len > 0 ? len : 0] = 0;
	usable_cpus_find(&cpus, sysroot, (pid_t)strtol(self, NULL, 10));
	usable_cpus_say(&cpus, finding->text, sizeof finding->text);
	if (!cpus.n_all)
		say(finding, DOCTOR_NOTE, "unknown: cannot read /proc/stat");
	else
		finding->state = usable_cpus_are_limited(&cpus) ? DOCTOR_NOTE : DOCTOR_OK;
}

static void look_at_libc(struct doctor_finding *finding, const char *sysroot)
{
	char version[64] = "";

	if (confstr(_CS_GNU_LIBC_VERSION, version, sizeof version) && !strncmp(version, "glibc", 5)) {
		say(finding, DOCTOR_OK, "%s", version);
		return;
	}
	say(finding, DOCTOR_NO, "not glibc");
	advise(finding, "the agent is loaded by glibc's loader; use a system with glibc");
}

static void look_at_agent(struct doctor_finding *finding, const char *sysroot)
{
	char path[PATH_MAX];
	struct err err = { 0 };

	if (agent_preload_path(path, sizeof path, &err))
		say(finding, DOCTOR_NO, "%s", err.msg);
	else
		say(finding, DOCTOR_OK, "%.*s", (int)sizeof finding->text - 1, path);
}

/* Where the recorder puts what it shares with programs when /dev/shm is closed to it; NULL: nowhere. */
static const char *find_other_folder(const char *sysroot)
{
	const char *const folders[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", sysroot, folders[i] ? folders[i] : "");
		if (folders[i] && !access(path, W_OK | X_OK))
			return folders[i];
	}
	return NULL;
}

static void look_at_shared_memory(struct doctor_finding *finding, const char *sysroot)
{
	char path[PATH_MAX];
	struct statvfs fs;
	unsigned long long free_mib;
	const char *other;

	snprintf(path, sizeof path, "%s/dev/shm", sysroot);
	if (access(path, W_OK | X_OK) || statvfs(path, &fs)) {
		const char *reason = strerror(errno);

		other = find_other_folder(sysroot);
		say(finding, other ? DOCTOR_LESS : DOCTOR_NO, "/dev/shm is not writable (%s)%s%s", reason,
		    other ? "; using " : "", other ? other : "");
		advise(finding, "mount a tmpfs there, open to all: mount -t tmpfs -o mode=1777 tmpfs /dev/shm");
		return;
	}
	free_mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	say(finding, free_mib < 64 ? DOCTOR_LESS : DOCTOR_OK, "/dev/shm: %llu MiB free", free_mib);
	if (free_mib < 64)
		advise(finding, "programs with many threads may lose events; enlarge it (docker run --shm-size 256m)");
}

static void look_at_clock(struct doctor_finding *finding, const char *sysroot)
{
	char source[64];
	const char *reason = "";

	doctor_read(sysroot, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source);
	if (!*source)
		strcpy(source, "unknown");
	if (clock_is_invariant(sysroot, &reason)) {
		say(finding, DOCTOR_OK, PROCESSOR_CLOCK " (kernel clock source: %s)", source);
		return;
	}
	say(finding, DOCTOR_LESS, "%s (kernel clock source: %s)", reason, source);
	advise(finding, "every event asks the kernel for the time instead, which costs more");
}

static void look_at_process_memory(struct doctor_finding *finding, const char *sysroot)
{
	char text[64];
	int rc = doctor_read(sysroot, "/proc/self/smaps_rollup", text, sizeof text);

	if (!rc)
		say(finding, DOCTOR_OK, "/proc/PID/smaps_rollup is readable");
	else
		say(finding, DOCTOR_LESS, "/proc/PID/smaps_rollup is unreadable: %s", strerror(-rc));
}

/* "why; what helps" in its two halves. */
static void say_less(struct doctor_finding *finding, const char *who, char *why)
{
	char *rest = strstr(why, "; ");

	if (rest)
		*rest = 0;
	say(finding, DOCTOR_LESS, "%s %s", who, why);
	if (rest)
		advise(finding, "%s", rest + 2);
}

/* What attach and next need; record does not. Of another machine's files only the rights are seen. */
static void look_at_probes(struct doctor_finding *finding, const char *sysroot)
{
	bool is_perf = false, was_on = privilege_use(!*sysroot);
	struct err err;

	if (*sysroot ? rights_check(sysroot, &err) : uprobes_check(&err)) {
		privilege_use(was_on);
		say_less(finding, "inftrace attach and inftrace next", err.msg);
		return;
	}
	if (!*sysroot)
		is_perf = uprobes_link_here() == UPROBE_LINK_PERF;
	if (!*sysroot && rights_check_perf(is_perf, &err))
		say_less(
		    finding,
		    is_perf ? "inftrace attach and inftrace next cannot run:" : "inftrace next cannot run:", err.msg);
	else
		say(finding, DOCTOR_OK, "inftrace attach and inftrace next can probe running programs%s",
		    is_perf ? "; this kernel is older than 6.6 and takes long to remove probes" : "");
	privilege_use(was_on);
}

static void look_at_ptrace(struct doctor_finding *finding, const char *sysroot)
{
	static const char *const scopes[] = { "any process of the same user", "only its own children",
					      "only with CAP_SYS_PTRACE", "nobody" };
	char text[32], why[RIGHTS_WHY], *rest;
	bool was_on, is_barred;
	int scope;

	if (doctor_read(sysroot, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof text)) {
		say(finding, DOCTOR_NOTE, "no Yama; attach --inject may trace programs of the same user");
		return;
	}
	scope = atoi(text);
	say(finding, DOCTOR_NOTE, "ptrace_scope is %d, a process may trace %s; attach --inject and next do", scope,
	    scope >= 0 && scope <= 3 ? scopes[scope] : "unknown");
	was_on = privilege_use(true);
	is_barred = !*sysroot && rights_is_yama(sysroot, why, sizeof why);
	privilege_use(was_on);
	if (!is_barred)
		return;
	rest = strstr(why, "; ");
	if (rest)
		advise(finding, "%s", rest + 2);
}

static void look_at_container(struct doctor_finding *finding, const char *sysroot)
{
	/* The first process-id namespace of a kernel has this fixed number. */
	static const char first[] = "pid:[4026531836]";
	char path[PATH_MAX], link[64] = "";
	const char *engine = NULL;

	snprintf(path, sizeof path, "%s/.dockerenv", sysroot);
	if (!access(path, F_OK))
		engine = "Docker";
	snprintf(path, sizeof path, "%s/run/.containerenv", sysroot);
	if (!access(path, F_OK))
		engine = "Podman";
	snprintf(path, sizeof path, "%s/proc/self/ns/pid", sysroot);
	if (readlink(path, link, sizeof link - 1) < 0)
		snprintf(link, sizeof link, "unknown");
	say(finding, DOCTOR_NOTE, "%s%s; %s",
	    engine ? "in a container of " : "not in a container, as far as can be seen", engine ? engine : "",
	    !strcmp(link, first) ? "process ids are the machine's" : "process ids are those of a namespace");
}

const struct doctor_check doctor_checks[] = {
	{ "system", look_at_system },	    { "processor", look_at_processor },
	{ "CPUs", look_at_cpus },	    { "C library", look_at_libc },
	{ "agent", look_at_agent },	    { "shared memory", look_at_shared_memory },
	{ "clock", look_at_clock },	    { "process memory", look_at_process_memory },
	{ "container", look_at_container }, { "probes", look_at_probes },
	{ "ptrace", look_at_ptrace },	    { NULL, NULL },
};
