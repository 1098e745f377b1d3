import TestSupport
import Testing

/// What `check --fix --dry-run` shows of a policy with a mistake in each of its many entries.
@Suite("The diff of a long policy")
struct LongDiffTests {
  /// `patch` makes of the old files what `--fix` makes of them: the diff is taken apart at lines that don't change.
  @Test(arguments: [3, 700])
  func patchMakesWhatFixWrites(hosts: Int) throws {
    let place = try Workplace()
    let entries = (0..<hosts).map { number in
      """
        - host: h\(number).example.com
          include-subdomain: true
          keys: web
      """
    }
    let policy = """
      version: 1
      keys:
        now: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M= }
      key-sets:
        web: { active: [now] }
      hosts:
      \(entries.joined(separator: "\n"))

      """
    try place.write(policy, to: "long.yaml")
    let script = """
      mkdir shown fixed && cp long.yaml shown/manifest.yaml && cp long.yaml fixed/manifest.yaml
      pintle check shown --fix --dry-run --at 2026-11-21 >diff
      pintle check fixed --fix --at 2026-11-21 >log
      patch -s -p1 <diff && cmp shown/manifest.yaml fixed/manifest.yaml && grep -c '^[-+] ' diff
      """
    let result = try place.run(script)
    #expect(result.stderrText.contains("nothing was written"))
    #expect(result.stdoutText == "\(2 * hosts)\n")
  }
}
