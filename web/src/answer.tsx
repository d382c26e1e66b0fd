// SPDX-License-Identifier: Apache-2.0
// The answer, before anything else: the verdict of the report and what to look at.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Insight } from './api';
import type { App } from './app';
import { oneLine, sentence } from './format';
import { useApp } from './use';

/** Leads from a finding to the inferences that it is about. */
function showModel(app: App, model: number): void {
	app.go({
		tab: 'inferences',
		sub: '',
		sort: '',
		filter: '',
		latency: null,
		model: app.report?.models?.[model]?.name ?? '',
	});
	document.getElementById('tab-inferences')?.focus();
}

/** Two lines each of what was seen and what to do; the rest when it is asked for. */
function Finding({ app, one, model }: { app: App; one: Insight; model: string }) {
	const [isOpen, setOpen] = useState(false);
	const [isCut, setCut] = useState(false);
	const item = useRef<HTMLLIElement>(null);
	useEffect(() => {
		const measure = (): void => {
			const texts = [...(item.current?.querySelectorAll('p') ?? [])];
			if (!isOpen) setCut(texts.some(text => text.scrollHeight > text.clientHeight + 1));
		};
		measure();
		const observer = new ResizeObserver(measure);
		if (item.current) observer.observe(item.current);
		return () => observer.disconnect();
	}, [one.evidence, one.next, isOpen]);
	return (
		<li ref={item} class={isOpen ? 'open' : ''}>
			<b>
				{model && (
					<button
						title="Show its inferences"
						onClick={() => showModel(app, one.model as number)}
					>
						{model}:
					</button>
				)}{' '}
				{oneLine(one.finding)}
			</b>
			{one.evidence && <p>{oneLine(one.evidence)}</p>}
			{one.next && <p class="next">{oneLine(one.next)}</p>}
			{(isCut || isOpen) && (
				<button class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
					{isOpen ? 'less' : 'more'}
				</button>
			)}
		</li>
	);
}

export function Answer({ app }: { app: App }) {
	useApp(app, 'place');
	const { report } = app;
	const isOpen = app.place.answer;
	if (!report)
		return (
			<section class="answer" aria-label="The answer" aria-busy={!app.noReport}>
				<div class="verdict">
					<p class="dim">
						{app.noReport
							? `There is no report: ${oneLine(app.noReport)}`
							: 'Working out the report …'}
					</p>
				</div>
			</section>
		);
	const found = report.insights ?? [];
	const nameOf = (model: number | null): string =>
		model === null ? '' : oneLine(report.models?.[model]?.name ?? '');
	return (
		<section class={isOpen ? 'answer open' : 'answer'} aria-label="The answer">
			<div class="verdict">
				<button
					class="fold"
					aria-expanded={isOpen}
					title={isOpen ? 'Show less' : 'Show what to look at'}
					aria-label="What to look at"
					onClick={() => app.go({ answer: !isOpen }, false)}
				>
					<span class={isOpen ? 'caret open' : 'caret'} aria-hidden="true" />
				</button>
				<p title={report.verdict ?? ''}>
					{sentence(oneLine(report.verdict ?? 'the report has no verdict'))}
				</p>
				{!isOpen && found.length > 0 && <span class="badge">{found.length} to look at</span>}
			</div>
			{app.recording.cut && !/cut off/.test(report.verdict ?? '') && (
				<p class="cut" role="note">
					{oneLine(app.recording.cut)}
				</p>
			)}
			{isOpen && found.length > 0 && (
				<ul class="findings" aria-label="What to look at">
					{found.map((one, i) => (
						<Finding key={i} app={app} one={one} model={nameOf(one.model)} />
					))}
				</ul>
			)}
		</section>
	);
}
