import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// The resolved policy for programs: what holds after defaults, audiences and overlays, in the words of policy files.
///
/// Each object has `places`, by field: the file, line and column from which the value came. A value without a place is
/// Pintle's own default.
package struct ResolvedPolicyJSON {
  private let inventories: [KeyInventory]

  package init(_ inventories: [KeyInventory]) {
    self.inventories = inventories
  }

  package func text() -> String { text(noting: nil) }

  /// The text, with each place noted in a book.
  func text(noting book: PlaceBook?) -> String {
    JSONWriter.document("pintle-policy", by: .pintle) { writer in
      writer.objects("audiences", inventories) { inventory, writer in
        ResolvedAudience(inventory, book ?? PlaceBook()).add(to: &writer)
      }
    }
  }
}

/// The places of a text, by how it writes them: `FILE:LINE:COLUMN`.
final class PlaceBook {
  private(set) var places: [String: Place] = [:]

  fileprivate func note(_ place: Place, in sources: SourceSet) -> String {
    let text = "\(sources[place.file].path):\(place.start.line):\(place.start.column)"
    places[text] = place
    return text
  }
}

/// The policy of one audience, being written.
private struct ResolvedAudience {
  private let inventory: KeyInventory
  private let policy: Policy
  /// What `trust:` says as it was written, by its place.
  private let trusts: [Place: ParsedTrust]
  private let keys: [String: ParsedKey]
  private let book: PlaceBook

  init(_ inventory: KeyInventory, _ book: PlaceBook) {
    self.inventory = inventory
    self.book = book
    policy = inventory.policy
    let audiences = policy.files.compactMap(\.settings).flatMap(\.audiences)
    let terms =
      policy.files.flatMap { [$0.defaults] + $0.hosts.map(\.terms) }
      + audiences.flatMap { [$0.defaults] + $0.overlays.map(\.entry.terms) }
    trusts = Dictionary(terms.compactMap(\.trust).map { ($0.place, $0) }) { first, _ in first }
    keys = Dictionary(policy.files.flatMap(\.keys).map { ($0.name.value, $0) }) { first, _ in first }
  }

  func add(to writer: inout JSONWriter) {
    writer.member("audience", policy.settings?.audience?.value)
    writer.digest("sources", policy.sourcesDigest)
    writer.objects("files", policy.files) { file, writer in
      var fields = PlacedFields(policy.sources, book)
      writer.member("path", policy.sources[file.id].path)
      fields.add("owner", file.owner, to: &writer)
      fields.add("owners", file.owners, to: &writer)
      fields.end(&writer)
    }
    writer.object("manifest") { settings(to: &$0) }
    writer.objects("keys", inventory.keys) { key(policy.keys[$0], to: &$1) }
    writer.objects("key-sets", inventory.keySets) { keySet(policy.keySets[$0], to: &$1) }
    writer.objects("hosts", inventory.hosts) { host(policy.hosts[$0], to: &$1) }
  }

  private func settings(to writer: inout JSONWriter) {
    let settings = policy.effectiveSettings
    let written = policy.files.lazy.compactMap(\.settings).first
    var fields = PlacedFields(policy.sources, book)
    func add(_ name: String, _ seconds: Int64, _ place: Place?) {
      fields.add(name, DurationText.of(seconds), place, to: &writer)
    }
    add("refresh-after", settings.refreshAfter, written?.refreshAfter?.place)
    add("expires-after", settings.expiresAfter, written?.expiresAfter?.place)
    fields.add("on-stale", settings.onStale.rawValue, written?.onStale?.place, to: &writer)
    add("client-max-age", settings.clientMaxAge, written?.clientMaxAge?.place)
    fields.add("clients", settings.clients.map { $0.map(\.rawValue) }, to: &writer)
    fields.add("signer-keys", settings.signerKinds.map { $0.map(\.rawValue) }, to: &writer)
    writer.array("stores", settings.stores.map(\.rawValue))
    fields.note("stores", written?.stores.first?.place)
    fields.add("unpinned-hosts", settings.unpinnedHosts.rawValue, written?.unpinnedHosts?.place, to: &writer)
    writer.object("limits") { writer in
      var limits = PlacedFields(policy.sources, book)
      limits.add(
        "max-lifetime", DurationText.of(settings.maximumLifetime), written?.maximumLifetime?.place, to: &writer)
      limits.add("expiry-warning", DurationText.of(settings.expiryWarning), written?.expiryWarning?.place, to: &writer)
      writer.member("max-hosts", settings.maximumHosts)
      limits.note("max-hosts", written?.maximumHosts?.place)
      limits.add(
        "max-blast-radius", "\(settings.maximumBlastRadius)%", written?.maximumBlastRadius?.place, to: &writer)
      limits.end(&writer)
    }
    fields.end(&writer)
  }

  private func key(_ key: Policy.Key, to writer: inout JSONWriter) {
    var fields = PlacedFields(policy.sources, book)
    fields.add("name", key.name, to: &writer)
    fields.add("pin", key.pin?.description, key.sourcePlace, to: &writer)
    if case .file(let path)? = keys[key.name.value]?.source { fields.add("file", path, to: &writer) }
    fields.add("algorithm", key.statedAlgorithm, to: &writer)
    fields.add("position", key.position, to: &writer)
    fields.add("denied", key.denied, to: &writer)
    fields.add("custody", key.custody, to: &writer)
    fields.add("created", key.created, to: &writer)
    fields.add("status", key.status, to: &writer)
    if !key.steps.dated.isEmpty {
      writer.object("steps") { writer in
        var steps = PlacedFields(policy.sources, book)
        for (status, instant) in key.steps.dated { steps.add(status.rawValue, instant, to: &writer) }
        steps.end(&writer)
      }
    }
    fields.add("reason", key.reason, to: &writer)
    writer.member("owner", inventory.owner(of: key))
    if let material = key.material {
      writer.object("material") { writer in
        writer.member("kind", material.kind)
        writer.member("algorithm", material.algorithm.title)
        writer.member("subject", material.subject)
        guard let certificate = material.certificate else { return }
        writer.member("issuer", certificate.issuer)
        writer.member("not-before", certificate.notBefore)
        writer.member("not-after", certificate.notAfter)
        writer.digest("fingerprint", certificate.fingerprint)
      }
    }
    fields.end(&writer)
  }

  private func keySet(_ set: Policy.KeySet, to writer: inout JSONWriter) {
    var fields = PlacedFields(policy.sources, book)
    fields.add("name", set.name, set.place, to: &writer)
    writer.member("inline", set.isInline)
    for (name, members) in [("active", set.active), ("backup", set.backup)] {
      writer.array(name, members.map { policy.keys[$0.key].name.value })
      fields.note(name, members.first?.place)
    }
    fields.add("service", set.service, to: &writer)
    fields.end(&writer)
  }

  private func host(_ entry: Policy.HostEntry, to writer: inout JSONWriter) {
    var fields = PlacedFields(policy.sources, book)
    fields.add("host", entry.host.text, entry.written.place, to: &writer)
    if let port = entry.port {
      writer.member("port", port.value)
      fields.note("port", port.place)
    }
    writer.member("include-subdomains", entry.coversSubdomains)
    fields.note("include-subdomains", entry.includeSubdomains?.place)
    let isWritten = entry.mode.place != entry.written.place
    fields.add("mode", entry.mode.value.rawValue, isWritten ? entry.mode.place : nil, to: &writer)
    if let set = entry.keySet { fields.add("key-set", policy.keySets[set.value].name, set.place, to: &writer) }
    fields.add("require", entry.requirement, to: &writer)
    fields.add("expires", entry.expires, to: &writer)
    fields.add("on-expiry", entry.onExpiry, to: &writer)
    fields.add("report-uris", entry.reportURIs, to: &writer)
    if let trust = entry.trust, let written = trusts[trust.place] {
      writer.object("trust") { add(written, to: &$0) }
      fields.note("trust", trust.place)
    }
    fields.add("owner", entry.owner, to: &writer)
    fields.add("reason", entry.reason, to: &writer)
    fields.add("probe", entry.probe, to: &writer)
    fields.end(&writer)
  }

  private func add(_ trust: ParsedTrust, to writer: inout JSONWriter) {
    var fields = PlacedFields(policy.sources, book)
    fields.add("anchors", trust.anchors ?? [], to: &writer)
    fields.add("intermediates", trust.intermediates, to: &writer)
    fields.add("certificate", trust.certificate, to: &writer)
    fields.add("server-name", trust.serverName, to: &writer)
    if !trust.exceptions.isEmpty {
      writer.objects("exceptions", trust.exceptions) { exception, writer in
        var fields = PlacedFields(policy.sources, book)
        fields.add("failure", exception.failure, to: &writer)
        fields.add("certificate", exception.certificate, to: &writer)
        fields.add("until", exception.until, to: &writer)
        fields.add("reason", exception.reason, to: &writer)
        fields.end(&writer)
      }
    }
    for (name, bits) in [("minimum-rsa-bits", trust.minimumRSABits), ("minimum-ec-bits", trust.minimumECBits)] {
      writer.member(name, bits?.value)
      fields.note(name, bits?.place)
    }
    fields.add("signatures", trust.signatures.map { $0.map(\.rawValue) }, to: &writer)
    fields.add("minimum-tls", trust.minimumTLS, to: &writer)
    fields.add("reason", trust.reason, to: &writer)
    fields.end(&writer)
  }
}

/// Writes the fields of an object, and then where each of them came from.
private struct PlacedFields {
  private let sources: SourceSet
  private let book: PlaceBook
  private var places: [(name: String, place: Place)] = []

  init(_ sources: SourceSet, _ book: PlaceBook) {
    (self.sources, self.book) = (sources, book)
  }

  mutating func note(_ name: String, _ place: Place?) {
    if let place { places.append((name, place)) }
  }

  mutating func add(_ name: String, _ value: String?, _ place: Place?, to writer: inout JSONWriter) {
    guard let value else { return }
    writer.member(name, value)
    note(name, place)
  }

  mutating func add(_ name: String, _ value: Located<String>?, to writer: inout JSONWriter) {
    add(name, value?.value, value?.place, to: &writer)
  }

  mutating func add(_ name: String, _ value: Located<Instant>?, to writer: inout JSONWriter) {
    add(name, value?.value.description, value?.place, to: &writer)
  }

  mutating func add(_ name: String, _ value: Located<some RawRepresentable<String>>?, to writer: inout JSONWriter) {
    add(name, value?.value.rawValue, value?.place, to: &writer)
  }

  /// A list that isn't empty; its place is that of its first item.
  mutating func add(_ name: String, _ values: [Located<String>], to writer: inout JSONWriter) {
    guard let first = values.first else { return }
    writer.array(name, values.map(\.value))
    note(name, first.place)
  }

  func end(_ writer: inout JSONWriter) {
    guard !places.isEmpty else { return }
    writer.object("places") { writer in
      for (name, place) in places { writer.member(name, book.note(place, in: sources)) }
    }
  }
}
