#if hasFeature(Embedded)
/// The one function of libm that Swift's hash tables call, so that the library needs libc and libcrypto only.
///
/// It stays inside: the linker's version script exports the header's functions only.
@c(ceil)
public func ceiling(_ value: Double) -> Double {
  guard value.magnitude < 0x1p52 else { return value }
  let whole = Double(Int64(value))
  return whole < value ? whole + 1 : whole
}
#endif
