"""Mutants of signed content: a seed whose bytes, text or values were changed, to be signed again."""

import copy
import functools
import json
import random

from reader import encode
from values import FIELDS, NUMBERS, PIECES, SHAPES, SPELLINGS, TEXTS


def places(value, path=()):
    """The paths to all values."""
    yield path
    for key, item in value.items() if type(value) is dict else enumerate(value) if type(value) is list else ():
        yield from places(item, (*path, key))


def at(value, path):
    for step in path:
        value = value[step]
    return value


class Pool:
    """The content of several values: the fields of each object and the items of each list, by path."""

    def __init__(self, values):
        self.found = {}
        for value in values:
            for path in places(value):
                if path:
                    fields = self.found.setdefault(self.kind(path[:-1]), {})
                    fields.setdefault(self.step(path[-1]), []).append(at(value, path))

    @staticmethod
    def step(step):
        return step if step in FIELDS else "*"

    def kind(self, path):
        return tuple(map(self.step, path))

    def like(self, path, chance):
        """A field that such an object may have, with a value from elsewhere; for a list, an item."""
        fields = self.found.get(self.kind(path)) or {"x": [0]}
        field = chance.choice(sorted(fields))
        return field, copy.deepcopy(chance.choice(fields[field]))

    def any(self, chance):
        return self.like(chance.choice(list(self.found)), chance)[1]


def other_value(value, chance):
    """Another value, mostly of the same type."""
    if chance.random() < 0.15:
        return copy.deepcopy(chance.choice([None, True, False, 0, 1, "", "x", [], {}, [[]], {"x": 1}, ["x"]]))
    if type(value) is int:
        return chance.choice([*NUMBERS, value + 1, value - 1])
    if type(value) is str:
        return other_text(value, chance)
    return copy.deepcopy(chance.choice([[], {}, value]))


def shape(text):
    return next((number for number, pattern in enumerate(SHAPES) if pattern.fullmatch(text)), len(SHAPES))


def other_text(text, chance):
    kind = chance.random()
    if kind < 0.25:
        return chance.choice(TEXTS)
    if kind < 0.6:
        return chance.choice(by_shape().get(shape(text), TEXTS))
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(PIECES) + text[place + chance.randrange(2):]


@functools.cache
def by_shape():
    found = {}
    for text in TEXTS:
        found.setdefault(shape(text), []).append(text)
    return found


def change_value(value, chance, pool):
    """One change of structure, in place: mostly to something that is seen in such a place, or that is near a limit."""
    path = chance.choice([path for path in places(value) if path])
    parent, key = at(value, path[:-1]), path[-1]
    kind = chance.random()
    if kind < 0.55:
        field, like = pool.like(path[:-1], chance)
        if type(parent) is dict:
            parent[other_text(key, chance) if field == "*" else field] = like
        elif chance.random() < 0.5:
            parent[key] = like
        else:
            parent.insert(key, like)
    elif kind < 0.83:
        parent[key] = other_value(parent[key], chance)
    elif kind < 0.88:
        del parent[key]
    elif kind < 0.9:
        parent[key] = pool.any(chance)
    elif type(parent) is dict:
        item = copy.deepcopy(parent[key]) if kind < 0.95 else parent.pop(key)
        parent[other_text(key, chance) if chance.random() < 0.8 else chance.choice(FIELDS)] = item
    elif kind < 0.94:
        parent.insert(key, copy.deepcopy(parent[key]))
    elif kind < 0.97:
        chance.shuffle(parent)
    else:
        parent.sort(key=encode, reverse=chance.random() < 0.3)


def change_bytes(data, chance):
    """Up to three small changes: bits, cuts, repetitions."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.randint(1, 16))
        match chance.randrange(3):
            case 0 if start < len(data):
                data[start] ^= 1 << chance.randrange(8)
            case 1:
                del data[start:end]
            case _:
                data[start:start] = data[start:end]
    return bytes(data)


def change_spelling(data, chance):
    """One place of the text in another spelling."""
    old, new = chance.choice([pair for pair in SPELLINGS if pair[0].encode() in data])
    count = data.count(old.encode())
    pieces = data.split(old.encode(), chance.randint(1, count))
    return old.encode().join(pieces[:-1]) + new.encode() + pieces[-1]


def repeat_field(data, chance):
    """A field twice, or two fields exchanged, which a JSON library fixes silently."""
    value = json.loads(data)
    found = [path for path in places(value) if path and type(at(value, path[:-1])) is dict]
    path = chance.choice(found)
    field = encode(path[-1]) + b":" + encode(at(value, path))
    following = data.find(b"," + encode(chance.choice(found)[-1]))
    if chance.random() < 0.5 or following < 0:
        return data.replace(field, field + b"," + field, 1)
    return data[:following] + b"," + field + data[following:]


def mend_manifest(value, chance):
    """Restores the order after a change, so that readers reach what comes after it."""
    keys, sets, certificates = value["keys"], value["key-sets"], value.get("certificates", {})
    for key_set in sets.values():
        for which in ("active", "backup"):
            key_set[which] = sorted({name for name in key_set[which] if name in keys})
        if not key_set["active"] + key_set["backup"]:
            key_set["active"] = [sorted(keys)[0]]
    entries = {(entry["host"], entry.get("port", 0)): entry for entry in value["hosts"]}
    value["hosts"] = [entries[label] for label in sorted(entries)]
    for entry in value["hosts"]:
        if entry["mode"] == "off" and chance.random() < 0.9:
            for field in entry.keys() - {"host", "include-subdomains", "mode", "port"}:
                del entry[field]
            continue
        if entry.get("key-set") not in sets:
            entry["key-set"] = sorted(sets)[0]
        if "expires" in entry or "on-expiry" in entry:
            entry.setdefault("expires", value["refresh-after"])
            entry.setdefault("on-expiry", "block")
        trust = entry.get("trust", {})
        for field in ("anchors", "intermediates"):
            if field in trust:
                trust[field] = sorted({one for one in trust[field] if one in certificates}) or sorted(certificates)
    mend_reporting(value)


def mend_reporting(value):
    lists = value.pop("reporting", [["https://r.example/"]])
    entries = [entry for entry in value["hosts"] if "reporting" in entry]
    if entries:
        used = [lists[entry["reporting"] % len(lists)] for entry in entries]
        value["reporting"] = [list(uris) for uris in sorted({tuple(uris) for uris in used}, key=lambda uris: encode(list(uris)))]
        for entry, uris in zip(entries, used):
            entry["reporting"] = value["reporting"].index(uris)


def mend_keyset(value):
    for role in ("roots", "signers"):
        value[role]["keys"] = sorted({name for name in value[role]["keys"] if name in value["keys"]})
        value[role]["threshold"] = max(1, min(value[role]["threshold"], len(value[role]["keys"])))
    used = {*value["roots"]["keys"], *value["signers"]["keys"]}
    value["keys"] = {name: key for name, key in value["keys"].items() if name in used}


def mutant(data, chance, pool):
    """A mutant of canonical JSON; the pool is what values are taken from."""
    kind = chance.random()
    if kind < 0.1:
        return change_bytes(data, chance)
    if kind < 0.2:
        return change_spelling(data, chance)
    try:
        if kind < 0.25:
            return repeat_field(data, chance)
        value = json.loads(data)
        for _ in range(chance.choice([1, 1, 2, 2, 3, 4])):
            change_value(value, chance, pool)
        if chance.random() < 0.8:
            mend(value, chance)
        return encode(value)
    except (ValueError, AttributeError, IndexError, TypeError):
        return change_bytes(data, chance)


def mend(value, chance):
    try:
        if "roots" in value:
            mend_keyset(value)
        else:
            mend_manifest(value, chance)
    except (KeyError, AttributeError, IndexError, TypeError, ZeroDivisionError):
        pass  # too much is changed


def random_of(name):
    return random.Random("pintle " + name)
