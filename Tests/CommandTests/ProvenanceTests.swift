import Foundation
import OpenSSLKit
import PinFormat
import TestSupport
import Testing

/// Manifests that are compiled again from their sources.
@Suite("The sources of a manifest")
struct ProvenanceTests {
  /// A repository with the sample policy in its first commit, and a manifest that was built there.
  private struct Repository {
    let place: Workplace

    init() throws {
      place = try Workplace()
      try run("git init -q -b main . && git add policies && \(Self.git) commit -q -m first")
    }

    static let git = "git -c user.name=Tester -c user.email=tester@example.com"

    @discardableResult
    func run(_ command: String) throws -> String {
      let result = try place.run(command)
      try #require(result.status == 0, "\(command): \(result.stderrText)")
      return result.stdoutText
    }

    @discardableResult
    func build(_ output: String = "manifest.json", _ options: String = "--commit git") throws -> String {
      try run(
        "pintle build policies -o \(output) --sign-key signing/release.key --serial 1 --issued-at 2026-11-21 \(options) "
          + "2>&1")
    }

    func verify(_ source: String, _ manifest: String = "manifest.json", before: String = "") throws -> RunResult {
      try place.run(
        "\(before) pintle verify \(manifest) --key signing/release.key.pub --at 2026-11-22 --source '\(source)'")
    }

    func head() throws -> String { try run("git rev-parse HEAD").filter { !$0.isNewline } }

    /// Changes what the manifest says and signs it again, as somebody who holds the key can.
    func forge(_ old: String, _ new: String) throws {
      let file = Array(try place.read("manifest.json").utf8)
      let signed = String(decoding: file[try SignatureEnvelope(scanning: file).signed], as: UTF8.self)
      try #require(signed.contains(old))
      let forged = Array(signed.replacingOccurrences(of: old, with: new).utf8)
      let key = try PrivateKey(pem: Array(try place.read("signing/release.key").utf8))
      let signature = SignatureEnvelope.Signature(
        keyID: SHA256Digest(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo()).digest()),
        bytes: try key.sign(SignatureEnvelope.preAuthenticationEncoding(of: forged)))
      try place.write(SignatureEnvelope.encode(signed: forged, signatures: [signature]), to: "manifest.json")
    }
  }

  @Test(
    "in a clean clone elsewhere, found in another order, under another locale, time zone and umask, give the same bytes"
  )
  func cleanClone() throws {
    let repository = try Repository()
    try repository.build()
    try repository.run("umask 077; mkdir -p 'far away'; git clone -q . 'far away/clone'")
    // The same files, created in reverse order.
    try repository.run(
      "umask 002; mkdir reversed; cd 'far away/clone'; find policies -type d -exec mkdir -p ../../reversed/{} \\;; "
        + "find policies -type f | sort -r | while read -r file; do cp \"$file\" \"../../reversed/$file\"; done")
    let elsewhere = "TZ=Pacific/Kiritimati LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8"
    for source in ["policies", "far away/clone/policies", "reversed/policies", "./policies/"] {
      let result = try repository.verify(source, before: "umask 077; " + elsewhere)
      #expect(result.status == 0, "\(source): \(result.stderrText)")
      #expect(result.stdoutText.contains("sources    \(source): compiled again, the same bytes"))
      #expect(result.stderrText == "")
    }
    // And by hand: building it there gives the same bytes.
    try repository.run(
      "umask 077; \(elsewhere) pintle build 'far away/clone/policies' -o again.json --sign-key signing/release.key "
        + "--serial 1 --issued-at 2026-11-21 --commit git 2>/dev/null; cmp manifest.json again.json")
  }

  @Test("may be those of a commit: one that is named, or the one that the manifest names")
  func commits() throws {
    let repository = try Repository()
    try repository.build()
    let head = try repository.head()
    #expect(try repository.run("pintle show manifest.json").contains("commit          \(head)"))
    for source in ["git:", "git::policies", "git:HEAD", "git:main:policies", "git:\(head)"] {
      let result = try repository.verify(source)
      #expect(result.status == 0, "\(source): \(result.stderrText)")
      #expect(result.stderrText == "")
    }
    // Later changes on disk don't matter; another commit with the same sources is shown, and accepted.
    try repository.run("sed -i 's/mode: report-only, //' policies/web.yaml; touch other && git add other")
    try repository.run("\(Repository.git) commit -q -m other")
    #expect(try repository.verify("git:").status == 0)
    let other = try repository.verify("git:HEAD")
    #expect(other.status == 0)
    #expect(other.stderrText.contains("is the commit \(try repository.head()); the manifest names \(head)"))
    #expect(try repository.verify("policies").status == 6)
    // A clone, from another folder.
    try repository.run("git clone -q . clone")
    #expect(try repository.verify("git::clone/policies").status == 0)
  }

  @Test("are refused where they are others, with what differs in words")
  func otherSources() throws {
    let repository = try Repository()
    try repository.build()
    try repository.run("sed -i 's/mode: report-only, //' policies/web.yaml")
    let changed = try repository.verify("policies")
    #expect(changed.status == 6)
    #expect(changed.stdoutText == "")
    #expect(changed.stderrText.contains("mode  enforce -> report-only"))
    #expect(changed.stderrText.contains("the signed bytes differ from byte"))
    #expect(changed.stderrText.contains("holds sources of the digest"))
    #expect(changed.stderrText.contains("what they say differs: hosts"))
    // A comment changes the sources' digest, but not their meaning.
    try repository.run("git checkout -q policies && echo '# more' >> policies/web.yaml")
    let commented = try repository.verify("policies")
    #expect(commented.status == 6)
    #expect(commented.stderrText.contains("they say the same, but aren't the same files"))
    #expect(!commented.stderrText.contains("->"))
  }

  @Test("don't excuse a manifest that says something else, whatever compiled it")
  func forgedManifest() throws {
    let repository = try Repository()
    try repository.build()
    try repository.forge(#""unpinned-hosts":"allow""#, #""unpinned-hosts":"deny""#)
    let result = try repository.verify("policies")
    #expect(result.status == 6)
    #expect(result.stdoutText == "")
    #expect(result.stderrText.contains("unpinned-hosts  allow -> deny"))
    #expect(result.stderrText.contains("its sources are 'policies', and it isn't what they compile to: unpinned-hosts"))
    #expect(result.stderrText.contains("don't release it"))
    try repository.forge(#""compiler":"pintle 0.1.0""#, #""compiler":"pintle 0.0.9""#)
    let other = try repository.verify("git:")
    #expect(other.status == 6)
    #expect(other.stderrText.contains("built by 'pintle 0.0.9'; compiled again by 'pintle 0.1.0'"))
    #expect(other.stderrText.contains("Ask the version of pintle that built it"))
  }

  @Test("were compiled by another version of the compiler, which is shown, and are compared anyway")
  func otherCompiler() throws {
    let repository = try Repository()
    try repository.build()
    try repository.forge(#""compiler":"pintle 0.1.0""#, #""compiler":"pintle 0.0.9""#)
    let result = try repository.verify("policies")
    #expect(result.status == 0)
    #expect(result.stdoutText.contains("the same bytes"))
    #expect(
      result.stderrText == "the manifest was built by 'pintle 0.0.9'; compiled again by 'pintle 0.1.0'\n")
  }

  @Test("are compared with a draft before anybody signs it; what is signed is verified, too")
  func drafts() throws {
    let repository = try Repository()
    try repository.run(
      "pintle build policies -o draft.json --unsigned --serial 1 --issued-at 2026-11-21 --commit git 2>&1")
    let draft = try repository.place.run("pintle verify draft.json --source git:")
    #expect(draft.status == 0, "\(draft.stderrText)")
    #expect(draft.stdoutText.hasPrefix("draft     draft.json, which nobody has signed\n"))
    #expect(draft.stdoutText.contains("compiled again, the same bytes"))
    try repository.run("sed -i 's/\"unpinned-hosts\":\"allow\"/\"unpinned-hosts\":\"deny\"/' draft.json")
    let changed = try repository.place.run("pintle verify draft.json --source git:")
    #expect(changed.status == 6)
    #expect(changed.stdoutText == "")
    #expect(changed.stderrText.contains("unpinned-hosts  allow -> deny"))
    try repository.build()
    let signed = try repository.place.run("pintle verify manifest.json --source git:")
    #expect(signed.status == 64)
    #expect(signed.stderrText.contains("pass --key to verify"))
    let keyed = try repository.place.run("pintle verify draft.json --key signing/release.key.pub --source git:")
    #expect(keyed.status == 6)
    #expect(try repository.place.run("pintle verify policies/web.yaml --source policies").status == 1)
  }

  @Test("with errors made no manifest")
  func errors() throws {
    let repository = try Repository()
    try repository.build()
    let result = try repository.verify("mistakes")
    #expect(result.status == 6)
    #expect(result.stderrText.contains("has errors, so it wasn't built from that"))
    #expect(result.stderrText.contains("[P302]"))
  }

  @Test(
    "have to be there, and be named in a way that means something",
    arguments: [
      ("nowhere", 1, "nowhere"), ("policies/web.yaml", 64, "is a file"), ("git:no-such-branch", 1, "has no commit"),
      ("git:--output=pwned", 64, "names no commit"), ("git:HEAD:nowhere", 1, "nowhere"),
      ("git:HEAD:signing", 1, "has no 'signing'"),
    ] as [(String, Int32, String)])
  func unreadable(source: String, status: Int32, message: String) throws {
    let repository = try Repository()
    try repository.build()
    let result = try repository.verify(source)
    #expect(result.status == status, "\(result.stderrText)")
    #expect(result.stderrText.contains(message))
    #expect(result.stdoutText == "")
  }

  @Test("of a manifest without a commit must be named")
  func noCommit() throws {
    let repository = try Repository()
    try repository.build("manifest.json", "")
    let result = try repository.verify("git:")
    #expect(result.status == 64)
    #expect(result.stderrText.contains("names no commit of its sources"))
    #expect(try repository.verify("git:HEAD").status == 0)
  }

  @Test("are committed before a manifest names the commit")
  func uncommitted() throws {
    let repository = try Repository()
    func refused(_ change: String) throws {
      try repository.run(change)
      let result = try repository.place.run(
        "pintle build policies -o no.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21 --commit git"
      )
      #expect(result.status == 1, "\(change)")
      #expect(result.stderrText.contains("isn't what the commit"))
      #expect(try repository.place.run("test -e no.json").status == 1)
      try repository.run("git reset -q --hard && git clean -q -f -d -x policies")
    }
    try refused("echo '# more' >> policies/web.yaml")
    try refused("echo '# more' >> policies/web.yaml && git add policies")
    try refused("printf 'version: 1\\n' > policies/new.yaml")
    try refused("printf 'version: 1\\n' > policies/new.yaml && echo new.yaml > .git/info/exclude")
    // Files that don't belong to the policy may have any state.
    try repository.run("echo notes > policies/notes.txt && echo notes > notes.txt")
    try repository.build()
    #expect(try repository.verify("git:").status == 0)
  }

  @Test("are in no repository, or one without a commit: then git can't be asked")
  func noRepository() throws {
    let place = try Workplace()
    let build =
      "pintle build policies -o no.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21 --commit git"
    let outside = try place.run(build)
    #expect(outside.status == 1)
    #expect(outside.stderrText.contains("can't be looked up in git"))
    _ = try place.run("git init -q .")
    let empty = try place.run(build)
    #expect(empty.status == 1)
    #expect(empty.stderrText.contains("has no commit 'HEAD'"))
    #expect(try place.run("test -e no.json").status == 1)
  }
}
