#if CryptoKit
import PinFormat

extension PEMBlock {
  /// Reads all blocks of a text, in its order; ordinary text outside the blocks is skipped.
  ///
  /// What looks like a block, a certificate or a key and can't be read is an error, never skipped. Only what RFC 7468 section 3 calls the strict
  /// form is read, with lines of any length; no header lines, which only private keys have.
  package static func read(_ text: [UInt8]) throws(CryptoError) -> [PEMBlock] {
    let count = try PEMScan.blocks(in: text)
    var blocks: [PEMBlock] = []
    var open: (label: String, digits: [UInt8])?
    for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      if let label = label(in: line, after: "-----BEGIN ") {
        guard open == nil else { throw damaged }
        open = (label, [])
      } else if let block = open {
        guard let label = label(in: line, after: "-----END ") else {
          open?.digits += line
          continue
        }
        guard label.isSame(as: block.label), let bytes = Base64.decode(block.digits, accepting: .unusedBits) else {
          throw damaged
        }
        blocks.append(PEMBlock(label: label, isEncrypted: false, bytes: bytes))
        open = nil
      }
    }
    guard open == nil, blocks.count == count else { throw damaged }
    return blocks
  }

  private static func label(in line: ArraySlice<UInt8>, after mark: String) -> String? {
    guard line.starts(with: mark.utf8), line.suffix(5).elementsEqual("-----".utf8) else { return nil }
    return String(decoding: line.dropFirst(mark.utf8.count).dropLast(5), as: UTF8.self)
  }

  private static var damaged: CryptoError { CryptoError(.malformed, "the PEM text is damaged") }
}
#endif
