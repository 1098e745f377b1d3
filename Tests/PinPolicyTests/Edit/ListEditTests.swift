import PinPolicy
import Testing

@Suite("Edits of a key set's lists")
struct ListEditTests {
  @Test(arguments: cases)
  func textIsEditedAsTheTableSays(item: EditCase) throws {
    #expect(try edited("version: 1\n" + item.before, item.edits) == "version: 1\n" + item.after)
  }

  /// A line's end is that of its neighbours, at the end of a file too.
  @Test(arguments: cases)
  func lineBreaksStayWhatTheyAre(item: EditCase) throws {
    let before = ("version: 1\n" + item.before).replacing("\n", with: "\r\n")
    let after = ("version: 1\n" + item.after).replacing("\n", with: "\r\n")
    #expect(try edited(before, item.edits) == after)
  }

  @Test(arguments: cases)
  func lastLineNeedsNoLineBreak(item: EditCase) throws {
    let before = "version: 1\n" + item.before.dropLast()
    #expect(try edited(before, item.edits) == "version: 1\n" + item.after.dropLast())
  }

  static let cases: [EditCase] = [
    EditCase(
      "a list on one line", [.add(key: "new", to: .backup, of: .named("web"))],
      """
      key-sets:
        web:
          active: [old]
          backup: [spare, other] # two of them

      """,
      """
      key-sets:
        web:
          active: [old]
          backup: [spare, other, new] # two of them

      """),
    EditCase(
      "an exchange on one line each", exchange,
      """
      key-sets:
        web:
          active: [old]    # serves
          backup: [new]    # waits

      """,
      """
      key-sets:
        web:
          active: [new]    # serves
          backup: [old]    # waits

      """),
    EditCase(
      "a set on one line", exchange,
      """
      key-sets:
        web: { reason: für später 😀, active: [old], backup: [new] } # pintle:allow P313 until 2027-01-01: known

      """,
      """
      key-sets:
        web: { reason: für später 😀, active: [new], backup: [old] } # pintle:allow P313 until 2027-01-01: known

      """),
    EditCase(
      "a set without backup", [.add(key: "new", to: .backup, of: .named("web"))],
      """
      key-sets:
        web: { active: [old] }
        other: {active: [a]}

      """,
      """
      key-sets:
        web: { active: [old], backup: [new] }
        other: {active: [a]}

      """),
    EditCase(
      "a set of lines without backup", [.add(key: "new", to: .backup, of: .named("web"))],
      """
      key-sets:
        web:
            active: [old]   # only one
            reason: short

        other: { active: [a] }

      """,
      """
      key-sets:
        web:
            active: [old]   # only one
            backup: [new]
            reason: short

        other: { active: [a] }

      """),
    EditCase(
      "a list of lines without backup", [.add(key: "new", to: .backup, of: .named("web"))],
      """
      key-sets:
        web:
          active:
            - old  # the one
          # nothing else

      """,
      """
      key-sets:
        web:
          active:
            - old  # the one
          backup:
            - new
          # nothing else

      """),
    EditCase(
      "a set with backups only", [.add(key: "new", to: .active, of: .named("web"))],
      """
      key-sets:
        # who serves the web
        web:
          backup:
          - old
        flow: { backup: [a] }

      """,
      """
      key-sets:
        # who serves the web
        web:
          active:
          - new
          backup:
          - old
        flow: { backup: [a] }

      """),
    EditCase(
      "an exchange of lines, with their comments", exchange,
      """
      key-sets:
        web:
          # what servers present
          active:
            - old   # HSM A; pintle likes it
            # nothing below
          backup:  # what they don't
            -   new # HSM B
            -   spare
          reason: both

      """,
      """
      key-sets:
        web:
          # what servers present
          active:
            - new # HSM B
            # nothing below
          backup:  # what they don't
            -   spare
            -   old   # HSM A; pintle likes it
          reason: both

      """),
    EditCase(
      "a list of lines that becomes empty", [.remove(key: "spare", from: .backup, of: .named("web"))],
      """
      key-sets:
        web:
          active: [old]
          backup:  # for the worst day
            # in the safe
            - spare  # slot 3

      """,
      """
      key-sets:
        web:
          active: [old]
          backup: []  # for the worst day
            # in the safe
            # slot 3

      """),
    EditCase(
      "a list on one line that becomes empty", [.remove(key: "spare", from: .backup, of: .named("web"))],
      """
      key-sets:
        web: { active: [old], backup: [ spare, ] }

      """,
      """
      key-sets:
        web: { active: [old], backup: [] }

      """),
    EditCase(
      "an empty list", [.add(key: "new", to: .backup, of: .named("web"))],
      """
      key-sets:
        web: { active: [old], backup: [] }

      """,
      """
      key-sets:
        web: { active: [old], backup: [new] }

      """),
    EditCase(
      "the first of a list on one line", [.remove(key: "old", from: .active, of: .named("web"))],
      """
      key-sets: { web: { active: [old,new , "other"], backup: ['old'] } }

      """,
      """
      key-sets: { web: { active: [new , "other"], backup: ['old'] } }

      """),
    EditCase(
      "the last of a list on one line", [.remove(key: "other", from: .active, of: .named("web"))],
      """
      key-sets: { web: { active: [old,new , "other"], backup: ['old'] } }

      """,
      """
      key-sets: { web: { active: [old,new], backup: ['old'] } }

      """),
    EditCase(
      "a list without spaces", [.add(key: "2026", to: .active, of: .named("web"))],
      """
      key-sets: {web: {active: [old,new],backup: [spare]}}

      """,
      """
      key-sets: {web: {active: [old,new,"2026"],backup: [spare]}}

      """),
    EditCase(
      "brackets over several lines", [.add(key: "new", to: .active, of: .named("web"))],
      """
      key-sets:
        web:
          active: [
            old,   # until autumn
            other, # for ever
          ]
          backup: [
            # none yet
          ]

      """,
      """
      key-sets:
        web:
          active: [
            old,   # until autumn
            other, # for ever
            new,
          ]
          backup: [
            # none yet
          ]

      """),
    EditCase(
      "brackets over several lines, to one with nothing in it", [.move(key: "old", from: .active, of: .named("web"))],
      """
      key-sets:
        web:
          active: [
            old,   # until autumn
            other  # for ever
          ]
          backup: [
            # none yet
          ]

      """,
      """
      key-sets:
        web:
          active: [
            # until autumn
            other  # for ever
          ]
          backup: [
            # none yet
            old
          ]

      """),
    EditCase(
      "brackets over several lines without a last comma", [.add(key: "new", to: .active, of: .named("web"))],
      """
      key-sets:
        web: {
          active: [
            old,
            other  # for ever
          ],
          backup: [spare,
                   more] }

      """,
      """
      key-sets:
        web: {
          active: [
            old,
            other,  # for ever
            new
          ],
          backup: [spare,
                   more] }

      """),
    EditCase(
      "brackets that close on the last line",
      [
        .add(key: "new", to: .backup, of: .named("web")), .remove(key: "old", from: .active, of: .named("web")),
      ],
      """
      key-sets:
        web: {
          active: [ old
          ],
          backup: [spare,
                   more] }

      """,
      """
      key-sets:
        web: {
          active: [
          ],
          backup: [spare,
                   more,
                   new] }

      """),
    EditCase(
      "the set of a host entry",
      [
        .move(key: "next", from: .backup, of: .inline(.host(1))),
        .remove(key: "now", from: .active, of: .inline(.host(1))),
      ],
      """
      hosts:
        - host: a.example
          keys: { active: [now], backup: [next] }
        - host: b.example
          keys: # its own
            active:
            - now # since 2020
            backup:
            - next
          probe: [c.b.example]

      """,
      """
      hosts:
        - host: a.example
          keys: { active: [now], backup: [next] }
        - host: b.example
          keys: # its own
            active:
            # since 2020
            - next
            backup: []
          probe: [c.b.example]

      """),
  ]
}
