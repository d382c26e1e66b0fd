#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""annotations.py BUILD: the cost of an annotation by libinftrace: without a recorder, and recorded, beside the least
possible cost (a clock and 32 bytes), LTTng-UST, Tracy and Perfetto's SDK."""

import os
import shutil
import sys

import peer_programs
import players

SETS, ROUNDS, EVENTS = 5, 60, 20000  # a turn fits into a ring


def main(build):
    inftrace, program, floor_program, lttng_program = (
        os.path.join(build, path) for path in ("inftrace", "bench/annotate_run", "bench/event_run", "bench/event_lttng")
    )
    why_not = players.Lttng.why_not(lttng_program)
    peer_of = {}  # Tracy and Perfetto's SDK
    for peer, name in peer_programs.NAMES.items():
        peer_of[peer], why = peer_programs.program_of(build, peer)
        if why:
            players.left_out(name + " beside an annotation", why)
    there = {peer: path for peer, path in peer_of.items() if path}
    folder, rounds, lost = players.folder(), players.Rounds(), 0
    for number in range(SETS):
        paths = {way: os.path.join(folder, f"{way}-{number}.pftrace") for way in ("instant", "tokens", "slice")}
        taking_part = {
            "floor": (players.Player([floor_program, "floor"]), EVENTS),
            "nothing": (players.Player([program, "nothing"]), 10 * EVENTS),
            "off": (players.Player([program, "slice"]), 10 * EVENTS),
        }
        for way, path in paths.items():
            around = [inftrace, "record", "--quiet", "--force", "--output", path, "--"]
            taking_part[way] = (players.Player([program, way], around), EVENTS)
        if not why_not:
            lttng = players.Lttng(["--subbuf-size", "4M", "--num-subbuf", "8"])
            taking_part["lttng"] = (lttng.player(lttng_program), EVENTS)
        for peer, path in there.items():
            taking_part[peer] = (players.Player([path]), EVENTS // 4)
        rounds.play(taking_part, ROUNDS)
        if not why_not:
            lttng.end()
        for path in paths.values():
            lost += players.report(inftrace, path)["losses"]["lost_events"]
            os.unlink(path)
    shutil.rmtree(folder)
    if lost:
        sys.exit(f"{lost} annotations were lost: the figures would be wrong")
    floor = rounds.figure(lambda times: times["floor"])[0]
    peers, of_slices = [], []
    if why_not:
        players.left_out("LTTng-UST beside an annotation", why_not)
    else:
        peers = [("LTTng-UST", rounds.figure(lambda times: times["lttng"])[0])]
        of_slices = [(name, 2 * ns) for name, ns in peers]
    for peer in there:
        figure = rounds.figure(lambda times, peer=peer: times[peer] - times["nothing"])
        of_slices.append((peer_programs.NAMES[peer], figure[0]))
    print(rounds.describe())
    players.row(
        "a slice of a program, nobody records", rounds.figure(lambda times: times["off"] - times["nothing"]), "ns", 1
    )
    players.row(
        "an instant of a program, recorded",
        rounds.figure(lambda times: times["instant"] - times["nothing"]),
        "ns",
        floor + 3,
        floor,
        peers,
    )
    players.row(
        "tokens of an inference that a program names, recorded",
        rounds.figure(lambda times: times["tokens"] - times["nothing"]),
        "ns",
        floor + 3,
        floor,
    )
    players.row(
        "a slice of a program, recorded: begin and end",
        rounds.figure(lambda times: times["slice"] - times["nothing"]),
        "ns",
        2 * (floor + 3),
        2 * floor,
        of_slices,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
