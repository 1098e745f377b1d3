import Foundation
import TestSupport
import Testing

/// A policy repository with an origin and three clones, `a`, `b` and `c`, whose people sign a release in git.
///
/// Serial 1 is released. Two of alice, bob and carol must sign; carol owns `payments.yaml`.
struct EventScene {
  let place: Workplace

  private static let functions = """
    set -e
    export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=t@example.com
    export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=t@example.com
    export GIT_AUTHOR_DATE=2026-11-22T00:00:00Z GIT_COMMITTER_DATE=2026-11-22T00:00:00Z
    # Nothing may depend on the day on which the tests run.
    pintle() {
      case "$1 ${2-}" in
        event* | gate* | sign* | verify* | publish*) command pintle "$@" --at 2026-11-22 ;;
        *) command pintle "$@" ;;
      esac
    }
    commit() { git add -A && git commit -q -m "$1"; }
    push() { git push -q -u origin HEAD; }
    draft() { pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at 2026-11-22; }
    sign() { pintle sign ${2:-event/2.json} --detached --keyset keysets --against released --sign-key ../$1.key; }
    signed() { sign "$@" && commit "Sign as $1"; }
    signature() { echo ${2:-event/2}.signatures/$(pintle show ../$1.key.pub | grep -oE '[0-9a-f]{64}' | head -1).json; }
    begin() { git switch -q -c release-2; sed -i "$1" policies/$2; mkdir -p event; commit Policy; draft; commit Draft; }
    status() { pintle event status "$@"; }
    enforce() { begin 's/mode: report-only/mode: enforce/' web.yaml; }

    """

  private static let repository = """
    for name in root alice bob carol stranger; do pintle key $name.key; done
    mkdir -p a/policies a/keysets a/released
    cat >a/policies/manifest.yaml <<END
    version: 1
    manifest: { audience: production }
    END
    cat >a/policies/web.yaml <<END
    version: 1
    defaults: { expires: 2027-06-01, on-expiry: report-only, report-uris: [https://r.example/pins] }
    keys:
      one: { pin: sha256/dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0= }
      two: { pin: sha256/P8TM/nRYcOLA2Z9x8w/wZWyN7dQcwdfT03aw2+aF4vM= }
    key-sets:
      web: { active: [one], backup: [two] }
    hosts:
      - host: www.example.com
        mode: report-only
        keys: web
    END
    cat >a/policies/payments.yaml <<END
    version: 1
    owners: [carol]
    defaults: { expires: 2027-06-01, on-expiry: report-only, report-uris: [https://r.example/pins] }
    hosts:
      - host: pay.example.com
        include-subdomains: true
        mode: enforce
        keys: web
    END
    cd a
    pintle keyset init -o keysets/1.keyset.json --audience production --root root=../root.key.pub --root-threshold 1 \
      --signer alice=../alice.key.pub --signer bob=../bob.key.pub --signer carol=../carol.key.pub --threshold 2 \
      --issued-at 2026-11-21 --expires 2027-11-21
    pintle sign keysets/1.keyset.json --sign-key ../root.key
    pintle build policies -o released/1.json --sign-key ../alice.key --sign-key ../bob.key --serial 1 \
      --issued-at 2026-11-21
    git init -q -b main && commit Begin
    git init -q --bare -b main ../origin
    git remote add origin ../origin && push
    cd .. && git clone -q origin b && git clone -q origin c

    """

  init() throws {
    place = try Workplace()
    try place.write(Self.functions, to: "functions")
    try run(Self.repository)
  }

  /// Runs commands in the folder of the clones, and requires that they end so.
  @discardableResult
  func run(_ commands: String, ends status: Int32 = 0) throws -> RunResult {
    let result = try place.run("bash -c '. ./functions; eval \"$0\"' \"$(cat <<'EOT'\n\(commands)\nEOT\n)\"")
    #expect(result.status == status, "\(commands)\n\(result.stdoutText)\(result.stderrText)")
    return result
  }

  /// What the status of a clone's branch says.
  func status(_ clone: String = "a", _ arguments: String = "", ends status: Int32) throws -> String {
    let result = try run("cd \(clone) && status \(arguments)", ends: status)
    try place.expectProposalsRun(in: result, after: "cd \(clone)", "event status")
    return result.stdoutText
  }
}
