private import CLibExpat
package import Diagnostics

/// Reads an XML document (XML 1.0, fifth edition) that anybody may have written.
///
/// Only UTF-8 is read. A document type declaration may name an external subset, as Apple's property lists do, which is
/// never fetched; one that declares anything itself is refused, and so is each entity but the five that XML has. Names
/// are taken as written. The tree, and the work for it, is bounded by ``XMLLimits``.
package enum XMLReader {
  /// Reads a whole document.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - file: What places in it refer to.
  ///   - limits: How much is read at most.
  ///   - root: The name of an element to put around a part of a document, which need not have a root of its own.
  /// - Returns: Its root element.
  /// - Throws: ``XMLComplaint``: the first thing that is wrong, and where.
  package static func read(
    _ bytes: [UInt8], file: FileID, limits: XMLLimits = XMLLimits(), partOf root: String? = nil
  ) throws(XMLComplaint) -> XMLElement {
    func refusal(_ message: String, _ help: String) -> XMLComplaint {
      XMLComplaint(message: message, help: help, place: .beginning(of: file))
    }
    guard bytes.count <= limits.bytes else {
      throw refusal("it has more than \(limits.bytes) bytes", "Give the file that has the pins, and no other.")
    }
    guard !bytes.isEmpty else { throw refusal("it is empty", "Give the file that has the pins.") }
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      throw refusal("it isn't UTF-8", "Save it in UTF-8, and declare no other encoding.")
    }
    let builder = XMLTreeBuilder(bytes, file: file, limits: limits)
    guard var parser = ExpatParser(builder) else { throw refusal("there is no memory to read it", "Try again.") }
    parser.run(bytes, partOf: root)
    if let complaint = builder.complaint { throw complaint }
    guard let root = builder.root else { throw refusal("it has no element", "Give the file that has the pins.") }
    return root
  }

  /// The name of the first element, as far as one can tell without parsing; nil where there is none.
  package static func firstName(_ bytes: [UInt8]) -> String? {
    var rest = bytes[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(open + 1)...]
      guard let next = rest.first else { return nil }
      if rest.starts(with: "!--".utf8) {
        rest = rest.dropFirst(3)
        while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
      } else if next != UInt8(ascii: "?"), next != UInt8(ascii: "!") {
        let name = rest.prefix(64).prefix { byte in
          byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "<")
        }
        return String(decoding: name, as: UTF8.self)
      }
    }
    return nil
  }
}

/// Owns one expat parser for one document.
private struct ExpatParser: ~Copyable {
  private let parser: XML_Parser
  private let context: ExpatContext

  /// Answers nil where there is no memory for a parser.
  init?(_ builder: XMLTreeBuilder) {
    guard let parser = XML_ParserCreate(nil) else { return nil }
    self.parser = parser
    context = ExpatContext(parser, builder)
    // The context outlives the parser, and only the parser keeps this pointer.
    XML_SetUserData(parser, Unmanaged.passUnretained(context).toOpaque())
    XML_SetElementHandler(
      parser, { ExpatContext.of($0)?.start($1, $2) },
      { data, _ in ExpatContext.of(data)?.builder.end() })
    XML_SetCharacterDataHandler(parser) { ExpatContext.of($0)?.text($1, $2) }
    XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in ExpatContext.of(data)?.declaration(encoding) }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasSubset in
      ExpatContext.of(data)?.documentType(declaresSomething: hasSubset != 0)
    }
    XML_SetSkippedEntityHandler(parser) { data, name, _ in ExpatContext.of(data)?.entity(name) }
  }

  deinit { XML_ParserFree(parser) }

  /// Parses to the end, or to what is refused.
  mutating func run(_ bytes: [UInt8], partOf root: String?) {
    guard let root else { return report(parse(bytes, isLast: true)) }
    let start = Array("<\(root)>".utf8)
    context.shift = start.count
    guard parse(start, isLast: false), parse(bytes, isLast: false), parse(Array("</\(root)>".utf8), isLast: true) else {
      return report(false)
    }
  }

  private func parse(_ bytes: [UInt8], isLast: Bool) -> Bool {
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(
        parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count), isLast ? 1 : 0)
    }
    return status == XML_STATUS_OK
  }

  private func report(_ isWellFormed: Bool) {
    guard !isWellFormed else { return }
    let offset = max(0, Int(XML_GetCurrentByteIndex(parser)) - context.shift)
    let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it can't be read"
    context.builder.refuse(
      "it isn't well-formed XML: \(reason)", "Fix it there, or export it again from the tool that wrote it.",
      offset..<offset + 1)
  }
}

/// What the parser's callbacks work on.
private final class ExpatContext {
  let parser: XML_Parser
  let builder: XMLTreeBuilder
  /// How many bytes the parser has been given before those of the document.
  var shift = 0

  init(_ parser: XML_Parser, _ builder: XMLTreeBuilder) {
    self.parser = parser
    self.builder = builder
  }

  static func of(_ data: UnsafeMutableRawPointer?) -> ExpatContext? {
    data.map { Unmanaged<ExpatContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The bytes of the current event.
  private var range: Range<Int> {
    let start = max(0, Int(XML_GetCurrentByteIndex(parser)) - shift)
    return start..<start + max(0, Int(XML_GetCurrentByteCount(parser)))
  }

  func start(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard let name else { return }
    var listed: [(name: String, value: String)] = []
    if var next = attributes {
      while let attribute = next[0], let value = next[1] {
        listed.append((String(cString: attribute), String(cString: value)))
        next += 2
      }
    }
    builder.start(String(cString: name), listed, at: range)
    stopIfRefused()
  }

  func text(_ characters: UnsafePointer<CChar>?, _ count: Int32) {
    guard let characters, count > 0 else { return }
    let bytes = UnsafeRawBufferPointer(start: characters, count: Int(count))
    builder.text(String(decoding: bytes, as: UTF8.self), at: range)
  }

  func declaration(_ encoding: UnsafePointer<CChar>?) {
    guard let encoding = encoding.map({ String(cString: $0) }) else { return }
    guard ["utf-8", "us-ascii"].contains(encoding.lowercased()) else {
      builder.refuse(
        "it is declared to be in '\(VisibleText.of(encoding))'", "Save it in UTF-8, and declare no other encoding.",
        range)
      return stopIfRefused()
    }
  }

  func documentType(declaresSomething: Bool) {
    guard declaresSomething else { return }
    builder.refuse(
      "its document type declares something, which could mean anything",
      "Remove what is between '[' and ']' in the DOCTYPE.", range)
    stopIfRefused()
  }

  func entity(_ name: UnsafePointer<CChar>?) {
    let name = name.map { String(cString: $0) } ?? ""
    builder.refuse(
      "the entity '&\(VisibleText.of(name));' is not defined in XML", "Write the characters that it stands for.", range)
    stopIfRefused()
  }

  private func stopIfRefused() {
    if builder.complaint != nil { XML_StopParser(parser, XML_Bool(XML_FALSE)) }
  }
}
