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

/** Where files go, and how a path goes on. */
interface Files {
	readonly folder: string | null;
	readonly recording: string | null;
	readonly report: string | null;
	readonly files: readonly string[];
}

/** Short names of the providers that ONNX Runtime has on Linux. */
const PROVIDERS = [
	'cpu',
	'cuda',
	'tensorrt',
	'nvtensorrtrtx',
	'migraphx',
	'rocm',
	'openvino',
	'qnn',
	'webgpu',
	'dnnl',
	'xnnpack',
];

interface FieldProps {
	readonly label: string;
	readonly name: string;
	readonly hint?: string;
	readonly fields: Fields;
	readonly set: (fields: Fields) => void;
	/** Offered while one types. */
	readonly offers?: readonly string[];
}

function Field({ label, name, hint, fields, set, offers }: FieldProps) {
	return (
		<label>
			{label}
			<input
				name={name}
				placeholder={hint}
				list={offers && `offers-${name}`}
				autocomplete="off"
				spellcheck={false}
				value={fields[name] ?? ''}
				onInput={event => set({ ...fields, [name]: event.currentTarget.value })}
			/>
			{offers && (
				<datalist id={`offers-${name}`}>
					{offers.map(one => (
						<option key={one} value={one} />
					))}
				</datalist>
			)}
		</label>
	);
}

/** What the server knows of a path that is typed; the last answer stays until the next one. */
function useFiles(begun: string, kind: 'model' | 'runtime', asked: number): Files | null {
	const [files, setFiles] = useState<Files | null>(null);
	useEffect(() => {
		const abort = new AbortController();
		api.get<Files>('files.json', { begun, kind }, abort.signal).then(setFiles, () => undefined);
		return () => abort.abort();
	}, [begun, kind, asked]);
	return files;
}

/** All of a path, or a part of a name, or the beginning of a PID. */
const fitsProgram = ({ pid, name, command }: Program, text: string): boolean =>
	`${name} ${command}`.toLowerCase().includes(text.toLowerCase()) || String(pid).startsWith(text);

/** What a text that names no program of the list is. */
export function wayOf(text: string): 'pid' | 'path' | 'name' {
	return /^\d+$/.test(text) ? 'pid' : text.includes('/') ? 'path' : 'name';
}

function Running({ list, fields, set }: { list: Programs | null; fields: Fields; set: (fields: Fields) => void }) {
	const text = (fields.program ?? '').trim();
	const all = (list?.programs ?? []).filter(one => !one.leader);
	const shown = all.filter(one => text === '' || fitsProgram(one, text));
	return (
		<>
			{list?.attach_problem && <p class="bad">{oneLine(list.attach_problem)}</p>}
			<Field
				label="Program: name, path or PID"
				name="program"
				hint="app.py, /usr/bin/server, 4711"
				fields={fields}
				set={set}
			/>
			<ul class="programs" aria-label="Programs that have a runtime loaded">
				{!list && <li class="dim">Looking for programs…</li>}
				{list && all.length === 0 && (
					<li class="dim">No program that can be read has a runtime loaded.</li>
				)}
				{all.length > 0 && shown.length === 0 && (
					<li class="dim">None of those that have a runtime loaded is called this.</li>
				)}
				{shown.map(one => (
					<li key={one.pid}>
						<button
							type="button"
							aria-pressed={text === String(one.pid)}
							disabled={!one.can_attach}
							title={oneLine(one.command)}
							onClick={() => set({ ...fields, program: String(one.pid) })}
						>
							<b>{one.pid}</b> {commandName(one.command || one.name)}
							{one.obstacle && <i>{oneLine(one.obstacle)}</i>}
						</button>
					</li>
				))}
			</ul>
		</>
	);
}

function Model({ fields, set, files }: { fields: Fields; set: (fields: Fields) => void; files: Files | null }) {
	const runtimes = useFiles(fields.runtime ?? '', 'runtime', 0);
	// several are separated by commas: the last one is completed
	const before = (fields.ep ?? '').replace(/[^,]*$/, '');
	return (
		<>
			<Field
				label="Model file"
				name="model"
				hint="/home/me/model.onnx"
				fields={fields}
				set={set}
				offers={files?.files ?? []}
			/>
			<div class="fields">
				<Field
					label="Providers"
					name="ep"
					hint="cpu,openvino"
					fields={fields}
					set={set}
					offers={PROVIDERS.map(one => before + one)}
				/>
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
			</div>
			<Field
				label="Runtime"
				name="runtime"
				hint="found by itself"
				fields={fields}
				set={set}
				offers={runtimes?.files ?? []}
			/>
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
	const files = useFiles(mode === 'model' ? (fields.model ?? '') : '', 'model', made.length);
	const program = (fields.program ?? '').trim();
	const wanted: Readonly<Record<Mode, readonly string[]>> = {
		next: ['name', 'duration'],
		attach: ['duration'],
		model: ['model', 'ep', 'policy', 'runtime', 'duration'],
	};
	const begin = async (event: Event): Promise<void> => {
		event.preventDefault();
		setTrouble('');
		await post('start', {
			mode,
			...(mode === 'attach' && { [wayOf(program)]: program }),
			...Object.fromEntries(wanted[mode].map(key => [key, fields[key] ?? ''])),
		}).catch(fail);
		look();
	};
	const file = mode === 'model' ? files?.report : files?.recording;
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
				<div class="of-mode">
					{mode === 'next' && (
						<>
							{list?.attach_problem && (
								<p class="bad">{oneLine(list.attach_problem)}</p>
							)}
							<p class="dim">
								Records the next program that loads a runtime, from its
								first call on.
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
					{mode === 'model' && <Model fields={fields} set={setFields} files={files} />}
				</div>
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
				<p class="dim where">
					{file && files?.folder
						? `${mode === 'model' ? 'The report' : 'The recording'} goes to ${oneLine(`${files.folder.replace(/\/$/, '')}/${file}`)}`
						: '\u00a0'}
				</p>
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
