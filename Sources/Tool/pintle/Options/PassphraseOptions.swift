import ArgumentParser
import Diagnostics

/// `--passphrase-fd`, where passphrases come from if not from the terminal.
struct PassphraseOptions: ParsableArguments {
  @Option(
    name: .customLong("passphrase-fd"),
    help: ArgumentHelp(
      "An open file with the passphrases of private keys, one a line; by default, they are asked for on the terminal.",
      valueName: "number"))
  var descriptor: Int32?

  /// Where to ask.
  func source() throws(CommandFailure) -> Passphrases { try Passphrases(descriptor: descriptor) }
}
