"""From policy files to the signed manifest, and to findings."""

from . import programs, workloads
from .running import PLACE, in_turn, repeated, run
from .table import Row


def compilations(rounds):
    """Processor time of whole processes, beside a C floor and Go's libraries."""
    out, policy = PLACE / "out.json", workloads.policy(10_000)
    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("compile-floor"), policy / "manifest.yaml", workloads.signing_key(),
                          out).processor,
        go=lambda: run(programs.go_peer(), workloads.flat(10_000, "yaml"), out).processor,
        ours=lambda: run(*workloads.build_command(policy, out)).processor)
    yield Row("build, 10,000 hosts, processor", "C floor", figures["floor"], figures["ours"], at_most=2.2)
    yield Row("build, 10,000 hosts, processor", "Go's yaml.v3 and encoding/json", figures["go"], figures["ours"],
              at_most=1)


def lints(rounds):
    """Wall time of a fresh process on ten small files, as in a hook before a commit."""
    folder = workloads.small_files()
    files = sorted(folder.glob("*.yaml"))
    yamllint = programs.python().with_name("yamllint")
    figures = in_turn(
        rounds,
        # Without the rules on line lengths and document starts, which these files don't follow.
        yamllint=repeated(3, lambda: run(yamllint, "-d", "relaxed", *files).wall),
        ours=repeated(20, lambda: check(folder)))
    yield Row("check of ten small files, wall", "yamllint", figures["yamllint"], figures["ours"], at_most=0.05)
    for count, name in ((1, "the same, with roots of a public CA"), (3, "... with roots of three")):
        unknown, known = (workloads.files_with_roots(count, are_known) for are_known in (False, True))
        # The difference is smaller than what such a machine's speed varies from one moment to the next.
        figures = in_turn(50 * rounds, unknown=lambda: check(unknown), known=lambda: check(known))
        yield Row(name, "with keys of no known CA", figures["unknown"], figures["known"], at_most=1.1)


def check(folder):
    return run(programs.pintle(), "check", folder, "--at", workloads.ISSUED).wall
