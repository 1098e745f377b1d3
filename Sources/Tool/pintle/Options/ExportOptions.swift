import ArgumentParser
import Diagnostics
import PinExchange

/// `--accept`: names of features, with commas between them.
struct AcceptedLosses {
  let features: [PolicyFeature]

  static func read(_ text: String) throws -> AcceptedLosses {
    let features = try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let feature = PolicyFeature(rawValue: String(name)) else {
        throw ValidationError(
          "'\(name)' can't be accepted. The names are: "
            + PolicyFeature.allCases.map(\.rawValue).joined(separator: ", ") + ".")
      }
      return feature
    }
    return AcceptedLosses(features: features)
  }
}

/// What only some formats need to be told.
struct ExportSettingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("tlsa: the port of entries that name none; 443 unless given.", valueName: "number"))
  var port: String?

  @Option(help: ArgumentHelp("okhttp: the name of the object or class.", valueName: "identifier"))
  var name: String?

  @Option(help: ArgumentHelp("okhttp: the package.", valueName: "package"))
  var package: String?

  @Option(
    name: .customLong("trusted-ca"),
    help: ArgumentHelp("envoy: where the proxy finds the anchors to validate with.", valueName: "path"))
  var trustedCA: String?

  private var given: [ExportOption: String] {
    let all: [(ExportOption, String?)] = [(.port, port), (.name, name), (.package, package), (.trustedCA, trustedCA)]
    return Dictionary(uniqueKeysWithValues: all.compactMap { option, value in value.map { (option, $0) } })
  }

  var isEmpty: Bool { given.isEmpty }

  /// The options that were given, all of which the format reads.
  func values(for format: ExportFormat) throws(CommandFailure) -> [ExportOption: String] {
    for option in ExportOption.allCases where given[option] != nil && !format.options.contains(option) {
      throw CommandFailure(.usage, "'\(format.name)' doesn't read --\(option.rawValue)", help: "Leave it out.")
    }
    return given
  }
}
