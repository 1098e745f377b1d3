"""libpintle by ctypes: what include/pintle.h declares, and nothing else. Only this module knows the C interface."""

from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

Clock = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


class Data(ctypes.Union):
    _fields_ = [("address", ctypes.c_void_p), ("content", ctypes.c_char_p)]


class Bytes(ctypes.Structure):
    """pintle_bytes. `content` is for writing: it points to a bytes object and keeps it alive; `address` for reading."""

    _anonymous_ = ["data"]
    _fields_ = [("data", Data), ("size", ctypes.c_size_t)]


class CError(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("code", ctypes.c_char * 60), ("message", ctypes.c_char * 448)]


class Settings(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("signers", ctypes.POINTER(Bytes)), ("signer_count", ctypes.c_size_t), ("threshold", ctypes.c_uint32),
        ("without_manifest", ctypes.c_uint32), ("audience", ctypes.c_char_p), ("directory", ctypes.c_char_p),
        ("embedded", Bytes), ("anchors", ctypes.POINTER(Bytes)), ("anchor_count", ctypes.c_size_t),
        ("system_anchors", ctypes.c_uint32), ("maximum_loss_percent", ctypes.c_uint32),
        ("skip_recent_chains", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("recent_period", ctypes.c_int64),
        ("maximum_bytes", ctypes.c_uint64), ("clock", Clock), ("clock_context", ctypes.c_void_p), ("keyset", Bytes),
    ]


class CStatus(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("source", ctypes.c_uint32), ("freshness", ctypes.c_uint32),
        ("serial", ctypes.c_int64), ("highest_serial", ctypes.c_int64), ("issued", ctypes.c_int64),
        ("refresh_after", ctypes.c_int64), ("expires", ctypes.c_int64), ("now", ctypes.c_int64),
        ("entry_count", ctypes.c_uint64), ("keyset_version", ctypes.c_int64), ("keyset_expires", ctypes.c_int64),
        ("keyset_expired", ctypes.c_uint32), ("endorsed", ctypes.c_uint32),
    ]


class Peer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("role", ctypes.c_uint32), ("validation", ctypes.c_uint32),
        ("host", ctypes.c_char_p), ("port", ctypes.c_uint16), ("tls_version", ctypes.c_uint16),
        ("certificates", ctypes.POINTER(Bytes)), ("certificate_count", ctypes.c_size_t), ("at", ctypes.c_int64),
    ]


class CMatch(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("certificate", ctypes.c_int32), ("reserved", ctypes.c_uint32)]


class CFailure(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_char_p), ("message", ctypes.c_char_p), ("certificate", ctypes.c_int32),
        ("reserved", ctypes.c_uint32),
    ]


class CKey(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("pin", ctypes.c_char_p), ("certificate", ctypes.c_int32),
        ("position", ctypes.c_uint32), ("status", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
    ]


class CDecision(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("verdict", ctypes.c_int32), ("disposition", ctypes.c_int32),
        ("step", ctypes.c_int32), ("events", ctypes.c_uint32), ("reason", ctypes.c_char_p),
        ("message", ctypes.c_char_p), ("entry", ctypes.c_char_p), ("clock", ctypes.c_char_p), ("at", ctypes.c_int64),
        ("serial", ctypes.c_int64), ("event_names", ctypes.POINTER(ctypes.c_char_p)),
        ("event_count", ctypes.c_size_t), ("matches", ctypes.POINTER(CMatch)), ("match_count", ctypes.c_size_t),
        ("failures", ctypes.POINTER(CFailure)), ("failure_count", ctypes.c_size_t),
        ("chain", ctypes.POINTER(Bytes)), ("chain_count", ctypes.c_size_t),
        ("required", ctypes.POINTER(CKey)), ("required_count", ctypes.c_size_t),
        ("presented", ctypes.POINTER(CKey)), ("presented_count", ctypes.c_size_t),
        ("requires_leaf_and_ca", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
    ]


CDecisionPointer = ctypes.POINTER(CDecision)


def text(value: str) -> bytes:
    """For C, without a zero byte, at which C would end it and take it for another one."""
    if not isinstance(value, str):
        raise TypeError(f"a host or an audience must be a str, not {type(value).__name__}")
    return value.replace("\0", "\ufffd").encode()


def path(value: str | os.PathLike[str]) -> bytes:
    return os.fsencode(value).replace(b"\0", text("\0"))


def content(name: str, value: object, hint: str) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"{name} must be bytes, not {type(value).__name__}; {hint}")
    return value


def contents(name: str, values: Iterable[bytes]) -> list[bytes]:
    hint = "pass a list, such as [open(path, 'rb').read()]"
    if isinstance(values, (bytes, str)):
        raise TypeError(f"{name} must be a list of bytes, not {type(values).__name__}; {hint}")
    return [content(f"each of {name}", value, hint) for value in values]


def array(items: Sequence[bytes | None]) -> ctypes.Array[Bytes]:
    """An array of pintle_bytes, null where an item is None; without copies."""
    places = (Bytes * len(items))()
    for place, item in zip(places, items):
        if item is not None:
            place.content, place.size = item, len(item)
    return places


def _open() -> ctypes.CDLL:
    """PINTLE_LIBRARY, or the copy in this package, or what the dynamic linker finds."""
    # Loaded first, only to name what is missing: the dynamic linker's own message doesn't say what to do.
    try:
        ctypes.CDLL("libcrypto.so.3")
    except OSError as error:
        raise ImportError(
            f"pintle needs OpenSSL 3's libcrypto.so.3 from the system, which can't be loaded ({error}). Install it: on "
            "Debian and Ubuntu the package libssl3, on Fedora openssl-libs"
        ) from error
    packed = pathlib.Path(__file__).with_name("libpintle.so.0")
    path = os.environ.get("PINTLE_LIBRARY") or (str(packed) if packed.exists() else "libpintle.so.0")
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"pintle can't load its library {path} ({error}). It needs Linux with glibc 2.33 or later on the processor "
            "that it was built for; without the wheel's own copy, install the package libpintle0, or set PINTLE_LIBRARY"
        ) from error


def _load() -> ctypes.CDLL:
    library = _open()
    pointer, store, error = ctypes.POINTER, ctypes.c_void_p, ctypes.POINTER(CError)
    declared: list[tuple[str, Any, list[Any]]] = [
        ("version", ctypes.c_uint32, []),
        ("store_open", ctypes.c_int, [pointer(Settings), pointer(store), error]),
        ("store_close", None, [store]),
        ("store_problem", ctypes.c_int, [store, ctypes.c_size_t, error]),
        ("store_update", ctypes.c_int, [store, ctypes.c_char_p, ctypes.c_size_t, error]),
        ("store_update_file", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_update_keyset", ctypes.c_int, [store, ctypes.c_char_p, ctypes.c_size_t, error]),
        ("store_update_keyset_file", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_update_keyset_folder", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_maintain", ctypes.c_int, [store, error]),
        ("store_status", ctypes.c_int, [store, pointer(CStatus)]),
        ("store_evaluate", ctypes.c_int, [store, pointer(Peer), pointer(CDecisionPointer)]),
        ("decision_free", None, [CDecisionPointer]),
    ]
    try:
        for name, result, arguments in declared:
            function = getattr(library, "pintle_" + name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as missing:
        raise ImportError(
            f"the installed libpintle is older than this package ({missing}); install both from one release"
        ) from missing
    return library


library = _load()


def version() -> str:
    """The library's version, such as "0.1.0"."""
    number = library.pintle_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"
