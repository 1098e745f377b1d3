import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinValidator

extension WhyInquiry {
  /// Where a new record goes: not into the one that was asked about.
  private var newRecord: String {
    if why.cause == .release { return "servers.json" }
    return question.record?.hasSuffix("proof.json") ?? false ? "proof-2.json" : "proof.json"
  }

  /// What to do, the fastest and safest first.
  mutating func plan() {
    let commands = question.commands
    let again = Why.Step("See whether it worked:", commands.decide(question.label))
    switch why.cause {
    case .mismatch:
      why.runbook = "a-servers-certificate-changed-and-clients-fail"
      why.steps = ask() + [present("a certificate with"), again, release()]
    case .deniedKey:
      why.runbook = "a-key-was-stolen"
      why.steps =
        [
          Why.Step(
            "The clients are right to block, because the key is denied. Don't remove the denial. Ask the server's "
              + "operator, by telephone, why the server presents this key.")
        ] + proof() + [present("a certificate without the denied key, and with"), again]
    case .untrusted:
      why.steps = [
        Why.Step(
          "See at which addresses, and what the server's operator has to fix:",
          commands.record(question.host, question.label, in: newRecord)),
        again,
      ]
      if why.assessment == .attack { why.steps = ask() + why.steps.dropFirst() }
      if let failure = decision?.failures.first, [.unknownIssuer, .selfSigned].contains(failure.code) {
        why.steps.insert(
          Why.Step(
            "Release nothing. The server's operator has to present a certificate of a CA that clients trust"
              + (knowsLeaf ? "; the key can stay." : ", with a key that they accept.")),
          at: why.steps.count - 1)
      }
    case .entryExpired:
      why.steps = [Why.Step(Cause.entryExpired.remedy + "."), release(), again]
    case .manifestExpired:
      why.runbook = "the-manifest-expires-tonight-or-is-stale"
      why.steps = [release(), again]
    case .release:
      why.runbook = "a-bad-manifest-is-out"
      let good = why.affected.last(where: \.isMatch)?.release ?? "the previous release"
      let file = question.releases.last { $0.name == good }?.path.map { " ('\($0)')" } ?? ""
      why.steps = [
        Why.Step(
          "Publish \(good)\(file) again, so that no more clients fetch \(newest?.name ?? "the newest"). Clients that have "
            + "the newer one keep it."),
        Why.Step("Restore the policy of \(good); or, if its other changes are right, put the server's key back."),
        release(), again,
      ]
    case .olderReleases:
      why.steps = [
        Why.Step(
          "Clients with an earlier release have to fetch \(newest?.name ?? "the newest"). Make a service with "
            + "'fetch.signal' do it now, and restart the others:",
          "systemctl reload SERVICE   # or: kill -HUP PID"),
        Why.Step("If they don't take it, their log says why: pass it with --log."),
      ]
    case .unknown:
      if !why.isBlocked, question.event?.rejection != nil { why.runbook = "a-bad-manifest-is-out" }
      why.steps = [
        Why.Step("Ask the server from a machine that reaches it:", commands.decide(question.label)),
        Why.Step(
          "Or see all its addresses:", commands.record(question.host, question.label, in: newRecord)),
      ]
      if keySet != nil, question.event?.verdict?.hasPrefix("block: none of the entry's pins") ?? false {
        why.steps.append(present("a certificate with"))
      }
    case .host:
      why.steps = [
        Why.Step("Add an entry for the host to the policy, or correct the name that the client asks for."), release(),
        again,
      ]
    case .rejectedUpdate, .none: break
    }
    if why.cause == .none, question.event?.verdict?.hasPrefix("block") ?? false {
      why.notes.append(
        "The log was right when it was written; with the newest release and what is presented now it isn't.")
    }
  }

  private func ask() -> [Why.Step] {
    // The pin says nothing where the operator and a thief would name the same one.
    if why.hasSameKey || knowsLeaf, let leaf = view?.chain.first.flatMap(Self.certificate) {
      return [
        Why.Step(
          (why.hasSameKey
            ? "The server has the same private key as before. " : "The certificate has a key that you know. ")
            + "Ask the server's operator, by telephone, for the SHA-256 fingerprint of their certificate. If it isn't "
            + "\(leaf.fingerprint.hex), "
            + (why.hasSameKey
              ? "the key was stolen: deny it."
              : "somebody else presents it, and has the private key if handshakes succeed: then deny the key."),
          "openssl x509 -in CERTIFICATE.pem -outform DER | sha256sum   # the operator runs this")
      ] + proof()
    }
    let pin = why.chain.first?.pin?.description ?? "the one above"
    return [
      Why.Step(
        "Ask the server's operator, by telephone, for the pin of their certificate. If it isn't \(pin), the clients are "
          + "right: release nothing.", "pintle pin CERTIFICATE.pem   # the operator runs this")
    ] + proof()
  }

  /// Whether a release has the key of the certificate that the server presents.
  private var knowsLeaf: Bool {
    view?.chain.first.flatMap(Self.certificate)?.pin.flatMap { names[$0] } != nil
  }

  /// Nothing where a record is what was asked about: it is the proof, and must not be overwritten.
  private func proof() -> [Why.Step] {
    guard question.record == nil else { return [] }
    return [Why.Step("Keep the proof:", question.commands.record(question.host, question.label, in: newRecord))]
  }

  private func present(_ what: String) -> Why.Step {
    let set = keySet
    let denied = Set(newest?.manifest.keys.filter { $0.denied != nil }.map(\.name) ?? [])
    let names = ((set?.backup ?? []).map { "'\($0)' (backup)" } + (set?.active ?? []).map { "'\($0)'" })
      .filter { name in !denied.contains { name.hasPrefix("'\($0)'") } }
    let shown = names.prefix(3).joined(separator: " or ")
    return Why.Step(
      "Fastest and safest: have the server present \(what) a key that clients already accept"
        + (shown.isEmpty ? "." : ": \(shown)."))
  }

  /// The key of the server, or of its CAs where the entry pins authorities, and where it goes.
  private var keyToAdd: String {
    // A key that is active before all clients have it would be an error of 'diff'; they accept a backup, too.
    let list = keySet.map { "'backup:' of key set '\(VisibleText.of($0.name))'" } ?? "'backup:'"
    let names = Set((keySet?.active ?? []) + (keySet?.backup ?? []))
    let keys = newest?.manifest.keys.filter { names.contains($0.name) && $0.denied == nil } ?? []
    guard let chain = decision?.chain?.certificates, chain.count > 1, !keys.isEmpty,
      keys.allSatisfy({ $0.position == .intermediate || $0.position == .root })
    else { return "the key to \(list)" }
    let authorities = chain.enumerated().dropFirst().reversed().map { number, der in
      let name = (try? Certificate(der: der)).map { CertificateText.name(CertificateRecord($0)) } ?? "?"
      return "'\(name)' (\(number == chain.count - 1 ? "root" : "intermediate"))"
    }
    return "the key of \(authorities.listed("or")), from the CA's own site, to \(list)"
  }

  /// An emergency release.
  private func release() -> Why.Step {
    let commands = question.commands
    let last = newest?.path.map { ShellWord.of($0) } ?? "LAST.json"
    let against = "--against \(ShellWord.of(commands.releases)) \(commands.trust)"
    let usesEvidence = why.cause == .mismatch || why.cause == .release
    let evidence = usesEvidence ? " --evidence \(question.record.map(ShellWord.of) ?? newRecord)" : ""
    var step = Why.Step(
      why.cause == .mismatch
        ? (why.assessment == .attack ? "If the operator confirms the change, and that" : "If that")
          + " is impossible, add \(keyToAdd) in the policy, remove nothing, and release:" : "Release:",
      "pintle diff \(against)\(evidence)",
      "pintle build --unsigned -o next.json --against \(last) \(commands.trust)\(evidence) --issued-at now",
      "pintle sign next.json \(against) --sign-key KEY   # each signer, until no signature is missing",
      "pintle verify next.json \(commands.trust)   # then publish it, and make clients fetch it")
    if why.cause == .manifestExpired { step.commands.removeFirst() }
    if why.cause == .release, question.record == nil {
      step.commands.insert(commands.record(question.host, question.label, in: newRecord), at: 0)
    }
    return step
  }
}
