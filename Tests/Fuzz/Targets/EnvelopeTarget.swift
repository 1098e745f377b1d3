import PinExchange
import PinFormat

/// DSSE envelopes that any tool may have written.
enum EnvelopeTarget {
  static func run(_ bytes: [UInt8]) {
    guard let document = try? DSSEEnvelope.read(bytes) else { return }
    promise((try? DSSEEnvelope.read(DSSEEnvelope.write(document))) == document, "what was read can be written and read")
    guard let named = try? document.named(byTrying: []) else { return }
    promise(named.keyIDs.count + named.omitted <= document.signatures.count, "signatures aren't made up")
    guard let file = try? SignedDocument(file: named.file) else {
      return promise(false, "what is written is a file in its one encoding")
    }
    promise(file.content == document.content && file.signed == document.signed, "the signed bytes are untouched")
    promise(
      file.signatures.allSatisfy { signature in document.signatures.contains { $0.bytes == signature.bytes } }
        || !named.converted.isEmpty, "the signatures are the same")
  }
}
