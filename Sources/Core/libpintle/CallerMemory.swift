import CLibPintle

/// Reading what a caller's pointers lead to; everything is copied before the call returns.
enum CallerMemory {
  /// The bytes, or the first `limit` of them; nil where the pointer is null and shouldn't be.
  static func bytes(_ data: UnsafeRawPointer?, _ count: Int, limit: Int = .max) -> [UInt8]? {
    guard count > 0 else { return count == 0 ? [] : nil }
    guard let data else { return nil }
    return Array(UnsafeRawBufferPointer(start: data, count: min(count, limit)))
  }

  /// A list of byte strings; nil where a pointer is null and shouldn't be.
  ///
  /// Ends once it has more items than `maximumItems` or more bytes than `maximumBytes`, so that a caller who passes on
  /// whatever a peer sent doesn't have all of it copied. What comes back then is still more than either.
  static func list(
    _ items: UnsafePointer<pintle_bytes>?, _ count: Int, maximumItems: Int = .max - 1, maximumBytes: Int = .max - 1
  ) -> [[UInt8]]? {
    guard count > 0 else { return count == 0 ? [] : nil }
    guard let items else { return nil }
    var list: [[UInt8]] = []
    var left = maximumBytes + 1
    for item in UnsafeBufferPointer(start: items, count: min(count, maximumItems + 1)) {
      guard let bytes = bytes(item.data, item.size, limit: left) else { return nil }
      list.append(bytes)
      left -= bytes.count
      guard left > 0 else { break }
    }
    return list
  }

  /// Text that ends with a zero byte; nil where the pointer is null, or what it leads to isn't UTF-8.
  static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    return String(validatingCString: pointer)
  }

  /// A structure that begins with its size: what the caller's header knew of it, and defaults for the rest.
  ///
  /// Nil where it is smaller than it ever was, or has anything but zeros where this library knows no fields: it would
  /// ask for something that would not be done.
  static func sized<Structure: BitwiseCopyable>(
    _ pointer: UnsafePointer<Structure>?, size: KnownSize<Structure>
  ) -> Structure? {
    guard let pointer else { return nil }
    let raw = UnsafeRawPointer(pointer)
    let count = raw.load(as: Int.self)
    guard count >= size.least, count <= greatestSize else { return nil }
    let known = MemoryLayout<Structure>.size
    if count > known {
      let further = UnsafeRawBufferPointer(start: raw + known, count: count - known)
      guard further.allSatisfy({ $0 == 0 }) else { return nil }
    }
    var structure = size.defaults
    withUnsafeMutableBytes(of: &structure) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(count, known)))
    }
    return structure
  }

  /// Fills a caller's structure that begins with its size: as much of it as the caller's header knew, and zeros where
  /// this library knows no fields.
  ///
  /// - Returns: Whether it could be; not where the structure is smaller than it ever was, or absurdly large.
  static func fill<Structure: BitwiseCopyable>(
    _ pointer: UnsafeMutablePointer<Structure>, with structure: Structure, least: Int
  ) -> Bool {
    let raw = UnsafeMutableRawPointer(pointer)
    let count = raw.load(as: Int.self)
    guard count >= least, count <= greatestSize else { return false }
    let target = UnsafeMutableRawBufferPointer(start: raw, count: count)
    _ = target.initializeMemory(as: UInt8.self, repeating: 0)
    withUnsafeBytes(of: structure) { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    raw.storeBytes(of: count, as: Int.self)
    return true
  }

  /// No structure ever comes near; what says that it is larger, has not been told its size.
  private static var greatestSize: Int { 4_096 }
}

/// How much of a structure every caller has, and what holds for fields that a caller's header didn't know.
struct KnownSize<Structure: BitwiseCopyable> {
  /// The size of the structure in the first version of the header.
  let least: Int
  let defaults: Structure
}
