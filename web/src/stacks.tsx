// SPDX-License-Identifier: Apache-2.0
// The flame graph of the chosen range, by samples of threads: wide is long, callers are above.
import { useMemo, useState } from 'preact/hooks';
import type { Part } from './api';
import type { App } from './app';
import { sorted, Tree } from './icicle';
import { useAnswer } from './use';

const CPU = [
	['all', 'All'],
	['on', 'On a CPU'],
	['off', 'Waiting'],
] as const;

const THREADS = [
	['together', 'Threads together'],
	['apart', 'Apart'],
] as const;

function Choice({
	label,
	of,
	value,
	choose,
}: {
	label: string;
	of: readonly (readonly [string, string])[];
	value: string;
	choose: (value: string) => void;
}) {
	return (
		<span class="segments" role="group" aria-label={label}>
			{of.map(([name, title]) => (
				<button key={name} aria-pressed={value === name} onClick={() => choose(name)}>
					{title}
				</button>
			))}
		</span>
	);
}

export function Stacks({ app }: { app: App }) {
	const { range } = app.place;
	const [cpu, setCpu] = useState('on');
	const [threads, setThreads] = useState('together');
	const { data: answer, error } = useAnswer<Part>(
		app,
		'stacks',
		{ from: range?.[0], to: range?.[1], cpu, threads },
		app.tableVersion,
	);
	const data = useMemo(() => answer && sorted(answer), [answer]);
	return (
		<div class="stacks-tab">
			<div class="choices">
				<Choice label="What threads did" of={CPU} value={cpu} choose={setCpu} />
				<Choice label="Threads" of={THREADS} value={threads} choose={setThreads} />
			</div>
			{error ? (
				<p class="empty bad">{error}</p>
			) : !data ? (
				<p class="empty dim">Reading …</p>
			) : !data.ns ? (
				<p class="empty dim">No sample of a thread is here.</p>
			) : (
				<Tree
					key={`${cpu} ${threads}`}
					app={app}
					data={data}
					all="All threads"
					label="Time by calling path"
					pick={part => app.go({ query: part === data ? '' : part.name })}
				/>
			)}
		</div>
	);
}
