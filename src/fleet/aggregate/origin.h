/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a program is, for people who watch many machines: its service, container and pod, from its environment and its
 * cgroup, and the machine. Asks no other program and no network. The texts come from programs: they are cut, valid
 * UTF-8, and contain no control characters; they may be anything else.
 */
#ifndef FLEET_AGGREGATE_ORIGIN_H
#define FLEET_AGGREGATE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { ORIGIN_TEXT = 128 };

/* "": not known. */
struct origin_program {
	char service[ORIGIN_TEXT]; /* OTEL_SERVICE_NAME, service.name of OTEL_RESOURCE_ATTRIBUTES, or the program */
	char service_namespace[ORIGIN_TEXT], service_version[ORIGIN_TEXT];
	char k8s_namespace[ORIGIN_TEXT], k8s_pod[ORIGIN_TEXT], pod_uid[40];
	char container[ORIGIN_TEXT]; /* its name, else the first 12 digits of its id */
};

struct origin_host {
	char name[ORIGIN_TEXT], boot[40], machine[40]; /* ids of this boot of the kernel, and of the installation */
};

/* name: of the program, for one that names no service. What cannot be read is left out. */
void origin_read_program(struct origin_program *origin, const char *sysroot, pid_t pid, const char *name);
/*
 * The machine, also from inside a container: host.name or k8s.node.name, and host.id, of the attributes, a list as in
 * OTEL_RESOURCE_ATTRIBUTES (NULL: none), else what process 1 has, else what this process has.
 */
void origin_read_host(struct origin_host *host, const char *sysroot, const char *attributes);

/* For origin_read_program and the fuzzer: the block of /proc/PID/environ, and the text of /proc/PID/cgroup. */
void origin_take_environment(struct origin_program *origin, const char *block, size_t size);
void origin_take_cgroup(struct origin_program *origin, const char *text, size_t size);

/* Copies as much of a text as fits and is whole: UTF-8, without control characters. */
void origin_copy(char *to, size_t to_size, const char *from, size_t size);

#endif
