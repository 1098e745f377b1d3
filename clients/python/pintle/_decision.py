"""What the library answers, as Python values, and the errors."""

from __future__ import annotations

import contextlib
import ctypes
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import _library

VERDICTS = ["block", "allow", "notPinned"]
DISPOSITIONS = ["cancel", "useCredential", "performDefaultHandling"]
POSITIONS = ["any", "leaf", "intermediate", "root"]
KEY_STATUSES = ["unknown", "active", "backup", "denied"]
_MISMATCH = 1 << 9  # PINTLE_EVENT_MISMATCH


class Error(Exception):
    """What the library rejected, with its stable code: `pintle explain CODE` says what to do."""

    __module__ = "pintle"  # its public name, for tracebacks

    def __init__(self, message: str, code: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.code, self.status = code, status

    @classmethod
    def _of(cls, error: _library.CError) -> Error:
        return cls(error.message.decode(), error.code.decode(), error.status)


class ConfigurationError(ValueError):
    """A setting that a pinned transport can't enforce, or that would weaken it."""

    __module__ = "pintle"
    code = "configuration"


class UnjudgedError(ssl.SSLError):
    """A connection about which the store could not decide, so it carries no data."""

    __module__ = "pintle"

    def __init__(self, message: str) -> None:
        # With all that the ssl module's own errors have: asyncio and others read it.
        super().__init__(ssl.SSL_ERROR_SSL, message)
        self.library, self.reason = "PINTLE", "PINTLE_REFUSED"

    def __reduce__(self) -> tuple[Any, ...]:
        # OSError's own would pass its two arguments. Process pools break on exceptions that can't be made again.
        return type(self), (self.strerror,), self.__dict__


class Refused(UnjudgedError):
    """A connection that must not be used, with the decision; nothing of a request was sent on it.

    `code` is "blocked", or "no-longer-holds" where a newer manifest blocks a connection that was allowed before.
    """

    __module__ = "pintle"

    def __init__(self, decision: Decision, code: str = "blocked") -> None:
        message = decision.message
        if code == "no-longer-holds":
            # One that allowed the connection is from before: the store was closed since, for example.
            found = message if decision.disposition == "cancel" else "the store could not decide again"
            message = f"no longer allowed: {found[len('block: '):] if found.startswith('block: ') else found}"
        super().__init__(message)
        self.decision = decision
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.decision, self.code), self.__dict__


def refusal(error: BaseException | None) -> Refused | None:
    """The Refused that an exception of a library was caused by; None if it has another cause.

    Also in an ExceptionGroup, and in an exception that a process pool brought from another process."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, Refused):
            return each
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            # urllib3 and requests keep it in `reason` and in the arguments, groups in `exceptions`.
            waiting += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
            group = getattr(each, "exceptions", None)
            waiting += [getattr(each, "pintle_refused", None), *(group if isinstance(group, tuple) else ())]
    return None


def note(error: BaseException) -> None:
    """Notes a Refused on the exception that a library made of it, because pickles don't have causes."""
    refused = refusal(error)
    if refused is not None and refused is not error:
        setattr(error, "pintle_refused", refused)


@contextlib.contextmanager
def carrying() -> Iterator[None]:
    """Notes it on what is raised within."""
    try:
        yield
    except Exception as error:
        note(error)
        raise


@dataclass(frozen=True)
class Key:
    """A key that an entry requires, or that a server presented; pintle_key in pintle.h has the fields' meanings."""

    name: str | None  # in the policy; None if the manifest doesn't list the key
    pin: str | None  # "sha256/<base64>"; None if the key can't be read
    certificate: int | None  # presented: its place in the chain, 0 is the leaf; required: None
    position: str  # "any", "leaf", "intermediate" or "root": where it must be, or is
    status: str  # "unknown", "active", "backup" or "denied"


@dataclass(frozen=True)
class Decision:
    """An answer, and how it came about; pintle_decision in pintle.h has the fields' meanings."""

    verdict: str
    disposition: str
    step: int
    reason: str
    message: str
    entry: str | None
    clock: str | None
    at: int
    serial: int
    events: list[str]
    matches: list[tuple[str, int]] = field(default_factory=list)
    failures: list[tuple[str, int | None, str]] = field(default_factory=list)
    chain: list[bytes] = field(default_factory=list)
    required: list[Key] = field(default_factory=list)
    presented: list[Key] = field(default_factory=list)
    requires_leaf_and_ca: bool = False

    @classmethod
    def _copy(cls, made: _library.CDecision) -> Decision:
        def text(value: bytes | None) -> str | None:
            return None if value is None else value.decode()

        def key(value: _library.CKey) -> Key:
            return Key(
                text(value.name), text(value.pin), None if value.certificate < 0 else value.certificate,
                POSITIONS[value.position if value.position < len(POSITIONS) else 0],
                KEY_STATUSES[value.status if value.status < len(KEY_STATUSES) else 0])

        has_keys = made.size >= ctypes.sizeof(_library.CDecision)  # the system's library may be an older one
        return cls(
            # A value that this package doesn't know counts as 0, as pintle.h demands.
            VERDICTS[made.verdict if 0 <= made.verdict < len(VERDICTS) else 0],
            DISPOSITIONS[made.disposition if 0 <= made.disposition < len(DISPOSITIONS) else 0],
            made.step, made.reason.decode(), made.message.decode(), text(made.entry), text(made.clock), made.at,
            made.serial, [made.event_names[index].decode() for index in range(made.event_count)],
            [(each.key.decode(), each.certificate) for each in made.matches[: made.match_count]],
            [(each.code.decode(), None if each.certificate < 0 else each.certificate, each.message.decode())
             for each in made.failures[: made.failure_count]],
            [ctypes.string_at(each.address, each.size) for each in made.chain[: made.chain_count]],
            [key(each) for each in made.required[: made.required_count]] if has_keys else [],
            [key(each) for each in made.presented[: made.presented_count]] if has_keys else [],
            has_keys and made.requires_leaf_and_ca != 0)


class Answer:
    """A pintle_decision as it was made. Few are ever read, so that it becomes a Decision only then."""

    def __init__(self, disposition: int, made: Any) -> None:
        self.may_continue = disposition in (1, 2)  # a value that this package doesn't know counts as 0
        self._made = made
        self._decision: Decision | None = None

    @property
    def has_mismatch(self) -> bool:
        return bool(self._made.contents.events & _MISMATCH)

    @property
    def decision(self) -> Decision:
        # Not functools.cached_property: its lock, until Python 3.12, could be held by another thread during a fork.
        if self._decision is None:
            self._decision = Decision._copy(self._made.contents)
        return self._decision

    def __del__(self, free: Any = _library.library.pintle_decision_free) -> None:
        free(self._made)
