// SPDX-License-Identifier: Apache-2.0
// A recording whose names hold HTML, scripts and control characters: they are text, wherever they are shown.
'use strict';
const assert = require('assert/strict');

const HTML = '<img src=x onerror=alert(1)><script>alert(2)</script>';

exports.names_are_text = async d => {
	await d.rest();
	await d.until(text => document.body.textContent.includes(text), HTML);
	for (const tab of ['operators', 'models', 'resources', 'icicle', 'inferences', 'losses']) {
		await d.page.click(`#tab-${tab}`);
		await d.until(name => document.querySelector(`#tab-${name}`).ariaSelected === 'true', tab);
		await d.until(() => !document.querySelector('.panel').textContent.includes('Reading …'));
	}
	await d.press('/');
	await d.page.keyboard.type('<script>');
	await d.until(
		text => [...document.querySelectorAll('.found-name')].some(one => one.textContent.includes(text)),
		HTML,
	);
	await d.press('Enter');
	await d.selected();
	const details = await d.page.$eval('.details', element => element.textContent);
	assert.ok(details.includes(HTML));
	const elements = await d.page.evaluate(() => [
		document.scripts.length,
		document.querySelectorAll('img').length,
		document.images[0].src,
	]);
	assert.equal(elements[0], 1);
	assert.equal(elements[1], 1);
	assert.match(elements[2], /icon\.svg$/);
};

exports.control_characters_are_shown = async d => {
	await d.press('Escape');
	await d.page.evaluate(() => inftrace.app.go({ query: 'bell' }));
	await d.until(() => inftrace.app.found.length === 1);
	await d.page.evaluate(() => inftrace.app.step(inftrace.app.found[0].name, 'next', -1));
	await d.selected();
	const title = await d.page.$eval('.details h2', element => element.textContent);
	assert.equal(title, 'bell\u2407\u241b[31m red\u240a \ufffdturned');
};

exports.flows_lead_from_slice_to_slice = async d => {
	await d.page.evaluate(() => inftrace.app.select(0, 0));
	await d.until(() => document.querySelector('.flows') && inftrace.app.slice.index === 0);
	assert.match(await d.page.$eval('.flows', list => list.textContent), /^To→ bell.*later$/);
	// the arrow lies over the slices
	const differs = await d.page.evaluate(() => {
		const { app, plots } = inftrace;
		const { flows } = app;
		const pictures = [flows, []].map(shown => {
			app.flows = shown;
			plots.draw();
			return plots.at.events.toDataURL();
		});
		app.flows = flows;
		return pictures[0] !== pictures[1];
	});
	assert.ok(differs);
	await d.page.click('.flows button');
	await d.until(() => inftrace.app.slice.index === 1 && document.querySelector('.flows'));
	assert.ok((await d.page.$eval('.flows', list => list.textContent)).startsWith(`From← ${HTML}`));
};

exports.a_server_that_has_ended_is_said = async d => {
	d.page.removeAllListeners('console'); // the browser itself says that the connection failed
	await d.page.setOfflineMode(true);
	await d.page.click('#tab-operators');
	await d.until(() => document.querySelector('.panel').textContent.includes('does not answer'));
};
