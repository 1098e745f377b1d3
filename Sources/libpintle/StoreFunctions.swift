public import CLibPintle
import PinFormat
import PinValidator

/// Opens a store.
@c(pintle_store_open) @implementation
public func pintle_store_open(
  _ settings: UnsafePointer<pintle_settings>?, _ store: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let store else { return CallerError.argument("there is no place for the store").report(to: error) }
  store.pointee = nil
  do throws(CallerError) {
    let opened = PinStore(try storeSettings(settings))
    store.pointee = OpaquePointer(Unmanaged.passRetained(opened).toOpaque())
    return Int32(PINTLE_OK)
  } catch let failure {
    return failure.report(to: error)
  }
}

/// Frees a store.
@c(pintle_store_close) @implementation
public func pintle_store_close(_ store: OpaquePointer?) {
  guard let store else { return }
  Unmanaged<PinStore>.fromOpaque(UnsafeRawPointer(store)).release()
}

/// The store behind a caller's pointer, which keeps it alive during the call.
func pinStore(_ pointer: OpaquePointer?) -> PinStore? {
  guard let pointer else { return nil }
  return Unmanaged<PinStore>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// Says what was found wrong when the store was opened.
@c(pintle_store_problem) @implementation
public func pintle_store_problem(
  _ store: OpaquePointer?, _ index: Int, _ problem: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let problems = pinStore(store)?.startup.problems, let problem, problems.indices.contains(index) else {
    return Int32(PINTLE_ARGUMENT)
  }
  CallerError.refused(problems[index].code, problems[index].description).write(to: problem)
  return Int32(PINTLE_OK)
}

/// Takes a newer manifest.
@c(pintle_store_update) @implementation
public func pintle_store_update(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  guard let bytes = CallerMemory.bytes(bytes, size, limit: store.settings.bytesToCopy) else {
    return CallerError.argument("the manifest is null").report(to: error)
  }
  return report(to: error) { () throws(UpdateError) in try store.update(bytes) }
}

/// Takes a newer manifest from a file.
@c(pintle_store_update_file) @implementation
public func pintle_store_update_file(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<pintle_error>?
) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  guard let path = CallerMemory.text(path) else {
    return CallerError.argument("the path is null, or not UTF-8").report(to: error)
  }
  return report(to: error) { () throws(UpdateError) in try store.update(file: path) }
}

/// Does what is to be done now and then.
@c(pintle_store_maintain) @implementation
public func pintle_store_maintain(_ store: OpaquePointer?, _ error: UnsafeMutablePointer<pintle_error>?) -> Int32 {
  guard let store = pinStore(store) else { return CallerError.argument("the store is null").report(to: error) }
  do throws(UpdateError) {
    try store.maintain()
    return Int32(PINTLE_OK)
  } catch let failure {
    return CallerError(failure).report(to: error)
  }
}

/// Runs an update, and puts what came of it into the header's terms.
private func report(
  to error: UnsafeMutablePointer<pintle_error>?, _ update: () throws(UpdateError) -> PinStore.Activation
) -> Int32 {
  do throws(UpdateError) {
    return switch try update() {
    case .activated: Int32(PINTLE_OK)
    case .unchanged: Int32(PINTLE_UNCHANGED)
    }
  } catch let failure {
    return CallerError(failure).report(to: error)
  }
}

/// Tells the state of the store.
@c(pintle_store_status) @implementation
public func pintle_store_status(_ store: OpaquePointer?, _ status: UnsafeMutablePointer<pintle_status>?) -> Int32 {
  guard let store = pinStore(store), let status, status.pointee.size >= MemoryLayout<pintle_status>.size else {
    return Int32(PINTLE_ARGUMENT)
  }
  let state = store.status
  var answer = pintle_status()
  answer.size = status.pointee.size
  answer.source = UInt32(state.source.number)
  answer.freshness = UInt32(PINTLE_FRESHNESS_NONE)
  switch state.freshness {
  case nil: break
  case .fresh: answer.freshness = UInt32(PINTLE_FRESHNESS_FRESH)
  case .refreshDue: answer.freshness = UInt32(PINTLE_FRESHNESS_REFRESH_DUE)
  case .stale: answer.freshness = UInt32(PINTLE_FRESHNESS_STALE)
  }
  answer.highest_serial = state.highestSerial
  answer.now = state.now.secondsSinceEpoch
  if let manifest = state.manifest {
    answer.serial = manifest.serial
    answer.issued = manifest.issued.secondsSinceEpoch
    answer.refresh_after = manifest.refreshAfter.secondsSinceEpoch
    answer.expires = manifest.expires.secondsSinceEpoch
    answer.entry_count = UInt64(manifest.entryCount)
  }
  status.pointee = answer
  return Int32(PINTLE_OK)
}

extension PinStore.Source {
  /// Its number in the header.
  fileprivate var number: Int {
    switch self {
    case .none: Int(PINTLE_SOURCE_NONE)
    case .embedded: Int(PINTLE_SOURCE_EMBEDDED)
    case .stored: Int(PINTLE_SOURCE_STORED)
    case .update: Int(PINTLE_SOURCE_UPDATE)
    }
  }
}
