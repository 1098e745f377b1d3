public import CLibPintle
import PinFormat
import PinValidator

/// Tells the state of the store.
@c(pintle_store_status) @implementation
public func pintle_store_status(_ store: OpaquePointer?, _ status: UnsafeMutablePointer<pintle_status>?) -> Int32 {
  guard let store = pinStore(store), let status else { return Int32(PINTLE_ARGUMENT) }
  // The structure had 72 bytes in the first version of the header.
  let isFilled = CallerMemory.fill(status, with: pintle_status(store.status), least: 72)
  return Int32(isFilled ? PINTLE_OK : PINTLE_ARGUMENT)
}

extension pintle_status {
  /// A store's state in the header's terms.
  fileprivate init(_ state: PinStore.Status) {
    self.init()
    source = UInt32(state.source.number)
    freshness = UInt32(PINTLE_FRESHNESS_NONE)
    switch state.freshness {
    case nil: break
    case .fresh: freshness = UInt32(PINTLE_FRESHNESS_FRESH)
    case .refreshDue: freshness = UInt32(PINTLE_FRESHNESS_REFRESH_DUE)
    case .stale: freshness = UInt32(PINTLE_FRESHNESS_STALE)
    }
    highest_serial = state.highestSerial
    now = state.now.secondsSinceEpoch
    if let manifest = state.manifest {
      serial = manifest.serial
      issued = manifest.issued.secondsSinceEpoch
      refresh_after = manifest.refreshAfter.secondsSinceEpoch
      expires = manifest.expires.secondsSinceEpoch
      entry_count = UInt64(manifest.entryCount)
    }
    if let keyset = state.keyset {
      keyset_version = keyset.version
      keyset_expires = keyset.expires.secondsSinceEpoch
    }
    keyset_expired = state.isKeysetExpired ? 1 : 0
    endorsed = state.isEndorsed ? 1 : 0
  }
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
