import PinFormat

/// A host and port that clients ask.
struct ServerPlace: Hashable, Comparable {
  var host: HostName
  var port: UInt16

  static func < (left: ServerPlace, right: ServerPlace) -> Bool {
    left.host == right.host ? left.port < right.port : left.host < right.host
  }
}
