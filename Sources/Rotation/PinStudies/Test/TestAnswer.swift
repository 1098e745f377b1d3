package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinValidator

/// What one kind of client was asked, and what it answers.
package struct TestAnswer {
  /// Of several audiences, whose clients they are.
  package var audience: String?
  /// The kind of client, if not all kinds answer the same.
  package var client: String?
  package var host: String
  package var instant: Instant
  /// The release that clients have; nil for the policy itself.
  package var release: String?
  /// What the server presents, in words.
  package var presented: String
  /// Whether the certificates are made up around what is known.
  package var isMadeUp: Bool
  package var verdict: Verdict
  /// The manifest that gave it.
  package var manifest: LoadedManifest

  /// The answer as tests write it.
  package var kind: PolicyTest.Expected {
    switch verdict.kind {
    case .allow: .allow
    case .block: .block
    case .notPinned: .notPinned
    }
  }

  /// The code of the reason: of a rejected chain, that of its failure.
  package var because: String {
    if case .block(.untrusted(let failure), _) = verdict { return PolicyTest.code(of: failure.code) }
    return verdict.reasonCode
  }

  package var reason: String { manifest.reason(for: verdict) }
  package var keys: [String] { verdict.matches.compactMap { manifest.keyName($0.key) } }
  package var entry: String? { verdict.context.entry.flatMap { manifest.entryLabel($0) } }

  /// The step that gave it, what the step asks, and the rule that a rejected chain breaks.
  package var step: String {
    let step = verdict.context.step
    var text = "step \(step.rawValue) of 5: \(step.meaning)"
    if case .block(.untrusted(let failure), _) = verdict { text += ", by \(failure.rule)" }
    return text
  }

  /// What was asked, in words.
  package var question: String {
    var text = "\(host) at \(instant), \(presented)"
    if let release { text += ", with \(release)" }
    if let audience { text += ", in '\(audience)'" }
    if let client { text += ", for \(client)" }
    return text
  }

  /// How it differs from what a test expects: what, the expected and the given value, and where it is expected.
  func differences(from test: PolicyTest) -> [TestDifference] {
    var found: [TestDifference] = []
    func compare(_ what: String, _ expected: String, _ given: String, _ isSame: Bool, _ place: Place) {
      if !isSame { found.append(TestDifference(what: what, expected: expected, given: given, place: place)) }
    }
    let expected = test.expected
    compare("answer", expected.value.rawValue, kind.rawValue, expected.value == kind, expected.place)
    if let because = test.because {
      compare(
        "reason", because.value, self.because, PolicyTest.isReason(because.value, of: verdict), because.place)
    }
    if let step = test.step {
      let given = verdict.context.step.rawValue
      compare("step", "\(step.value)", "\(given)", step.value == given, step.place)
    }
    if let key = test.key {
      // A key with 'position: ca' has two names in a manifest.
      let names = [key.value] + KeyPosition.ca.parts(of: key.value).map(\.name)
      let isSame = keys.contains(where: names.contains)
      compare("key", key.value, keys.isEmpty ? "none" : keys.joined(separator: " and "), isSame, key.place)
    }
    if let events = test.events {
      let given = verdict.context.events.names.sorted()
      func text(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: " and ") }
      compare("events", text(events.value), text(given), events.value == given, events.place)
    }
    return found
  }
}

/// One thing that isn't as a test expects it.
package struct TestDifference {
  /// `answer`, `reason`, `step`, `key` or `events`.
  package var what: String
  package var expected: String
  package var given: String
  package var place: Place
}

extension DecisionStep {
  /// What the step asks.
  package var meaning: String {
    switch self {
    case .entry: "which entry covers the host, and does it pin now"
    case .trust: "is the chain valid for the host"
    case .denial: "is a denied key in the validated chain"
    case .requirement: "does a pinned key match at its position"
    case .mismatch: "what happens on a mismatch"
    }
  }
}
