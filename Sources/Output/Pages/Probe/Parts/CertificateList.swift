import Diagnostics
import PinFormat
import PinProbe

extension Markup {
  /// Every certificate of the page, once, with what is written in it.
  mutating func certificates(_ model: ProbeModel) {
    guard !model.certificates.isEmpty else { return }
    element(.section, .id(.certificates)) { markup in
      markup.element(.h2, text: "Certificates")
      for (number, digest) in model.certificates.enumerated() {
        markup.element(.details, .id(.certificate(number + 1)), .kind("certificate")) { markup in
          markup.element(.summary) { markup in
            markup.text(model.name(digest) + " ")
            if let record = model.record(digest) { markup.element(.small, text: model.summary(record)) }
          }
          markup.certificate(digest, model)
        }
      }
    }
  }

  private mutating func certificate(_ digest: SHA256Digest, _ model: ProbeModel) {
    element(.dl, .kind("facts")) { markup in
      if let record = model.record(digest) {
        markup.fact("Subject") { $0.text(ShownText.of(record.subject, limit: 400)) }
        markup.fact("Issuer") { $0.text(record.isSelfSigned ? "itself" : ShownText.of(record.issuer, limit: 400)) }
        if !record.names.isEmpty { markup.fact("Names") { $0.text(list(record.names, most: 12)) } }
        if let begin = record.notBefore, let end = record.notAfter {
          markup.fact("Valid") { markup in
            markup.instant(begin)
            markup.text(" to ")
            markup.instant(end)
          }
        }
        markup.fact("Key") { $0.text(record.key + ", signed with " + record.signature) }
        if let pin = record.pin { markup.fact("Pin") { $0.element(.code, text: pin.description) } }
        if let usages = record.usages { markup.fact("Usages") { $0.text(list(usages, most: 8)) } }
        if !record.issuerURLs.isEmpty { markup.fact("Issuer is at") { $0.text(list(record.issuerURLs, most: 3)) } }
      }
      markup.fact("SHA-256") { $0.element(.code, text: digest.hex) }
    }
  }
}

extension ProbeModel {
  /// What tells a certificate from others of its name.
  fileprivate func summary(_ record: CertificateRecord) -> String {
    let until = record.notAfter.map { ", until " + $0.day } ?? ""
    return (record.isSelfSigned ? "signed by itself" : "issued by " + issuer(record)) + until
  }
}

/// The first of a list, and how many more there are.
private func list(_ items: [String], most: Int) -> String {
  let shown = items.prefix(most).map(ShownText.name).joined(separator: ", ")
  return items.count > most ? shown + " and \(items.count - most) more" : shown
}
