"""One connection: the decision on its chain, and the whole evaluation."""

from . import programs, workloads
from .running import in_turn, run
from .table import Row


def decide_floor(count, times):
    return run(programs.floor("decide-floor"), workloads.flat(count, "txt"), workloads.chain(), workloads.HOST,
               times).figure()


def decide(manifest, times):
    return programs.work("decide", manifest, workloads.public_key(), workloads.chain(), workloads.HOST, times)


def decisions(rounds, largest):
    """Matching the leaf of three certificates in DER, beside a C floor, a small fleet and OkHttp."""
    own = {count: workloads.manifest(count) for count in (10, 1_000, 100_000)}
    few, many = workloads.manifest(1_000, "--shared"), workloads.manifest(largest, "--shared")
    times = 200_000
    figures = in_turn(
        rounds,
        floor=lambda: decide_floor(100_000, times),
        few=lambda: decide(few, times), many=lambda: decide(many, times),
        **{f"own{count}": lambda count=count: decide(own[count], times) for count in own},
        **{f"okhttp{count}": lambda count=count: check_pins(count) for count in own})
    yield Row("decision, 100,000 hosts", "C floor", figures["floor"], figures["own100000"], at_most=1.5)
    yield Row(f"decision, {largest:,} hosts", "1,000 hosts", figures["few"], figures["many"], at_most=1.25)
    for count, goal in ((10, 0.75), (1_000, 0.025), (100_000, 0.00005)):
        yield Row(f"decision, {count:,} hosts", f"OkHttp, {count:,} hosts", figures[f"okhttp{count}"],
                  figures[f"own{count}"], at_most=goal)


def check_pins(count):
    return run(*programs.java_peer(), workloads.flat(count, "txt"), workloads.chain(), workloads.HOST, 2).figure()


def evaluations(rounds, _):
    """Parsing, path, name, then pins, beside libcrypto's path validation alone, parsing included."""
    manifest, root, times = workloads.manifest(1_000), workloads.chain().with_name("root.pem"), 500

    def evaluate(kind):
        return lambda: programs.work(kind, manifest, workloads.public_key(), workloads.chain(), root, workloads.HOST,
                                     workloads.INSTANT, times)

    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("verify-floor"), workloads.chain(), root, workloads.HOST,
                          workloads.INSTANT_SECONDS, times).figure(),
        new=evaluate("evaluate-new"), known=evaluate("evaluate"), again=evaluate("evaluate-again"))
    yield Row("evaluation, chain not seen before", "X509_verify_cert", figures["floor"], figures["new"], at_most=1.15)
    yield Row("evaluation, certificates known", "X509_verify_cert", figures["floor"], figures["known"], at_most=1.15)
    yield Row("evaluation, remembered", "X509_verify_cert", figures["floor"], figures["again"], at_most=0.05)
