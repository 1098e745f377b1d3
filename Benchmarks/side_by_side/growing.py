"""How each kind of work grows with the number of hosts."""

import statistics

from . import programs, workloads
from .deciding import decide
from .loading import load, remembered
from .running import PLACE, in_turn, run
from .table import seconds, size


def growth(rounds, largest):
    """Lines of cells: each kind of work, and its figure at each size."""
    fleets = [(count, ()) for count in (10, 1_000, 100_000)] + [(largest, ("--shared",))]
    heading = ["what"] + [f"{count:,} hosts" + (", shared keys" if options else "") for count, options in fleets]
    lines = {name: [name] for name in (
        "decision", "load", "kept in memory, a host", "check, processor", "build, processor", "build, memory at most")}
    for count, options in fleets:
        policy, manifest = workloads.policy(count, *options), workloads.manifest(count, *options)
        figures = in_turn(
            rounds, decision=lambda: decide(manifest, 200_000), load=lambda: load(manifest),
            check=lambda: run(programs.pintle(), "check", policy, "--at", workloads.ISSUED),
            build=lambda: run(*workloads.build_command(policy, PLACE / "out.json")))
        cells = [
            seconds(statistics.median(figures["decision"])), seconds(statistics.median(figures["load"])),
            # So few hosts need less than a page of memory.
            size(remembered(manifest)["private-per-host"]) if count >= 1_000 else "–",
            seconds(statistics.median(one.processor for one in figures["check"])),
            seconds(statistics.median(one.processor for one in figures["build"])),
            size(max(one.memory for one in figures["build"]))]
        for line, cell in zip(lines.values(), cells):
            line.append(cell)
    return [heading, *lines.values()]
