import Diagnostics
package import PinFormat
import PinPolicy

/// An inventory of keys as a cryptography bill of materials (CycloneDX 1.6, `cryptoProperties`).
///
/// Keys and certificates are components; hosts are services that depend on the keys that they may present. A key that
/// several audiences have is there once.
package struct CryptographyBOM {
  private let inventories: [KeyInventory]
  private let instant: Instant

  package init(_ inventories: [KeyInventory], at instant: Instant) {
    (self.inventories, self.instant) = (inventories, instant)
  }

  package func json() -> String {
    JSONWriter.text { writer in
      writer.member("$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json")
      writer.member("bomFormat", "CycloneDX")
      writer.member("specVersion", "1.6")
      writer.member("version", 1)
      writer.object("metadata") { writer in
        writer.member("timestamp", instant)
        writer.object("tools") { writer in
          writer.objects("components", [Report.Tool.pintle]) { tool, writer in
            writer.member("type", "application")
            writer.member("name", tool.name)
            writer.member("version", tool.version)
          }
        }
      }
      writer.objects("components", keys) { add($0.key, of: $0.inventory, to: &$1) }
      let hosts = hosts
      writer.objects("services", hosts) { host, writer in
        writer.member("bom-ref", host.reference)
        writer.member("name", host.entry.label)
        let label = host.entry.label
        // Without a port, an IPv6 address has no brackets yet.
        let isBare = host.entry.port == nil && label.contains(":")
        writer.array("endpoints", ["https://" + (isBare ? "[\(label)]" : label)])
        properties(
          [
            ("pintle:audience", host.audience), ("pintle:mode", host.entry.mode.value.rawValue),
            ("pintle:owner", host.entry.owner?.value), ("pintle:expires", host.entry.expires?.value.description),
          ], to: &writer)
      }
      writer.objects("dependencies", hosts) { host, writer in
        writer.member("ref", host.reference)
        writer.array("dependsOn", host.keys)
      }
    }
  }

  private var keys: [(key: Policy.Key, inventory: KeyInventory)] {
    var seen: Set<Pin> = []
    return inventories.flatMap { inventory in
      Set(inventory.rows.compactMap(\.key)).sorted().map { (key: inventory.policy.keys[$0], inventory: inventory) }
    }.filter { $0.key.pin.map { seen.insert($0).inserted } ?? false }
  }

  private var hosts: [(reference: String, entry: Policy.HostEntry, audience: String?, keys: [String])] {
    inventories.flatMap { inventory in
      let policy = inventory.policy
      let rows = Dictionary(grouping: inventory.rows.filter { $0.host != nil }) { $0.host ?? 0 }
      return inventory.hosts.map { host in
        let audience = policy.settings?.audience?.value
        let pins = Set((rows[host] ?? []).compactMap { $0.key.flatMap { policy.keys[$0].pin } })
        return (
          "host:\(audience ?? ""):\(policy.hosts[host].label)", policy.hosts[host], audience,
          pins.map(Self.reference).sorted()
        )
      }
    }
  }

  private static func reference(_ pin: Pin) -> String { "key:\(pin)" }

  private func add(_ key: Policy.Key, of inventory: KeyInventory, to writer: inout JSONWriter) {
    writer.member("type", "cryptographic-asset")
    writer.member("bom-ref", key.pin.map(Self.reference))
    writer.member("name", key.name.value)
    writer.object("cryptoProperties") { writer in
      if let material = key.material, let certificate = material.certificate {
        writer.member("assetType", "certificate")
        writer.object("certificateProperties") { writer in
          writer.member("subjectName", material.subject)
          writer.member("issuerName", certificate.issuer)
          writer.member("notValidBefore", certificate.notBefore)
          writer.member("notValidAfter", certificate.notAfter)
          writer.member("certificateFormat", "X.509")
        }
      } else {
        writer.member("assetType", "related-crypto-material")
        writer.object("relatedCryptoMaterialProperties") { writer in
          writer.member("type", "public-key")
          writer.member("id", key.pin)
          writer.member("state", state(of: key))
          writer.member("creationDate", key.created?.value)
        }
      }
    }
    properties(
      [
        ("pintle:pin", key.pin?.description), ("pintle:algorithm", inventory.algorithm(of: key)),
        ("pintle:position", key.position?.value.rawValue), ("pintle:custody", key.custody?.value),
        ("pintle:denied", key.denied?.value), ("pintle:status", key.status?.value.rawValue),
        ("pintle:owner", inventory.owner(of: key)),
      ], to: &writer)
  }

  /// The state of a key, in the words of NIST SP 800-57 part 1, section 7; nil where the policy doesn't say.
  private func state(of key: Policy.Key) -> String? {
    if key.isDenied { return "compromised" }
    return switch key.status?.value {
    case .planned?, .published?: "pre-activation"
    case .active?, .retiring?: "active"
    case .retired?: "deactivated"
    case nil: nil
    }
  }

  private func properties(_ all: [(name: String, value: String?)], to writer: inout JSONWriter) {
    writer.objects("properties", all.filter { $0.value != nil }) { property, writer in
      writer.member("name", property.name)
      writer.member("value", property.value)
    }
  }
}
