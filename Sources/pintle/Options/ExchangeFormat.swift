import ArgumentParser
import PinExchange

/// The formats that signed files are exchanged in; each is a flag.
enum ExchangeFormat: String, EnumerableFlag {
  case dsse

  static func help(for value: ExchangeFormat) -> ArgumentHelp? {
    switch value {
    case .dsse: "The JSON envelope of DSSE."
    }
  }

  /// What a file of it is called in messages.
  var noun: String {
    switch self {
    case .dsse: "DSSE envelope"
    }
  }

  /// The bytes of a document in this format.
  func write(_ document: SignedDocument) -> [UInt8] {
    switch self {
    case .dsse: DSSEEnvelope.write(document)
    }
  }

  /// Reads a file of this format, nothing of which is verified.
  func read(_ bytes: [UInt8]) throws(ExchangeError) -> SignedDocument {
    switch self {
    case .dsse: try DSSEEnvelope.read(bytes)
    }
  }
}
