import Diagnostics
import PinFormat
import PinRotation
import PinStudies

extension JSONWriter {
  /// What a manifest says of itself, without its lists.
  mutating func release(_ name: String, _ manifest: Manifest) {
    object(name) { writer in
      for field in HeaderField.allCases { writer.member(field.memberName, manifest[field]) }
      writer.member("entries", manifest.hosts.count)
    }
  }

  /// Keys with what a manifest says of each.
  mutating func manifestKeys(_ name: String, _ keys: [Manifest.Key]) {
    objects(name, keys) { key, writer in
      writer.member("name", key.name)
      writer.member("pin", key.pin)
      writer.member("position", key.position)
      writer.member("denied", key.denied)
    }
  }
}
