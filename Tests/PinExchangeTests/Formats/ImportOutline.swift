import Diagnostics
import PinExchange
import PinFormat
import PinPolicy

/// What was imported, in lines that a test can compare.
enum ImportOutline {
  static func text(_ imported: ImportedPins) -> String {
    (imported.list.hosts.map { line($0, in: imported.list) } + imported.findings.map(line)).joined(separator: "\n")
      + "\n"
  }

  private static func line(_ host: PinList.Host, in list: PinList) -> String {
    var words = [host.label, host.mode.rawValue]
    if host.subdomains != .none { words.append("subdomains=\(host.subdomains)") }
    if host.requirement != .any { words.append(host.requirement.rawValue) }
    if let expires = host.expires { words.append("until \(expires) \(host.onExpiry?.rawValue ?? "?")") }
    if !host.reportURIs.isEmpty { words.append("reports to \(host.reportURIs.joined(separator: " "))") }
    let keys = list.keys(of: host).map { key in
      let pin = Base64.encode(key.pin.digest.bytes).prefix(6)
      return "\(key.name)=\(pin)" + (key.position.map { "@\($0)" } ?? "") + (key.owner.map { "(\($0))" } ?? "")
    }
    return (words + keys).joined(separator: " ")
  }

  private static func line(_ finding: ImportFinding) -> String {
    let place = finding.place.start
    return "\(place.line):\(place.column) \(finding.kind.rawValue) \(finding.message)\n    \(finding.help)"
  }
}
