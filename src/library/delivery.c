// SPDX-License-Identifier: Apache-2.0
/* The thread that calls back: one report after the other, without the lock. It ends when there is none. */
#include <errno.h>
#include <time.h>

#include "library/library_in.h"

enum { EXIT_S = 1, MAX_LETTERS = 1000 };

static void *deliver(void *arg)
{
	struct profile_letter *letter;

	pthread_mutex_lock(&handles.mutex);
	while (!handles.is_over && (letter = handles.first)) {
		struct inftrace_profile *profile = letter->profile;

		handles.first = letter->next;
		if (!handles.first)
			handles.last = &handles.first;
		handles.delivering = profile;
		pthread_mutex_unlock(&handles.mutex);
		profile->call(profile->ctx, &letter->report);
		profile_free_letter(letter);
		pthread_mutex_lock(&handles.mutex);
		handles.delivering = NULL;
		profile->n_delivered++;
		if (profile->is_closed && !profile->n_users)
			profile_free(profile);
		pthread_cond_broadcast(&handles.changed);
	}
	handles.has_deliverer = false;
	pthread_mutex_unlock(&handles.mutex);
	return NULL;
}

bool delivery_send(void *to, struct profile_letter *letter)
{
	struct inftrace_profile *profile = letter->profile;

	if (profile->n_sent - profile->n_delivered >= MAX_LETTERS ||
	    (!handles.has_deliverer && handles_start_thread(&handles.deliverer, deliver))) {
		profile_free_letter(letter);
		return false;
	}
	handles.has_deliverer = true;
	profile->n_sent++;
	*handles.last = letter;
	handles.last = &letter->next;
	return true;
}

bool delivery_is_here(void)
{
	return handles.has_deliverer && pthread_equal(handles.deliverer, pthread_self());
}

static void drop_letters(const struct inftrace_profile *profile)
{
	struct profile_letter **at = &handles.first, *letter;

	while ((letter = *at)) {
		if (letter->profile == profile) {
			*at = letter->next;
			profile_free_letter(letter);
		} else {
			at = &letter->next;
		}
	}
	handles.last = at;
}

void delivery_end(const struct inftrace_profile *profile)
{
	drop_letters(profile);
	while (handles.delivering == profile && !delivery_is_here())
		pthread_cond_wait(&handles.changed, &handles.mutex);
}

void delivery_end_all(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += EXIT_S;
	pthread_mutex_lock(&handles.mutex);
	handles.is_over = true;
	while (handles.delivering && !delivery_is_here() &&
	       !pthread_cond_timedwait(&handles.changed, &handles.mutex, &until))
		;
	pthread_mutex_unlock(&handles.mutex);
}

void delivery_leave_child(void)
{
	for (struct inftrace_profile *profile = handles.profiles; profile; profile = profile->next)
		profile->n_delivered = profile->n_sent;
	handles.first = NULL;
	handles.last = &handles.first;
	handles.delivering = NULL;
	handles.has_deliverer = false;
}
