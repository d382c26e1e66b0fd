// SPDX-License-Identifier: Apache-2.0
/* Whether a prompt begins as an earlier one of its session did (prompt.h): the values of the input "input_ids". */
#include "capture/agent/ort/ort_in.h"
#include "capture/agent/run/prompt.h"

void ort_prompt_see(struct ort_copy *copy, struct thread *thread, const struct open_run *run, word value,
		    const struct shape *shape)
{
	struct prompt_row row = prompt_row_of(value, shape);

	if (!row.n)
		return;
	row.data = ort_shape_elements(copy, value);
	if (row.data)
		prompt_tell(thread, run, row);
}
