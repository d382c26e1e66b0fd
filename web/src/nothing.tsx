// SPDX-License-Identifier: Apache-2.0
// In place of the inferences where there are none: what that means, and what to look at or to do.
import type { App } from './app';

/** Whether the report is here and knows of no model. A live page may still get one. */
export const hasNoModel = (app: App): boolean =>
	!app.recording.live && !app.recording.growing && app.report?.models?.length === 0;

/** Only of a recording of inftrace: what runs is known where it was made. */
function Next() {
	return (
		<ul>
			<li>
				<code>inftrace ps</code> lists the running programs that have a runtime loaded.
			</li>
			<li>
				<code>inftrace doctor</code> says what can be recorded on this machine, and why the rest
				cannot.
			</li>
		</ul>
	);
}

export function NoModel({ app }: { app: App }) {
	const { tracks, counters } = app.recording;
	const tabs: readonly (readonly [string, string, boolean])[] = [
		['operators', 'Operators', (app.report?.operators_elsewhere ?? []).length > 0],
		['stacks', 'Stacks', tracks.some(track => track.kind === 'stack')],
		['resources', 'Resources', counters.length > 0],
		['losses', 'What was not recorded', (app.report?.losses?.remarks ?? []).length > 0],
	];
	const there = tabs.filter(([, , isThere]) => isThere);
	// a file of another program says nothing of its cost
	const isOurs = app.report?.cost != null;
	return (
		<div class="no-model" role="note">
			<p>
				<b>
					{isOurs
						? 'No model ran while this was recorded.'
						: 'The file has no inferences.'}
				</b>{' '}
				The timeline shows all that it has.
			</p>
			{isOurs && <Next />}
			{there.length > 0 && (
				<p>
					{there.map(([tab, title]) => (
						<button key={tab} onClick={() => app.go({ tab, sub: '', sort: '' })}>
							{title}
						</button>
					))}
				</p>
			)}
		</div>
	);
}
