"""Taking a manifest into force: time and memory."""

import statistics

from . import programs, workloads
from .running import in_turn, run
from .table import Row, size


def load(manifest):
    return programs.work("load", manifest, workloads.public_key(), 3)


def loads(rounds, largest):
    """Verify, parse and index, beside a C floor and the fastest libraries of other languages."""
    manifests = {count: workloads.manifest(count) for count in (1_000, 10_000, 100_000)}
    flat, manifest = workloads.flat(100_000, "json"), manifests[100_000]
    many = workloads.manifest(largest, "--shared")
    peers = {
        "msgspec": lambda: run(*programs.python_peer("load"), "msgspec", flat).figure(),
        "orjson": lambda: run(*programs.python_peer("load"), "orjson", flat).figure(),
        "Go's encoding/json": lambda: run(programs.go_peer(), "load", flat).figure()}
    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("load-floor"), manifest, workloads.public_key(), 3).figure("load"),
        many=lambda: load(many),
        **{f"own{count}": lambda count=count: load(manifests[count]) for count in manifests}, **peers)
    ours = figures["own100000"]
    yield Row("load, 100,000 hosts", "C floor", figures["floor"], ours, at_most=1.6)
    best = min(peers, key=lambda name: statistics.median(figures[name]))
    for name in peers:
        yield Row("load, 100,000 hosts", name, figures[name], ours, at_least=8 if name == best else None,
                  is_times_slower=True)
    yield Row("load, 10,000 hosts", "1,000 hosts", figures["own1000"], figures["own10000"])
    yield Row("load, 100,000 hosts", "10,000 hosts", figures["own10000"], ours)
    yield Row(f"load, {largest:,} hosts that share keys", "100,000 hosts", ours, figures["many"])


def remembered(manifest):
    """The memory that measured-work reports, in bytes by name."""
    output = run(programs.measured_work(), "memory", manifest, workloads.public_key()).output
    return {words[0]: int(words[1]) for words in map(str.split, output.splitlines())}


def memory(_, largest):
    """The private memory of a loaded manifest, and the peak of loading."""
    for name, manifest in (("100,000 hosts", workloads.manifest(100_000)),
                           (f"{largest:,} hosts that share keys", workloads.manifest(largest, "--shared"))):
        said = remembered(manifest)
        yield Row(f"memory of a host, {name}", "the goal", [100], [said["private-per-host"]], at_most=1, unit=size)
        bound = 1.3 * said["private"] + manifest.stat().st_size
        yield Row(f"memory at most while loading, {name}", "1.3 x what stays, and the file", [bound], [said["peak"]],
                  at_most=1, unit=size)
