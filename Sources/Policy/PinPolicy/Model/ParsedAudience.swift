package import Diagnostics

/// One entry of `audiences:`: a manifest of its own that is made of the policy.
package struct ParsedAudience: Sendable {
  package var name: Located<String>
  /// What it says in place of what `manifest:` says for all.
  package var settings: ParsedSettings
  /// The audience of whose hosts this one has a few; nil for one with a manifest of all hosts.
  package var sliceOf: Located<String>?
  /// The names that a slice's clients connect to.
  package var hosts: [Located<String>] = []
  package var development: Located<Bool>?
  /// Domains of which no other audience may have a host.
  package var domains: [Located<String>] = []
  /// Files of anchors that no other audience may trust or pin, relative to the policy file.
  package var anchors: [Located<String>] = []
  /// In place of the defaults of files.
  package var defaults = ParsedTerms()
  package var overlays: [ParsedOverlay] = []

  package init(name: Located<String>) {
    self.name = name
    settings = ParsedSettings(place: name.place)
  }
}

/// What one audience says of a host entry in place of what the entry says.
package struct ParsedOverlay: Sendable {
  /// The entry's host and port; its other fields are those that are replaced.
  package var entry: ParsedHost
  /// The host in place of the entry's.
  package var newHost: Located<String>?

  package init(place: Place) {
    entry = ParsedHost(place: place)
  }
}
