extension StarterText {
  /// `.githooks/pre-commit`: for git itself.
  static var gitHook: String {
    #"""
    #!/bin/sh
    # Keeps mistakes in the pin policy out of commits. `git config core.hooksPath .githooks` switches it on; pre-commit runs
    # it as well (.pre-commit-config.yaml).
    cd "$(git rev-parse --show-toplevel)" || exit
    git diff --cached --quiet -- policies && [ -z "$PRE_COMMIT" ] && exit 0
    command -v pintle >/dev/null || {
      echo "pre-commit: there is no pintle on the PATH" >&2
      exit 1
    }
    pintle fmt --check policies && pintle check policies

    """#
  }

  /// `.pre-commit-config.yaml`: the same hook for the pre-commit framework.
  static var preCommit: String {
    #"""
    # pre-commit install
    repos:
      - repo: local
        hooks:
          - id: pins
            name: pin policy
            entry: .githooks/pre-commit
            language: script
            files: ^policies/
            pass_filenames: false

    """#
  }
}
