extension SmallSpace {
  /// All worlds of up to 3 keys, 2 hosts, 3 releases, 3 server changes and every window: what `Scripts/test --full` looks at.
  ///
  /// What is divided out, and why nothing is lost by it:
  /// - **The names of keys.** The first key that a server presents is called 1, the next other one 2. Renaming keys in
  ///   releases and servers alike renames them in the answer.
  /// - **Instants that don't matter.** Of all clocks with one order of instants (releases and changes from now on, ends
  ///   of runs) one is kept: neither side looks at more than which instant comes first. A change to the key
  ///   that is presented already isn't a change.
  /// - **The other host.** One server is asked, because a lockout is one of a client and one server; worlds of two
  ///   hosts are pairs of these. Hosts meet within a release alone: a child without an entry has its parent's,
  ///   and these releases are all there. Where it has one, the parent's says nothing to it, nor the child's to the
  ///   parent; so beside the other's entry each is asked in worlds of one release, and left out in those of more.
  /// - **Denials beside fallback**, in the largest sets alone: of three releases with many changes (three, or two where
  ///   a release is planned), each either denies a key that the child's entry lists or leaves the child to its parent,
  ///   not both; a denied key that the entry doesn't list is refused anyway. What one release makes of a key it decides
  ///   by itself, and all that it can say is in the smaller sets.
  package static let full: [SmallSpace] = {
    let all = SmallContent.ofTheChild
    let parts = [
      all.filter { $0 == .nothing || $0.child != 0 && ($0.denied == 0 || $0.childListsDenied) },
      all.filter { $0.denied == 0 },
    ]
    func space(_ released: Int, _ planned: Int, _ changes: ClosedRange<Int>, _ contents: [SmallContent]) -> SmallSpace {
      let name = "\(released) released, 1 candidate, \(planned) planned"
      let most =
        changes.lowerBound == 0
        ? "up to \(changes.upperBound)" : changes.count == 1 ? "3" : "\(changes.lowerBound) to \(changes.upperBound)"
      return SmallSpace(
        "\(name), changes: \(most), \(contents.count) contents", contents,
        clocks: SmallClock.all(released: released, planned: planned, changes: changes, span: 6))
    }
    let ofOneRelease = [true, false].map { isChildAsked in
      SmallSpace(
        "1 candidate, up to 3 changes, the \(isChildAsked ? "child" : "parent") asked", SmallContent.all,
        isChildAsked: isChildAsked, clocks: SmallClock.all(released: 0, planned: 0, changes: 0...3, span: 6))
    }
    return ofOneRelease + [
      space(1, 0, 0...3, all), space(0, 1, 0...3, all),
      space(2, 0, 0...2, all), space(1, 1, 0...1, all), space(0, 2, 0...1, all),
    ] + parts.flatMap { [space(2, 0, 3...3, $0), space(1, 1, 2...3, $0), space(0, 2, 2...3, $0)] }
  }()
}

extension SmallContent {
  /// No entry, and no denial.
  static let nothing = SmallContent(parent: 0, child: 0, denied: 0)

  /// Whether the denied key is one that the child's entry lists.
  var childListsDenied: Bool { denied != 0 && child >> (denied - 1) & 1 == 1 }
}
