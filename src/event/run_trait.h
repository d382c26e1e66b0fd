/* SPDX-License-Identifier: Apache-2.0 */
/* What an inference shows of itself at its end, besides its status, and who asked for it. Plain C. */
#ifndef EVENT_RUN_TRAIT_H
#define EVENT_RUN_TRAIT_H

/* Bits of RECORD_RUN_END. TRAITS_SEEN: the two before it are known; each is an argument then. */
enum run_trait { TRAIT_GRADIENTS = 1, TRAIT_TRAINING_MODE = 2, TRAITS_SEEN = 4, TRAIT_TIMED = 8 };

#define EVENT_TRAIT_KEYS(F) \
	F(GRADIENTS, "gradients")	  /* on inferences: whether its result can be differentiated */ \
	F(TRAINING_MODE, "training_mode") /* on inferences: whether a part of the model computes as in training */ \
	F(SEQUENCES, "sequences") /* text; on inferences: "0:12+1/1,3:0+64/0": sequence:position+tokens/results */ \
	F(FOLLOWS, "follows")	  /* on inferences: which one of the process has made the caches that went into it */ \
	F(CALLER, "caller") /* text; on inferences and session creations: the line that asked, "function (file:line)" \
			     */ \
	F(TIMED, "timed")   /* on inferences: 1: the runtime itself times each of its operators */

#endif
