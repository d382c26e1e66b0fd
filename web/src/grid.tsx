// SPDX-License-Identifier: Apache-2.0
// A table of any length: only the rows on the screen exist; pages are asked for as they come into sight.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import * as api from './api';
import type { Cell, Column, Table } from './api';
import { inUnit, oneLine, timeAt } from './format';

const LINE = 26;
const PAGE = 100;
/** Columns for the page, not for people. */
const HIDDEN = new Set(['row', 'index', 'name_number']);

/** Numbers that name something, and are not counted. */
const NUMBERS = /^(pid|tid|thread|id|number|inference|session)$/;

export interface GridProps {
	readonly what: string;
	readonly asked: api.Asked;
	readonly sort: string;
	readonly onSort: (sort: string) => void;
	readonly onSelect: (value: (column: string) => Cell | undefined) => void;
	readonly isSelected: (value: (column: string) => Cell | undefined) => boolean;
	readonly onColumns?: (columns: readonly Column[]) => void;
	readonly label: string;
}

interface Pages {
	key: string;
	columns: readonly Column[];
	total: number;
	pages: Map<number, readonly (readonly Cell[])[]>;
	asked: Set<number>;
	error: string;
}

function cellText(value: Cell | undefined, column: Column): string {
	if (value === null || value === undefined) return '–';
	if (typeof value === 'number' && NUMBERS.test(column.name)) return String(value);
	if (typeof value === 'number') return column.type === 'time' ? timeAt(value, 1e3, 1e9) : inUnit(value, column.unit ?? '');
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	return oneLine(value);
}

const widthOf = (column: Column, i: number): string => {
	if (column.type === 'time') return 'minmax(118px, 140px)';
	if (column.type === 'number') return `minmax(${Math.max(76, 18 + column.title.length * 7)}px, 132px)`;
	return i === 0 ? 'minmax(170px, 2.2fr)' : 'minmax(110px, 1.4fr)';
};

function usePages(props: GridProps) {
	const key = JSON.stringify([props.what, props.asked, props.sort]);
	const [, again] = useReducer((n: number) => n + 1, 0);
	const pages = useRef<Pages>({ key: '', columns: [], total: 0, pages: new Map(), asked: new Set(), error: '' });
	const wanted = useRef(key);
	wanted.current = key;
	const load = (page: number): void => {
		const at = pages.current;
		const isNew = at.key !== key;
		if (!isNew && at.asked.has(page)) return;
		if (!isNew) at.asked.add(page);
		const [column, dir] = props.sort.split('.');
		api.get<Table>('table', {
			what: props.what,
			...props.asked,
			sort: column,
			dir: column ? dir : undefined,
			offset: page * PAGE,
			limit: PAGE,
		}).then(
			table => {
				if (wanted.current !== key) return;
				const now = pages.current;
				if (now.key !== key)
					pages.current = { key, columns: table.columns, total: table.total, pages: new Map(), asked: new Set([page]), error: '' };
				pages.current.pages.set(page, table.rows);
				pages.current.total = table.total;
				props.onColumns?.(table.columns);
				again(undefined);
			},
			error => {
				if (wanted.current !== key) return;
				pages.current = { key, columns: [], total: 0, pages: new Map(), asked: new Set(), error: (error as Error).message };
				again(undefined);
			},
		);
	};
	useEffect(() => load(0), [key]);
	return { pages: pages.current, load };
}

function nextSort(sort: string, column: Column): string {
	if (sort === `${column.name}.desc`) return `${column.name}.asc`;
	if (sort === `${column.name}.asc`) return '';
	return column.type === 'text' ? `${column.name}.asc` : `${column.name}.desc`;
}

function Head({ columns, sort, onSort, template }: { columns: readonly Column[]; sort: string; onSort: (sort: string) => void; template: string }) {
	const [by, dir] = sort.split('.');
	return (
		<div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
			{columns.map(column => (
				<div
					key={column.name}
					role="columnheader"
					aria-sort={by === column.name ? (dir === 'asc' ? 'ascending' : 'descending') : 'none'}
					class={column.type === 'text' ? '' : 'n'}
				>
					<button title={column.title} disabled={column.sortable === false} onClick={() => onSort(nextSort(sort, column))}>
						{column.title}
						<span class={by === column.name ? `arrow ${dir}` : 'arrow'} aria-hidden="true" />
					</button>
				</div>
			))}
		</div>
	);
}

export function Grid(props: GridProps) {
	const { pages, load } = usePages(props);
	const scroller = useRef<HTMLDivElement>(null);
	const [, again] = useReducer((n: number) => n + 1, 0);
	const shown = pages.columns.map((column, i) => ({ column, i })).filter(({ column }) => !HIDDEN.has(column.name));
	const template = shown.map(({ column }, i) => widthOf(column, i)).join(' ');
	const top = scroller.current?.scrollTop ?? 0;
	const height = scroller.current?.clientHeight ?? 300;
	const first = Math.max(0, Math.floor(top / LINE) - 6);
	const last = Math.min(pages.total, Math.ceil((top + height) / LINE) + 6);
	useEffect(() => {
		if (pages.columns.length) for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page++) load(page);
	});
	useEffect(() => {
		const observer = new ResizeObserver(() => again(undefined));
		if (scroller.current) observer.observe(scroller.current);
		return () => observer.disconnect();
	}, []);
	useEffect(() => {
		if (scroller.current) scroller.current.scrollTop = 0;
	}, [props.what, props.sort]);
	const valueOf = (row: readonly Cell[]) => (name: string): Cell | undefined => row[pages.columns.findIndex(column => column.name === name)];
	const rowAt = (i: number): readonly Cell[] | undefined => pages.pages.get(Math.floor(i / PAGE))?.[i % PAGE];
	const focus = (i: number): void => {
		const element = scroller.current;
		if (!element || i < 0 || i >= pages.total) return;
		if (i * LINE < element.scrollTop) element.scrollTop = i * LINE;
		else if ((i + 2) * LINE > element.scrollTop + height) element.scrollTop = (i + 2) * LINE - height;
		requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-line="${i}"]`)?.focus());
	};
	const onKey = (event: KeyboardEvent, i: number, row: readonly Cell[]): void => {
		const jump = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -pages.total, End: pages.total }[event.key];
		if (jump !== undefined) focus(Math.min(pages.total - 1, Math.max(0, i + jump)));
		else if (event.key === 'Enter' || event.key === ' ') props.onSelect(valueOf(row));
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	if (pages.error) return <p class="empty bad">{pages.error}</p>;
	if (!pages.columns.length) return <p class="empty dim">Reading …</p>;
	let isTabbed = false;
	return (
		<div
			class="grid"
			role="grid"
			ref={scroller}
			aria-label={props.label}
			aria-rowcount={pages.total + 1}
			aria-colcount={shown.length}
			onScroll={() => again(undefined)}
		>
			<Head columns={shown.map(({ column }) => column)} sort={props.sort} onSort={props.onSort} template={template} />
			{pages.total === 0 && <p class="empty dim">There is nothing like this here.</p>}
			<div class="grid-body" style={{ height: `${pages.total * LINE}px` }} role="rowgroup">
				{Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k).map(i => {
					const row = rowAt(i);
					if (!row) return <div key={i} class="grid-row waiting" style={{ top: `${i * LINE}px` }} />;
					const isSelected = props.isSelected(valueOf(row));
					const tab = !isTabbed && (isSelected || i >= top / LINE) ? 0 : -1;
					isTabbed ||= tab === 0;
					return (
						<div
							key={i}
							class={isSelected ? 'grid-row selected' : 'grid-row'}
							style={{ top: `${i * LINE}px`, gridTemplateColumns: template }}
							role="row"
							aria-rowindex={i + 2}
							aria-selected={isSelected}
							tabIndex={tab}
							data-line={i}
							onClick={() => props.onSelect(valueOf(row))}
							onKeyDown={event => onKey(event, i, row)}
						>
							{shown.map(({ column, i: at }) => (
								<CellBox key={column.name} value={row[at]} column={column} />
							))}
						</div>
					);
				})}
			</div>
		</div>
	);
}

function CellBox({ value, column }: { value: Cell | undefined; column: Column }) {
	const text = cellText(value, column);
	const isShare = column.name.includes('share') && typeof value === 'number';
	const part = isShare ? Math.min(1, Math.max(0, (value as number) * (column.unit === '%' || column.unit === 'percent' ? 0.01 : 1))) : 0;
	return (
		<div role="gridcell" class={column.type === 'text' ? '' : 'n'} title={column.type === 'text' ? text : undefined}>
			{isShare && <i class="share" style={{ width: `${part * 100}%` }} />}
			<span>{text}</span>
		</div>
	);
}
