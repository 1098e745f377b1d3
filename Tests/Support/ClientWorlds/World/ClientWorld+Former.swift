extension ClientWorld {
  /// Worlds in which a command said yes once and a client blocked, with what the command didn't see.
  package static let former: [(number: Int, reason: String)] = [
    (6547, "the leaf isn't valid yet, and the planned root for the same reason: they aren't one failure"),
    (2575, "the policy lists a key that the newest release doesn't have, and the server gets it at once"),
    (3748, "one certificate is accepted, and one of two that may be presented isn't it already"),
    (6986, "an exception for the certificate that is presented ends, and there is no evidence"),
    (1893, "other anchors than before, and no evidence that the server's chain ends in one"),
    (2472, "the first step's policy has an error"),
    (15, "the entry blocks soon after the last step of a plan"),
    (3_001_407, "a plan changes to an intermediate that nobody knows, and denies a root that may be above it"),
    (5906, "the same, where the key is in no key set yet"),
    (4_000_497, "a leaf isn't valid yet, and the policy takes out the only way around a root that has ended"),
    (4_001_486, "a root that is only known as cross-signed isn't where paths end"),
    (5_001_536, "a key becomes active that a root certified as well which the newest release denies"),
  ]

  /// Worlds in which a command said no once although all clients go on.
  package static let formerNeedless: [(number: Int, reason: String)] = [
    (174, "a server sends the renewed intermediate whose old certificate the releases have"),
    (1189, "an exception ends for a certificate that wasn't valid yet, and is by then"),
    (4_000_015, "an intermediate that is planned names the identifier of the anchor's former certificate"),
    (4_000_057, "a leaf that is planned comes from a root that was issued again, with another identifier"),
    (4_000_163, "the same, below an intermediate that names the identifier of the root's former certificate"),
    (4_000_370, "a leaf that nobody knows comes from such an authority"),
    (5_000_057, "a denied root issued one of an intermediate's certificates, and not the other"),
    (5_000_066, "the key of the system's root is in an anchor of another name"),
  ]
}
