"""One connection: the decision on its chain, and the whole evaluation."""

from . import programs, workloads
from .running import in_turn, run
from .table import Row


def decide_floor(count, times):
    return run(programs.floor("decide-floor"), workloads.flat(count, "txt"), workloads.chain(), workloads.HOST,
               times).figure()


def decide(manifest, times):
    return programs.work("decide", manifest, workloads.public_key(), workloads.chain(), workloads.HOST, times)


def decisions(rounds):
    """Matching the leaf of three certificates in DER, beside a C floor."""
    count, times = 100_000, 200_000
    manifest = workloads.manifest(count)
    figures = in_turn(
        rounds, floor=lambda: decide_floor(count, times), ours=lambda: decide(manifest, times))
    yield Row("decision, 100,000 hosts", "C floor", figures["floor"], figures["ours"], at_most=1.5)


def evaluations(rounds):
    """Parsing, path, name, then pins, beside libcrypto's path validation alone, parsing included."""
    manifest, root, times = workloads.manifest(1_000), workloads.chain().with_name("root.pem"), 500

    def evaluate(kind):
        return lambda: programs.work(kind, manifest, workloads.public_key(), workloads.chain(), root, workloads.HOST,
                                     workloads.INSTANT, times)

    figures = in_turn(
        rounds,
        floor=lambda: run(programs.floor("verify-floor"), workloads.chain(), root, workloads.HOST,
                          workloads.INSTANT_SECONDS, times).figure(),
        new=evaluate("evaluate-new"), known=evaluate("evaluate"))
    yield Row("evaluation, chain not seen before", "X509_verify_cert", figures["floor"], figures["new"], at_most=1.15)
    yield Row("evaluation, certificates known", "X509_verify_cert", figures["floor"], figures["known"], at_most=1.15)
