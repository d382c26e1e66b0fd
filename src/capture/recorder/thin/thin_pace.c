// SPDX-License-Identifier: Apache-2.0
/* Computes N. Asks no file system. */
#include "capture/recorder/thin/thin.h"
#include "capture/recorder/thin/thin_in.h"

uint32_t thin_pace_look(struct thin_pace *pace, uint64_t now_ns, uint64_t n_bytes, const struct thin_room *room,
			uint32_t every)
{
	double passed_ns = (double)(now_ns - pace->looked_ns), rate, more;

	if (pace->looked_ns && now_ns - pace->looked_ns < THIN_LOOK_NS)
		return every;
	rate = (double)(n_bytes - pace->looked_bytes) / passed_ns * 1e9;
	if (pace->looked_ns)
		pace->rate = pace->rate > 0 ? (3 * pace->rate + rate) / 4 : rate;
	pace->looked_ns = now_ns;
	pace->looked_bytes = n_bytes;
	if (room->left_bytes == UINT64_MAX)
		return 1;
	if (n_bytes < pace->whole_bytes)
		return every;
	more = pace->rate * (double)pace->horizon_ns / 1e9 - (double)room->kept_bytes;
	if (more > (double)room->left_bytes && every < THIN_MOST) {
		/* half of the operators, half of the bytes: the next look is not to find the rate of before */
		pace->rate /= 2;
		return every * 2;
	}
	if (every > 1 && 4 * more < (double)room->left_bytes) {
		pace->rate *= 2;
		return every / 2;
	}
	return every;
}
