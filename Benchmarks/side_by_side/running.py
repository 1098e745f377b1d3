"""Running programs, and what they took."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent
PLACE = ROOT / ".build" / "bench"


class Usage:
    """What one run of a program took: seconds of time, seconds of processor, bytes of memory at most."""

    def __init__(self, wall, processor, memory, output):
        self.wall, self.processor, self.memory, self.output = wall, processor, memory, output

    def figure(self, name=None):
        """The time that the program reports, in seconds: its line `NAME FIGURE ns` of this name, or the last one."""
        for line in reversed(self.output.splitlines()):
            words = line.split()
            if len(words) == 3 and words[2] == "ns" and name in (None, words[0]):
                return float(words[1]) / 1e9
        sys.exit(f"bench: a program didn't say how long {name or 'it'} took:\n{self.output[-2000:]}")


def run(*command, expected=(0,)):
    """Runs a program, whose exit status must be one of the expected ones."""
    command = [str(word) for word in command]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        redirected = [(os.POSIX_SPAWN_DUP2, file.fileno(), number) for file, number in ((output, 1), (errors, 2))]
        # Without Python's own way to start a process, which takes longer than some of these programs.
        began = time.monotonic()
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=redirected)
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - began
        output.seek(0)
        errors.seek(0)
        text, complaint = output.read().decode(), errors.read().decode()
    status = os.waitstatus_to_exitcode(status)
    if status not in expected:
        sys.exit(f"bench: {' '.join(command)} ended with {status}:\n{(text + complaint)[-3000:]}")
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text)


def quietly(*command, **options):
    """Runs a program that prepares something, and shows its output if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def in_turn(rounds, **work):
    """Does each piece of work in each round, in turn; a dictionary of figures, one for each round."""
    figures = {name: [] for name in work}
    for _ in range(rounds):
        for name, one in work.items():
            figures[name].append(one())
    return figures


def repeated(times, one):
    """The median of a short piece of work that is done so many times at once."""
    return lambda: statistics.median(one() for _ in range(times))
