import CLibPintle

/// The version of the library, in the form of the header's `PINTLE_VERSION`.
@c(pintle_version) @implementation
public func pintle_version() -> UInt32 {
  UInt32(PINTLE_VERSION_MAJOR << 16 | PINTLE_VERSION_MINOR << 8 | PINTLE_VERSION_PATCH)
}
