/// Why a report never arrived, or was never made.
///
/// Counted for each address that it would have gone to, except where there is no report yet: `busy` and
/// `recorder-full` count connections.
public enum DropReason: String, Hashable, Sendable, CaseIterable, Comparable {
  /// The recorder was busy on all its shards: the connection is in no count.
  case busy
  /// The file in the queue was damaged; it is set aside.
  case corrupt
  /// The address isn't https, or is one that reports about this entry may not go to.
  case ineligibleURI = "ineligible-uri"
  /// The disk didn't take it.
  case notStored = "not-stored"
  /// It was the oldest when the queue was full.
  case queueFull = "queue-full"
  /// Too many different chains before the queue took them over: the connection is counted, its chain is in no report.
  case recorderFull = "recorder-full"
  /// The address refused it for good.
  case rejected
  /// It has more bytes than a report may have.
  case tooLarge = "too-large"
  /// The address didn't take it for so long that it was given up.
  case tooOld = "too-old"

  /// Orders by name.
  public static func < (left: DropReason, right: DropReason) -> Bool { left.rawValue < right.rawValue }
}
