package import PinFormat

/// A trust anchor as clients know it: by its name and key, whichever certificate says both.
package struct AnchorName: Hashable, Sendable {
  package var subject: String
  package var pin: Pin
}
