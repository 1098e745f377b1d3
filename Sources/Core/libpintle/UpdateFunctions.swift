public import CLibPintle
import PinValidator

/// Takes a newer manifest.
@c(pintle_store_update) @implementation
public func pintle_store_update(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  guard let bytes = CallerMemory.bytes(bytes, size, limit: store.settings.bytesToCopy) else {
    return CallerError.argument("the manifest is null").report(to: error)
  }
  return report(to: error) { () throws(UpdateError) in try store.update(bytes).isNew }
}

/// Takes a newer manifest from a file.
@c(pintle_store_update_file) @implementation
public func pintle_store_update_file(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  update(store, fromPath: path, error) { (store, path) throws(UpdateError) in try store.update(file: path).isNew }
}

/// Takes the next keyset.
@c(pintle_store_update_keyset) @implementation
public func pintle_store_update_keyset(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  guard let bytes = CallerMemory.bytes(bytes, size, limit: TrustedKeyset.bytesToCopy) else {
    return CallerError.argument("the keyset is null").report(to: error)
  }
  return report(to: error) { () throws(UpdateError) in try store.update(keyset: bytes).isNew }
}

/// Takes the next keyset from a file.
@c(pintle_store_update_keyset_file) @implementation
public func pintle_store_update_keyset_file(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  update(store, fromPath: path, error) { (store, path) throws(UpdateError) in try store.update(keysetFile: path).isNew }
}

/// Takes all newer keysets from a folder.
@c(pintle_store_update_keyset_folder) @implementation
public func pintle_store_update_keyset_folder(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  // An empty path would mean the root of the file system.
  if let path, path.pointee == 0 { return CallerError.argument("the path is empty").report(to: error) }
  return update(store, fromPath: path, error) { (store, path) throws(UpdateError) in
    try KeysetFolder(path: path, store: store).checkForChange().contains { $0.isNew }
  }
}

/// Runs an update from a path, and puts the result into the header's terms.
private func update(
  _ store: OpaquePointer?, fromPath path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<pintle_error>?,
  _ update: (PinStore, String) throws(UpdateError) -> Bool
) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  guard let path = CallerMemory.text(path) else {
    return CallerError.argument("the path is null, or not UTF-8").report(to: error)
  }
  return report(to: error) { () throws(UpdateError) in try update(store, path) }
}

/// Runs an update, which answers whether anything took effect, and puts the result into the header's terms.
private func report(
  to error: UnsafeMutablePointer<pintle_error>?, _ update: () throws(UpdateError) -> Bool
) -> Int32 {
  do throws(UpdateError) {
    return Int32(try update() ? PINTLE_OK : PINTLE_UNCHANGED)
  } catch let failure {
    return CallerError(failure).report(to: error)
  }
}

extension PinStore.Activation {
  fileprivate var isNew: Bool {
    if case .activated = self { true } else { false }
  }
}

extension PinStore.KeysetActivation {
  fileprivate var isNew: Bool {
    if case .activated = self { true } else { false }
  }
}
