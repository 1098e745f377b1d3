package import PinValidator

/// A trust store and the name that findings give it.
package struct NamedStore: Sendable {
  /// `system`, or the name that the command line gave.
  package var name: String
  package var anchors: TrustAnchors

  package init(name: String, anchors: TrustAnchors) {
    self.name = name
    self.anchors = anchors
  }
}
