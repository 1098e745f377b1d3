"""Who signs, from one keyset to the next: the cases of The Update Framework's conformance suite."""

from book import KEYSETS
from steps import Steps

FEW = "too-few-signatures"

# test_root_rotation: keys, threshold and signatures of each version, the first of which is shipped; an error for the last.
ROOTS = {
    "1-of-1-key-rotation": [([1], 1, [1]), ([2], 1, [2, 1]), ([2], 1, [2])],
    "1-of-1-key-rotation-unused-signatures": [([1], 1, [3, 1, 4]), ([2], 1, [3, 2, 1, 4]), ([2], 1, [3, 2, 4])],
    "3-of-5-sign-with-different-key-combinations": [
        ([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([0, 1, 2, 3, 4], 3, [0, 4, 1]), ([0, 1, 2, 3, 4], 3, [0, 1, 3]),
        ([0, 1, 2, 3, 4], 3, [0, 1, 3]),
    ],
    "3-of-5-one-key-rotated": [([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 4, 1])],
    "3-of-5-one-key-rotated-with-intermediate-step": [
        ([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 2, 4, 5]), ([0, 1, 3, 4, 5], 3, [0, 4, 5]),
    ],
    "3-of-5-all-keys-rotated-with-intermediate-step": [
        ([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([5, 6, 7, 8, 9], 3, [0, 2, 4, 5, 6, 7]), ([5, 6, 7, 8, 9], 3, [5, 6, 7]),
    ],
    "1-of-3-threshold-increase-to-2-of-3": [([1, 2, 3], 1, [1]), ([1, 2, 3], 2, [1, 2])],
    "2-of-3-threshold-decrease-to-1-of-3": [([1, 2, 3], 2, [1, 2]), ([1, 2, 3], 1, [1, 2]), ([1, 2, 3], 1, [1])],
    "1-of-2-threshold-increase-to-2-of-2": [([1], 1, [1]), ([1, 2], 2, [1, 2])],
    "1-of-1-key-rotation-fail-not-signed-with-old-key": [([1], 1, [1]), ([2], 1, [2, 3, 4], FEW)],
    "1-of-1-key-rotation-fail-not-signed-with-new-key": [([1], 1, [1]), ([2], 1, [1, 3, 4], FEW)],
    "3-of-5-one-key-rotate-fails-not-signed-with-3-new-keys": [
        ([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 2, 4], FEW),
    ],
    "3-of-5-one-key-rotate-fails-not-signed-with-3-old-keys": [
        ([0, 1, 2, 3, 4], 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 4, 5], FEW),
    ],
    "1-of-3-threshold-bump-to-2-of-3-fails-new-threshold-not-reached": [
        ([1, 2, 3], 1, [1]), ([1, 2, 3], 2, [2], FEW),
    ],
    "2-of-3-threshold-decrease-to-1-of-3-fails-old-threshold-not-reached": [
        ([1, 2, 3], 2, [1, 2]), ([1, 2, 3], 1, [1], FEW),
    ],
    # Not from that suite.
    "all-keys-rotated-in-one-step-fails-signed-by-new-alone": [([0, 1, 2], 2, [0, 1]), ([3, 4, 5], 2, [3, 4], FEW)],
    "all-keys-rotated-in-one-step-fails-signed-by-old-alone": [([0, 1, 2], 2, [0, 1]), ([3, 4, 5], 2, [0, 1], FEW)],
    "all-keys-rotated-in-one-step-fails-one-of-each": [([0, 1, 2], 2, [0, 1]), ([3, 4, 5], 2, [0, 3], FEW)],
    "key-of-both-counts-for-both": [([0, 1, 2], 2, [0, 1]), ([0, 3, 4], 2, [0, 1, 3])],
    "key-taken-away-cannot-come-back-alone": [([1], 1, [1]), ([2], 1, [1, 2]), ([1], 1, [1], FEW)],
}

# test_non_root_rotations: the signers' keys and threshold, who signs the manifest, and an error.
SIGNERS = {
    "1-of-1-key-rotation": ([2], 1, [2]),
    "1-of-1-key-rotation-unused-signatures": ([1], 1, [3, 1, 4]),
    "1-of-1-key-rotation-fail-not-signed-with-new-key": ([2], 1, [1, 3, 4], FEW),
    "3-of-5-one-key-signature-wrong-not-signed-with-3-expected-keys": ([0, 1, 3, 4, 5], 3, [0, 2, 4], FEW),
    "2-of-5-one-key-signature-missing-threshold-not-reached": ([0, 1, 3, 4, 5], 3, [0, 4], FEW),
    "3-of-5-sign-first-combination": ([0, 1, 2, 3, 4], 3, [0, 2, 4]),
    "3-of-5-sign-second-combination": ([0, 1, 2, 3, 4], 3, [0, 4, 1]),
    "3-of-5-sign-third-combination": ([0, 1, 2, 3, 4], 3, [0, 1, 3]),
    "3-of-5-sign-fourth-combination": ([0, 1, 2, 3, 4], 3, [1, 2, 3]),
    "3-of-5-sign-fifth-combination": ([0, 1, 2, 3, 4], 3, [2, 3, 4]),
}


def write(theme):
    theme.about("store", "Rotation of roots and of signers, named as in The Update Framework's conformance suite.",
                KEYSETS + "#walking-forward")
    steps = Steps(theme)
    for name, versions in ROOTS.items():
        files, actions = [], []
        for number, (keys, threshold, signatures, *error) in enumerate(versions, 1):
            files.append(steps.keyset(
                short("roots", keys, threshold, signatures, number), number, named(signatures),
                roots=(named(keys), threshold)))
            if number == 1:
                actions.append(steps.open())
            else:
                actions.append(steps.walk(files[-1], *error))
            actions.append(steps.status(number - len(error)))
        steps.row(f"roots-{name}", title(versions), files[0], *actions)
    shipped = steps.keyset("signers-0", manifests=(named([0]), 1))
    for name, (keys, threshold, signatures, *error) in SIGNERS.items():
        before = steps.manifest("by-0", 1, named([0]))
        second = steps.keyset(short("signers", keys, threshold), 2, manifests=(named(keys), threshold))
        manifest = steps.manifest("2-by-" + digits(sorted(signatures)), 2, named(signatures))
        after = steps.status(2, "embedded", 1, endorsed=False) if error else steps.status(2, "update", 2)
        if not error:
            assert threshold <= len({*keys} & {*signatures})
        steps.row(
            f"signers-{name}", f"{threshold} of the keys {spelt(keys)} sign manifests from version 2 on; "
            f"{spelt(signatures)} did.", shipped, steps.open("embedded", embedded=before), steps.walk(second),
            steps.update(manifest, *error), after, section=KEYSETS + "#manifests-under-a-keyset")


def named(numbers):
    return [f"key-{number}" for number in numbers]


def digits(numbers):
    return "".join(str(number) for number in numbers)


def short(role, keys, threshold, signatures=None, number=None):
    name = f"{role}-{threshold}-of-{digits(sorted(keys))}"
    return name if number is None else f"{name}-v{number}-by-{digits(sorted(signatures))}"


def spelt(numbers):
    return ", ".join(str(number) for number in sorted(numbers))


def title(versions):
    return "; then ".join(
        f"{threshold} of {spelt(keys)}, signed by {spelt(signatures)}" for keys, threshold, signatures, *_ in versions) + "."
