"""Manifests under keysets: expiry, minimum serials, epochs, revoked signers."""

from book import KEYSETS, NOW, UPDATES
from manifests import content as manifest_content
from steps import Steps

FEW = "too-few-signatures"
GREATEST = 9007199254740991
# When the short-lived keysets expire, and a second before.
EXPIRY, BEFORE, LATER = "2026-11-25T00:00:00Z", "2026-11-24T23:59:59Z", "2026-11-26T00:00:00Z"


def write(theme):
    theme.about("store", "Manifests under keysets: which are taken, and what becomes of the one in force when the keyset "
                "changes.", KEYSETS + "#manifests-under-a-keyset")
    steps = Steps(theme)
    expiry(steps)
    minimum(steps)
    revoked(steps)
    fast_forward(steps)
    rollback(steps)
    restarts(steps)


def expiry(steps):
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    short = steps.keyset("1-short", 1, expires=EXPIRY)
    long = steps.keyset("2-long", 2)
    five, six, seven = steps.manifest("5", 5), steps.manifest("6", 6), steps.manifest("7", 7)
    row("expiry-before", "A second before its keyset expires, a manifest is taken.", short, steps.open(at=BEFORE),
        update(five, at=BEFORE), status(1, "update", 5, at=BEFORE))
    row("expiry-at", "From then on none is.", short, steps.open(at=EXPIRY), update(five, "keyset-expired", at=EXPIRY),
        status(1, expired=True, at=EXPIRY))
    row("expiry-in-force", "The one in force stays, by its own clock.", short, steps.open("embedded", embedded=five),
        update(six), steps.pinned(), update(seven, "keyset-expired", at=LATER), steps.pinned(at=LATER),
        status(1, "update", 6, expired=True, at=LATER))
    row("expiry-same", "And is known again.", short, steps.open("embedded", embedded=five),
        update(five, result="unchanged", at=LATER), status(1, "embedded", 5, expired=True, at=LATER))
    row("expiry-newer-keyset", "A newer keyset is taken, and manifests by it.", short, steps.open("embedded", embedded=five),
        update(six, "keyset-expired", at=LATER), walk(long, at=LATER), update(six, at=LATER),
        status(2, "update", 6, at=LATER))
    row("expiry-newer-expired", "A newer keyset that has expired is taken, and no manifest by it.",
        steps.keyset("1"), steps.open("embedded", embedded=five),
        walk(steps.keyset("2-expired", 2, expires="2026-11-10T00:00:00Z")), update(six, "keyset-expired"), steps.pinned(),
        status(2, "embedded", 5, expired=True))
    row("expiry-embedded", "What is shipped beside an expired keyset is taken at the start, like one that is stale.", short,
        steps.open("embedded", embedded=five, at=LATER), steps.pinned(at=LATER),
        status(1, "embedded", 5, expired=True, at=LATER), section=UPDATES + "#starting")
    row("expiry-restart", "So is what was stored.", short, steps.open(), update(five), steps.open("stored", at=LATER),
        steps.pinned(at=LATER), status(1, "stored", 5, expired=True, at=LATER), directory=True, section=UPDATES + "#starting")
    row("expiry-clock-set-right", "What only a clock that was ahead took for expired is valid again.", short,
        steps.open("embedded", embedded=five, at=LATER), status(1, "embedded", 5, expired=True, at=LATER),
        update(six), status(1, "update", 6), section=UPDATES + "#the-clock")
    row("expiry-clock-before-issued", "But it is never before the keyset was issued.", short,
        steps.open("embedded", embedded=five),
        walk(steps.keyset("2-later", 2, issued=LATER, expires="2026-11-27T00:00:00Z")),
        status(2, "embedded", 5, now=LATER), status(2, "embedded", 5, at="2020-01-01T00:00:00Z", now=LATER),
        section=UPDATES + "#the-clock")
    # The first of several reasons.
    stale = steps.manifest("6-stale", 6, expires="2026-11-20T00:00:00Z", **{"refresh-after": "2026-11-15T00:00:00Z"})
    row("expiry-before-stale", "An expired keyset comes before a stale manifest.", short,
        steps.open("embedded", embedded=five, at=LATER), update(stale, "keyset-expired", at=LATER))
    row("stale", "A manifest that has expired, under a keyset that hasn't: a freeze.", short,
        steps.open("embedded", embedded=five), update(stale, "stale"), status(1, "embedded", 5))
    row("expiry-behind-serial", "An older serial comes before it.", short,
        steps.open("embedded", embedded=six, at=LATER), update(five, "older-serial", at=LATER))
    row("expiry-behind-signatures", "So do signatures.", short, steps.open("embedded", embedded=five, at=LATER),
        update(steps.manifest("6-by-mallory", 6, ["mallory"]), FEW, at=LATER))
    elsewhere = steps.manifest("6-elsewhere", 6, audience="staging")
    row("audience", "A manifest of another environment, signed by the right keys.", short,
        steps.open("embedded", embedded=five), update(elsewhere, "wrong-audience"))


def minimum(steps):
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    one = steps.keyset("1")

    def least(serial, version=2):
        return steps.keyset(f"{version}-from-{serial}", version, **{"minimum-serial": serial})

    five, six, seven = steps.manifest("5", 5), steps.manifest("6", 6), steps.manifest("7", 7)
    row("minimum-below", "A serial below the minimum.", least(6, 1), steps.open(), update(five, "below-minimum-serial"),
        status(1))
    row("minimum-at", "The minimum itself.", least(6, 1), steps.open(), update(six), status(1, "update", 6))
    row("minimum-embedded", "One that is shipped below it isn't taken at the start either.", least(6, 1),
        steps.open("none", ["below-minimum-serial"], five), status(1), section=UPDATES + "#starting")
    row("minimum-raised-embedded", "One that was shipped with an older keyset is better than none, and that is told.", one,
        steps.open(), walk(least(6)), steps.open("embedded", ["disowned-manifest"], five),
        status(2, "embedded", 5, endorsed=False), update(six), directory=True, section=UPDATES + "#starting")
    row("minimum-raised", "The one in force stays when the minimum rises above it, without being endorsed.", one,
        steps.open("embedded", embedded=five), walk(least(7)), steps.pinned(), status(2, "embedded", 5, endorsed=False),
        update(six, "below-minimum-serial"), update(five, "below-minimum-serial"), update(seven),
        status(2, "update", 7))
    row("minimum-reached", "It is endorsed where the minimum is its own serial.", one,
        steps.open("embedded", embedded=five), walk(least(5)), status(2, "embedded", 5))
    row("minimum-before-older", "Below the minimum comes before older.", one, steps.open("embedded", embedded=seven),
        walk(least(6)), update(five, "below-minimum-serial"), update(six, "older-serial"), status(2, "embedded", 7))
    row("minimum-behind-signatures", "Signatures come before both.", least(6, 1), steps.open(),
        update(steps.manifest("5-by-mallory", 5, ["mallory"]), FEW))


def revoked(steps):
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    two_of_three = {"manifests": (["alice", "bob", "carol"], 2)}
    one = steps.keyset("1-two-of-three", 1, **two_of_three)
    without = steps.keyset("2-without-alice", 2, manifests=(["bob", "carol", "hsm"], 2))
    both = ["alice", "bob"]
    five = steps.manifest("5-by-alice-bob", 5, both)
    six = steps.manifest("6-by-alice-bob", 6, both)
    opened = steps.open("embedded", embedded=five)
    disowned = status(2, "embedded", 5, endorsed=False)
    row("revoked", "A signer is revoked: what they signed stays in force, and nothing new by them is taken.", one, opened,
        status(1, "embedded", 5), walk(without), disowned, steps.pinned(), update(six, FEW), disowned)
    row("revoked-new-signers", "A manifest by those who sign now.", one, opened, walk(without),
        update(steps.manifest("6-by-bob-hsm", 6, ["bob", "hsm"])), status(2, "update", 6))
    row("revoked-too-few-new", "By too few of them.", one, opened, walk(without),
        update(steps.manifest("6-by-hsm", 6, ["hsm"]), FEW), disowned)
    row("revoked-counts-no-more", "The revoked one beside one of them.", one, opened, walk(without),
        update(steps.manifest("6-by-alice-hsm", 6, ["alice", "hsm"]), FEW), disowned)
    row("revoked-is-passed-over", "Beside enough of them the revoked one does no harm.", one, opened, walk(without),
        update(steps.manifest("6-by-alice-bob-carol", 6, ["alice", "bob", "carol"])), status(2, "update", 6))
    again = steps.manifest("5-by-bob-carol", 5, ["bob", "carol"])
    row("signed-again", "The same signed bytes with the signatures that were missing.", one, opened, walk(without),
        disowned, update(again, result="unchanged"), status(2, "embedded", 5), steps.pinned())
    row("signed-again-by-too-few", "With too few of them.", one, opened, walk(without),
        update(steps.manifest("5-by-alice-bob-and-mallory", 5, ["alice", "bob", "mallory"]), FEW), disowned)
    row("signed-again-before", "Signed by the new ones beforehand, it is endorsed at once.", one,
        steps.open("embedded", embedded=steps.manifest("5-by-three", 5, ["alice", "bob", "carol"])), walk(without),
        status(2, "embedded", 5))
    late = steps.keyset("2-without-alice-short", 2, manifests=(["bob", "carol", "hsm"], 2), expires=EXPIRY)
    row("signed-again-after-expiry", "What is in force already may be endorsed after the keyset's expiry.", one, opened,
        walk(late), update(again, result="unchanged", at=LATER), status(2, "embedded", 5, expired=True, at=LATER))
    back = steps.keyset("3-with-alice", 3, **two_of_three)
    row("brought-back", "A later keyset may take the signer back.", one, opened, walk(without), disowned, walk(back),
        status(3, "embedded", 5), update(six), status(3, "update", 6))
    higher = steps.keyset("2-three-of-three", 2, manifests=(["alice", "bob", "carol"], 3))
    row("threshold-rises", "The threshold rises above those who signed.", one, opened, walk(higher), disowned,
        update(six, FEW), update(steps.manifest("6-by-alice-bob-carol", 6, ["alice", "bob", "carol"])),
        status(2, "update", 6))
    lower = steps.keyset("2-one-of-three", 2, manifests=(["alice", "bob", "carol"], 1))
    row("threshold-falls", "The threshold falls.", one, opened, update(steps.manifest("6-by-carol", 6, ["carol"]), FEW),
        walk(lower), update(steps.manifest("6-by-carol", 6, ["carol"])), status(2, "update", 6))
    row("root-is-no-signer", "The root keys sign no manifest.", steps.keyset("1"), steps.open(),
        update(steps.manifest("5-by-root-a", 5, ["root-a"]), FEW), status(1))
    row("new-signer-too-early", "A manifest by new signers that comes before their keyset.", one, opened,
        update(steps.manifest("6-by-bob-hsm", 6, ["bob", "hsm"]), FEW), walk(without),
        update(steps.manifest("6-by-bob-hsm", 6, ["bob", "hsm"])), status(2, "update", 6))


def fast_forward(steps):
    """Somebody with stolen keys signed the highest possible serial."""
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    one = steps.keyset("1")
    five, six, stolen = steps.manifest("5", 5), steps.manifest("6", 6), steps.manifest("greatest", GREATEST)
    by_bob = {serial: steps.manifest(f"{serial}-by-bob", serial, ["bob"]) for serial in (5, 6, 7)}
    bob = {"manifests": (["bob"], 1)}
    opened = steps.open("embedded", embedded=five)
    ahead = status(1, "update", GREATEST)
    row("fast-forward", "Nothing follows the highest serial.", one, opened, update(stolen), ahead,
        update(six, "older-serial"), ahead)
    forgotten = steps.keyset("2-bob", 2, **bob)
    row("fast-forward-signers-alone", "Other signers alone lower no serial: a rotation opens no way back.", one, opened,
        update(stolen), walk(forgotten), update(by_bob[6], "older-serial"),
        status(2, "update", GREATEST, endorsed=False))
    recovery = steps.keyset("2-bob-epoch-2", 2, **bob, **{"serial-epoch": 2, "minimum-serial": 6})
    row("fast-forward-recovery", "A new epoch and other signers: serials begin again, at the minimum.", one, opened,
        update(stolen), walk(recovery), status(2, "update", GREATEST, highest=0, endorsed=False), steps.pinned(),
        update(by_bob[5], "below-minimum-serial"), update(by_bob[6]), status(2, "update", 6),
        update(stolen, FEW), update(by_bob[5], "below-minimum-serial"), update(by_bob[7]), update(by_bob[6], "older-serial"),
        status(2, "update", 7))
    same = steps.keyset("2-epoch-2", 2, **{"serial-epoch": 2})
    row("fast-forward-same-signers", "With the old signers still there, that manifest counts in the new epoch, too: others "
        "must sign.", one, opened, update(stolen), walk(same), status(2, "update", GREATEST), update(six, "older-serial"),
        status(2, "update", GREATEST))
    row("epoch-signed-again", "The manifest in force may be signed again in the new epoch: its serial counts in it then.", one,
        opened, walk(steps.keyset("2-bob-epoch-2-from-1", 2, **bob, **{"serial-epoch": 2})),
        status(2, "embedded", 5, highest=0, endorsed=False),
        update(by_bob[5], result="unchanged"), status(2, "embedded", 5),
        update(steps.manifest("4-by-bob", 4, ["bob"]), "older-serial"))
    ninety = steps.manifest("90", 90)
    row("epoch-embedded-of-old-program", "What an old program ships is of its own keyset's epoch, whatever its serial: it "
        "doesn't come back by a start.", one, steps.open(), walk(same), update(six), steps.open("stored", embedded=ninety),
        status(2, "stored", 6), directory=True)
    row("epoch-same", "Without a higher epoch the highest serial stays.", one,
        steps.open("embedded", embedded=six), walk(steps.keyset("2", 2)), update(five, "older-serial"),
        status(2, "embedded", 6))
    row("fast-forward-recovery-restart", "The recovery survives restarts, and the stolen serial stays gone.", one,
        steps.open("embedded", embedded=five), update(stolen), walk(recovery),
        steps.open("stored", ["disowned-manifest"], five), status(2, "stored", GREATEST, highest=0, endorsed=False),
        update(by_bob[6]), steps.open("stored", embedded=five), status(2, "stored", 6), update(stolen, FEW),
        update(by_bob[5], "below-minimum-serial"), directory=True)
    row("fast-forward-shipped", "A new program ships the recovery, and a manifest: nothing vouches for what was stored.", one,
        steps.open(), update(stolen), steps.open("embedded", [FEW], by_bob[6], keyset=recovery), status(2, "embedded", 6),
        update(stolen, FEW), update(by_bob[7]), status(2, "update", 7), directory=True)
    row("fast-forward-shipped-alone", "Or no manifest: then none is in force until the first one by those who sign now.", one,
        steps.open(), update(stolen), steps.open("none", [FEW], keyset=recovery), status(2),
        update(by_bob[6]), status(2, "update", 6), directory=True)

def rollback(steps):
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    one, two = steps.keyset("1"), steps.keyset("2", 2)
    five, six = steps.manifest("5", 5), steps.manifest("6", 6)
    row("rollback", "A lower serial, properly signed.", one, steps.open("embedded", embedded=five), update(six),
        update(five, "older-serial"), status(1, "update", 6))
    row("rollback-across-keysets", "A newer keyset opens no way back.", one, steps.open("embedded", embedded=six), walk(two),
        update(five, "older-serial"), status(2, "embedded", 6))
    other = steps.manifest("6-other", 6, issued="2026-11-02T00:00:00Z")
    row("conflicting", "The same serial with other signed bytes.", one, steps.open("embedded", embedded=six),
        update(other, "conflicting-serial"), walk(two), update(other, "conflicting-serial"), status(2, "embedded", 6))
    changed = manifest_content(steps.theme.book.keys, [{"host": "example.com", "keys": ["leaf-2"]}], serial=6)
    row("conflicting-keys", "Whatever it pins.", one, steps.open("embedded", embedded=six),
        update(steps.theme.manifest("6-leaf-2", changed), "conflicting-serial"), steps.pinned())
    row("jump", "Serials may be left out; versions of keysets may not.", one, steps.open("embedded", embedded=five),
        update(steps.manifest("90", 90)), walk(steps.keyset("3", 3), "skipped-version"), status(1, "update", 90))


def restarts(steps):
    row, walk, update, status = steps.row, steps.walk, steps.update, steps.status
    one = steps.keyset("1")
    bob = steps.keyset("2-bob", 2, manifests=(["bob"], 1))
    five, six, again = steps.manifest("5", 5), steps.manifest("6", 6), steps.manifest("5-by-bob", 5, ["bob"])
    kept = {"directory": True, "section": UPDATES + "#keysets"}
    told = ["disowned-manifest"]
    row("restart", "Keyset and manifest are kept.", one, steps.open(), update(five), walk(steps.keyset("2", 2)),
        steps.open("stored"), status(2, "stored", 5), steps.pinned(), update(six), steps.open("stored"),
        status(2, "stored", 6), **kept)
    row("restart-disowned", "A manifest that the keyset doesn't endorse stays in force, and that is told.", one, steps.open(),
        update(five), walk(bob), steps.open("stored", told), status(2, "stored", 5, endorsed=False), steps.pinned(),
        update(six, FEW), steps.open("stored", told), **kept)
    row("restart-disowned-embedded", "Also where it was shipped.", one, steps.open("embedded", embedded=five), walk(bob),
        steps.open("embedded", told, five), status(2, "embedded", 5, endorsed=False), steps.pinned(), **kept)
    row("restart-signed-again", "What was signed again is kept with its new signatures.", one, steps.open(), update(five),
        walk(bob), update(again, result="unchanged"), status(2, "update", 5), steps.open("stored"), status(2, "stored", 5),
        **kept)
    row("restart-signed-again-later", "Also after a restart.", one, steps.open(), update(five), walk(bob),
        steps.open("stored", told), update(again, result="unchanged"), status(2, "stored", 5), steps.open("stored"),
        status(2, "stored", 5), **kept)
    row("restart-minimum", "One below a minimum that rose.", one, steps.open(), update(five),
        walk(steps.keyset("2-from-7", 2, **{"minimum-serial": 7})), steps.open("stored", told),
        status(2, "stored", 5, endorsed=False), steps.pinned(), **kept)
    row("restart-embedded-of-revoked", "What a revoked signer signed is taken from a new program where there is none "
        "above it: else whoever removes what was stored would take all pins away.", one, steps.open(), walk(bob),
        steps.open("embedded", told, six), status(2, "embedded", 6, endorsed=False), update(five, FEW),
        update(steps.manifest("7-by-bob", 7, ["bob"])), status(2, "update", 7), **kept)
    row("restart-embedded-newer", "A new program's manifest by those who sign now.", one, steps.open(), update(five),
        walk(bob), steps.open("embedded", embedded=steps.manifest("6-by-bob", 6, ["bob"])), status(2, "embedded", 6), **kept)
    row("restart-floor", "The serial of a manifest that the keyset doesn't endorse still counts.", one, steps.open(), update(six), walk(bob),
        steps.open("stored", told), update(again, "older-serial"), update(steps.manifest("7-by-bob", 7, ["bob"])),
        status(2, "update", 7), **kept)
    row("restart-from-fixed-signers", "A new program ships a keyset where signers were fixed: what is stored stays in force "
        "where the keyset names them.", None, steps.open(), update(five), steps.open("stored", keyset=one),
        status(1, "stored", 5), update(six), status(1, "update", 6), walk(bob), status(2, "update", 6, endorsed=False),
        client={"signers": ["alice"], "threshold": 1, "audience": "vectors"}, **kept)
    row("restart-expired", "An expired keyset is still the one that is trusted.", steps.keyset("1-short", 1, expires=EXPIRY),
        steps.open(), update(five), steps.open("stored", at=LATER), update(six, "keyset-expired", at=LATER),
        walk(steps.keyset("2", 2), at=LATER), steps.open("stored", at=LATER), update(six, at=LATER),
        status(2, "update", 6, at=LATER), **kept)
