extension StarterText {
  /// `policies/manifest.yaml`: what holds for the whole manifest.
  static func manifest(audience: String) -> String {
    #"""
    # yaml-language-server: $schema=../schemas/policy.schema.json
    #
    # What holds for the whole manifest.
    version: 1

    manifest:
      # The environment that the manifest is for; a client of any other refuses it.
      audience: \#(audience)
      # A client looks for a newer manifest once a day, and calls this one stale after thirty days.
      refresh-after: 1d
      expires-after: 30d
      # A stale manifest goes on as before, and says so in the client's metrics.
      on-stale: enforce
      # How long after a release some clients may still run an older one: no rotation is faster than this.
      client-max-age: 90d

    """#
  }
}

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

extension StarterText {
  /// `.vscode/settings.json`: the schema for policy files, for the YAML extension.
  static var vscodeSettings: String {
    #"""
    {
      "yaml.schemas": {
        "./schemas/policy.schema.json": ["policies/**/*.yaml", "policies/**/*.yml"]
      }
    }

    """#
  }

  /// `.editorconfig`.
  static var editorConfig: String {
    #"""
    root = true

    [*]
    charset = utf-8
    end_of_line = lf
    insert_final_newline = true
    trim_trailing_whitespace = true

    [*.{yaml,yml,json}]
    indent_style = space
    indent_size = 2

    """#
  }

  /// `.gitignore`.
  static var gitIgnore: String {
    #"""
    # Private keys stay out of the repository; *.pub and certificates belong into it.
    *.key
    *.p12
    *.pfx
    /out/
    /.pintle/

    """#
  }
}
