package import Diagnostics
import PinFormat
import PinProbe
import PinRules

extension DeployReport {
  package func json(by tool: Report.Tool) -> String {
    let question = deploy.question
    return JSONWriter.document("pintle-deploy", by: tool) { writer in
      writer.member("target", question.label)
      writer.member("at", question.instant)
      writer.member("verdict", deploy.verdict)
      add(deploy.certificate, as: "certificate", to: &writer)
      add(deploy.served, as: "served", to: &writer)
      writer.member("window", question.window)
      writer.array("clients", question.kindNames)
      writer.objects("releases", deploy.releases) { release, writer in
        writer.member("audience", release.audience)
        writer.member("release", release.name)
        writer.member("serial", release.serial)
        writer.member("issued", release.issued)
        writer.member("inUseUntil", release.end)
        writer.member("accepts", release.isAccepting)
      }
      writer.objects("lockouts", deploy.lockouts) { Self.add($0, to: &$1) }
      writer.objects("servedLockouts", deploy.servedLockouts) { Self.add($0, to: &$1) }
      writer.objects("notCounted", deploy.outdated) { Self.add($0, to: &$1) }
      writer.objects("expiries", deploy.expiries) { expiry, writer in
        writer.member("audience", expiry.audience)
        writer.member("release", expiry.release)
        writer.member("entry", expiry.entry)
        writer.member("at", expiry.instant)
        writer.member("onExpiry", expiry.action)
      }
      writer.member("acceptedBecause", acceptance)
      writer.array("notes", notes)
      writer.member("help", help)
    }
  }

  /// One line that says which lockout was accepted, for a record of all of them; nil where none was.
  package func record(by tool: Report.Tool) -> String? {
    guard let acceptance else { return nil }
    let text = JSONWriter.document("pintle-accepted-lockout", by: tool) { writer in
      writer.member("target", deploy.question.label)
      writer.member("at", deploy.question.instant)
      writer.member("acceptedBecause", acceptance)
      add(deploy.certificate, as: "certificate", to: &writer)
      writer.objects("lockouts", deploy.lockouts.filter(\.counts)) { Self.add($0, to: &$1) }
    }
    // Texts have no line breaks of their own in JSON.
    return text.split(separator: "\n").map { $0.drop(while: { $0 == " " }) }.joined(separator: " ") + "\n"
  }

  private func add(_ certificate: CertificateRecord?, as name: String, to writer: inout JSONWriter) {
    guard let certificate else { return }
    writer.object(name) { writer in
      writer.digest("fingerprint", certificate.fingerprint)
      writer.member("pin", certificate.pin)
      writer.member("subject", certificate.subject)
      writer.member("notAfter", certificate.notAfter)
    }
  }

  private static func add(_ lockout: Deploy.Lockout, to writer: inout JSONWriter) {
    writer.member("audience", lockout.audience)
    writer.member("release", lockout.release)
    writer.member("serial", lockout.serial)
    writer.member("client", lockout.client)
    writer.member("from", lockout.begin)
    writer.member("until", lockout.end)
    writer.member("because", lockout.because)
    writer.member("reason", lockout.reason)
    writer.member("isByExpiry", lockout.isByExpiry)
    writer.member("counts", lockout.counts)
  }
}
