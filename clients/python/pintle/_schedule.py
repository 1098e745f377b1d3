"""When to fetch next: pure, with time and randomness as inputs; and which server asked for patience until when."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Mapping
from dataclasses import dataclass, field

from ._decision import ConfigurationError


@dataclass(frozen=True)
class FetchSettings:
    """Where manifests and keysets are fetched from, and how often; times are in seconds.

    `urls` are those of the manifest, in order of preference. `keyset_urls` have one `{version}` in place of the
    number, such as https://pins.example.com/keysets/{version}.keyset.json. docs/service.md describes the others.
    """

    urls: list[str]
    keyset_urls: list[str] = field(default_factory=list)
    allow_http: bool = False
    interval: float = 3600
    due_interval: float = 300
    jitter_percent: int = 10
    first_retry: float = 10
    longest_retry: float = 900
    longest_retry_after: int = 3600
    deadline: float = 60
    download_growth: int = 4
    least_download_bytes: int = 8 << 20
    maximum_bytes: int = 64 << 20
    housekeeping: float = 600

    def __post_init__(self) -> None:
        for name in ("urls", "keyset_urls"):
            if isinstance(getattr(self, name), (str, bytes)):
                raise TypeError(f"{name} must be a list of URLs, not {type(getattr(self, name)).__name__}")
        if not self.urls:
            raise ConfigurationError("urls names no URL")
        for template in self.keyset_urls:
            _, _, after = template.partition("://")
            if template.count("{version}") != 1 or "{version}" in after.partition("/")[0]:
                raise ConfigurationError(
                    "each of keyset_urls needs exactly one {version}, in its path or query, such as "
                    "https://pins.example.com/{version}.keyset.json")
        for name in ("interval", "due_interval", "first_retry", "longest_retry", "deadline", "download_growth",
                     "least_download_bytes", "maximum_bytes", "housekeeping"):
            if getattr(self, name) <= 0:
                raise ConfigurationError(f"{name} must be above 0")
        if not 0 <= self.jitter_percent <= 100 or self.longest_retry_after < 0:
            raise ConfigurationError("jitter_percent is from 0 to 100, and longest_retry_after not below 0")

    def download_limit(self, in_force: int | None) -> int:
        """The most bytes of a manifest: a multiple of the size of the one in force, if that is known."""
        if in_force is None:
            return self.maximum_bytes
        return min(self.maximum_bytes, max(self.least_download_bytes, self.download_growth * in_force))


class Schedule:
    def __init__(self, settings: FetchSettings) -> None:
        self._settings, self.failures = settings, 0
        # Not after what happened to all clients of a fleet: a start, an outage, a manifest that was due, a request.
        self._is_scattered = False

    def first(self, is_fresh: bool, random: float) -> float:
        """No wait without a fresh manifest; else a part of the jitter, so that not all clients ask at once."""
        return self._settings.interval * self._jitter(random) if is_fresh else 0.0

    def delay(
        self, has_failed: bool, was_requested: bool, patience: int, until_due: float, random: float,
    ) -> float:
        """The wait after a round. `until_due`: until refresh-after of the manifest in force, 0 if there is none."""
        settings = self._settings
        if has_failed:
            # Half of the wait is fixed and half is random, so nobody retries at once, and not all at the same time.
            wait = min(settings.longest_retry, settings.first_retry * (1 << min(self.failures, 30)))
            if not was_requested:
                self.failures, self._is_scattered = self.failures + 1, False
            planned = wait / 2 + wait / 2 * random
        else:
            self.failures = 0
            if until_due <= 0:
                planned = settings.due_interval + settings.due_interval * self._jitter(random)
            elif self._is_scattered and not was_requested:
                planned = min(settings.interval, until_due) + settings.interval * self._jitter(random)
            else:
                # The jitter alone would need days until the fetches of such clients are spread over the interval.
                planned = min(settings.interval, until_due) * random
            self._is_scattered = until_due > 0
        # A date in `Retry-After` is the same instant for all clients.
        return max(planned, patience + min(patience, settings.longest_retry) * random)

    def _jitter(self, random: float) -> float:
        return self._settings.jitter_percent / 100 * random


class Patience:
    """Until when a server asked to be left alone (RFC 9110 section 10.2.3)."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heeded: tuple[int, int] | None = None

    def seconds(self, now: int) -> int:
        # A time before it was said means that a clock that was ahead was set right.
        if self._heeded is None or now < self._heeded[0]:
            return 0
        return max(0, self._heeded[1] - now)

    def heed(self, status: int, headers: Mapping[str, str], now: int, most: int | None = None) -> None:
        if status in (429, 503):
            seconds = self._read(headers.get("retry-after", ""), now)
            if seconds is not None:
                self._heeded = now, now + min(max(0, seconds), self._most if most is None else min(most, self._most))

    @staticmethod
    def _read(text: str, now: int) -> int | None:
        if text.isascii() and text.isdigit() and len(text) <= 18:
            return int(text)
        try:
            moment = email.utils.parsedate_to_datetime(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=datetime.timezone.utc)
            return int(moment.timestamp()) - now
        except (TypeError, ValueError, OverflowError, IndexError):
            return None
