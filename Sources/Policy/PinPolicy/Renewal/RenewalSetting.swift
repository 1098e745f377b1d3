package import Diagnostics

/// What one setting of a certificate tool says about the key at the next renewal.
package struct RenewalSetting: Sendable {
  /// A tool that renews certificates.
  package enum Tool: String, Sendable, CaseIterable {
    case certbot
    case lego
    case acmeSh = "acme.sh"
    case certManager = "cert-manager"
  }

  /// What happens to the key, the best case first: of several settings for one host, the worst counts.
  package enum Answer: String, Sendable, CaseIterable, Comparable {
    case keeps
    case unknown
    case newKey = "new-key"

    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
      switch self {
      case .keeps: 0
      case .unknown: 1
      case .newKey: 2
      }
    }
  }

  /// Which hosts the certificate is for.
  package enum Names: Sendable {
    /// As certificates have them: DNS names, wildcards included, and addresses.
    case known([String])
    /// It is a CA's certificate, for the hosts that pin its key: its common name, if the setting has one.
    case authority(String?)
    /// Why that isn't known, as a clause, and what to do about it.
    case unknown(String, help: String)
  }

  /// What decides which hierarchy issues the certificate: an ACME profile or a preferred chain.
  package struct Choice: Hashable, Sendable {
    package enum Reading: Sendable { case known, elsewhere, unread }

    /// `preferred chain 'ISRG Root X1'`, or what isn't known.
    package let text: String
    package let reading: Reading
    package let place: Place

    package init(_ name: String, _ value: String?, at place: Place) {
      if let value, !value.contains(where: { "$`{".contains($0) }) {
        (text, reading) = ("\(name) '\(VisibleText.of(value))'", .known)
      } else {
        (text, reading) = ("a \(name) that can't be read", .unread)
      }
      self.place = place
    }

    package init(_ reading: Reading, _ text: String, at place: Place) {
      (self.reading, self.text, self.place) = (reading, text, place)
    }
  }

  package var way: RenewalWay
  package var answer: Answer
  package var names: Names
  /// The line that decides, or the part where it would be.
  package var place: Place
  /// Why the answer is this one: a clause.
  package var reason: String
  /// How to keep the key, as an instruction; empty if it is kept.
  package var help: String
  package var choices: [Choice]

  package var tool: Tool { way.tool }

  package init(
    _ way: RenewalWay, answer: Answer, names: Names, at place: Place, because reason: String, help: String,
    choices: [Choice] = []
  ) {
    self.way = way
    self.answer = answer
    self.names = names
    self.place = place
    self.reason = reason
    self.help = help
    self.choices = choices
  }
}
