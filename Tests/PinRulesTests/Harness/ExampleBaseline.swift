import PinFormat

/// The released manifest that an example compares with.
enum ExampleBaseline {
  static func manifest(_ text: String) throws -> Manifest {
    let bytes = Array(text.utf8)
    return Manifest(try ManifestReader.read(bytes, signed: bytes.indices))
  }
}
