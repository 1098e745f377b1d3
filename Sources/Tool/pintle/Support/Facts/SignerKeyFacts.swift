import Diagnostics
import OpenSSLKit
import PinFormat
import PinRelease

/// What `pintle show` prints of signing keys, in the order in which their files were given.
enum SignerKeyFacts {
  typealias Key = (file: String, key: SigningKeyFile.Description)

  static func text(_ keys: [Key]) -> String {
    var table = Table()
    for (file, key) in keys { table.add(key.id.hex, key.algorithm, VisibleText.of(file)) }
    return table.text()
  }

  static func json(_ keys: [Key]) -> String {
    Facts.text("keys-show") { writer in
      writer.array("keys") { writer in
        for (file, key) in keys {
          writer.object { writer in
            writer.signer(key.id, name: nil)
            writer.member("algorithm", key.algorithm)
            writer.member("file", file)
            writer.member("readFrom", key.path)
          }
        }
      }
    }
  }
}
