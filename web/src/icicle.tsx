// SPDX-License-Identifier: Apache-2.0
// Where the time of inferences goes: model, phase, operator type, operator; wide is long.
import { useMemo, useState } from 'preact/hooks';
import type { Part } from './api';
import type { App } from './app';
import { colourOf, css } from './colours';
import { count, duration, inUnit, oneLine } from './format';
import { useAnswer } from './use';

/** Narrower than this share of the width is not drawn. */
const LEAST = 0.0012;
/** Narrower than this has no room for a name. */
const NAMED = 0.02;
const HEIGHT = 24;

interface Box {
	readonly part: Part;
	readonly path: readonly number[];
	readonly depth: number;
	readonly from: number;
	readonly width: number;
	readonly colour: string;
}

function colour(app: App, part: Part, path: readonly string[]): string {
	if (part.ran_ns !== undefined)
		return css(colourOf(part.ran_ns * 2 > part.ns ? 'ran' : 'waited', 'thread', app.theme.isDark));
	const { classes, class_kinds: kinds } = app.recording;
	const own = part.class;
	if (own !== null && own !== undefined && classes[own])
		return css(colourOf(classes[own], kinds[own] ?? '', app.theme.isDark));
	for (const name of [part.name, ...[...path].reverse()]) {
		const i = classes.indexOf(name);
		if (i >= 0) return css(colourOf(name, kinds[i] ?? '', app.theme.isDark));
	}
	const kind =
		{ setup: 'setup', unattributed: '', operators: '', 'process stopped': '' }[part.name] ?? 'inference';
	return css(colourOf(part.name, kind, app.theme.isDark));
}

export function boxesOf(root: Part, app: App, above: readonly string[] = []): Box[] {
	const out: Box[] = [];
	const visit = (
		part: Part,
		path: readonly number[],
		names: readonly string[],
		from: number,
		width: number,
	): void => {
		if (width < LEAST) return;
		out.push({ part, path, depth: path.length, from, width, colour: colour(app, part, names) });
		let at = from;
		(part.children ?? []).forEach((child, i) => {
			const wide = part.ns > 0 ? (child.ns / part.ns) * width : 0;
			visit(child, [...path, i], [...names, part.name], at, wide);
			at += wide;
		});
	};
	visit(root, [], above, 0, 1);
	return out;
}

/** The longest first. */
export function sorted(part: Part): Part {
	return { ...part, children: (part.children ?? []).map(sorted).sort((a, b) => b.ns - a.ns) };
}

/** A tree of parts, of which one can go into each. */
export function Tree({
	app,
	data,
	all,
	label,
	pick,
}: {
	app: App;
	data: Part;
	all: string;
	label: string;
	pick: (part: Part) => void;
}) {
	const [zoomed, setZoomed] = useState<readonly number[]>([]);
	const [over, setOver] = useState<Box | null>(null);
	const chain: Part[] = [data];
	for (const i of zoomed) {
		const next = chain[chain.length - 1].children?.[i];
		if (!next) break;
		chain.push(next);
	}
	const root = chain[chain.length - 1];
	const boxes = boxesOf(
		root,
		app,
		chain.slice(0, -1).map(part => part.name),
	);
	const depth = Math.max(...boxes.map(box => box.depth)) + 1;
	const nameOf = (box: Box): string => (box.depth || zoomed.length ? oneLine(box.part.name) : all);
	const onCpu = (part: Part): string =>
		part.ran_ns === undefined ? '' : `, on a CPU for ${duration(part.ran_ns)}`;
	return (
		<div class="icicle-tab">
			<nav class="crumbs" aria-label="Part that is shown">
				{chain.map((part, i) => (
					<button
						key={i}
						disabled={i === chain.length - 1}
						onClick={() => setZoomed(zoomed.slice(0, i))}
					>
						{i ? oneLine(part.name) : all}
					</button>
				))}
				<span class="dim">
					{over
						? `${oneLine(over.part.name)}: ${duration(over.part.ns)}, ${inUnit((100 * over.part.ns) / data.ns, '%')} of all, ${count(over.part.n)} times${onCpu(over.part)}`
						: `${duration(root.ns)}; click to go in`}
				</span>
			</nav>
			<div
				class="icicle"
				style={{ height: `${depth * HEIGHT}px` }}
				role="tree"
				aria-label={label}
				onPointerLeave={() => setOver(null)}
			>
				{boxes.map(box => (
					<button
						key={box.path.join('.')}
						role="treeitem"
						aria-level={box.depth + 1}
						aria-label={`${nameOf(box)} ${duration(box.part.ns)}`}
						style={{
							left: `${box.from * 100}%`,
							width: `${box.width * 100}%`,
							top: `${box.depth * HEIGHT}px`,
							background: box.colour,
							/* padding would make the narrowest wider than they are */
							padding: box.width > NAMED ? undefined : 0,
						}}
						onPointerEnter={() => setOver(box)}
						onFocus={() => setOver(box)}
						onClick={() => {
							pick(box.part);
							if (box.part.children?.length)
								setZoomed([...zoomed, ...box.path]);
						}}
					>
						{box.width > NAMED && nameOf(box)}{' '}
						{box.width > NAMED && <small>{duration(box.part.ns)}</small>}
					</button>
				))}
			</div>
		</div>
	);
}

export function Icicle({ app }: { app: App }) {
	const { range } = app.place;
	const { data: answer, error } = useAnswer<Part>(
		app,
		'icicle',
		{ from: range?.[0], to: range?.[1] },
		app.tableVersion,
	);
	const data = useMemo(() => answer && sorted(answer), [answer]);
	if (error) return <p class="empty bad">{error}</p>;
	if (!data) return <p class="empty dim">Reading …</p>;
	if (!data.ns) return <p class="empty dim">No inference is here.</p>;
	return (
		<Tree
			app={app}
			data={data}
			all="All inferences"
			label="Time by model and operator"
			pick={part => !part.children?.length && app.go({ query: part.name })}
		/>
	);
}
