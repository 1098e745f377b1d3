import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

/// `pintle publish` as clients see it: killed at each step, next to other publishers, and after a rollback.
@Suite("pintle publish")
struct PublishTests {
  private let place: Workplace
  private static let publish = "pintle publish site released --keyset keysets --at 2026-12-04"

  /// Two versions of a keyset and two releases; version 1 and serial 1 are published in `site`.
  init() throws {
    place = try Workplace()
    try place.write(
      """
      mkdir keysets released site
      pintle keyset init -o keysets/1.keyset.json --audience test --root alice=people/alice.pub --root bob=people/bob.pub \
        --root-threshold 1 --signer ci=people/ci.pub --signer dora=people/dora.pub --threshold 1 \
        --issued-at 2026-11-21 --expires 2027-11-21 --sign-key people/alice.key
      pintle build policies -o released/1.json --sign-key people/ci.key --sign-key people/dora.key --serial 1 \
        --issued-at 2026-11-21
      pintle publish site released --keyset keysets --at 2026-11-22
      pintle keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-12-02 \
        --at 2026-12-02 --expires same \
        --remove-signer ci --add-signer emil=people/emil.pub --sign-key people/alice.key
      pintle build policies -o released/2.json --sign-key people/emil.key --against released --keyset keysets \
        --issued-at 2026-12-03 --at 2026-12-03
      cp -a site before
      pintle publish site released --keyset keysets --at 2026-12-04
      mv site after
      """, to: "scene")
    let made = try place.run("sh -e scene")
    try #require(made.status == 0, "\(made.stderrText)")
  }

  /// A client that was shipped with version 1 of the keyset and has nothing else.
  private func client() throws -> PinStore {
    let now = try #require(Instant(written: "2026-12-04"))
    let shipped = Array(try place.read("keysets/1.keyset.json").utf8)
    var settings = PinStoreSettings(
      keyset: try TrustedKeyset.load(shipped: shipped, audience: "test"), withoutManifest: .block)
    settings.clock = { now }
    return PinStore(settings)
  }

  /// Has a client look at what is published, in the order in which clients do.
  private func fetch(_ store: PinStore) throws {
    try KeysetFolder(path: place.path + "/site/test/keysets", store: store).checkForChange()
    try store.update(file: place.path + "/site/test/manifest.json")
  }

  /// A new client accepts everything that is published; the manifest in force is also there under its serial.
  private func expectWhole(_ what: String) throws {
    let store = try client()
    try fetch(store)
    let serial = try #require(store.validator?.manifest.serial)
    #expect(serial == 1 || store.keyset?.version == 2, "\(what): the keyset comes first")
    #expect(
      try place.read("site/test/\(serial).json") == place.read("site/test/manifest.json"), "\(what): serial \(serial)")
  }

  private func restore() throws { #expect(try place.run("rm -rf site && cp -a before site").status == 0) }

  /// Publishes again, which must give exactly what an undisturbed run gives.
  private func expectCompletion(_ command: String, _ what: String) throws {
    let again = try place.run(command)
    #expect(again.status == 0, "\(what): \(again.stderrText)")
    let difference = try place.run("diff -r site after")
    #expect(difference.status == 0, "\(what): \(difference.stdoutText)")
  }

  @Test(
    "Killed before any of its system calls, it leaves what clients accept, and the next run completes it",
    arguments: ["mkdirat", "openat", "write", "fsync", "linkat", "renameat", "unlinkat"])
  func killedAtAFolder(call: String) throws {
    var kills = 0
    while true {
      try restore()
      if call == "mkdirat" { #expect(try place.run("rm -rf site; mkdir site").status == 0) }
      let result = try place.run(
        "strace -o /dev/null -e trace=\(call) -e inject=\(call):signal=KILL:when=\(kills + 1) \(Self.publish)")
      guard result.status == 128 + 9 else {
        #expect(result.status == 0, "\(result.stderrText)")
        break
      }
      kills += 1
      if call != "mkdirat" { try expectWhole("\(call) \(kills)") }
      try expectCompletion(Self.publish, "\(call) \(kills)")
    }
    let least = ["mkdirat": 2, "openat": 10, "write": 4, "fsync": 6, "linkat": 2, "renameat": 1, "unlinkat": 2]
    #expect(kills >= (least[call] ?? 0), "\(call): \(kills)")
  }

  /// A store of files for `exec:`, which kills the publisher before its call `number`.
  private func command(killing number: Int) -> String {
    """
    pintle publish 'exec:set -e; calls=$(cat calls); echo $((calls + 1)) >calls; \
    if [ $calls = \(number) ]; then kill -9 $PPID; exit 1; fi; sh store' released --keyset keysets --at 2026-12-04
    """
  }

  @Test func killedAtACommand() throws {
    try place.write(
      """
      set -e
      file=site/$2
      case $1 in
        read) [ -e "$file" ] || exit 44; cat "$file" ;;
        create) mkdir -p "${file%/*}"; cat >new; ln new "$file"; rm new ;;
        replace) [ "$3" = "$(sha256sum <"$file" | cut -c 1-64)" ]; cat >new; mv new "$file" ;;
      esac
      """, to: "store")
    var kills = 0
    while true {
      try restore()
      try place.write("0\n", to: "calls")
      let result = try place.run(command(killing: kills))
      guard result.status == 128 + 9 else {
        #expect(result.status == 0, "\(result.stderrText)")
        break
      }
      kills += 1
      try expectWhole("call \(kills)")
      try place.write("0\n", to: "calls")
      try expectCompletion(command(killing: -1), "call \(kills)")
    }
    // Three writes, each read again, and what is read before.
    #expect(kills > 9)
  }

  @Test func publishersNextToEachOtherNeverGoBack() throws {
    try restore()
    for serial in 3...8 {
      let built = try place.run(
        """
        printf '  - { host: h\(serial).example.com, mode: "off", reason: a test }\n' >>policies/web.yaml
        pintle build policies -o released/\(serial).json --sign-key people/emil.key --against released \
          --keyset keysets --issued-at 2026-12-03T0\(serial):00:00Z --at 2026-12-04
        """)
      try #require(built.status == 0, "\(built.stderrText)")
    }
    // All at once; those that come after a newer one are refused.
    let result = try place.run(
      """
      printf '%s\\n' 5 8 3 7 2 6 4 | xargs -P 7 -I{} sh -c '
        pintle publish site released/{}.json --keyset keysets --at 2026-12-04 >/dev/null 2>&1; echo $? >{}.status'
      cat ?.status | sort -u | tr '\\n' ' '; cat 8.status; cmp site/test/manifest.json released/8.json
      """)
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(["0 0\n", "0 3 0\n"].contains(result.stdoutText), "\(result.stdoutText)")
  }

  @Test func clientsRefuseAnOlderPointer() throws {
    try restore()
    #expect(try place.run(Self.publish).status == 0)
    let store = try client()
    try fetch(store)
    #expect(store.validator?.manifest.serial == 2)
    // Somebody who can write there puts an older release back, past the publisher.
    #expect(try place.run("cp released/1.json site/test/manifest.json").status == 0)
    let error = #expect(throws: UpdateError.self) { try fetch(store) }
    #expect(error?.code == .olderSerial)
    #expect(store.validator?.manifest.serial == 2)
    // The next run repairs it.
    #expect(try place.run(Self.publish).status == 0)
    #expect(try place.run("diff -r site after").status == 0)
  }
}
