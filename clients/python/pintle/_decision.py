"""What the library answers, as Python values, and the errors."""

from __future__ import annotations

import ctypes
import functools
import ssl
from dataclasses import dataclass, field
from typing import Any

from . import _library

VERDICTS = ["block", "allow", "notPinned"]
DISPOSITIONS = ["cancel", "useCredential", "performDefaultHandling"]


class Error(Exception):
    """What the library rejected, with its stable code: `pintle explain CODE` says what to do."""

    def __init__(self, error: _library.CError) -> None:
        super().__init__(error.message.decode())
        self.status: int = error.status
        self.code: str = error.code.decode()


class ConfigurationError(ValueError):
    """A setting that a pinned transport can't enforce, or that would weaken it."""

    code = "configuration"


class UnjudgedError(ssl.SSLError):
    """A connection about which the store could not decide, so it carries no data."""

    def __init__(self, message: str) -> None:
        # With all that the ssl module's own errors have: asyncio and others read it.
        super().__init__(ssl.SSL_ERROR_SSL, message)
        self.library, self.reason = "PINTLE", "PINTLE_REFUSED"


class Refused(UnjudgedError):
    """A connection that must not be used, with the decision; nothing of a request was sent on it.

    `code` is "blocked", or "no-longer-holds" where a newer manifest blocks a connection that was allowed before.
    """

    def __init__(self, decision: Decision, code: str = "blocked") -> None:
        super().__init__(f"{code}: {decision.message}")
        self.decision = decision
        self.code = code


def refusal(error: BaseException | None) -> Refused | None:
    """The Refused that an exception of a library was caused by; None if it has another cause."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, Refused):
            return each
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            # urllib3 and requests keep it in `reason` and in the arguments.
            waiting += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
    return None


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

    @classmethod
    def _copy(cls, made: _library.CDecision) -> Decision:
        def text(value: bytes | None) -> str | None:
            return None if value is None else value.decode()

        return cls(
            # A value that this package doesn't know counts as 0, as pintle.h demands.
            VERDICTS[made.verdict if 0 <= made.verdict < len(VERDICTS) else 0],
            DISPOSITIONS[made.disposition if 0 <= made.disposition < len(DISPOSITIONS) else 0],
            made.step, made.reason.decode(), made.message.decode(), text(made.entry), text(made.clock), made.at,
            made.serial, [made.event_names[index].decode() for index in range(made.event_count)],
            [(each.key.decode(), each.certificate) for each in made.matches[: made.match_count]],
            [(each.code.decode(), None if each.certificate < 0 else each.certificate, each.message.decode())
             for each in made.failures[: made.failure_count]],
            [ctypes.string_at(each.address, each.size) for each in made.chain[: made.chain_count]])


class Answer:
    """A pintle_decision as it was made. Few are ever read, so that it becomes a Decision only then."""

    def __init__(self, disposition: int, made: Any) -> None:
        self.may_continue = disposition in (1, 2)  # a value that this package doesn't know counts as 0
        self._made = made

    @functools.cached_property
    def decision(self) -> Decision:
        return Decision._copy(self._made.contents)

    def __del__(self, free: Any = _library.library.pintle_decision_free) -> None:
        free(self._made)
