"""From policy files to the signed manifest, and to findings."""

from . import programs, workloads
from .running import PLACE, in_turn, repeated, run
from .table import Row

# The phases of a compiler without rules, and those of checking.
WITHOUT_RULES, CHECKING = ("read", "resolve", "lower", "sign"), ("read", "resolve", "rules")


def compilations(rounds, _):
    """Processor time of whole processes, beside a C floor, Go's libraries and a fleet of a tenth."""
    out, small, large = PLACE / "out.json", workloads.policy(10_000), workloads.policy(100_000)

    def build(policy):
        return lambda: run(*workloads.build_command(policy, out)).processor

    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("compile-floor"), small / "manifest.yaml", workloads.signing_key(),
                          out).processor,
        go=lambda: run(programs.go_peer(), "compile", workloads.flat(10_000, "yaml"), out).processor,
        small=build(small), large=build(large))
    yield Row("build, 10,000 hosts, processor", "C floor", figures["floor"], figures["small"], at_most=1.5)
    yield Row("build, 10,000 hosts, processor", "Go's yaml.v3 and encoding/json", figures["go"], figures["small"],
              at_most=0.35)
    yield Row("build, 100,000 hosts, processor", "10,000 hosts", figures["small"], figures["large"], at_most=11)


def checks(rounds, _):
    """All rules, compared with a compilation without any; phases of one process, so it is the same work."""
    policy, key = workloads.policy(10_000), workloads.signing_key()
    runs = in_turn(rounds, one=lambda: run(programs.measured_work(), "compile", policy, key, 1))["one"]

    def phases(names):
        return [sum(one.figure(name) for name in names) for one in runs]

    without = phases(WITHOUT_RULES)
    yield Row("check, 10,000 hosts", "build without rules", without, phases(CHECKING), at_most=1.5)
    yield Row("build, 10,000 hosts", "build without rules", without, phases((*WITHOUT_RULES, "rules")))


def lints(rounds, _):
    """Wall time of a fresh process on ten small files, as in a hook before a commit."""
    folder = workloads.small_files()
    files = sorted(folder.glob("*.yaml"))
    yamllint = programs.python().with_name("yamllint")
    figures = in_turn(
        rounds,
        floor=repeated(20, lambda: run(programs.floor("lint-floor"), *files).wall),
        # Without the rules on line lengths and document starts, which these files don't follow.
        yamllint=repeated(3, lambda: run(yamllint, "-d", "relaxed", *files).wall),
        ours=repeated(20, lambda: run(programs.pintle(), "check", folder, "--at", workloads.ISSUED).wall))
    yield Row("check of ten small files, wall", "C floor", figures["floor"], figures["ours"], at_most=2.5)
    yield Row("check of ten small files, wall", "yamllint", figures["yamllint"], figures["ours"], at_most=0.05)


def starts(rounds, _):
    """Wall time of a process that prints its version."""
    hellos = {linking: programs.hello(linking) for linking in ("-static-stdlib", "-static-executable")}
    figures = in_turn(
        rounds, ours=repeated(30, lambda: run(programs.pintle(), "--version").wall),
        **{linking: repeated(30, lambda program=program: run(program).wall) for linking, program in hellos.items()})
    for linking, goal in (("-static-stdlib", 1.5), ("-static-executable", None)):
        yield Row("--version, wall", f"hello in Swift, {linking}", figures[linking], figures["ours"], at_most=goal)
