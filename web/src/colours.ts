// SPDX-License-Identifier: Apache-2.0
// Colours of slices: one family of colours for each family of work, told apart by lightness as well as by hue, so that
// most colour-blind eyes tell them apart. One colour of text is legible on all of them (tests check both).

/** Lightness 0..1, chroma, hue in degrees, as in OKLCH. */
type Lch = readonly [number, number, number];
export type Rgb = readonly [number, number, number];

interface Family {
	readonly name: string;
	readonly light: Lch;
	readonly dark: Lch;
}

const FAMILIES: readonly Family[] = [
	{ name: 'Session creation', light: [0.76, 0.08, 300], dark: [0.46, 0.1, 300] },
	{ name: 'Specialization', light: [0.84, 0.065, 312], dark: [0.52, 0.09, 312] },
	{ name: 'Load', light: [0.7, 0.1, 340], dark: [0.42, 0.1, 340] },
	{ name: 'Setup', light: [0.88, 0.032, 55], dark: [0.525, 0.03, 55] },
	{ name: 'Inference', light: [0.71, 0.11, 264], dark: [0.48, 0.12, 264] },
	{ name: 'Convolution', light: [0.71, 0.095, 228], dark: [0.4, 0.09, 236] },
	{ name: 'Matrix product', light: [0.79, 0.115, 65], dark: [0.5, 0.1, 62] },
	{ name: 'Attention', light: [0.7, 0.125, 40], dark: [0.42, 0.11, 38] },
	{ name: 'Activation', light: [0.86, 0.075, 170], dark: [0.49, 0.08, 172] },
	{ name: 'Elementwise', light: [0.78, 0.075, 180], dark: [0.46, 0.07, 185] },
	{ name: 'Normalization', light: [0.88, 0.06, 355], dark: [0.525, 0.08, 2] },
	{ name: 'Pooling, reduction', light: [0.88, 0.05, 225], dark: [0.52, 0.05, 225] },
	{ name: 'Data movement', light: [0.9, 0.085, 98], dark: [0.515, 0.08, 98] },
	{ name: 'Quantization', light: [0.73, 0.12, 22], dark: [0.42, 0.125, 22] },
	{ name: 'Device', light: [0.72, 0.1, 285], dark: [0.43, 0.12, 285] },
	{ name: 'On a CPU', light: [0.8, 0.1, 55], dark: [0.5, 0.1, 55] },
	{ name: 'Waiting', light: [0.82, 0.04, 240], dark: [0.44, 0.05, 240] },
	{ name: 'Stopped', light: [0.74, 0.12, 20], dark: [0.43, 0.12, 20] },
	{ name: 'Python', light: [0.85, 0.08, 100], dark: [0.5, 0.08, 100] },
	{ name: 'Native code', light: [0.82, 0.05, 200], dark: [0.47, 0.06, 200] },
	{ name: 'Your program', light: [0.82, 0.09, 130], dark: [0.48, 0.08, 130] },
	{ name: 'Other', light: [0.84, 0.008, 250], dark: [0.45, 0.012, 250] },
];

const KINDS: Readonly<Record<string, string>> = {
	inference: 'Inference',
	session: 'Session creation',
	phase: 'Session creation',
	specialize: 'Specialization',
	specialise: 'Specialization',
	load: 'Load',
	provider_ready: 'Load',
	setup: 'Setup',
	kernel: 'Device',
	stage: 'Device',
	user: 'Your program',
};

/**
 * The first rule that has a part of the type's name, in small letters and without underscores. ^: at its beginning alone; =:
 * the whole of it. The HTML report has the same (src/show/html/html_family.c).
 */
const OPERATORS: readonly (readonly [string, string])[] = [
	['Data movement', '^convert bilinear trilinear upsample interpol'],
	['Quantization', 'quant qlinear integer'],
	['Attention', 'attention attn'],
	['Convolution', 'conv'],
	[
		'Matrix product',
		'matmul mulmat gemm einsum ^lstm ^gru ^rnn linear fullyconnected innerproduct outprod addmm ' +
			'addmv addbmm =mm =mv =bmm =dot ^mmbackward ^bmmbackward ^mvbackward ^baddbmm',
	],
	['Normalization', 'norm ^lrn ^mvn =rms'],
	['Pooling, reduction', 'pool ^reduce argm argsort topk cumsum nonmax loss entropy =sumrows =sort'],
	[
		'Activation',
		'relu sigmoid softmax ^elu ^selu tanh gelu swish softplus mish ^erf silu ^clip ^clamp swiglu ' +
			'geglu =glu ^threshold =logistic',
	],
	[
		'Data movement',
		'reshape transpose concat split slice gather scatter squeeze flatten expand tile pad shape ' +
			'cast identity copy memcpy resize constant depthtospace spacetodepth reorder range onehot ' +
			'where nonzero compress strided getrows setrows ^view permute ^cont =cpy ^cat stack =pack ' +
			'=unpack narrow select ^repeat im2col index ^roll ^embed ^empty ^zeros ^ones =zero ^full ' +
			'^fill =t =to size ^tbackward broadcast',
	],
	[
		'Elementwise',
		'^add ^sub ^mul ^div ^pow ^sq ^exp ^log ^abs ^neg ^min ^max ^floor ^ceil ^round ^equal ' +
			'^greater ^less ^and ^or ^not ^sum ^mean ^sin ^cos ^reciprocal ^sign ^mod ^rsqrt ^rsub ' +
			'^scale ^rope ^rotary ^fused eltwise elementwise ^accumulate ^lerp =subgraph',
	],
];

const RULES = OPERATORS.flatMap(([family, parts]) => parts.split(' ').map(part => ({ family, part })));

/** What runtimes write before a name, and between its words, says nothing of the work: "aten::_log_softmax" is "logsoftmax". */
const plain = (type: string): string =>
	type
		.replace(/^autograd::engine::evaluate_function: /, '')
		.replace(/^([a-z_]*::)+/, '')
		.replaceAll('_', '')
		.toLowerCase();

function familyOfType(type: string): string | undefined {
	const text = plain(type);
	return RULES.find(({ part }) =>
		part[0] === '='
			? text === part.slice(1)
			: part[0] === '^'
				? text.startsWith(part.slice(1))
				: text.includes(part),
	)?.family;
}

const byName = new Map(FAMILIES.map(family => [family.name, family]));

/** What samples of threads say: states, and kinds of code. */
const THREADS: Readonly<Record<string, string>> = {
	ran: 'On a CPU',
	Python: 'Python',
	'native code': 'Native code',
	'was stopped': 'Stopped',
};
const STATES = /^(waited( for .*)?|blocked in a system call|slept)$/;

/** The family of a class: what the work is for an operator, else its kind. */
export function familyOf(name: string, kind: string): string {
	if (kind === 'user' || kind === 'thread') {
		if (name in THREADS) return THREADS[name];
		if (STATES.test(name)) return 'Waiting';
		if (name === 'unknown') return 'Other';
	}
	const isWork = kind === 'operator' || kind === 'kernel' || kind === '';
	return (isWork && familyOfType(name)) || (KINDS[kind] ?? 'Other');
}

export const families = (): readonly string[] => FAMILIES.map(family => family.name);

const gamma = (x: number): number => 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

export function lchToRgb([l, c, h]: Lch): Rgb {
	const a = c * Math.cos((h * Math.PI) / 180);
	const b = c * Math.sin((h * Math.PI) / 180);
	const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const mid = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
	const linear = [
		4.0767416621 * long - 3.3077115913 * mid + 0.2309699292 * short,
		-1.2684380046 * long + 2.6097574011 * mid - 0.3413193965 * short,
		-0.0041960863 * long - 0.7034186147 * mid + 1.707614701 * short,
	];
	const [red, green, blue] = linear.map(x => Math.round(Math.min(255, Math.max(0, gamma(Math.max(0, x))))));
	return [red, green, blue];
}

/** The same for each name, everywhere: a class keeps its colour from recording to recording. */
function hash(text: string): number {
	let out = 2166136261;
	for (let i = 0; i < text.length; i++) out = Math.imul(out ^ text.charCodeAt(i), 16777619);
	return (out ^ (out >>> 15)) >>> 0;
}

/** The colour of a class; members of a family differ a little. */
export function colourOf(name: string, kind: string, isDark: boolean): Rgb {
	const family = byName.get(familyOf(name, kind)) as Family;
	const [l, c, h] = isDark ? family.dark : family.light;
	const isOwn =
		kind === 'operator' || kind === 'phase' || kind === 'kernel' || (kind === 'user' && !(name in THREADS));
	const part = isOwn ? hash(name) : 0;
	const step = isOwn ? ((part % 5) - 2) / 2 : 0;
	const turn = isOwn ? (((part >>> 8) % 5) - 2) * 4 : 0;
	return lchToRgb([l + step * 0.022, c, h + turn]);
}

export interface Theme {
	readonly isDark: boolean;
	readonly ground: Rgb;
	readonly header: Rgb;
	readonly ink: string;
	readonly dim: string;
	readonly line: string;
	readonly grid: string;
	readonly accent: string;
	readonly resource: readonly Rgb[];
}

export const LIGHT: Theme = {
	isDark: false,
	ground: [255, 255, 255],
	header: [246, 247, 249],
	ink: '#16191d',
	dim: '#5c6570',
	line: '#dfe3e8',
	grid: 'rgba(22,25,29,.07)',
	accent: '#0b57d0',
	resource: [
		[11, 107, 184],
		[168, 67, 125],
		[10, 143, 104],
		[208, 106, 0],
		[61, 74, 158],
		[107, 111, 118],
	],
};

export const DARK: Theme = {
	isDark: true,
	ground: [24, 28, 32],
	header: [16, 19, 22],
	ink: '#f2f4f7',
	dim: '#9aa4af',
	line: '#2c333a',
	grid: 'rgba(231,234,238,.07)',
	accent: '#8ab4f8',
	resource: [
		[94, 179, 240],
		[234, 146, 196],
		[79, 209, 165],
		[255, 171, 87],
		[159, 168, 245],
		[167, 173, 181],
	],
};

export const GROUPS = ['cpu', 'memory', 'gpu', 'npu', 'power', 'disk', 'other'];

export function resourceColour(group: string, theme: Theme): Rgb {
	const i = { cpu: 0, memory: 1, gpu: 2, npu: 3, power: 3, disk: 4 }[group] ?? 5;
	return theme.resource[i];
}

export const css = ([red, green, blue]: Rgb): string => `rgb(${red},${green},${blue})`;

/** As a pixel of an ImageData on a little-endian machine. */
export const pixel = ([red, green, blue]: Rgb): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export function mix(under: Rgb, over: Rgb, share: number): Rgb {
	return [0, 1, 2].map(i => Math.round(under[i] + (over[i] - under[i]) * share)) as unknown as Rgb;
}

/** Steps of fill that are told apart. */
export const FILLS = 17;

/** Pixels by class and fill: class x FILLS + 0..16; classes that do not match are pale. */
export function table(classes: readonly string[], kinds: readonly string[], theme: Theme): Uint32Array {
	const out = new Uint32Array(Math.max(1, classes.length) * FILLS);
	classes.forEach((name, i) => {
		const colour = colourOf(name, kinds[i] ?? '', theme.isDark);
		for (let fill = 0; fill < FILLS; fill++)
			out[i * FILLS + fill] = pixel(mix(theme.ground, colour, 0.28 + (0.72 * fill) / (FILLS - 1)));
	});
	return out;
}

/** Of what does not match the search. */
export function paleTable(full: Uint32Array, theme: Theme): Uint32Array {
	return full.map(value =>
		pixel(mix(theme.ground, [value & 255, (value >> 8) & 255, (value >> 16) & 255], 0.22)),
	);
}
