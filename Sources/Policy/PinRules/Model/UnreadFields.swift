import Diagnostics
import PinFormat
import PinPolicy

/// Fields of host entries that are written but could not be read, each a finding of its own.
///
/// Rules about what an entry lacks ask here first, so that one mistake isn't reported twice.
package struct UnreadFields: Sendable {
  private var ofEntry: [Place: Set<String>] = [:]
  private var ofDefaults: [FileID: Set<String>] = [:]
  private var misspelt: Set<Misspelt> = []

  /// A field with a typo, under the name that was probably meant.
  private struct Misspelt: Hashable {
    var field: String
    /// What has the field: `policy file`, `host entry`.
    var within: String
    var file: FileID
  }

  init(of policy: Policy) {
    let files = Dictionary(policy.files.map { ($0.id, $0) }) { first, _ in first }
    for problem in policy.problems {
      let field: String
      switch problem.kind {
      case .wrongShape(let name, _, _), .badScalar(let name, _, _), .duplicateField(let name),
        .tooLong(let name, _, _):
        field = name
      case .alias: field = Self.any
      case .unknownField(let name, let within, let known):
        let meant = Rule.fieldMeant(by: name, in: within, among: known) ?? name
        misspelt.insert(Misspelt(field: meant, within: within, file: problem.place.file))
        field = ["host entry", "defaults"].contains(within) ? meant : name
      default: continue
      }
      if let entry = files[problem.place.file]?.entry(around: problem.place) {
        ofEntry[entry.place, default: []].insert(field)
      } else {
        ofDefaults[problem.place.file, default: []].insert(field)
      }
    }
  }

  /// True where the field of the entry, or its file's default for it, could not be read.
  func contains(_ field: String, of entry: ParsedHost) -> Bool {
    [ofEntry[entry.place], ofDefaults[entry.place.file]].contains { fields in
      fields.map { $0.contains(field) || $0.contains(Self.any) } ?? false
    }
  }

  /// In place of a field's name: an alias may stand for any.
  private static let any = "*"

  /// True if a field of a file, outside its host entries, could not be read or has a typo.
  func contains(_ field: String, of file: FileID) -> Bool {
    ofDefaults[file]?.contains(field) == true || isMisspelt(field, in: "policy file", of: file)
  }

  /// True if a file of the policy has a field that was probably meant as one of these.
  func isMisspelt(anyOf fields: Set<String>, in within: String) -> Bool {
    misspelt.contains { $0.within == within && fields.contains($0.field) }
  }

  /// True if the file has a field that was probably meant as this one, in such a mapping.
  func isMisspelt(_ field: String, in within: String, of file: FileID) -> Bool {
    misspelt.contains(Misspelt(field: field, within: within, file: file))
  }

  /// True if names may be used where a field has a typo, so that nobody can say that one is unused.
  var mayUseNames: Bool {
    isMisspelt(anyOf: ["keys"], in: "host entry") || isMisspelt(anyOf: ["active", "backup"], in: "key set")
      || isMisspelt(anyOf: ["keys", "key-sets", "hosts"], in: "policy file")
  }

  /// True where anything of the entry could not be read.
  func containsAny(of entry: ParsedHost) -> Bool { ofEntry[entry.place] != nil }
}

extension CheckInput {
  /// True if everything that the policy says and names could be read, so that a rule that is silent has nothing to say.
  var isReadWhole: Bool {
    policy.isComplete
      && policy.problems.allSatisfy { problem in
        switch problem.kind {
        case .byteOrderMark, .malformedSuppression, .missingSettings, .repeatedKey: true
        default: false
        }
      }
  }

  /// True where an entry seems to lack a field that is written, or may be written where reading had to stop.
  func mayHave(_ field: String, _ entry: Policy.HostEntry) -> Bool {
    written(entry).map { unread.contains(field, of: $0) || isCutOff($0) } ?? false
  }
}

extension ParsedFile {
  /// The entry that contains a place; it may have no host.
  func entry(around place: Place) -> ParsedHost? {
    // Entries are in the order of the text, so it is the last one that begins before the place.
    let next = hosts.partitioningIndex { $0.place.start > place.start }
    return next > hosts.startIndex ? hosts[next - 1] : nil
  }
}
