// SPDX-License-Identifier: Apache-2.0
// A page of what happens now: it follows, stands still on request, and keeps what its reader has chosen.
'use strict';
const assert = require('assert/strict');

const state = d =>
	d.page.evaluate(() => {
		const { app, plots } = inftrace;
		return {
			end: app.end,
			view: app.view,
			following: app.isFollowing,
			events: plots.at.events.dataset.view,
			resources: plots.at.resources.dataset.view,
			slice: app.slice && { begin: app.slice.begin, name: app.slice.name },
			word: document.querySelector('.live-state')?.textContent,
		};
	});

/** So many updates have come. */
const updates = async (d, n) => {
	for (let i = 0; i < n; i++) {
		const end = await d.page.evaluate(() => inftrace.app.end);
		await d.until(before => inftrace.app.end > before, end);
	}
};

exports.the_page_follows_what_happens = async d => {
	await d.until(() => globalThis.inftrace);
	await updates(d, 2);
	const before = await state(d);
	assert.equal(before.word, 'live');
	// it has the name of its recording
	assert.equal(await d.page.title(), 'live: live.pftrace · inftrace');
	assert.equal(await d.page.$eval('h1', h1 => h1.textContent), 'live.pftrace');
	assert.ok(before.following);
	assert.equal(before.view.end, before.end);
	await updates(d, 2);
	const after = await state(d);
	assert.ok(after.end > before.end);
	assert.equal(after.view.end, after.end);
	// an inference of the last seconds is on the screen, drawn
	await d.until(async () => {
		const table = await (await fetch('table?what=inferences&limit=1&sort=begin&dir=desc')).json();
		if (!table.rows.length) return false;
		const at = name => table.rows[0][table.columns.findIndex(column => column.name === name)];
		const { app, plots } = inftrace;
		return (
			plots.hit(plots.xOf(at('begin') + at('duration') / 2), app.lineOfRow[at('row')] * 20 + 8) !== null
		);
	});
	await d.until(() => /inference/.test(inftrace.app.report?.verdict ?? ''));
	await d.until(() => document.querySelectorAll('[role=grid] [role=row]').length > 5);
};

exports.both_plots_agree_while_it_goes_on = async d => {
	for (let i = 0; i < 4; i++) {
		await updates(d, 1);
		const both = await d.page.evaluate(
			() =>
				new Promise(done =>
					requestAnimationFrame(() =>
						requestAnimationFrame(() => {
							const { events, resources } = inftrace.plots.at;
							done([events.dataset.view, resources.dataset.view]);
						}),
					),
				),
		);
		assert.equal(both[0], both[1]);
	}
};

exports.a_selection_and_a_zoom_stay = async d => {
	const chosen = await d.page.evaluate(async () => {
		const to = inftrace.app.end - 1e8;
		const table = await (await fetch(`table?what=inferences&limit=100&sort=begin&dir=desc&to=${to}`)).json();
		const at = (row, name) => row[table.columns.findIndex(column => column.name === name)];
		// a view that reaches to the end would follow
		const chosen = table.rows.find(row => at(row, 'begin') + 6 * at(row, 'duration') < to);
		await inftrace.app.select(at(chosen, 'row'), at(chosen, 'index'));
		return [at(chosen, 'begin'), at(chosen, 'duration')];
	});
	await d.page.evaluate(
		([begin, duration]) => inftrace.app.setView({ begin: begin - 9 * duration, end: begin + 5 * duration }),
		chosen,
	);
	const before = await state(d);
	assert.equal(before.following, false);
	assert.equal(before.slice.begin, chosen[0]);
	// why it took so long, or why that is not said
	await d.until(() => document.querySelector('.why-parts')?.textContent.length > 20);
	await updates(d, 3);
	const after = await state(d);
	assert.deepEqual(after.view, before.view);
	assert.deepEqual(after.slice, before.slice);
	assert.ok(await d.page.evaluate(() => !inftrace.plots.at.chosen.hidden));
	await d.press('Escape', 'f');
	await d.until(() => inftrace.app.isFollowing);
	await updates(d, 1);
	const again = await state(d);
	assert.equal(again.view.end, again.end);
};

exports.the_page_stands_still_on_request = async d => {
	await d.click('button', 'Pause');
	await d.until(() => document.querySelector('.live-state').textContent === 'paused');
	const before = await state(d);
	// the server has gone on meanwhile
	await d.until(
		async end => (await (await fetch('recording.json')).json()).end > end + 1e9,
		before.end,
	);
	assert.equal((await state(d)).end, before.end);
	await d.click('button', 'Go on');
	await d.until(end => inftrace.app.end > end, before.end);
	await d.until(() => document.querySelector('.live-state').textContent === 'live');
};
