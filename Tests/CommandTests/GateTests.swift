import Foundation
import TestSupport
import Testing

/// `pintle gate` on branches of a repository, by what its base says.
///
/// A comment in front of a row or a test, here and elsewhere, such as `ci-keyset-swap`, is the short name of an attack that
/// an earlier pipeline let through.
@Suite("The gate")
struct GateTests {
  let scene: EventScene

  init() throws {
    scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(Self.functions)\nEND")
  }

  /// Signs draft 2 with these keys and puts it together by hand, as somebody without a key can.
  static let functions = """
    gate() { pintle gate --base main "$@"; }
    assembled() {
      python3 - "${1:-event/2.json}" "${2:-released/2.json}" <<'PY'
    import glob, json, sys
    draft, target = sys.argv[1:]
    files = sorted(glob.glob(draft[:-5] + ".signatures/*.json"))
    signatures = [{key: json.load(open(file))[key] for key in ("keyid", "sig")} for file in files]
    raw = open(draft, "rb").read()
    signed = raw[raw.index(b'"signed":'):]
    open(target, "wb").write(b'{"signatures":' + json.dumps(signatures, separators=(",", ":")).encode() + b"," + signed)
    PY
    }
    release() { assembled && git rm -q -r event && commit 'Release 2'; }
    unpin() { begin 's/mode: enforce/mode: report-only/' payments.yaml; }
    branch() { git switch -q -c "${1:-other}" main; }
    main() { git switch -q main; }
    # two_audiences OWNER SIGNER [EDIT]: the base has staging as well, and staging.yaml of OWNER is for it alone
    two_audiences() {
      git rm -q -r released keysets
      sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml
      sed "s/carol/$1/; s/pay/pay-staging/; s/^owners/audiences: [staging]\\n&/" policies/payments.yaml >policies/staging.yaml
      eval "${3:-}"
      for name in production staging; do
        mkdir -p keysets/$name && pintle keyset init -o keysets/$name/1.keyset.json --audience $name \
          --root root=../root.key.pub --root-threshold 1 --signer alice=../alice.key.pub --signer carol=../carol.key.pub \
          --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
        pintle sign keysets/$name/1.keyset.json --sign-key ../root.key
      done
      pintle build policies -o released --serial 1 --issued-at 2026-11-21 --keyset keysets --sign-key ../$2.key
      commit Audiences
    }
    """

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the branch commits.
    var commands: String
    var status: Int32
    /// What the gate says.
    var says: [String]
    var options = ""
    /// What it doesn't say.
    var lacks: [String] = []
    var testDescription: String { name }
  }

  static let rows = files + drafts + withdrawals

  @Test("each row of the table of docs/security.md names rows of these tests, or tests of its own")
  func securityTable() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/security.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let head = try #require(lines.firstIndex { $0.hasSuffix("| shown by `GateTests.judges` |") })
    let rows = lines[(head + 2)...].prefix { $0.hasPrefix("|") }
    #expect(rows.count >= 12)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in try #require(cells.last).split(separator: ";").map({ $0.trimmingCharacters(in: .whitespaces) }) {
        // Scripts/check/docs looks for tests by their names.
        if name.split(separator: ", ").allSatisfy({ $0.hasPrefix("`") && $0.hasSuffix("`") && $0.contains("Tests") }) {
          continue
        }
        let isShort = name.hasSuffix("…")
        let found = Self.rows.contains {
          isShort ? $0.name.hasPrefix(name.dropLast().trimmingCharacters(in: .whitespaces)) : $0.name == name
        }
        #expect(found, "\(name)")
      }
    }
  }

  @Test("says what may be merged, what must still be signed by whom, and what is refused", arguments: rows)
  func judges(_ row: Row) throws {
    let set = try scene.place.run(
      "bash -c '. ./functions; set -e; cd a; eval \"$0\"' \"$(cat <<'EOT'\n\(row.commands)\nEOT\n)\"")
    #expect(set.status == 0, "\(set.stdoutText)\(set.stderrText)")
    let result = try scene.run("cd a && gate \(row.options)", ends: row.status)
    let text = result.stdoutText + result.stderrText
    for part in row.says { #expect(text.contains(part), "\(part)\n\(text)") }
    for part in row.lacks { #expect(!text.contains(part), "\(part)\n\(text)") }
  }
}
