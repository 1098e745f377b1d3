package import Diagnostics
import OpenSSLKit
package import PinFormat
package import PinPolicy
import PinProbe
package import PinRelease
import PinRotation
import PinRules
package import PinValidator

/// The tests of a policy, asked of its clients.
package struct TestRun {
  /// What became of a test.
  package struct Outcome {
    package var test: PolicyTest
    package var file: FileID
    /// One for each audience, host, time, release, chain and kind of client that the test is about.
    package var answers: [TestAnswer] = []
    /// The answers that aren't as expected, by their index, and how they differ.
    var differences: [(answer: Int, found: [TestDifference])] = []
    /// Why it can't be asked.
    var mistake: TestMistake?

    package var hasPassed: Bool { differences.isEmpty && mistake == nil }
  }

  package private(set) var outcomes: [Outcome] = []
  package private(set) var files: [PolicyTestFile] = []
  /// The policy's files, and behind them those with tests.
  package let sources: SourceSet
  package let coverage: TestCoverage
  /// How many tests are about audiences that aren't asked here.
  package private(set) var testsOfOthers = 0
  /// Answers are kept for the report.
  private static let mostAnswers = 1_000_000
  let instant: Instant
  /// The policies of the audiences.
  let policies: [Policy]

  /// Runs tests.
  ///
  /// - Parameters:
  ///   - directory: The policy's directory, whose test files are read.
  ///   - policies: The policy of each audience, of the same directory.
  ///   - anchors: What counts as the system's trust store, unless a file of tests names its own.
  ///   - name: A part of the names of the tests to run, in upper or lower case; nil for all.
  ///   - instant: The instant that counts as now.
  ///   - released: What clients of an audience have.
  /// - Throws: ``WorkFailure`` where the policy has errors, or what `released` throws.
  package init(
    _ directory: PolicyDirectory, _ policies: [LoadedPolicy], anchors: TrustAnchors, only name: String? = nil,
    at instant: Instant, released: (LoadedPolicy) throws(WorkFailure) -> [ReleasedManifest]
  ) throws(WorkFailure) {
    let paths = directory.tests.filter { directory.askedTests?.contains($0) ?? true }
    var texts: [SourceSet.File] = []
    for (number, path) in paths.enumerated() {
      let id = FileID(directory.sources.files.count + number)
      do throws(FileReadError) {
        let bytes = try directory.files.read(path)
        texts.append(SourceSet.File(path: directory.files.root + path, bytes: bytes))
        files.append(PolicyTestFile(reading: bytes, file: id))
      } catch {
        texts.append(SourceSet.File(path: directory.files.root + path, bytes: []))
        files.append(PolicyTestFile(unread: id, because: error.reason))
      }
    }
    sources = directory.sources.adding(texts)
    self.instant = instant
    self.policies = policies.map(\.policy)
    let name = name?.lowercased()
    var clients: [TestClients] = []
    for policy in policies { clients.append(try TestClients(policy, released(policy), at: instant)) }
    var coverage = TestCoverage(self.policies)
    var answers = 0
    for (file, path) in zip(files, paths) where file.problems.isEmpty {
      let servers = TestServers(directory.files, path, file.anchors, besides: anchors)
      var asking = TestQuestions(clients, servers, at: instant)
      for test in file.tests where name.map(test.name.value.lowercased().contains) ?? true {
        guard Self.isAsked(test, of: self.policies) else {
          testsOfOthers += 1
          continue
        }
        var outcome = Outcome(test: test, file: file.id)
        do throws(TestMistake) {
          guard answers < Self.mostAnswers else {
            throw TestMistake(
              place: test.place,
              message: "the tests before it asked \(answers) questions; the limit is \(Self.mostAnswers)",
              help: "Run the files one by one, or name fewer hosts and times.")
          }
          outcome.answers = try asking.answers(to: test)
          answers += outcome.answers.count
        } catch {
          outcome.mistake = error
        }
        for (number, answer) in outcome.answers.enumerated() {
          coverage.note(answer)
          let found = answer.differences(from: test)
          if !found.isEmpty { outcome.differences.append((number, found)) }
        }
        if outcome.hasPassed { outcome.mistake = asking.unread }
        outcomes.append(outcome)
      }
    }
    self.coverage = coverage
  }

  /// Whether a test is about an audience that is loaded, or names one that the policy doesn't have.
  private static func isAsked(_ test: PolicyTest, of policies: [Policy]) -> Bool {
    let loaded = policies.compactMap { $0.settings?.audience?.value }
    let others = Set(policies.first?.audiences ?? []).subtracting(loaded)
    let names = test.audiences.map(\.value)
    return names.isEmpty || !names.allSatisfy(others.contains)
  }

  /// The files that can't be run.
  package var unreadFiles: [PolicyTestFile] { files.filter { !$0.problems.isEmpty } }
  package var hasPassed: Bool { unreadFiles.isEmpty && outcomes.allSatisfy(\.hasPassed) }
}

/// Why a test can't be asked: what is wrong in it, and what to do.
struct TestMistake: Error {
  var place: Place
  var message: String
  var help: String
}
