import PinFormat

/// A trust anchor as clients know it: by its name and key, whichever certificate says both.
struct AnchorName: Hashable, Sendable {
  var subject: String
  var pin: Pin
}
