// SPDX-License-Identifier: Apache-2.0
// A model is run on a provider while a live page shows it: see test_vscode.py for what is there.
'use strict';
const assert = require('assert/strict');

exports.a_model_is_watched_while_it_runs = async w => {
	await w.command('inftrace: Profile Model Live');
	await w.pick('cnn.onnx');
	await w.pick('CPUExecutionProvider');
	await w.type('8s');
	const frame = await w.frame(() => globalThis.inftrace?.app.recording.live && inftrace.app.end > 1e9);
	await w.status(/\d\d:\d\d/).waitFor();
	await frame.waitForFunction(() => inftrace.app.recording.tracks.some(track => track.kind === 'model' && track.name === 'cnn'));
	await w.answer(/profile cnn\.onnx: the report/, 'Open Report');
	await w.frame(() => /CPUExecutionProvider|cpu/.test(document.body.textContent) && /cnn/.test(document.body.textContent));
	// what was seen stays, until its tab is closed; a page that lies below another one learns the end when it is seen
	await w.tab('Live: cnn.onnx').click();
	await frame.waitForFunction(() => inftrace.app.recording.live.over);
	assert.ok(await frame.evaluate(() => document.querySelector('.gone') === null));
	await w.tab('Live: cnn.onnx').locator('.action-label').click();
};

exports.closing_the_page_ends_the_run = async w => {
	await w.command('inftrace: Profile Model Live');
	await w.pick('cnn.onnx');
	await w.pick('CPUExecutionProvider');
	await w.type('1h');
	await w.frame(() => globalThis.inftrace?.app.recording.live && !inftrace.app.recording.live.over && inftrace.app.end > 1e9);
	await w.tab('Live: cnn.onnx').locator('.action-label').click();
	await w.until(async () => !(await w.status(/\d\d:\d\d/).isVisible()), 'nothing is recorded any more');
};
