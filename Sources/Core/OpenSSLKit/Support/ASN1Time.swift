#if !CryptoKit
import CLibCrypto

/// A time of ASN.1, of either form, in seconds since 1970; nil where it is malformed or not there.
func secondsSinceEpoch(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
  guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
  defer { ASN1_TIME_free(epoch) }
  var days: Int32 = 0
  var seconds: Int32 = 0
  guard keepingErrorQueue({ ASN1_TIME_diff(&days, &seconds, epoch, time) }) == 1 else { return nil }
  return Int64(days) * 86_400 + Int64(seconds)
}
#endif
