// SPDX-License-Identifier: Apache-2.0
/*
 * Environment and cgroup of a program. OTEL_RESOURCE_ATTRIBUTES is a list of key=value with percent escapes
 * (OpenTelemetry's specification of the environment); OTEL_SERVICE_NAME is stronger. Container runtimes put the id of a
 * container, 64 hexadecimal digits, into the name of its cgroup; Kubernetes puts the pod's uid into the one above.
 */
#include "fleet/aggregate/origin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text/utf8.h"
#include "capture/proc/proc.h"

enum { MOST_ENVIRONMENT = 64 << 10, ID_DIGITS = 64, ID_SHOWN = 12, UID_DIGITS = 32 };

void origin_copy(char *to, size_t to_size, const char *from, size_t size)
{
	size_t used = 0, broken = 0;

	for (size_t at = 0; at < size;) {
		size_t n = utf8_char_len(from + at, size - at, &broken);
		bool is_control = n == 1 && ((unsigned char)from[at] < ' ' || from[at] == 0x7f);

		if (used + (n ? n : 1) >= to_size)
			break;
		if (!n || is_control)
			to[used++] = '?';
		else
			for (size_t i = 0; i < n; i++)
				to[used++] = from[at + i];
		at += n ? n : broken;
	}
	to[used] = 0;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A value of the list, whose blanks at the ends do not count. */
static void take_value(char *to, size_t to_size, const char *from, size_t size)
{
	char plain[4 * ORIGIN_TEXT];
	size_t n = 0;

	while (size && (*from == ' ' || *from == '\t'))
		from++, size--;
	while (size && (from[size - 1] == ' ' || from[size - 1] == '\t'))
		size--;
	for (size_t i = 0; i < size && n < sizeof plain; i++) {
		if (from[i] == '%' && i + 2 < size && hex(from[i + 1]) >= 0 && hex(from[i + 2]) >= 0) {
			plain[n++] = (char)(hex(from[i + 1]) << 4 | hex(from[i + 2]));
			i += 2;
		} else {
			plain[n++] = from[i];
		}
	}
	origin_copy(to, to_size, plain, n);
}

static bool is_text(const char *text, size_t size, const char *wanted)
{
	return size == strlen(wanted) && !memcmp(text, wanted, size);
}

/* Where the value of an attribute goes. */
struct attribute {
	const char *key;
	char *to;
	size_t to_size;
};

struct attributes {
	const struct attribute *known;
	size_t n;
};

static void take_attribute(const struct attributes *all, const char *key, size_t key_size, const char *value,
			   size_t size)
{
	while (key_size && (*key == ' ' || *key == '\t'))
		key++, key_size--;
	while (key_size && (key[key_size - 1] == ' ' || key[key_size - 1] == '\t'))
		key_size--;
	for (size_t i = 0; i < all->n; i++)
		if (is_text(key, key_size, all->known[i].key))
			take_value(all->known[i].to, all->known[i].to_size, value, size);
}

static void take_attributes(const struct attributes *all, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *stop = comma ? comma : end, *is = memchr(text, '=', (size_t)(stop - text));

		if (is)
			take_attribute(all, text, (size_t)(is - text), is + 1, (size_t)(stop - is - 1));
		text = comma ? comma + 1 : end;
	}
}

void origin_take_environment(struct origin_program *origin, const char *block, size_t size)
{
	static const char attributes[] = "OTEL_RESOURCE_ATTRIBUTES=", service[] = "OTEL_SERVICE_NAME=";
	const struct attribute known[] = {
		{ "service.name", origin->service, sizeof origin->service },
		{ "service.namespace", origin->service_namespace, sizeof origin->service_namespace },
		{ "service.version", origin->service_version, sizeof origin->service_version },
		{ "k8s.namespace.name", origin->k8s_namespace, sizeof origin->k8s_namespace },
		{ "k8s.pod.name", origin->k8s_pod, sizeof origin->k8s_pod },
		{ "k8s.pod.uid", origin->pod_uid, sizeof origin->pod_uid },
		{ "k8s.container.name", origin->container, sizeof origin->container },
		{ "container.name", origin->container, sizeof origin->container },
	};
	const struct attributes all = { known, sizeof known / sizeof *known };
	const char *end = block + size;
	const char *name = NULL;
	size_t name_size = 0;

	while (block < end) {
		const char *stop = memchr(block, 0, (size_t)(end - block));
		size_t len = (size_t)((stop ? stop : end) - block);

		if (len > sizeof attributes - 1 && !memcmp(block, attributes, sizeof attributes - 1))
			take_attributes(&all, block + sizeof attributes - 1, len - (sizeof attributes - 1));
		if (len > sizeof service - 1 && !memcmp(block, service, sizeof service - 1)) {
			name = block + sizeof service - 1;
			name_size = len - (sizeof service - 1);
		}
		block += len + 1;
	}
	if (name)
		origin_copy(origin->service, sizeof origin->service, name, name_size);
}

static size_t count_hex(const char *text, const char *end)
{
	size_t n = 0;

	while (text + n < end && hex(text[n]) >= 0)
		n++;
	return n;
}

/* "pod" and a uid whose dashes are dashes, or underscores where systemd names the cgroup. */
static void take_pod(struct origin_program *origin, const char *text, const char *end)
{
	char uid[sizeof origin->pod_uid];
	size_t n = 0, digits = 0;

	for (; text < end && n < sizeof uid - 1 && (hex(*text) >= 0 || *text == '-' || *text == '_'); text++) {
		uid[n++] = *text == '_' ? '-' : *text;
		digits += hex(*text) >= 0;
	}
	if (digits != UID_DIGITS || *origin->pod_uid)
		return;
	uid[n] = 0;
	memcpy(origin->pod_uid, uid, n + 1);
}

/* The last 64 digits of a path: of a container inside a container, the inner one. */
static void take_path(struct origin_program *origin, const char *text, const char *end)
{
	const char *id = NULL;

	while (text < end) {
		size_t n = count_hex(text, end);

		if (n == ID_DIGITS)
			id = text;
		if (end - text > 3 && !memcmp(text, "pod", 3))
			take_pod(origin, text + 3, end);
		text += n ? n : 1;
	}
	if (id && !*origin->container)
		snprintf(origin->container, sizeof origin->container, "%.*s", ID_SHOWN, id);
}

void origin_take_cgroup(struct origin_program *origin, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text)), *stop = line ? line : end;

		take_path(origin, text, stop);
		text = line ? line + 1 : end;
	}
}

void origin_read_program(struct origin_program *origin, const char *sysroot, pid_t pid, const char *name)
{
	char *text = malloc(MOST_ENVIRONMENT);
	ssize_t got;

	*origin = (struct origin_program){ "" };
	got = text ? proc_read(sysroot, pid, "environ", text, MOST_ENVIRONMENT) : -1;
	if (got > 0)
		origin_take_environment(origin, text, (size_t)got);
	got = text ? proc_read(sysroot, pid, "cgroup", text, MOST_ENVIRONMENT) : -1;
	if (got > 0)
		origin_take_cgroup(origin, text, (size_t)got);
	free(text);
	if (!*origin->service)
		origin_copy(origin->service, sizeof origin->service, name, strlen(name));
}

/* The first line of a file; "": it cannot be read, or has none. */
static void read_line(char *to, size_t to_size, const char *sysroot, const char *path)
{
	char name[PATH_MAX], text[ORIGIN_TEXT + 1];
	FILE *file = NULL;

	*to = 0;
	if (snprintf(name, sizeof name, "%s%s", sysroot, path) < (int)sizeof name)
		file = fopen(name, "re");
	if (file && fgets(text, sizeof text, file))
		origin_copy(to, to_size, text, strcspn(text, "\n"));
	if (file)
		fclose(file);
}

/* Whether process 1 has a host name of its own: that of the machine, if it is not only the first one of a container. */
static bool is_inside(const char *sysroot)
{
	char path[PATH_MAX], own[64], first[64];
	ssize_t n_own, n_first;

	snprintf(path, sizeof path, "%s/proc/self/ns/uts", sysroot);
	n_own = readlink(path, own, sizeof own);
	snprintf(path, sizeof path, "%s/proc/1/ns/uts", sysroot);
	n_first = readlink(path, first, sizeof first);
	return n_own > 0 && n_first > 0 && (n_own != n_first || memcmp(own, first, (size_t)n_own) != 0);
}

void origin_read_host(struct origin_host *host, const char *sysroot, const char *attributes)
{
	char node[ORIGIN_TEXT] = "";
	const struct attribute known[] = { { "host.name", host->name, sizeof host->name },
					   { "k8s.node.name", node, sizeof node },
					   { "host.id", host->machine, sizeof host->machine } };
	const struct attributes all = { known, sizeof known / sizeof *known };
	bool inside = is_inside(sysroot);
	struct utsname name;

	*host = (struct origin_host){ "" };
	read_line(host->boot, sizeof host->boot, sysroot, "/proc/sys/kernel/random/boot_id");
	if (attributes)
		take_attributes(&all, attributes, strlen(attributes));
	if (!*host->name)
		origin_copy(host->name, sizeof host->name, node, strlen(node));
	if (!*host->name && inside)
		read_line(host->name, sizeof host->name, sysroot, "/proc/1/root/etc/hostname");
	if (!*host->name && !uname(&name))
		origin_copy(host->name, sizeof host->name, name.nodename, strlen(name.nodename));
	if (!*host->machine && inside)
		read_line(host->machine, sizeof host->machine, sysroot, "/proc/1/root/etc/machine-id");
	/* images of containers may have one, which is the same in all of them */
	if (!*host->machine && !inside)
		read_line(host->machine, sizeof host->machine, sysroot, "/etc/machine-id");
}
