// SPDX-License-Identifier: Apache-2.0
// In place of the inferences where there are none: what that means, and what to look at or to do.
import type { App } from './app';
import { duration, oneLine, significant } from './format';

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

const MOST_PLACES = 8;

/** What the program did instead, most time first. */
function Places({ app }: { app: App }) {
	const all = (app.report?.outside ?? []).filter(one => one.tree === 'what' && one.kind === 'place' && one.share);
	const most = [...all].sort((a, b) => (b.share ?? 0) - (a.share ?? 0)).slice(0, MOST_PLACES);
	if (!most.length) return null;
	return (
		<table class="places">
			<caption>What the program did, most time first</caption>
			<tbody>
				{most.map((one, i) => (
					<tr key={i}>
						<td class="number">{significant(100 * (one.share ?? 0), 3)} %</td>
						<td class="number">{duration(one.duration_ns ?? 0)}</td>
						<td>
							{one.state && one.state !== 'ran' && (
								<small>{oneLine(one.state)} in </small>
							)}
							{oneLine(one.name ?? '')}
						</td>
					</tr>
				))}
			</tbody>
		</table>
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
			<Places app={app} />
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
