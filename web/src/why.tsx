// SPDX-License-Identifier: Apache-2.0
// Why the selected inference took as long as it did: the parts of what it took longer than usual. The report has them of the
// slowest inferences; of any other they are worked out when somebody asks, at once where the recording is small.
import { useEffect, useState } from 'preact/hooks';
import type { Report, Slice, Slow } from './api';
import type { App } from './app';
import { duration, sentence, words } from './format';
import { slowOf } from './slow';

/** Recordings up to this size are summed up again in less than half a second. */
const SMALL = 1_000_000;

interface Asked {
	readonly begin: number;
	readonly slow: Slow | null;
	readonly problem: string;
	readonly isLoading: boolean;
}

function useWhy(app: App, slice: Slice): readonly [Asked | null, () => void] {
	const [asked, setAsked] = useState<Asked | null>(null);
	const { begin, row, index } = slice;
	const at = begin - app.recording.shift_ns;
	const known = slowOf(app.report, at);
	const ask = (): void => {
		setAsked({ begin, slow: null, problem: '', isLoading: true });
		app.get<Report>('why', { row, index }).then(
			report => setAsked({ begin, slow: slowOf(report, at), problem: '', isLoading: false }),
			error => setAsked({ begin, slow: null, problem: (error as Error).message, isLoading: false }),
		);
	};
	const canAsk = slice.kind === 'inference' && !app.recording.live && app.report !== null && !known;
	useEffect(() => {
		if (canAsk && app.recording.events <= SMALL) ask();
	}, [begin, canAsk]);
	if (known) return [{ begin, slow: known, problem: '', isLoading: false }, ask];
	return [asked?.begin === begin ? asked : null, ask];
}

function Parts({ slow }: { slow: Slow }) {
	const { why } = slow;
	if (!why) return null;
	const usual = why.usual?.p50_ns;
	const beside = usual ? ` than the median of ${duration(usual)}` : '';
	if (!(why.excess_ns && why.excess_ns > 0) || !why.parts?.length)
		return <p>{sentence(words(why.words ?? 'nothing explains its duration'))}</p>;
	const rest = why.unexplained_ns ?? 0;
	const parts = why.parts.map(part => [part.ns, words(part.words ?? part.cause)] as const);
	if (rest > why.excess_ns * 0.02)
		parts.push([rest, why.missing ? `not explained: ${words(why.missing)}` : 'not explained']);
	const most = Math.max(...parts.map(([ns]) => ns));
	return (
		<>
			<p>
				<b>{duration(why.excess_ns)}</b> longer{beside}
			</p>
			<ul>
				{parts.map(([ns, words]) => (
					<li key={words}>
						<span class="part-bar" aria-hidden="true">
							<i style={{ width: `${Math.max(2, (100 * ns) / most)}%` }} />
						</span>
						<b>{duration(ns)}</b> {words}
					</li>
				))}
			</ul>
		</>
	);
}

export function Why({ app, slice }: { app: App; slice: Slice }) {
	const [asked, ask] = useWhy(app, slice);
	if (slice.kind !== 'inference' || (!asked && !app.report)) return null;
	if (!asked && app.recording.live)
		return (
			<section class="why-parts" aria-label="Why it took this long">
				<p class="dim">
					Why it took this long is worked out for the slowest inferences alone while a
					program runs. A recording says it of each: Record… makes one.
				</p>
			</section>
		);
	return (
		<section class="why-parts" aria-label="Why it took this long" aria-busy={asked?.isLoading ?? false}>
			{!asked && (
				<button class="quiet" onClick={ask}>
					Why did it take this long?
				</button>
			)}
			{asked?.isLoading && <p class="dim">Working out why …</p>}
			{asked?.problem && <p class="dim">{sentence(words(asked.problem))}</p>}
			{asked?.slow && <Parts slow={asked.slow} />}
			{asked && !asked.slow && !asked.isLoading && !asked.problem && (
				<p class="dim">
					{slice.cut
						? 'It has no end.'
						: 'First inferences of a session and failed ones are compared with no other.'}
				</p>
			)}
		</section>
	);
}
