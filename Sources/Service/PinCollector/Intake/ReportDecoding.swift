#if Collector
import Foundation
import PinFormat
import PinReports

/// Bodies of requests as what the collector stores.
enum ReportDecoding {
  /// The most bytes of certificates that are kept of one report.
  static let mostCertificates = 32 << 10
  /// The most pins that a client knew that are kept of one report.
  static let mostPins = 64

  /// Reads a body.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - contentType: What the sender says that it is.
  ///   - now: The time, which stands for a sender's own where that is missing.
  /// - Returns: What is stored.
  /// - Throws: ``ReadingProblem`` where the body isn't a report.
  static func arrival(
    of bytes: [UInt8], contentType: String?, at now: Instant
  ) throws(ReadingProblem) -> Arrival {
    let report: ReceivedReport
    do throws(ReportReaderError) {
      report = try ReportReader.read(bytes, contentType: contentType)
    } catch {
      throw ReadingProblem(message: error.message, isTooLarge: error.code == .tooLarge)
    }
    switch report {
    case .mismatch(let mismatch):
      var sighting = try sighting(mismatch, now)
      sighting.digest = try digest(of: bytes)
      return .mismatch(sighting)
    case .aggregate(let report):
      // The newest day decides which manifest a client is shown with, so a day in the future would hide all later
      // reports. One day is allowed for clocks that differ.
      guard report.day <= now.adding(seconds: 86_400) else {
        throw ReadingProblem(message: "the field 'day' is a day that hasn't come yet")
      }
      return .aggregate(report: report, fingerprint: try digest(of: bytes), bytes: Int64(bytes.count))
    }
  }

  private static func sighting(_ mismatch: ReceivedMismatch, _ now: Instant) throws(ReadingProblem) -> Sighting {
    let isValidated = !mismatch.validatedChain.isEmpty
    let names = mismatch.leafNames
    var sighting = Sighting(
      format: mismatch.format.rawValue, host: mismatch.hostname, port: Int64(mismatch.port ?? 443),
      entry: mismatch.notedHostname ?? mismatch.hostname, includesSubdomains: mismatch.includesSubdomains ?? false,
      isEnforced: mismatch.isEnforced, reporter: reporter(mismatch.service),
      chain: (isValidated ? mismatch.validatedPins : mismatch.servedPins).map(\.description),
      known: mismatch.knownPins.prefix(mostPins).map(\.description), subject: names?.subject ?? "",
      issuer: names?.issuer ?? "", certificates: pem(isValidated ? mismatch.validatedChain : mismatch.servedChain),
      unreadable: Int64(mismatch.unreadableCertificates), claimed: claimed(mismatch.dateTime, now), fingerprint: [])
    sighting.fingerprint = try digest(of: said(by: sighting))
    return sighting
  }

  /// A client's name and version.
  ///
  /// What else TrustKit's format says of a device is dropped, above all the identifier that tells one device from
  /// another.
  private static func reporter(_ service: ReportingService?) -> String {
    guard let service else { return "" }
    return service.version.isEmpty ? service.name : service.name + " " + service.version
  }

  /// What the sender's clock said, but not later than now, nor so early that nobody would have waited to send it.
  private static func claimed(_ instant: Instant?, _ now: Instant) -> Instant {
    guard let instant else { return now }
    return max(min(instant, now), now.adding(seconds: -30 * 86_400))
  }

  /// All that two reports have to say alike, each part with its length before it, so that no two run together.
  private static func said(by sighting: Sighting) -> [UInt8] {
    let enforced = sighting.isEnforced.map { $0 ? "yes" : "no" } ?? ""
    let parts =
      [
        sighting.format, sighting.host, "\(sighting.port)", sighting.entry, "\(sighting.includesSubdomains)", enforced,
        sighting.reporter, sighting.certificates, "\(sighting.chain.count)",
      ] + sighting.chain + sighting.known + (sighting.unreadable > 0 ? ["\(sighting.unreadable)"] : [])
    return parts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
  }

  private static func digest(of bytes: [UInt8]) throws(ReadingProblem) -> [UInt8] {
    guard let digest = ReportReader.digest(of: bytes) else { throw ReadingProblem(message: "there is no SHA-256") }
    return digest.bytes
  }

  /// As many of the certificates as there is room for, the leaf first.
  private static func pem(_ chain: [[UInt8]]) -> String {
    var text = ""
    for certificate in chain {
      let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      let block = "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n"
      guard text.utf8.count + block.utf8.count <= mostCertificates else { break }
      text += block
    }
    return text
  }
}
#endif
