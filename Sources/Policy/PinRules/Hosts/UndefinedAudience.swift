import Diagnostics
import PinPolicy

extension Rule {
  /// A file, entry, key set, slice or overlay names something that the audiences don't have.
  static let undefinedAudience = Rule(
    code: "P217",
    name: "undefined-audience",
    severity: .error,
    title: "An audience, or an entry of an audience, is named that doesn't exist.",
    rationale: """
      What is only for an audience that doesn't exist would be in no manifest. An overlay of an entry that the audience
      doesn't have would change nothing. A slice blocks hosts that aren't pinned. So it would block a name that no entry
      covers, and also one that isn't pinned at every port, or may become unpinned, which the whole manifest lets through.
      """,
    failing: .publicWeb(
      """
      manifest:
        audiences: { production: { refresh-after: 1d }, staging: { refresh-after: 1h } }
      hosts:
        - host: api.example.com
          audiences: [stagin]
          keys: public-web
      """),
    passing: .publicWeb(
      """
      manifest:
        audiences: { production: { refresh-after: 1d }, staging: { refresh-after: 1h } }
      hosts:
        - host: api.example.com
          audiences: [staging]
          keys: public-web
      """),
    citation: "docs/audiences.md",
    isSuppressible: false,
    check: .problems { problem, input in
      switch problem.kind {
      case .undefinedAudience(let name, let known):
        var guesses = Suggestion.Guesses()
        return Finding(
          at: problem.place, "there is no audience \(Wording.quoted(name)) with a manifest of all hosts",
          help: guesses.help(
            name, among: known,
            else: known.isEmpty
              ? "Declare it under 'audiences:' in 'manifest:'."
              : "Declare it under 'audiences:' in 'manifest:', without 'slice-of:'; there are \(Wording.list(known))."),
          fixes: input.writingNearest(name, among: known, at: problem.place))
      case .overlayWithoutEntry(let label, let audience):
        return Finding(
          at: problem.place, "the audience '\(audience)' has no entry '\(label)' to change",
          help: "Name an entry by its host and port, as it is in the policy.")
      case .repeatedOverlay(let label):
        return Finding(
          at: problem.place, "'\(label)' has a second overlay here",
          related: problem.related.map { [Diagnostic.Related("the first one is here", at: $0)] } ?? [],
          help: "Merge the two.")
      case .ungovernedHost(let label):
        return Finding(
          at: problem.place, "no entry covers \(Wording.quoted(label)), so the slice would block it",
          help:
            "Add a host entry for it, or remove it from the slice. If clients may connect to it without pins, also write "
            + "'unpinned-hosts: allow' in the slice.")
      case .unpinnedInSlice(let label):
        return Finding(
          at: problem.place,
          "\(Wording.quoted(label)) isn't pinned at some port, or may become unpinned, and the slice would block it then",
          help:
            "Write 'unpinned-hosts: deny' in the slice to block it. 'allow' lets it through as the whole does, and all "
            + "other unpinned hosts too.")
      default: return nil
      }
    })
}
