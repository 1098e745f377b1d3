import CLibPintle

/// The version of the library, as the header documents it.
@c(pintle_version) @implementation
public func pintle_version() -> UInt32 { 0 }
