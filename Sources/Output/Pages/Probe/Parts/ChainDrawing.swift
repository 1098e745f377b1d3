import Diagnostics
import PinFormat
import PinProbe

extension Markup {
  /// A chain as boxes, the leaf first, with every way from it to an anchor as a branch.
  mutating func drawing(of number: Int, _ model: ProbeModel) {
    let chain = model.chains[number]
    element(.div, .id(.chain(number + 1)), .kind("chain")) { markup in
      markup.element(.div, .kind("scroll"), .region, .focusable, .label("Chain \(number + 1), drawn")) { markup in
        if !chain.leaves.isEmpty { markup.level(chain.leaves, depth: 0, chain, model) }
        for end in chain.ends { markup.element(.p) { $0.end(end) } }
      }
      if chain.pathsLeftOut > 0 {
        markup.element(.p, .kind("aside"), text: "\(chain.pathsLeftOut) more paths are not drawn.")
      }
      markup.form(of: chain, model)
      markup.timeLine(of: chain, model)
    }
  }

  /// Certificates that are side by side, and above each what is above it.
  private mutating func level(_ nodes: [ChainModel.Node], depth: Int, _ chain: ChainModel, _ model: ProbeModel) {
    element(.ul, .kind(depth == 0 ? "tree" : "")) { markup in
      for node in nodes {
        markup.element(.li) { markup in
          markup.box(node, depth: depth, chain, model)
          if !node.above.isEmpty {
            markup.level(node.above, depth: depth + 1, chain, model)
          } else if let issuer = chain.issuerMissing(above: node) {
            markup.absent(issuer)
          }
        }
      }
    }
  }

  /// Where a certificate should be that was not sent and isn't known.
  private mutating func absent(_ issuer: String) {
    element(.ul) { markup in
      markup.element(.li) { markup in
        markup.element(.div, .kind("box absent")) { markup in
          markup.element(.p, .kind("role"), text: "missing")
          markup.element(.p, .kind("name"), text: ShownText.name(issuer))
        }
      }
    }
  }

  private mutating func box(_ node: ChainModel.Node, depth: Int, _ chain: ChainModel, _ model: ProbeModel) {
    let record = model.record(node.certificate)
    let worst = node.ends.map(\.state.standing).min()
    element(.div, .kind("box" + (node.matches.isEmpty ? "" : " pinned"))) { markup in
      markup.element(.p, .kind("role"), text: role(node, depth, record) + origin(node.certificate, chain))
      markup.element(.p, .kind("name")) { markup in
        let certificate = (model.numberOfCertificate[node.certificate] ?? 0) + 1
        markup.element(.a, .link(.certificate(certificate)), text: model.name(node.certificate))
      }
      if let record {
        markup.element(.p, .kind("key")) { markup in
          markup.text(record.key + " ")
          markup.element(.code, text: record.pin?.description ?? "unreadable key")
        }
      }
      for match in node.matches { markup.element(.p, .kind("match")) { $0.match(match) } }
      if worst != nil {
        markup.element(.div, .kind("ends")) { markup in
          for end in node.ends { markup.element(.div) { $0.end(end) } }
        }
      }
    }
  }

  private mutating func match(_ match: KeyMatch) {
    let name = "‘" + ShownText.name(match.key) + "’"
    if match.isDenied {
      badge(.fails, "denied key " + name)
    } else if !match.counts {
      badge(.nothing, "key \(name) doesn't count at this position")
    } else if match.isBackup {
      badge(.caution, "backup key " + name)
    } else {
      badge(.holds, "pinned key " + name)
    }
  }

  private mutating func end(_ end: ChainModel.End) {
    badge(end.state.standing, end.state.words)
    element(.small, text: " for " + end.stores.map(ShownText.name).joined(separator: ", "))
    for text in end.failures + end.excused { element(.p, .kind("why"), text: ShownText.of(text)) }
  }

  /// Beneath the boxes: what is wrong with the form in which the chain was sent.
  private mutating func form(of chain: ChainModel, _ model: ProbeModel) {
    var lines = chain.flaws.map { $0.text { place in place < chain.sent.count ? model.name(chain.sent[place]) : "?" } }
    let told = Set(chain.flaws.compactMap(\.place).filter { $0 < chain.sent.count }.map { chain.sent[$0] })
    let unused = chain.unused.filter { !told.contains($0) }
    if !unused.isEmpty {
      lines.append("Sent and in no path: " + unused.map { model.name($0) }.joined(separator: ", "))
    }
    guard !lines.isEmpty else { return }
    element(.ul, .kind("form"), .label("How the chain was sent")) { markup in
      for line in lines { markup.element(.li, text: line) }
    }
  }
}

extension ChainModel {
  /// The issuer that a path came to an end for lack of.
  fileprivate func issuerMissing(above node: Node) -> String? {
    guard node.ends.contains(where: { !$0.failures.isEmpty }) else { return nil }
    for case .incomplete(let last, let issuer, _) in flaws where last < sent.count && sent[last] == node.certificate {
      return issuer
    }
    return nil
  }
}

private func role(_ node: ChainModel.Node, _ depth: Int, _ record: CertificateRecord?) -> String {
  if depth == 0 { return node.ends.contains { $0.failures.isEmpty } ? "leaf, trusted itself" : "leaf" }
  if !node.above.isEmpty || node.ends.isEmpty { return "intermediate" }
  let isRoot = record?.isSelfSigned ?? false
  if node.ends.allSatisfy({ $0.failures.isEmpty }) { return isRoot ? "root" : "anchor" }
  return isRoot ? "root" : "end of the path"
}

/// Where a client has the certificate from.
private func origin(_ certificate: SHA256Digest, _ chain: ChainModel) -> String {
  guard let place = chain.sent.firstIndex(of: certificate) else { return " · not sent" }
  return " · sent, no. \(place + 1)"
}

extension ChainFlaw {
  /// The certificate that has no business there, by its place.
  fileprivate var place: Int? {
    switch self {
    case .superfluous(let place), .root(let place), .repeated(let place): place
    case .wrongOrder, .incomplete: nil
    }
  }

  /// The flaw in a sentence; `name` gives the name of the certificate at a place of what was sent.
  fileprivate func text(_ name: (Int) -> String) -> String {
    switch self {
    case .wrongOrder(let expected):
      "Sent in the wrong order; the right order is: " + expected.map(name).joined(separator: ", then ")
    case .superfluous(let place): "No. \(place + 1), \(name(place)), is unrelated to the leaf"
    case .root(let place): "No. \(place + 1), \(name(place)), is a root, which clients don't need"
    case .repeated(let place): "No. \(place + 1), \(name(place)), was already sent"
    case .incomplete(let last, let issuer, let urls):
      "Above \(name(last)) its issuer was not sent: \(ShownText.name(issuer))"
        + (urls.isEmpty ? "" : ", which is at " + urls.prefix(3).map(ShownText.name).joined(separator: ", "))
    }
  }
}
