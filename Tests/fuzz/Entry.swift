import Glibc

/// What can be fuzzed: each takes any bytes, must survive them, and stops the process where a promise is broken.
enum Target: String, CaseIterable {
  case manifest
  case keyset
  case certificate
  case chain
  case policy
  case report
  case envelope
  case xml
  case `import`

  func run(_ bytes: [UInt8]) {
    switch self {
    case .manifest: ManifestTarget.run(bytes)
    case .keyset: KeysetTarget.run(bytes)
    case .certificate: CertificateTarget.run(bytes)
    case .chain: ChainTarget.run(bytes)
    case .policy: PolicyTarget.run(bytes)
    case .report: ReportTarget.run(bytes)
    case .envelope: EnvelopeTarget.run(bytes)
    case .xml: XMLTarget.run(bytes)
    case .import: ImportTarget.run(bytes)
    }
  }
}

/// The target that the environment variable PINTLE_FUZZ names; libFuzzer's own arguments stay as they are.
private let target: Target = {
  let name = getenv("PINTLE_FUZZ").map { String(cString: $0) } ?? ""
  guard let target = Target(rawValue: name) else {
    let names = Target.allCases.map(\.rawValue).joined(separator: ", ")
    say("PINTLE_FUZZ must name one of: \(names)")
    exit(64)
  }
  return target
}()

/// libFuzzer calls this for each input.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  target.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Stops the process, so that libFuzzer keeps the input, where something doesn't hold.
func promise(_ holds: Bool, _ what: StaticString, line: UInt = #line, file: StaticString = #fileID) {
  guard !holds else { return }
  say("\(file):\(line): broken: \(what)")
  abort()
}

private func say(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = write(STDERR_FILENO, line, line.count)
}
