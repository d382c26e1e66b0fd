// SPDX-License-Identifier: Apache-2.0
// Finds inferences in a report.
import type { Report, Slow } from './api';

/** What a report says of the inference that begins then. */
export function slowOf(report: Report | null, begin: number): Slow | null {
	for (const model of report?.models ?? [])
		for (const slow of model.inferences?.slowest ?? []) if (slow.at_ns === begin && slow.why) return slow;
	return null;
}
