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

/// Does regular maintenance.
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
