// SPDX-License-Identifier: Apache-2.0
// The colours of the timeline: what they mean, how much of the operators' time each kind of work takes, and a choice of one.
import { useEffect, useState } from 'preact/hooks';
import type { Report } from './api';
import type { App } from './app';
import { colourOf, css, families, familyOf } from './colours';
import { significant } from './format';
import { useApp, usePopover } from './use';

/** Of the time of all operators, from 0 to 1, by the kind of work. */
export function sharesOf(report: Report | null): ReadonlyMap<string, number> {
	const ns = new Map<string, number>();
	for (const type of (report?.models ?? []).flatMap(model => model.operators?.types ?? [])) {
		const family = familyOf(type.op_type ?? '', 'operator');
		ns.set(family, (ns.get(family) ?? 0) + (type.self_ns ?? 0));
	}
	const all = [...ns.values()].reduce((sum, one) => sum + one, 0);
	return new Map([...ns].filter(([, one]) => one > 0).map(([family, one]) => [family, one / all]));
}

interface Entry {
	readonly family: string;
	readonly colour: string;
	readonly share: number | undefined;
}

function entriesOf(app: App): readonly Entry[] {
	const { classes, class_kinds: kinds, tracks } = app.recording;
	// each kind has a class, also where nothing is of it
	const there = new Set(tracks.flatMap(track => track.kinds));
	const shares = sharesOf(app.report);
	const colours = new Map<string, string>();
	classes.forEach((name, i) => {
		const family = familyOf(name, kinds[i] ?? '');
		if ((name === kinds[i] || !kinds[i]) && !there.has(kinds[i])) return;
		if (!colours.has(family)) colours.set(family, css(colourOf(name, kinds[i] ?? '', app.theme.isDark)));
	});
	const all = families().flatMap(family => {
		const colour = colours.get(family);
		return colour ? [{ family, colour, share: shares.get(family) }] : [];
	});
	// where not all have room, what takes time has
	return all.sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
}

/** A share of which no more is wanted than how much it is. */
const shortly = (share: number): string => (share < 0.001 ? '< 0.1 %' : `${significant(100 * share, 2)} %`);

function Entries({ app, entries }: { app: App; entries: readonly Entry[] }) {
	return (
		<ul class="legend" aria-label="Colors">
			{entries.map(({ family, colour, share }) => {
				const part = share === undefined ? '' : shortly(share);
				return (
					<li key={family}>
						<button
							aria-pressed={app.family === family}
							title={`${part && `${part} of the time of operators. `}Show the others pale`}
							onClick={() => app.stress(app.family === family ? '' : family)}
						>
							<i class="swatch" style={{ background: colour }} />
							{family}
							{part && <small>{part}</small>}
						</button>
					</li>
				);
			})}
		</ul>
	);
}

/** In a row; where not all have room, also in a list that opens. */
export function Legend({ app }: { app: App }) {
	useApp(app, 'classes', 'place');
	const entries = entriesOf(app);
	const { box, isOpen, setOpen, onKeyDown } = usePopover();
	const [isTight, setTight] = useState(false);
	useEffect(() => {
		const measure = (): void => {
			const list = box.current?.querySelector('.legend');
			setTight(list ? list.scrollHeight > list.clientHeight + 1 : false);
		};
		measure();
		const observer = new ResizeObserver(measure);
		if (box.current) observer.observe(box.current);
		return () => observer.disconnect();
	}, [entries.map(({ family, share }) => `${family} ${share}`).join()]);
	return (
		<span class="colours" ref={box} onKeyDown={onKeyDown}>
			<Entries app={app} entries={entries} />
			{isTight && (
				<button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
					{isOpen || !app.family ? 'Colors' : app.family}
					<span class="caret open" aria-hidden="true" />
				</button>
			)}
			{isTight && isOpen && (
				<span class="popover">
					<Entries app={app} entries={entries} />
				</span>
			)}
		</span>
	);
}
