import Diagnostics
import PinPolicy

extension Rule {
  /// Each entry's host is a host name or an IP address.
  static let notAHost = Rule(
    code: "P201",
    name: "not-a-host",
    severity: .error,
    title: "The host of an entry is neither a host name nor an IP address.",
    rationale: """
      An entry for something that no client ever connects to protects nothing, while its author believes that it does.
      Names have labels of letters, digits and hyphens, or are U-labels that UTS 46 turns into such; a wildcard, a port
      or a URL isn't part of a name.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: "*.example.com"
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
      """),
    citation: "RFC 1123 section 2.1; UTS 46",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .badHost(let text, let reason) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "\(Wording.quoted(text)) is not a valid host: \(reason)", help: advice(for: text),
        fixes: fixes(for: text, at: problem.place, input))
    })

  private static func fixes(for text: String, at place: Place, _ input: CheckInput) -> [Fix] {
    guard let file = input.file(of: place), let names = file.names(besideFieldAt: place), names.contains("host") else {
      return []
    }
    if text.hasPrefix("*.") || text.hasPrefix(".") {
      // In other tools a wildcard covers one label; 'include-subdomains' covers more, so the fix is only suggested.
      let name = String(text.drop { $0 == "*" || $0 == "." })
      guard isHost(name), !names.contains("include-subdomains"),
        let added = file.adding("include-subdomains", "true", besideFieldAt: place)
      else { return [] }
      return .fix("write '\(name)' with its subdomains", .suggested, [file.replacing(place, with: name)] + added)
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, let port = UInt16(parts[1]), port > 0, String(port) == parts[1], isHost(parts[0]),
      !names.contains("port"), let added = file.adding("port", parts[1], besideFieldAt: place)
    {
      return .fix("write the port as a field", .safe, [file.replacing(place, with: parts[0])] + added)
    }
    for scheme in ["https://", "tls://"] where text.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      let name = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
      if isHost(name) { return input.writing(name, at: place, .suggested) }
    }
    return []
  }

  private static func isHost(_ text: String) -> Bool { (try? InternationalName.host(text)) != nil }

  /// What to write instead, guessed from what people commonly write.
  private static func advice(for text: String) -> String {
    if text.hasPrefix("*.") || text.hasPrefix(".") {
      let name = text.drop { $0 == "*" || $0 == "." }
      return "Write 'host: \(name)' with 'include-subdomains: true', which covers names at any depth."
    }
    if text.utf8.contains(UInt8(ascii: "*")) {
      return "Name each host, or the name above them with 'include-subdomains: true'."
    }
    if text.utf8.contains(UInt8(ascii: "/")) {
      return "Write the host alone, without scheme, path or prefix length."
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, let port = UInt16(parts[1]) {
      return "Write 'host: \(parts[0])' and 'port: \(port)' as two fields."
    }
    if text.utf8.contains(UInt8(ascii: "_")) {
      return "Name the host above it with 'include-subdomains: true', which covers names with underscores too."
    }
    return "Write a host name such as 'api.example.com', or an IP address such as '10.0.0.5' or '2001:db8::1'."
  }
}
