import PinFormat

// Prints worlds as Swift code, to paste into Regressions.swift.

extension PlainWorld: CustomStringConvertible {
  package var description: String {
    "PlainWorld(now: \(now), end: \(end), window: \(window), releases: ["
      + releases.map(\.text).joined(separator: ", ") + "], servers: [" + servers.map(\.text).joined(separator: ", ")
      + "]" + (issuers.isEmpty ? "" : ", issuers: \(issuers)") + ")"
  }
}

extension PlainRelease {
  fileprivate var text: String {
    var text = "PlainRelease(.\(origin), issued: \(issued), [" + entries.map(\.text).joined(separator: ", ") + "]"
    if !denied.isEmpty { text += ", denied: \(denied)" }
    if let expires { text += ", expires: \(expires)" }
    if onStale != .enforce { text += ", onStale: .\(onStale)" }
    if deniesUnpinned { text += ", deniesUnpinned: true" }
    return text + ")"
  }
}

extension PlainEntry {
  fileprivate var text: String {
    var text = "PlainEntry(\"\(host)\""
    if let port { text += ", port: \(port)" }
    if subdomains { text += ", subdomains: true" }
    if mode != .enforce { text += ", .\(mode)" }
    if !keys.isEmpty { text += ", keys: [" + keys.map(\.text).joined(separator: ", ") + "]" }
    if requirement != .any { text += ", .\(requirement)" }
    if let expires, let onExpiry { text += ", expires: \(expires), onExpiry: .\(onExpiry)" }
    return text + ")"
  }
}

extension PlainKey {
  fileprivate var text: String {
    guard position != nil || isBackup else { return "\(number)" }
    return "PlainKey(\(number)" + (position.map { ", .\($0)" } ?? "") + (isBackup ? ", backup: true" : "") + ")"
  }
}

extension PlainServer {
  fileprivate var text: String {
    "PlainServer(\"\(host)\"" + (port == 443 ? "" : ", port: \(port)") + ", ["
      + phases.map(\.text).joined(separator: ", ") + "])"
  }
}

extension PlainPhase {
  fileprivate var text: String {
    "PlainPhase(.\(source), at: \(begin), "
      + (isUncertain == (source == .assumed) ? "" : "isUncertain: \(isUncertain), ")
      + "["
      + views.map { view in
        "PlainView(" + (view.kind.map { "kind: \"\($0)\", " } ?? "") + "["
          + view.landings.map(\.text).joined(separator: ", ") + "])"
      }.joined(separator: ", ") + "])"
  }
}

extension PlainLanding {
  fileprivate var text: String {
    switch self {
    case .refused(let chain): ".refused(\(chain))"
    case .chain(let chain, let until): ".chain(\(chain)" + (until.map { ", until: \($0)" } ?? "") + ")"
    }
  }
}
