/// A value that few records of a long list have: kept outside of them, so that the others take little room and are soon
/// copied.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box?

  package init() {}

  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  /// A part of the value, without a copy of the rest.
  func part<Part>(_ part: (borrowing Value) -> Part?) -> Part? { box.flatMap { part($0.value) } }

  /// The value where it is kept, for a record that has the same.
  package var projectedValue: Rare {
    get { self }
    set { self = newValue }
  }
}
