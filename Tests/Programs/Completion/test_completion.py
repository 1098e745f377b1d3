"""Tests completion of pintle's command lines in bash, fish and zsh, with the scripts that the argument parser makes.

    test_completion.py PATH-OF-PINTLE

Each shell is asked as its own completion asks: bash by the function that the script registers, fish by `complete -C`, and
zsh by a tab on a terminal, where what is wanted has to come up.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

# the typed text, what must be offered, what must not be offered
CASES = [
    ("pintle ch", {"check"}, {"export"}),
    ("pintle check --for", {"--format"}, {"--fail-on"}),
    ("pintle check --format sa", {"sarif"}, {"json"}),
    ("pintle check pol", {"policies"}, {"notes.txt"}),
    ("pintle explain P31", {"P313"}, {"P401"}),
    ("pintle export okhttp-k", {"okhttp-kotlin"}, {"curl"}),
    ("pintle export --accept den", {"denied-keys"}, {"port"}),
    ("pintle keyset n", {"next"}, {"init"}),
    ("pintle verify man", {"manifest.json"}, {"policies"}),
    ("pintle verify --format js", {"json"}, {"text"}),
    ("pintle diff --det", {"--detailed-exitcode"}, {"--format"}),
]

BASH = r"""
source "$1"
line=$2
COMP_LINE=$line COMP_POINT=${#line}
read -ra COMP_WORDS <<<"$line"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
spec=$(complete -p pintle)
function=$(sed -E 's/.*-F ([^ ]+).*/\1/' <<<"$spec")
"$function" pintle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""


def words(text: str) -> set[str]:
    """The first word of each line, without what a shell puts behind a folder."""
    return {line.split("\t")[0].strip().rstrip("/") for line in text.splitlines() if line.strip()}


def by_bash(
    script: pathlib.Path, line: str, scene: pathlib.Path, environment: dict[str, str], wanted: set[str]
) -> set[str]:
    run = subprocess.run(
        ["bash", "-O", "extglob", "-c", BASH, "bash", str(script), line], cwd=scene, env=environment,
        capture_output=True, text=True, timeout=60, check=True)
    return words(run.stdout)


def by_fish(
    script: pathlib.Path, line: str, scene: pathlib.Path, environment: dict[str, str], wanted: set[str]
) -> set[str]:
    run = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=scene, env=environment,
        capture_output=True, text=True, timeout=60, check=True)
    return words(run.stdout)


def by_zsh(
    script: pathlib.Path, line: str, scene: pathlib.Path, environment: dict[str, str], wanted: set[str]
) -> set[str]:
    """Types the line and a tab into an interactive zsh, and reads the words that it shows or inserts."""
    functions = scene.parent / "zfunc"
    functions.mkdir(exist_ok=True)
    shutil.copyfile(script, functions / "_pintle")
    dots = scene.parent / "zdots"
    dots.mkdir(exist_ok=True)
    (dots / ".zshrc").write_text(
        f"PS1='> '; fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -d {dots}/dump; unsetopt beep\n"
        "zstyle ':completion:*' menu no; LISTMAX=1000; unsetopt list_beep\nprint READY\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scene)
        os.execvpe("zsh", ["zsh", "-i"], environment | {"ZDOTDIR": str(dots), "TERM": "dumb", "COLUMNS": "200"})
    seen = b""
    try:
        read_until(terminal, lambda seen: b"READY" in seen)
        os.write(terminal, line.encode() + b"\t")
        # It says nothing when it is done, so what is wanted is waited for; where that never comes, all that came counts.
        seen = read_until(terminal, lambda seen: wanted <= shown(seen))
    finally:
        os.close(terminal)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    return shown(seen)


def shown(seen: bytes) -> set[str]:
    """The words on a terminal, without control sequences."""
    return set(re.findall(r"[A-Za-z0-9_.-]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", seen.decode(errors="replace"))))


def read_until(terminal: int, is_enough) -> bytes:
    """Reads what a terminal shows until it is enough, or for half a minute."""
    seen = b""
    end = time.monotonic() + 30
    while not is_enough(seen) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096)
    return seen


def main() -> int:
    pintle = pathlib.Path(sys.argv[1]).resolve()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "scene"
        scene.mkdir()
        (scene / "policies").mkdir()
        (scene / "manifest.json").touch()
        (scene / "notes.txt").touch()
        environment = dict(os.environ) | {"PATH": f"{pintle.parent}:{os.environ['PATH']}", "HOME": folder}
        for shell, ask in (("bash", by_bash), ("fish", by_fish), ("zsh", by_zsh)):
            if shutil.which(shell) is None:
                print(f"there is no {shell}", file=sys.stderr)
                return 1
            script = pathlib.Path(folder) / shell
            with script.open("w") as file:
                subprocess.run([pintle, "--generate-completion-script", shell], stdout=file, check=True)
            for line, wanted, unwanted in CASES:
                offered = ask(script, line, scene, environment, wanted)
                if not wanted <= offered or unwanted & offered:
                    failures += 1
                    print(f"{shell}: '{line}' offers {sorted(offered)}, not {sorted(wanted)}", file=sys.stderr)
    print(f"{3 * len(CASES)} completions in bash, fish and zsh, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
