#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Becomes the program of this machine's package. Where Node cannot (before 22.15), it starts the program, passes signals
// on to it, and ends as it does.
'use strict';
const { constants } = require('os');
const path = require('path');

const GLIBC = '2.28';
const NAME = '@inftrace/linux-' + process.arch;

function fail(reason) {
	console.error('inftrace: ' + reason);
	process.exit(3);
}

function find() {
	if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
		fail(`this machine is ${process.platform} on ${process.arch}: inftrace runs on Linux on x64 and arm64`);
	// npm leaves the package out there, other installers may not
	const libc = process.report && process.report.getReport().header.glibcVersionRuntime;
	if (process.report && !libc) fail('this system has musl: inftrace needs glibc, as ONNX Runtime does');
	const [major, minor] = (libc || GLIBC).split('.').map(Number);
	if (major === 2 && minor < Number(GLIBC.split('.')[1]))
		fail(`this system has glibc ${libc}: inftrace needs ${GLIBC} or newer`);
	try {
		return path.join(path.dirname(require.resolve(NAME + '/package.json')), 'bin', 'inftrace');
	} catch {
		return fail(`its package for this machine, ${NAME}, is not installed; install inftrace again, with optional packages`);
	}
}

function wait(program, args) {
	const child = require('child_process').spawn(program, args, { stdio: 'inherit' });
	// a terminal sends the first two to both processes
	const signals = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'];
	for (const signal of signals)
		process.on(signal, () => {
			if (!process.stdin.isTTY || !['SIGINT', 'SIGQUIT'].includes(signal)) child.kill(signal);
		});
	child.on('error', error => fail(`cannot start ${program}: ${error.message}`));
	child.on('exit', (status, signal) => {
		if (!signal) process.exit(status);
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
		// a signal that ends no process
		setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
	});
}

const program = find();
const args = process.argv.slice(2);
if (process.execve) {
	try {
		process.execve(program, ['inftrace', ...args], process.env);
	} catch (error) {
		fail(`cannot start ${program}: ${error.message}`);
	}
} else {
	wait(program, args);
}
