// SPDX-License-Identifier: Apache-2.0
/*
 * run_parent CAPACITY RUNNER ARGS...: starts inftrace-run as `inftrace model` does, with shared memory for its result,
 * and prints that result as "key value" lines. KILL_AFTER=N in the environment kills it after N latencies, with SIGKILL
 * or with the signal KILL_WITH.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/run/run_result.h"

static void print_result(const struct run_record *record)
{
	const struct run_result *head = record->head;
	uint64_t n[RUN_N_LATENCY_STATUSES] = { 0 }, n_phase[RUN_N_PHASES] = { 0 };

	for (uint64_t i = 0; i < record->n_latencies; i++) {
		n[record->latency[i].status]++;
		n_phase[record->latency[i].phase]++;
	}
	printf("outcome %u\nphase %s\nexit_status %d\nerror %s\nversion %s\n", head->outcome,
	       run_result_phase_name(head->phase), head->exit_status, head->error, head->runtime_version);
	for (uint32_t i = 0; i < RUN_N_PHASES; i++)
		printf("state.%s %u\n", run_result_phase_name(i), head->phases[i].state);
	printf("ok %llu\nin_flight %llu\nfailed %llu\n", (unsigned long long)n[RUN_LATENCY_OK],
	       (unsigned long long)n[RUN_LATENCY_IN_FLIGHT], (unsigned long long)n[RUN_LATENCY_FAILED]);
	printf("first %llu\nwarm_up %llu\nsteady %llu\n", (unsigned long long)n_phase[RUN_FIRST],
	       (unsigned long long)n_phase[RUN_WARM_UP], (unsigned long long)n_phase[RUN_STEADY]);
	printf("n_warm_up %llu\nn_steady %llu\nstop %u\n", (unsigned long long)head->n_warm_up,
	       (unsigned long long)head->n_steady, head->stop);
	for (uint32_t i = 0; i < head->n_tensors; i++)
		if (head->tensors[i].is_output)
			printf("output.%s %llu %g\n", head->tensors[i].name,
			       (unsigned long long)head->tensors[i].n_different, head->tensors[i].max_abs);
	for (uint32_t i = 0; i < head->n_placed; i++)
		printf("placed.%s %u\n", head->placed[i].name, head->placed[i].n_nodes);
}

static void kill_after(const char *path, pid_t child, uint64_t n)
{
	struct err err;
	struct run_result *result = run_result_map(path, &err);
	const char *with = getenv("KILL_WITH");
	siginfo_t info = { .si_pid = 0 };

	while (result && __atomic_load_n(&result->n_latencies, __ATOMIC_RELAXED) < n && !info.si_pid &&
	       !waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT))
		usleep(1000);
	kill(child, with ? atoi(with) : SIGKILL);
	run_result_unmap(result);
}

int main(int argc, char **argv)
{
	struct run_record record;
	struct err err;
	char path[64], *command[64] = { 0 };
	int fd, status = 0;
	pid_t child;

	if (argc < 3 || argc > 60)
		return 2;
	fd = run_result_make(strtoull(argv[1], NULL, 10), &err);
	if (fd < 0)
		return 4;
	run_result_name(fd, path, sizeof path);
	memcpy(command, argv + 2, (size_t)(argc - 2) * sizeof *command);
	command[argc - 2] = "--result";
	command[argc - 1] = path;
	child = fork();
	if (!child) {
		execv(command[0], command);
		_exit(127);
	}
	if (getenv("KILL_AFTER"))
		kill_after(path, child, strtoull(getenv("KILL_AFTER"), NULL, 10));
	waitpid(child, &status, 0);
	if (run_result_read(fd, &record, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 5;
	}
	print_result(&record);
	printf("status %d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	run_result_free(&record);
	return 0;
}
