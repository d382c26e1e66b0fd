// SPDX-License-Identifier: Apache-2.0
// Recordings that are started from a live page: the next program, a running one, or a model file.
import { useEffect, useState } from 'preact/hooks';
import * as api from './api';
import { Dialog } from './dialogs';
import { commandName, oneLine } from './format';
import { host, whenSeen } from './host';

interface Program {
	readonly pid: number;
	readonly name: string;
	readonly command: string;
	readonly can_attach: boolean;
	readonly obstacle: string | null;
	/** Of a program that has the runtime in itself: its first process. */
	readonly leader?: number | null;
}

interface Programs {
	readonly programs: readonly Program[];
	readonly unreadable: number;
	readonly attach_problem: string | null;
}

interface Made {
	readonly id: number;
	readonly words: string;
	readonly file: string;
	readonly model: boolean;
	readonly state: 'running' | 'done' | 'failed';
	readonly said: string;
}

type Mode = 'next' | 'attach' | 'model';
type Fields = Readonly<Record<string, string>>;

const MODES: readonly (readonly [Mode, string])[] = [
	['next', 'Next program'],
	['attach', 'Running program'],
	['model', 'Model file'],
];

const POLICIES = ['prefer-cpu', 'prefer-npu', 'prefer-gpu', 'max-performance', 'max-efficiency', 'min-power'];

function Field(props: { label: string; name: string; hint?: string; fields: Fields; set: (fields: Fields) => void }) {
	const { label, name, hint, fields, set } = props;
	return (
		<label>
			{label}
			<input
				name={name}
				placeholder={hint}
				value={fields[name] ?? ''}
				onInput={event => set({ ...fields, [name]: event.currentTarget.value })}
			/>
		</label>
	);
}

function Running({ list, fields, set }: { list: Programs | null; fields: Fields; set: (fields: Fields) => void }) {
	return (
		<>
			{list?.attach_problem && <p class="bad">{oneLine(list.attach_problem)}</p>}
			<ul class="programs" aria-label="Programs that have a runtime loaded">
				{!list && <li class="dim">Looking for programs…</li>}
				{list?.programs.length === 0 && (
					<li class="dim">No program that can be read has a runtime loaded.</li>
				)}
				{list?.programs
					.filter(one => !one.leader)
					.map(one => (
						<li key={one.pid}>
							<button
								type="button"
								aria-pressed={fields.pid === String(one.pid)}
								disabled={!one.can_attach}
								title={oneLine(one.obstacle ?? one.command)}
								onClick={() =>
									set({
										...fields,
										pid: String(one.pid),
										name: '',
										path: '',
									})
								}
							>
								<b>{one.pid}</b> {commandName(one.command || one.name)}
								{one.obstacle && <i> {oneLine(one.obstacle)}</i>}
							</button>
						</li>
					))}
			</ul>
			<div class="fields">
				<Field label="or by PID" name="pid" fields={fields} set={set} />
				<Field label="by name" name="name" hint="app.py" fields={fields} set={set} />
				<Field label="by path" name="path" hint="/usr/bin/server" fields={fields} set={set} />
			</div>
		</>
	);
}

function Model({ fields, set }: { fields: Fields; set: (fields: Fields) => void }) {
	return (
		<>
			<Field label="Model file" name="model" hint="/home/me/model.onnx" fields={fields} set={set} />
			<div class="fields">
				<Field label="Providers" name="ep" hint="cpu,openvino" fields={fields} set={set} />
				<label>
					or policy
					<select
						name="policy"
						value={fields.policy ?? ''}
						onChange={event =>
							set({ ...fields, policy: event.currentTarget.value })
						}
					>
						<option value="">none</option>
						{POLICIES.map(one => (
							<option key={one}>{one}</option>
						))}
					</select>
				</label>
				<Field
					label="Runtime"
					name="runtime"
					hint="found by itself"
					fields={fields}
					set={set}
				/>
			</div>
		</>
	);
}

async function post(path: string, asked: api.Asked): Promise<string> {
	const got = await host.ask(api.address(path, asked), { method: 'POST' });
	const text = (await got.text()).trim();
	if (!got.ok) throw new Error(text || `status ${got.status}`);
	return text;
}

function One({ made, fail }: { made: Made; fail: (error: unknown) => void }) {
	const [address, setAddress] = useState('');
	const last = made.said.trim().split('\n').pop() ?? '';
	const open = async (): Promise<void> => {
		if (host.isEditor) return host.open(made.file);
		const got = JSON.parse(await post('open', { id: made.id })) as { address: string };
		setAddress(got.address);
	};
	const keep = async (): Promise<void> => {
		const got = await host.ask(api.address('report', { id: made.id }));
		if (!got.ok) throw new Error((await got.text()).trim());
		host.save(made.model ? made.file : made.file.replace(/(\.pftrace)?$/, '.html'), await got.blob());
	};
	return (
		<li class={made.state}>
			<p>
				<b>{commandName(made.words)}</b> <span class="dim">{made.file}</span>
			</p>
			<p class={made.state === 'failed' ? 'bad' : 'dim'} role="status">
				{made.state === 'running' && !last
					? 'running'
					: oneLine(
							last
								.replace(/^inftrace: /, '')
								.replace(/; \S+ \([^)]*\)\. Next: .*/, ''),
						)}
			</p>
			<span class="deeds">
				{made.state === 'running' && (
					<button
						type="button"
						onClick={() => void post('stop', { id: made.id }).catch(fail)}
					>
						Stop
					</button>
				)}
				{made.state === 'done' && !made.model && !address && (
					<button type="button" onClick={() => void open().catch(fail)}>
						Open
					</button>
				)}
				{address && (
					<a href={address} target="_blank" rel="noreferrer">
						Open in a tab
					</a>
				)}
				{made.state === 'done' && (
					<button type="button" onClick={() => void keep().catch(fail)}>
						Save report
					</button>
				)}
			</span>
		</li>
	);
}

/** Those that were started, asked for again while one runs. */
function useMade(fail: (error: unknown) => void): readonly [readonly Made[], () => void] {
	const [made, setMade] = useState<readonly Made[]>([]);
	const [asked, ask] = useState(0);
	useEffect(() => {
		let timer = 0;
		const look = (): void => {
			api.get<readonly Made[]>('recordings.json').then(list => {
				setMade(list);
				if (list.some(one => one.state === 'running'))
					timer = window.setTimeout(() => whenSeen(look), 700);
			}, fail);
		};
		look();
		return () => clearTimeout(timer);
	}, [asked]);
	return [made, () => ask(n => n + 1)];
}

export function Record({ close }: { close: () => void }) {
	const [mode, setMode] = useState<Mode>('next');
	const [fields, setFields] = useState<Fields>({ duration: '10s' });
	const [list, setList] = useState<Programs | null>(null);
	const [trouble, setTrouble] = useState('');
	const fail = (error: unknown): void => setTrouble(error instanceof Error ? error.message : String(error));
	const [made, look] = useMade(fail);
	useEffect(() => {
		api.get<Programs>('programs.json').then(setList, fail);
	}, []);
	const wanted: Readonly<Record<Mode, readonly string[]>> = {
		next: ['name', 'duration'],
		attach: fields.name ? ['name', 'duration'] : fields.path ? ['path', 'duration'] : ['pid', 'duration'],
		model: ['model', 'ep', 'policy', 'runtime', 'duration'],
	};
	const begin = async (event: Event): Promise<void> => {
		event.preventDefault();
		setTrouble('');
		await post('start', {
			mode,
			...Object.fromEntries(wanted[mode].map(key => [key, fields[key] ?? ''])),
		}).catch(fail);
		look();
	};
	return (
		<Dialog title="Record" close={close}>
			<form class="record" onSubmit={event => void begin(event)}>
				<span class="segments" role="group" aria-label="What to record">
					{MODES.map(([name, title]) => (
						<button
							type="button"
							key={name}
							aria-pressed={mode === name}
							onClick={() => setMode(name)}
						>
							{title}
						</button>
					))}
				</span>
				{mode === 'next' && (
					<>
						{list?.attach_problem && (
							<p class="bad">{oneLine(list.attach_problem)}</p>
						)}
						<p class="dim">
							Records the next program that loads a runtime, from its first
							call on.
						</p>
						<Field
							label="Only a program of this name"
							name="name"
							hint="any"
							fields={fields}
							set={setFields}
						/>
					</>
				)}
				{mode === 'attach' && <Running list={list} fields={fields} set={setFields} />}
				{mode === 'model' && <Model fields={fields} set={setFields} />}
				<div class="fields">
					<Field
						label="Duration"
						name="duration"
						hint="until it is stopped"
						fields={fields}
						set={setFields}
					/>
					<button class="main">Start</button>
				</div>
				{trouble && (
					<p class="bad" role="alert">
						{oneLine(trouble)}
					</p>
				)}
			</form>
			{made.length > 0 && (
				<ul class="made" aria-label="Recordings">
					{made.map(one => (
						<One key={one.id} made={one} fail={fail} />
					))}
				</ul>
			)}
		</Dialog>
	);
}
