import TestSupport
import Testing

/// What `check` and `fmt` make of folders that are larger, deeper or named otherwise than folders of policies are.
@Suite("Folders of policy files")
struct PolicyFolderTests {
  /// No file that looks like one of the policy is left out silently: its hosts would be unpinned.
  @Test(arguments: ["check", "fmt --check", "build -o out.json --sign-key signing/release.key --serial 1"])
  func namesWhatItSkips(command: String) throws {
    let place = try Workplace()
    let name = String(repeating: "d", count: 255)
    let result = try place.run(
      """
      mkdir skipped && cd skipped && printf 'version: 1\\n' >a.yaml && cp a.yaml B.YAML && cp a.yaml c.Yml
      cp a.yaml .HIDDEN.YAML && cp a.yaml notes.yaml.txt && mkdir X.YAML Y.yaml
      for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do mkdir \(name) && cd \(name); done
      mkdir \(name) && printf 'version: 1\\n' >\(name)/e.yaml && printf 'version: 1\\n' >d.yaml && deep=$PWD
      cd "$HOME" && pintle \(command) skipped; echo $?; cd $deep && rm -r \(name)
      """)
    let said = result.stdoutText + result.stderrText
    for (path, reason) in [
      ("skipped/B.YAML", "a policy file's name ends in '.yaml' or '.yml', in lower case"),
      ("skipped/c.Yml", "a policy file's name ends in '.yaml' or '.yml', in lower case"),
      ("/\(name)", "File name too long"),
    ] {
      #expect(said.contains("\(path):1:1"), "\(path)")
      #expect(said.contains(reason))
    }
    // Each is a finding of its own, or listed below one with the same cause.
    #expect(said.split(separator: "\n").count { $0.contains(":1:1") } == 3, "\(said.suffix(4_000))")
    #expect(result.stdoutText.hasSuffix("2\n"))
  }

  /// A process may have few files open at once, and hooks name each file.
  @Test(arguments: ["fmt many", "fmt many/*.yaml", "fmt many/1*.yaml many many/sub/*.yaml"])
  func rewritesManyFiles(command: String) throws {
    let place = try Workplace()
    let result = try place.run(
      """
      mkdir -p many/sub && for n in $(seq 200); do printf 'version:   1\\n' >many/$n.yaml; done
      cp many/1.yaml many/sub/a.yaml && ulimit -n 60 && pintle \(command) >out; echo $?
      sort out | uniq -d; grep -c . out; cat many/*.yaml many/sub/*.yaml | grep -c 'version:   1'
      """)
    let isWhole = command != "fmt many/*.yaml"
    #expect(result.stdoutText == (isWhole ? "0\n201\n0\n" : "0\n200\n1\n"), "\(result.stderrText)")
  }

  /// All that is wrong with a file, of a folder with others that are wrong.
  @Test func tellsOfEachFileThatCannotBeFormatted() throws {
    let place = try Workplace()
    let result = try place.run(
      """
      mkdir wrong && for n in 1 2 3; do printf "version: 1\\nhosts: [h$n\\n" >wrong/$n.yaml; done
      pintle fmt --check wrong; echo $?; pintle fmt --check wrong/2.yaml; echo $?
      """)
    #expect(result.stdoutText == "2\n2\n")
    let errors = result.stderrText.split(separator: "\n").filter { $0.contains(": error: ") }
    #expect(errors.map { String($0.prefix(12)) } == ["wrong/1.yaml", "wrong/2.yaml", "wrong/3.yaml", "wrong/2.yaml"])
  }
}
