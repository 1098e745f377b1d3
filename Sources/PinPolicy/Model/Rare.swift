/// A value that few records of a long list have: kept outside of them, so that the others stay small to copy.
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
}
