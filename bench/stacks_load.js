// SPDX-License-Identifier: Apache-2.0
// Computes below 20 functions of JavaScript, all the time; ends with its standard input.
"use strict";
let answer = 0;

function compute() {
    const end = performance.now() + 50;
    while (performance.now() < end) for (let i = 0; i < 1000; i++) answer = (answer + i * i) % 1000003;
}

function deep(n) {
    if (n) deep(n - 1);
    else compute();
}

function turn() {
    deep(17);
    setImmediate(turn);
}

const { performance } = require("perf_hooks");
process.stdin.on("end", () => process.exit(0)).resume();
console.log("ready");
turn();
