import TestSupport
import Testing

/// Somebody who may write to the policy's folder puts links and pipes in place of its files while they are rewritten.
@Suite(.timeLimit(.minutes(2))) struct RewriteRaceTests {
  /// The victim has the very text of the policy, so that only its place tells that it isn't meant.
  private static let script = #"""
    mkdir race && printf 'version:   1\nowner:   a@example.com\n' > victim.yaml && cp victim.yaml race/good
    cp race/good race/a.yaml
    while :; do
      ln -s ../victim.yaml race/x && mv -f race/x race/a.yaml
      cp race/good race/y && mv -f race/y race/a.yaml
      mkfifo race/z && mv -f race/z race/a.yaml
      cp race/good race/y && mv -f race/y race/a.yaml
    done 2>/dev/null &
    attacker=$!
    hung=0; written=0
    for turn in $(seq 150); do
      timeout 20 COMMAND >out 2>&1; status=$?
      test $status -eq 124 && hung=$((hung + 1))
      test $status -eq 0 && written=$((written + 1))
    done
    kill $attacker; wait $attacker 2>/dev/null
    grep -c 'version:   1' victim.yaml; echo "hung $hung"; test $written -gt 0 && echo "some were written"
    """#

  @Test("are never written through, nor waited for", arguments: ["pintle fmt race", "pintle fmt race/a.yaml"])
  func race(command: String) throws {
    let place = try Workplace()
    let result = try place.run(Self.script.replacing("COMMAND", with: command))
    #expect(result.stdoutText == "1\nhung 0\nsome were written\n", "\(result.stderrText)")
  }

  @Test("A link is not written through, and is left alone beside the file that it leads to")
  func link() throws {
    let place = try Workplace()
    let result = try place.run(
      #"""
      mkdir linked && printf 'version:   1\n' > linked/b.yaml && ln -s b.yaml linked/a.yaml
      pintle fmt linked/a.yaml; echo $?; cat linked/b.yaml
      pintle fmt linked; cat linked/b.yaml; test -L linked/a.yaml && echo a link
      """#)
    #expect(result.stdoutText == "1\nversion:   1\nlinked/b.yaml\nversion: 1\na link\n")
    #expect(result.stderrText.contains("'linked/a.yaml' is a symbolic link"))
  }
}
