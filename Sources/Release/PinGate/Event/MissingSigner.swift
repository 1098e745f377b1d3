import PinPolicy

/// Somebody who can still sign.
package struct MissingSigner: Hashable, Sendable {
  /// What is signed: `event/8.json`.
  package var file: String
  /// The key's name in the keyset.
  package var name: String
  package var role: String
  /// The keyset or the policy file that gives the role: `keyset 1`, `policies/payments.yaml`.
  package var of: String
  /// How many signatures of this role are missing; any of those who have it can give them.
  package var needed: Int
}

extension EventStatus {
  /// Who can give the signatures that are missing; nobody for a draft that is rejected.
  package var missing: [MissingSigner] {
    let open = drafts.filter { $0.rejection == nil }
    let members = open.flatMap { draft in
      draft.tallies.filter { $0.missing > 0 }.flatMap { tally in
        tally.members.filter { !$0.hasSigned }.map { member in
          MissingSigner(
            file: draft.path, name: member.name, role: tally.role.rawValue, of: "keyset \(tally.keyset)",
            needed: tally.missing)
        }
      }
    }
    let owners = owned.flatMap { file in
      file.approvals.filter(\.by.isEmpty).flatMap { approval in
        open.filter { $0.path == approval.draft }.flatMap { draft in
          approval.owners.filter { !approval.unknown.contains($0) }.map { owner in
            MissingSigner(file: draft.path, name: owner, role: "owner", of: file.path, needed: 1)
          }
        }
      }
    }
    return members + owners.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
