"""Taking a manifest into force: time and memory."""

from . import programs, workloads
from .running import in_turn, run
from .table import Row


def load(manifest):
    return programs.work("load", manifest, workloads.public_key(), 3)


def loads(rounds):
    """Verify, parse and index, beside a C floor."""
    manifest = workloads.manifest(100_000)
    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("load-floor"), manifest, workloads.public_key(), 3).figure("load"),
        ours=lambda: load(manifest))
    yield Row("load, 100,000 hosts", "C floor", figures["floor"], figures["ours"], at_most=1.6)


def remembered(manifest):
    """The memory that measured-work reports, in bytes by name."""
    output = run(programs.measured_work(), "memory", manifest, workloads.public_key()).output
    return {words[0]: int(words[1]) for words in map(str.split, output.splitlines())}
