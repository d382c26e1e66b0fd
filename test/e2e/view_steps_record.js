// SPDX-License-Identifier: Apache-2.0
// Recordings that are started from a live page. LIVE_MODEL and LIVE_RUNTIME: a model file, and a runtime for it.
'use strict';
const assert = require('assert/strict');

const fill = async (d, name, text) => {
	const field = await d.page.waitForSelector(`dialog input[name=${name}]`);
	await field.click({ count: 3 });
	await field.type(text);
};

/** The last recording whose file ends so has this state. */
const lastIs = (d, end, state) =>
	d.until(
		(suffix, wanted) => {
			const all = [...document.querySelectorAll('.made li')];
			const last = all.filter(one => one.querySelector('.dim').textContent.endsWith(suffix)).pop();
			if (last?.className === 'failed') throw new Error(last.textContent);
			return last?.className === wanted;
		},
		end,
		state,
	);

exports.a_running_program_is_chosen_recorded_and_stopped = async d => {
	await d.until(() => globalThis.inftrace);
	await d.click('button', 'Record…');
	await d.click('button', 'Running program');
	await d.until(() => document.querySelector('.programs button, dialog .bad'));
	const chosen = await d.page.evaluate(() => {
		const { pid } = inftrace.app.recording.tracks.find(track => track.kind === 'process');
		const buttons = [...document.querySelectorAll('.programs button')];
		const button = buttons.find(one => one.querySelector('b').textContent === String(pid));
		if (!button || button.disabled) return null;
		button.click();
		return pid;
	});
	// each way has a frame of the same size
	const frames = [];
	for (const way of ['Model file', 'Next program', 'Running program']) {
		await d.click('button', way);
		await d.until(text => document.querySelector('.record [aria-pressed=true]').textContent === text, way);
		frames.push(await d.page.$eval('dialog', dialog => [dialog.offsetWidth, dialog.offsetHeight].join()));
	}
	assert.equal(new Set(frames).size, 1, frames.join(' '));
	if (chosen === null) {
		// without the rights, the page says which are missing
		assert.ok(await d.page.evaluate(() => document.querySelector('dialog .bad, .programs i')));
		return;
	}
	// one field finds it by its number and by its name
	const listed = () => d.page.$$eval('.programs button b', all => all.map(one => one.textContent));
	await fill(d, 'program', 'no such program');
	await d.until(() => !document.querySelector('.programs button'));
	await fill(d, 'program', String(chosen));
	await d.until(pid => document.querySelector('.programs button[aria-pressed=true] b')?.textContent === pid, String(chosen));
	assert.ok((await listed()).includes(String(chosen)));
	assert.match(await d.page.$eval('.where', one => one.textContent), /^The recording goes to \/.*inftrace-live-\d+\.pftrace$/);
	await fill(d, 'duration', ' ');
	await d.page.keyboard.press('Backspace');
	await d.click('button', 'Start');
	await lastIs(d, 'pftrace', 'running');
	await d.until(() => /recording/.test(document.querySelector('.made li').textContent));
	await d.click('button', 'Stop');
	await lastIs(d, 'pftrace', 'done');
	await d.click('button', 'Open');
	const link = await d.page.waitForSelector('.made a');
	const answer = await d.page.evaluate(a => a.href, link);
	assert.match(answer, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
};

exports.a_model_file_is_run_and_its_report_saved = async d => {
	await d.click('button', 'Model file');
	// its path is completed
	await fill(d, 'model', process.env.LIVE_MODEL.slice(0, -6));
	await d.until(
		model => [...document.querySelectorAll('#offers-model option')].some(one => one.value === model),
		process.env.LIVE_MODEL,
	);
	await d.until(() => document.querySelectorAll('#offers-ep option').length > 3);
	assert.match(await d.page.$eval('.where', one => one.textContent), /^The report goes to .*\.html$/);
	await fill(d, 'model', process.env.LIVE_MODEL);
	await fill(d, 'ep', 'cpu');
	await fill(d, 'runtime', process.env.LIVE_RUNTIME);
	await fill(d, 'duration', '500ms');
	await d.click('button', 'Start');
	await lastIs(d, 'html', 'done');
	const name = await d.page.evaluate(() => [...document.querySelectorAll('.made .dim')].filter(one => /html$/.test(one.textContent)).pop().textContent);
	const html = await d.saved(name, () => d.page.evaluate(() => [...document.querySelectorAll('.deeds button')].pop().click()));
	assert.match(html.toString(), /^<!doctype html>/i);
};

exports.what_cannot_be_started_is_said = async d => {
	await fill(d, 'model', '/no/such/file.onnx');
	// the answer is an error, which the browser notes on its console
	const before = d.faults.length;
	await d.click('button', 'Start');
	await d.until(() => /no file/.test(document.querySelector('dialog [role=alert]')?.textContent ?? ''));
	d.faults.splice(before);
	await d.press('Escape');
	await d.until(() => !document.querySelector('dialog'));
};
