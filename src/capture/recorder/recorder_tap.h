/* SPDX-License-Identifier: Apache-2.0 */
/* The sink that sources see: counts what passes, and hands it to all sinks of the recording. One thread. */
#ifndef CAPTURE_RECORDER_RECORDER_TAP_H
#define CAPTURE_RECORDER_RECORDER_TAP_H

#include "capture/recorder/latency.h"
#include "capture/recorder/recorder_tracks.h"
#include "event/tee.h"

struct recorder_tap {
	struct sink sink;
	struct sink *to; /* the only sink, or the tee */
	struct tee tee;
	struct latency latency;
	uint32_t runtime_topic, process_topic, sampled_topic; /* names of notes */
	struct recorder_tracks tracks;
	uint64_t n_events; /* slices and instants */
	uint32_t other_topic;
	uint32_t other, other_version; /* a runtime that is not recorded; 0: none was loaded, or not known */
	bool lacks_runs;	       /* of a runtime no inference can be seen */
	uint64_t n_inferences, n_processes, n_runtimes, n_lost;
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	uint64_t n_unseen;	/* processes whose inferences were not seen */
};

/* sinks: as tee_init wants them. */
void recorder_tap_init(struct recorder_tap *tap, struct sink *const *sinks, size_t n);
void recorder_tap_done(struct recorder_tap *tap);

#endif
