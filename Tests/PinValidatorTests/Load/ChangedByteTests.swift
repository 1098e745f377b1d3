import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("A changed byte anywhere in a signed manifest")
struct ChangedByteTests {
  @Test("is refused with a reason that names what is wrong")
  func everyPosition() throws {
    let signer = try TestSigner()
    let other = try TestSigner(.ecdsaP256)
    let signers = try TrustedSigners(publicKeys: [signer.publicKey, other.publicKey], threshold: 2)
    let manifest = try Manifest.sample(hosts: [
      .init("example.com", subdomains: true, expires: "2027-06-01", onExpiry: .block), .init("a.example.com", .off),
    ])
    let bytes = try file(manifest, signedBy: [signer, other])
    _ = try LoadedManifest.load(bytes, signers: signers, audience: "production")
    let signed = try SignatureEnvelope(scanning: bytes).signed
    for offset in bytes.indices {
      let values = [bytes[offset] ^ 1, bytes[offset] ^ 0x20, bytes[offset] ^ 0x80, UInt8(ascii: " "), 0]
      // Every byte is changed, by default in two of the five ways, in turn.
      for value in (0..<Thoroughness.pick(2, full: 5)).map({ values[(offset * 2 + $0) % 5] })
      where value != bytes[offset] {
        var changed = bytes
        changed[offset] = value
        let allowed = allowedCodes(at: offset, in: bytes, signed: signed)
        do {
          _ = try LoadedManifest.load(changed, signers: signers, audience: "production")
          Issue.record("byte \(offset) as \(value) was accepted")
        } catch {
          #expect(allowed.contains(error.code), "byte \(offset) as \(value): \(error)")
          #expect(!error.message.isEmpty)
          // If the structure is broken, the place is that of the byte or of its value; if the order is broken, that of
          // the next signature.
          if let format = error.format { #expect(abs(format.offset - offset) <= 300, "byte \(offset): \(error)") }
        }
      }
    }
  }

  @Test("in a signature that isn't needed may pass, and then there is no other error")
  func surplusSignature() throws {
    let (signer, other) = (try TestSigner(), try TestSigner())
    let signers = try TrustedSigners(publicKeys: [signer.publicKey, other.publicKey], threshold: 1)
    let bytes = try file(try Manifest.sample(hosts: [.init("example.com")]), signedBy: [signer, other])
    let original = try LoadedManifest.load(bytes, signers: signers, audience: "production")
    var accepted = 0
    for offset in stride(from: 0, to: bytes.count, by: Thoroughness.pick(2, full: 1)) {
      for value in [bytes[offset] ^ 1, bytes[offset] ^ 0x20, UInt8(ascii: "0")] where value != bytes[offset] {
        var changed = bytes
        changed[offset] = value
        guard let loaded = try? LoadedManifest.load(changed, signers: signers, audience: "production") else { continue }
        accepted += 1
        #expect(loaded.signedBytes == original.signedBytes)
        #expect(changed[try SignatureEnvelope(scanning: changed).signed] == original.signedBytes[...])
        #expect(loaded.signedBy.count == 1 && original.signedBy.contains(loaded.signedBy))
      }
    }
    #expect(accepted > 0, "the specification says that it is so")
  }

  @Test("Bytes put in, left out or added are refused too")
  func lengths() throws {
    let signer = try TestSigner()
    let signers = try TrustedSigners(publicKeys: [signer.publicKey], threshold: 1)
    let bytes = try file(.sample(hosts: [.init("example.com")]), signedBy: [signer])
    for offset in stride(from: 0, to: bytes.count, by: Thoroughness.pick(2, full: 1)) {
      var shorter = bytes
      shorter.remove(at: offset)
      var longer = bytes
      longer.insert(UInt8(ascii: " "), at: offset)
      for changed in [shorter, longer, Array(bytes[..<offset])] {
        #expect(throws: ManifestError.self) {
          try LoadedManifest.load(changed, signers: signers, audience: "production")
        }
      }
    }
    for tail in ["\n", " ", "}", "\0"] {
      let error = #expect(throws: ManifestError.self) {
        try LoadedManifest.load(bytes + Array(tail.utf8), signers: signers, audience: "production")
      }
      #expect(error?.code == (tail == "}" ? .invalidSignature : .malformedFile))
    }
  }

  /// What may be said of a change, by where it is.
  private func allowedCodes(at offset: Int, in bytes: [UInt8], signed: Range<Int>) -> Set<ManifestError.Code> {
    guard !signed.contains(offset) else {
      // The outermost braces of the signed bytes are used to find them.
      let isBrace = offset == signed.lowerBound || offset == signed.upperBound - 1
      return isBrace ? [.malformedFile] : [.invalidSignature]
    }
    guard offset < signed.lowerBound else { return [.malformedFile] }
    // Another digit gives an unknown key or a wrong order; other Base64 gives another signature.
    let isText = UnicodeScalar(bytes[offset]).properties.isAlphabetic || (0x30...0x39).contains(bytes[offset])
    return isText ? [.malformedFile, .tooFewSignatures, .invalidSignature] : [.malformedFile, .invalidSignature]
  }
}
