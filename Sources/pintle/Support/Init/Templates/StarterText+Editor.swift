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
