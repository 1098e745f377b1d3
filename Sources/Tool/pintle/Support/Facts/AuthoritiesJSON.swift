import Diagnostics
import PinFormat
import PinPolicy

extension Authorities {
  /// What `pintle authorities list` prints.
  func json() -> String {
    Facts.text("authorities-list") { writer in
      writer.member("at", instant)
      writer.member("reviewed", reviewed)
      writer.member("isOld", isOld)
      writer.objects("authorities", authorities.sorted { $0.name < $1.name }) { authority, writer in
        writer.head(of: authority)
        writer.member("keys", authority.keys.count)
      }
      writer.objects("services", services.sorted { $0.name < $1.name }) { service, writer in
        writer.members(of: service)
      }
    }
  }

  /// What `pintle authorities show` prints; nil for a name that neither an authority nor a service has.
  func json(of name: String) -> String? {
    let service = service(named: name)
    let authority = service == nil ? authority(named: name) : nil
    guard service != nil || authority != nil else { return nil }
    return Facts.text("authorities-show") { writer in
      writer.member("at", instant)
      if let service {
        writer.object("service") { writer in
          writer.members(of: service)
          writer.source(service.source)
        }
      }
      if let authority {
        writer.object("authority") { writer in
          writer.head(of: authority)
          if let change = authority.issuersChange {
            writer.object("issuersChangeSource") { $0.members(of: change.source) }
          }
          writer.objects("keys", authority.keys) { key, writer in writer.members(of: key) }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func head(of authority: Authority) {
    member("name", authority.name)
    member("owner", authority.owner)
    array("names", authority.brands)
    member("issuersChange", authority.issuersChange?.notice)
  }

  fileprivate mutating func members(of service: CertificateService) {
    member("name", service.name)
    array("names", service.brands)
    array("issuesFrom", service.authorities)
  }

  fileprivate mutating func members(of key: AuthorityKey) {
    member("name", key.name.key)
    member("pin", key.pin)
    digest("certificate", key.certificate)
    member("subject", key.subject)
    member("position", key.position)
    member("created", key.created)
    member("expires", key.expires)
    source(key.source)
    objects("signedBy", key.signedBy) { $1.link($0, "until") }
    dated("issuesUntil", key.issuesUntil)
    objects("successors", key.successors) { $1.link($0, "from") }
    objects("stores", key.stores.sorted { $0.key < $1.key }) { store, writer in
      writer.member("store", store.key)
      writer.dated("since", store.value.since)
      writer.dated("distrustAfter", store.value.distrustAfter)
      writer.dated("until", store.value.until)
    }
  }

  private mutating func link(_ link: AuthorityKey.Link, _ name: String) {
    member("key", link.key.description)
    dated(name, link.date)
  }

  private mutating func dated(_ name: String, _ statement: DatedStatement?) {
    guard let statement else { return }
    object(name) { writer in
      writer.member("date", statement.instant)
      writer.source(statement.source)
    }
  }

  fileprivate mutating func source(_ source: AuthoritySource) { object("source") { $0.members(of: source) } }

  fileprivate mutating func members(of source: AuthoritySource) {
    member("published", source.published)
    member("url", source.url)
    member("says", source.says)
  }
}
