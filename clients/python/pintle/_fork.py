"""What a fork waits for: a child would otherwise inherit the middle of it, and locks that nobody in it releases."""

from __future__ import annotations

import os
import threading

LONGEST_WAIT = 10  # seconds; the library waits 5 for another process that writes to the directory


class Gate:
    """While a thread holds its lock, no other thread forks, for LONGEST_WAIT at most."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._held = threading.local()
        os.register_at_fork(
            before=self._before, after_in_parent=self._after_in_parent, after_in_child=self._after_in_child)

    def _before(self) -> None:
        self._held.lock = self.lock if self.lock.acquire(timeout=LONGEST_WAIT) else None

    def _after_in_parent(self) -> None:
        lock = getattr(self._held, "lock", None)
        if lock is not None:
            lock.release()

    def _after_in_child(self) -> None:
        self.lock = threading.RLock()


# For what changes a store in the library: after a fork in the midst of it, all later updates in the child would fail.
# Not for downloads, nor while connections are judged.
changing = Gate()
# For lines that the Fetcher logs: streams have locks. Not the gate above, because a program's handler may wait for a
# thread that updates the store. A fork waits for this one first, while it holds none.
telling = Gate()
