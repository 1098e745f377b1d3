import Foundation
import TestSupport
import Testing

/// Random pull requests, most of them hostile, on a base with two releases.
///
/// The oracle knows files, not reasons: what is new for clients must be one of the files that the base's threshold and
/// owners signed, and everything that clients may have must still be there.
@Suite("The gate and random pull requests")
struct GateRandomTests {
  private let scene: EventScene

  init() throws {
    scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(GateTests.functions)\nEND")
  }

  /// Makes `m`, the files that a pull request may bring.
  ///
  /// Releases are of serial 3: `good` is signed by the threshold, and `owned` by the owner as well, whose file it changes;
  /// the others aren't.
  private static let setup = """
    mkdir m && cd a && enforce && signed alice && signed bob && release && main && git merge -q release-2
    released() { pintle build policies -o ../m/$1.json --against released --keyset keysets --issued-at 2026-11-22 "${@:2}"; }
    sed -i 's/2027-06-01/2027-07-01/' policies/web.yaml && cp policies/web.yaml ../m/web.yaml
    released good --sign-key ../alice.key --sign-key ../bob.key && released one --sign-key ../alice.key
    released unsigned --unsigned
    pintle build policies -o ../m/stranger.json --against released/2.json --key ../alice.key.pub --issued-at 2026-11-22 \
      --sign-key ../stranger.key
    git checkout -q policies
    sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml && cp policies/payments.yaml ../m/payments.yaml
    released unowned --sign-key ../alice.key --sign-key ../bob.key
    released owned --sign-key ../alice.key --sign-key ../carol.key && sed -i '/owners/d' policies/payments.yaml
    released disowned --sign-key ../alice.key --sign-key ../bob.key && git checkout -q policies
    next() { pintle keyset next keysets/1.keyset.json -o ../m/$1.keyset.json --issued-at 2026-11-22 --expires same "${@:2}"; }
    next good --remove-signer bob --add-signer erin=../stranger.key.pub --sign-key ../root.key
    next unsigned --remove-signer bob --add-signer erin=../stranger.key.pub
    pintle keyset init -o ../m/own.keyset.json --audience production --root m=../stranger.key.pub --root-threshold 1 \
      --signer m=../stranger.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
    pintle sign ../m/own.keyset.json --sign-key ../stranger.key
    cp released/2.json ../m/more.json
    pintle sign ../m/more.json --keyset keysets --against released --sign-key ../carol.key
    printf junk >../m/junk.json && git push -q
    git switch -q -c waiting && cp ../m/web.yaml policies && mkdir -p event ../m/forged && commit Policy
    pintle build policies --unsigned -o event/3.json --against released --keyset keysets --issued-at 2026-11-22
    sign alice event/3.json && sign bob event/3.json && commit Draft && git tag kept-draft
    id() { basename $(signature $1) .json; }
    sed "s/$(id alice)/$(id bob)/" $(signature alice event/3) >../m/forged/$(id bob).json
    git switch -q main
    git status --short >../dirty && test ! -s ../dirty && ls ../m/stranger.json && git tag kept
    """

  /// One act in a pull request.
  private struct Act {
    var commands: String
    /// Whether a pull request of such acts alone may be merged.
    var isHarmless = false
    /// Whether it makes the branch's own draft worthless.
    var withdraws = false
    /// Whether its commits remove somebody's draft or signature, and its files don't show it: it must be listed.
    var hides = false
    /// Whether the clone leaves branches out: the gate can't judge anything.
    var isBlind = false
  }

  private static let harmless = [
    Act(commands: "echo $RANDOM >README.md", isHarmless: true),
    Act(commands: "mkdir -p docs && echo $RANDOM >docs/$RANDOM.md", isHarmless: true),
    Act(commands: "mkdir -p ci && echo $RANDOM >ci/pins", isHarmless: true),
    Act(commands: "mkdir -p .github/workflows && echo $RANDOM >.github/workflows/pins.yml", isHarmless: true),
  ]

  private static let withdrawal = Act(commands: "echo why >released/3.withdrawn", isHarmless: true)

  /// At most one of these makes a harmless pull request.
  private static let documented = [
    Act(commands: "echo \"# $RANDOM\" >>policies/web.yaml", isHarmless: true),
    Act(commands: "cp ../m/web.yaml policies && cp ../m/good.json released/3.json", isHarmless: true),
    Act(commands: "cp ../m/payments.yaml policies && cp ../m/owned.json released/0003.json", isHarmless: true),
    Act(commands: "cp ../m/good.keyset.json keysets/2.keyset.json", isHarmless: true),
    Act(commands: "cp ../m/more.json released/2.json", isHarmless: true),
    Act(
      commands: "mkdir -p released/production keysets/production; git mv released/*.json released/production/; "
        + "git mv keysets/*.json keysets/production/", isHarmless: true),
    Act(commands: "mkdir -p released/epoch-1; git mv released/*.json released/epoch-1/", isHarmless: true),
  ]

  /// A hostile act: what the generator chooses of it, it writes into the commands.
  private static func hostile(_ random: inout SeededGenerator) -> Act {
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    let file = pick(["released/1.json", "released/2.json", "keysets/1.keyset.json"])
    let bytes = pick(
      [
        "good", "one", "unsigned", "stranger", "unowned", "owned", "more", "junk", "good.keyset", "unsigned.keyset",
        "own.keyset",
      ]
      .map { "../m/\($0).json" } + ["released/1.json", "keysets/1.keyset.json", "policies/web.yaml"])
    let name = pick([
      "released/3.json", "released/03.json", "released/production/3.json", "released/staging/3.json",
      "released/epoch-1/3.json",
      "released/epoch-2/3.json", "released/a/b/3.json", "Released/3.json", "released/.3.json", "released/3.JSON",
      "released/x.txt",
      "released/2.json", "keysets/2.keyset.json", "keysets/3.keyset.json", "keysets/production/2.keyset.json",
      "keysets/02.keyset.json", "keysets/1.keyset.json", "event/3.json", "event/2.keyset.json",
      "event/production/3.json",
      "event/x.json", "event/3.signatures/x.json", "released/3.withdrawn", "released/2.withdrawn",
      "released/production/1.json",
      "released/.gitkeep", "keysets/.gitkeep", "keysets/production/.gitkeep", "released/4.withdrawn/.gitkeep",
    ])
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return Act(commands: "rm -f \(file)")
    case 1: return Act(commands: "printf ' ' >>\(file)")
    case 2: return Act(commands: "truncate -s -\(Int.random(in: 1...90, using: &random)) \(file)")
    case 3: return Act(commands: "test ! -e \(file) || { mkdir -p $(dirname \(name)) && mv \(file) \(name); }")
    case 4: return Act(commands: "cp \(bytes) \(file)")
    case 5:
      // What later acts write into the link must stay in the scene.
      let target = pick(["1.json", "../m/own.keyset.json", "../../outside"])
      return Act(commands: "touch ../outside && rm -f \(file) && ln -s \(target) \(file)")
    case 6: return Act(commands: "mkdir -p released/production && mv \(file) released/production/ || true")
    case 7: return Act(commands: "chmod +x \(file) && sed -i 's/production/staging/' \(file)")
    case 8: return Act(commands: "cp ../m/\(pick(["web", "payments"])).yaml policies")
    case 9: return unsigned(&random)
    default: return Act(commands: "mkdir -p $(dirname \(name)) && cp \(bytes) \(name) || true")
    }
  }

  /// A release with which all is right but the signatures.
  private static func unsigned(_ random: inout SeededGenerator) -> Act {
    let release = random.pick(["one", "unsigned", "stranger", "unowned"])
    let policy = release == "unowned" ? "payments" : "web"
    return Act(commands: "cp ../m/\(policy).yaml policies && cp ../m/\(release).json released/3.json")
  }

  /// A branch whose own draft is signed, then withdrawn, and then put together from its history.
  private static func withdrawn(_ random: inout SeededGenerator) -> [Act] {
    let begin = Act(
      commands: "cp ../m/web.yaml policies && mkdir -p event && cp ../m/good.json event/3.json && commit Draft")
    let ways =
      [
        "git rm -q -r event && commit Away", "printf x >>event/3.json && commit Other",
        "git mv event/3.json event/4.json && commit Moved && git rm -q -r event && commit Away",
        "cp event/3.json event/9.json && commit Copy && git rm -q event/3.json && commit Away",
        "git switch -q main && git merge -q $pr && git rm -q -r event && commit Away && git switch -q -C $pr main",
        "cp event/3.json released/3.json && git rm -q -r event && commit Release && git rm -q released/3.json && commit Away",
      ]
      // Elsewhere, on a branch here or of the server, of which this branch has nothing.
      + ["refs/heads/elsewhere", "refs/remotes/origin/elsewhere"].flatMap { name in
        ["git rm -q -r event && commit Away", "printf x >>event/3.json && commit Other"].map {
          "\($0) && git update-ref \(name) HEAD && git switch -q -C $pr main && cp ../m/web.yaml policies"
        }
      }
    let back =
      ["", "mkdir -p event && cp ../m/good.json event/3.json && commit Back;"].randomElement(using: &random) ?? ""
    let end = "\(back) rm -rf event; cp ../m/good.json released/3.json"
    return [begin, Act(commands: ways.randomElement(using: &random) ?? "", withdraws: true), Act(commands: end)]
  }

  /// A branch whose commits remove the draft of `waiting`, or a signature on it, and whose files don't show it.
  private static func hidden(_ random: inout SeededGenerator) -> Act {
    let take = random.pick([
      "git checkout -q kept-draft -- event && commit Copy",
      "git checkout -q kept-draft -- event && git rm -q -r -f event/3.signatures && commit Copy",
      "git checkout -q kept-draft -- event/3.signatures && commit Copy",
      "git merge -q kept-draft",
    ])
    let remove = random.pick([
      "",
      "find event -name '*.json' -exec sh -c 'printf x >>$1' sh {} \\; && commit Other;",
      "mkdir -p released/x && git mv event/* released/x && commit Moved && git rm -q -r released/x && commit Away;",
    ])
    return Act(
      commands:
        "\(take)\n\(remove) git rm -q -r --ignore-unmatch event && rm -rf event && git checkout -q main -- policies",
      isHarmless: true, hides: true)
  }

  /// The draft of `waiting` with all signatures, after what strangers can do to it.
  private static func undisturbed(_ random: inout SeededGenerator) -> [Act] {
    let forge = "mkdir -p event/3.signatures && cp ../m/forged/* event/3.signatures && commit Forge"
    // A pull request, as runners fetch it, of what withdraws the draft; or a branch with a signature that nobody made.
    let act = random.pick([
      "git checkout -q kept-draft -- event && commit Copy && git rm -q -r event && commit Away && "
        + "git update-ref refs/remotes/pull/9/merge HEAD",
      "\(forge) && git rm -q -r event && commit Away && git update-ref refs/heads/elsewhere HEAD",
      "\(forge) && git rm -q -r event && commit Away && git update-ref refs/remotes/origin/elsewhere HEAD",
    ])
    return [
      Act(commands: act + " && git switch -q -C $pr main && git clean -qfdx", isHarmless: true),
      Act(
        commands: "git checkout -q kept-draft -- event policies", isHarmless: true),
    ]
  }

  /// A clone that doesn't have all branches, or takes something else for them.
  private static func blind(_ random: inout SeededGenerator) -> Act {
    let line = random.pick([
      "--unset-all remote.origin.fetch", "--add remote.origin.fetch ^refs/heads/w*",
      "remote.origin.fetch +refs/heads/*:refs/other/*", "remote.origin.fetch +refs/heads/main:refs/remotes/origin/main",
      "--add remote.origin.fetch +refs/pull/*/head:refs/remotes/origin/pr/*",
      "remote.up.fetch +refs/heads/main:refs/remotes/up/main",
    ])
    return Act(commands: "set -f; git config \(line); set +f", isBlind: true)
  }

  /// A release that changes an owner's file, after the base merged that it has no owners; a squash or a move of the last
  /// release may have left no trace of what that was compiled from.
  private static func disowned(_ random: inout SeededGenerator) -> Act {
    let trace = random.pick([
      "cp ../m/more.json released/2.json", "mkdir -p released/production && git mv released/*.json released/production",
      "true",
    ])
    return Act(
      commands: """
        git switch -q main && sed -i '/owners/d' policies/payments.yaml && \(trace) && commit Squashed
        git switch -q -C $pr main && sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml
        test -e released/production && cp ../m/disowned.json released/production/3.json || cp ../m/disowned.json released/3.json
        """)
  }

  /// What a pull request came to, as it is printed.
  private struct Outcome {
    var status: Int32
    var says: String
    /// The names of the contents of the files for clients, by their paths.
    var files: [String: String]
    /// The paths of what isn't a file.
    var links: [String]
    /// How many files are changed.
    var changed: Int
    /// The policy's file of settings.
    var settings: String
  }

  private func run(_ acts: [Act], _ number: Int) throws -> Outcome {
    let commands = acts.map(\.commands).joined(separator: "\n")
    let result = try scene.place.run(
      """
      bash -c '. ./functions; set +e; cd a; eval "$0"' "$(cat <<'EOT'
      pr=pr\(number); git switch -q --detach; git branch -q -f main kept; git switch -q -C $pr main && git clean -qfdx
      git config --replace-all remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'; git config --remove-section remote.up
      git for-each-ref --format='delete %(refname)' refs/heads refs/remotes | grep -vE "/(main|$pr)$" | git update-ref --stdin
      RANDOM=\(number)
      \(commands)
      git add -A && { git diff --cached --quiet || git commit -q -m x; }
      gate >../says 2>&1; echo $? $(git diff --name-only main HEAD | wc -l)
      git show HEAD:policies/manifest.yaml >../settings
      git ls-tree -r HEAD -- released keysets
      git reset -q --hard
      EOT
      )"
      """)
    var lines = result.stdoutText.split(separator: "\n").map(String.init)
    let start = try #require(
      lines.lastIndex { $0.wholeMatch(of: /[0-9]+ [0-9]+/) != nil }, "\(commands)\n\(result.stderrText)")
    lines.removeFirst(start)
    let numbers = lines[0].split(separator: " ").map(String.init)
    var outcome = Outcome(
      status: Int32(numbers[0]) ?? -1, says: try scene.place.read("says"), files: [:], links: [],
      changed: Int(numbers[1]) ?? -1, settings: try scene.place.read("settings"))
    for line in lines.dropFirst() {
      let parts = line.split(separator: "\t").map(String.init)
      let words = parts[0].split(separator: " ").map(String.init)
      outcome.files[parts[1]] = words[2]
      if !words[0].hasPrefix("100") { outcome.links.append(parts[1]) }
    }
    return outcome
  }

  /// Runs pull requests, checks what holds for each, and returns those that may be merged, with what happened.
  private func mergeable(
    _ part: Int, _ random: inout SeededGenerator, _ acts: (inout SeededGenerator) -> [Act]
  ) throws -> [(acts: [Act], outcome: Outcome, told: String)] {
    var merged: [(acts: [Act], outcome: Outcome, told: String)] = []
    var refused = 0
    for number in 0..<50 {
      let acts = acts(&random)
      let outcome = try run(acts, number)
      let told = "\(part)/\(number):\n\(acts.map(\.commands).joined(separator: "\n"))\n\(outcome.says)"
      if acts.contains(where: \.isBlind) {
        #expect(outcome.status == 1, "\(told)")
      } else if acts.allSatisfy(\.isHarmless) {
        #expect(outcome.status == 0, "\(told)")
      }
      guard outcome.status == 0 else {
        #expect([1, 2, 3, 6].contains(outcome.status), "\(told)")
        refused += 1
        continue
      }
      // What somebody else waits for is never withdrawn unseen, and nobody reads what isn't so.
      if !acts.contains(where: \.withdraws) {
        #expect(outcome.says.contains("removes or replaces this") == acts.contains(where: \.hides), "\(told)")
      }
      merged.append((acts, outcome, told))
    }
    #expect(merged.count >= 8 && refused >= 15, "\(merged.count), \(refused)")
    return merged
  }

  /// The names of contents.
  private func ids(_ commands: String) throws -> [String] {
    try scene.run("cd a && \(commands)").stdoutText.split(separator: "\n").map { line in
      let words = line.split(separator: "\t")[0].split(separator: " ")
      return String(words[words.count - 1])
    }
  }

  @Test(
    "none merges what the base's threshold and owners didn't sign; harmless ones pass",
    arguments: 0..<Thoroughness.pick(1, full: 4))
  func merges(part: Int) throws {
    try scene.run(Self.setup)
    let base = try ids("git ls-tree -r main -- released keysets")
    let signed = try ids("git hash-object ../m/{good,owned,more,good.keyset}.json")
    let (more, newest) = (signed[2], try ids("git ls-tree main released/2.json")[0])
    var random = SeededGenerator(seed: UInt64(4_900 + part))
    let merged = try mergeable(part, &random) { random in
      var acts: [Act] = []
      switch Int.random(in: 0..<13, using: &random) {
      case 0..<3:
        acts = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in Self.harmless.randomElement(using: &random)
        }
        if let one = Self.documented.randomElement(using: &random), Bool.random(using: &random) || acts.isEmpty {
          acts.append(one)
        }
      case 3: acts = Int.random(in: 0..<4, using: &random) == 0 ? [Self.withdrawal] : Self.withdrawn(&random)
      case 4:
        acts =
          [Bool.random(using: &random) ? Self.unsigned(&random) : Self.disowned(&random)]
          + Self.harmless.shuffled(using: &random).prefix(Int.random(in: 0...1, using: &random))
      case 5: acts = [Self.hidden(&random), Self.harmless[0]]
      case 6: acts = Self.undisturbed(&random)
      case 7: acts = [Self.harmless[0], Self.blind(&random)]
      default:
        acts = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.hostile(&random) }
        if Bool.random(using: &random), let one = Self.documented.randomElement(using: &random) { acts.append(one) }
        acts.shuffle(using: &random)
      }
      return acts
    }
    for (acts, outcome, told) in merged {
      let contents = Set(outcome.files.values)
      let new = contents.subtracting(base)
      // Nothing is lost, unless it has further signatures.
      for content in base where !contents.contains(content) {
        #expect(content == newest && contents.contains(more), "\(told)")
      }
      for (path, id) in outcome.files where new.contains(id) {
        // Only the next serial is withdrawn, and by nothing else in the pull request.
        let isWithdrawal = path == "released/3.withdrawn" && outcome.changed == 1
        let isMarker = isWithdrawal || ["released/.gitkeep", "keysets/.gitkeep", "event/.gitkeep"].contains(path)
        #expect(isMarker || signed.contains(id), "\(path) \(told)")
        #expect(!outcome.links.contains(path), "\(told)")
        if acts.contains(where: \.withdraws) { #expect(isMarker, "\(told)") }
      }
      // At most one release is added, and never together with other signers.
      #expect(new.intersection(signed).subtracting([more]).count <= 1, "\(told)")
    }
  }

  // MARK: Two audiences

  /// Makes `m` for a base whose two audiences have their files in folders; carol owns files of both, and one of `staging`.
  private static let setupOfTwo = """
    mkdir m && cd a && two_audiences carol alice && git push -q
    next() {
      pintle build policies --audience $2 -o ../m/$1.json --against released/$2 --keyset keysets/$2 --issued-at 2026-11-22 \
        "${@:3}"
    }
    production() { next $1 production "${@:2}"; }
    sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && cp policies/web.yaml ../m
    production good --sign-key ../alice.key && next staging staging --sign-key ../alice.key
    production unsigned --unsigned && git checkout -q policies
    sed -i 's/, staging: { development: true }//' policies/manifest.yaml && cp policies/manifest.yaml ../m
    git rm -q policies/staging.yaml
    production approved --sign-key ../carol.key && production unapproved --sign-key ../alice.key
    git reset -q --hard && git tag kept && ls ../m/{good,staging,unsigned,approved,unapproved}.json
    """

  /// Changes of the policy that drop `staging`.
  private static let drop = "cp ../m/manifest.yaml policies && rm policies/staging.yaml"
  private static let move =
    "mkdir -p released/production/epoch-1; git mv released/production/1.json released/production/epoch-1/"

  private static let documentedOfTwo = [
    Act(commands: "cp ../m/web.yaml policies && cp ../m/good.json released/production/2.json", isHarmless: true),
    Act(commands: "cp ../m/web.yaml policies && cp ../m/staging.json released/staging/2.json", isHarmless: true),
    Act(
      commands: "cp ../m/web.yaml policies && cp ../m/good.json released/production/2.json && "
        + "cp ../m/staging.json released/staging/2.json", isHarmless: true),
    Act(commands: move, isHarmless: true),
    Act(
      commands: move + "\ncp ../m/web.yaml policies && cp ../m/good.json released/production/2.json",
      isHarmless: true),
    Act(commands: drop + " && cp ../m/approved.json released/production/2.json", isHarmless: true),
    Act(commands: "echo why >released/staging/2.withdrawn", isHarmless: true),
  ]

  private static func hostileOfTwo(_ random: inout SeededGenerator) -> Act {
    let files = [
      "released/production/1.json", "released/staging/1.json", "keysets/production/1.keyset.json",
      "keysets/staging/1.keyset.json",
    ]
    let bytes =
      files + ["good", "staging", "unsigned", "approved", "unapproved"].map { "../m/\($0).json" }
    let folder = random.pick(["released", "released/staging", "released/production", "keysets", "keysets/staging"])
    let name = random.pick(["1.json", "2.json", "1.keyset.json", "2.keyset.json", "2.withdrawn", "3.withdrawn"])
    let file = random.pick(files)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return Act(commands: drop)
    case 1: return Act(commands: drop + " && cp ../m/unapproved.json released/production/2.json")
    case 2: return Act(commands: "mkdir -p \(folder) && mv \(file) \(folder)/ || true")
    case 3:
      let move = random.pick([
        "rm -f \(file)", "git mv released/production/* released/", "git mv keysets/staging keysets/x",
      ])
      return Act(commands: move)
    case 4: return Act(commands: "cp ../m/web.yaml policies && cp ../m/unsigned.json released/production/2.json")
    case 5: return Act(commands: "cp \(random.pick(bytes)) \(file) || true")
    default: return Act(commands: "mkdir -p \(folder) && cp \(random.pick(bytes)) \(folder)/\(name) || true")
    }
  }

  @Test(
    "with two audiences: each keeps its files where they belong, and is dropped only with its owners",
    arguments: 0..<Thoroughness.pick(1, full: 2))
  func mergesTwo(part: Int) throws {
    try scene.run(Self.setupOfTwo)
    let base = try ids("git ls-tree -r main -- released keysets")
    let signed = try ids("git hash-object ../m/{good,staging,approved}.json")
    try #require(signed.count == 3)
    let staging = Set(try ids("git ls-tree -r main -- released/staging keysets/staging") + [signed[1]])
    var random = SeededGenerator(seed: UInt64(4_950 + part))
    let merged = try mergeable(part, &random) { random in
      var acts: [Act] = []
      if let one = Self.documentedOfTwo.randomElement(using: &random), Bool.random(using: &random) { acts.append(one) }
      if acts.isEmpty || Bool.random(using: &random) {
        acts += (0..<Int.random(in: 1...2, using: &random)).map { _ in Self.hostileOfTwo(&random) }
        acts.shuffle(using: &random)
      }
      return acts
    }
    for (_, outcome, told) in merged {
      #expect(Set(outcome.files.values).isSuperset(of: base), "\(told)")
      for (path, id) in outcome.files {
        let isWithdrawal =
          ["released/production/2.withdrawn", "released/staging/2.withdrawn"].contains(path)
          && outcome.changed == 1
        #expect(base.contains(id) || signed.contains(id) || isWithdrawal, "\(path) \(told)")
        #expect(isWithdrawal || path.contains("/staging/") == staging.contains(id), "\(path) \(told)")
      }
      // The policy has no 'staging' any more only together with a release that carol signed.
      #expect(outcome.settings.contains("staging") || outcome.files.values.contains(signed[2]), "\(told)")
    }
  }
}
