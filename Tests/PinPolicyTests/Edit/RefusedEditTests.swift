import PinPolicy
import Testing

@Suite("Edits that are refused")
struct RefusedEditTests {
  static let text = """
    version: 1
    keys:
      old: { file: old.pem }
    key-sets:
      web: { active: [old], backup: [spare] }
      lines:
        active:
          -
            old
          - spare
    hosts:
      - { host: a.example, keys: web }

    """

  static let cases: [(edit: PolicyEdit, error: PolicyEditError)] = [
    (.add(key: "old", to: .active, of: .named("web")), .alreadyListed(key: "old", list: "active")),
    (.add(key: "old", to: .active, of: .named("app")), .noTarget("key set 'app'")),
    (.add(key: "old", to: .active, of: .inline(.host(0))), .noTarget("entry with a key set of its own")),
    (.add(key: "old", to: .active, of: .inline(.host(1))), .noTarget("entry with a key set of its own")),
    (.remove(key: "spare", from: .active, of: .named("web")), .notListed(key: "spare", list: "active")),
    (.remove(key: "old", from: .backup, of: .named("lines")), .notListed(key: "old", list: "backup")),
    (.move(key: "spare", from: .active, of: .named("web")), .alreadyListed(key: "spare", list: "backup")),
    (.set(["status"], to: "active", ofKey: "spare"), .noTarget("key 'spare'")),
    (.unset(["status"], ofKey: "old"), .noField("status")),
    (
      .remove(key: "old", from: .active, of: .named("lines")),
      .layout("an item of the list isn't on the line of its '-'; write it as '- name'")
    ),
  ]

  @Test(arguments: cases)
  func whatCannotBeDoneIsSaid(edit: PolicyEdit, error: PolicyEditError) {
    #expect(throws: error) { try edited(Self.text, [edit]) }
    #expect(!error.message.isEmpty)
  }

  /// In a file with mistakes, the places of fields would be guesses.
  @Test(arguments: [
    "version: 1\nkey-sets: { web: { active: [old], backup: } }\n",
    "version: 1\nkey-sets: { web: { active: [old] }, web: { active: [a] } }\n",
    "version: 1\nkey-sets: { web: &set { active: [old] } }\n",
    "version: 1\nkey-sets: { web: { active: [old] }\n",
    "\u{FEFF}version: 1\nkey-sets: { web: { active: [old] } }\n",
    "version: 1\nkey-sets: { web: { active: [old] } }\n---\nversion: 1\n",
    "version: 2\nkey-sets: { web: { active: [old] } }\n",
    "",
  ])
  func filesWithMistakesAreLeftAlone(text: String) {
    #expect(throws: PolicyEditError.unreadable) { try edited(text, [.add(key: "new", to: .backup, of: .named("web"))]) }
  }

  /// A tab in a comment is a mistake that says nothing about places.
  @Test func tabsInCommentsStay() throws {
    let text = "version: 1\nkey-sets:\n  web:\n    active: [a]\t# tab\there\n    backup: [b]\n"
    #expect(
      try edited(text, [.add(key: "new", to: .active, of: .named("web"))])
        == text.replacing("[a]", with: "[a, new]"))
  }
}
