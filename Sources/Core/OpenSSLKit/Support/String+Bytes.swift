extension String {
  /// True where both have the same bytes; see PinFormat's function of this name.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
