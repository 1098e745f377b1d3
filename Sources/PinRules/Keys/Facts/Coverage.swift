import PinFormat

/// True where a name of a certificate covers a host: the same, or by a wildcard in the leftmost label.
func covers(_ name: String, _ host: HostName) -> Bool {
  let name = name.lowercased()
  guard name.hasPrefix("*."), let dot = host.text.firstIndex(of: ".") else { return name == host.text }
  return name.dropFirst() == host.text[dot...]
}
