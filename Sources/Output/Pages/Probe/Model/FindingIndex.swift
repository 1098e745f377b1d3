import Diagnostics
import PinFormat
import PinProbe

/// Which findings speak of which host.
///
/// A finding about a server names it in its message by host and port. What names none of the hosts, such as a finding
/// about the policy itself, is kept apart.
struct FindingIndex {
  /// The numbers of the report's findings, by the number of the target.
  private(set) var ofTarget: [Int: [Int]] = [:]
  /// The numbers of those that speak of no host here.
  private(set) var others: [Int] = []

  init(_ report: Report, _ targets: [AssessedTarget]) {
    var byLabel: [Substring: Int] = [:]
    var byHost: [Substring: Int] = [:]
    for number in targets.indices {
      let (label, host) = (Substring(targets[number].label), Substring(targets[number].host.text))
      byLabel[label] = byLabel[label] ?? number
      byHost[host] = byHost[host] ?? number
    }
    for (number, finding) in report.diagnostics.enumerated() {
      // Findings about the policy may name the same host for another reason.
      let words = Diagnostic.isOfServers(finding.code) ? Self.names(in: finding.message) : []
      if let target = words.firstMap({ byLabel[$0] }) ?? words.firstMap({ byHost[$0] }) {
        ofTarget[target, default: []].append(number)
      } else {
        others.append(number)
      }
    }
  }

  /// The runs of characters that a host and port are written with, without punctuation at the end.
  private static func names(in message: String) -> [Substring] {
    message.split { character in
      guard let byte = character.asciiValue else { return true }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
        return false
      default: return true
      }
    }.map { word in
      var word = word
      while word.last == ":" || word.last == "." { word.removeLast() }
      return word
    }
  }
}

extension Sequence {
  /// The first answer that isn't nil.
  fileprivate func firstMap<Answer>(_ transform: (Element) -> Answer?) -> Answer? {
    for element in self {
      if let answer = transform(element) { return answer }
    }
    return nil
  }
}
