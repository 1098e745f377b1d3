import Pages
import PinFormat
import PinRotation

extension Scene {
  private static let keySets = ["web": ["main", "spare"], "legacy": ["old"], "shop": ["shop-main", "shop-next"]]
  private static var before: [String: [String]] { keySets.merging(["web": ["main"]]) { _, new in new } }

  /// Each way in which hosts fare: locked out, already locked out, in part, falling open, and well.
  static func everyState() throws -> Scene {
    var scene = try Scene()
    let web = ["api.example.com", "www.example.com"] + (1...30).map { "node-\($0).example.com" }
    func hosts(_ shop: String) throws -> [Manifest.HostEntry] {
      try web.map { try entry($0, "web") } + [
        entry("archive.example.com", "legacy", expires: "2027-05-01", then: .reportOnly),
        entry("device.example.com", "legacy", expires: "2027-06-01", then: .block),
        entry(shop, "shop"), entry("two.example.com", "web"),
      ]
    }
    try scene.release(
      "serial 6", serial: 6, .released, issued: "2026-08-20", expires: "2026-12-20", onStale: .reportOnly,
      keySets: before.merging(["shop": ["shop-main"]]) { _, new in new }, hosts("shop.example.com"))
    try scene.release(
      "serial 7", serial: 7, .released, issued: "2026-10-20", keySets: before, hosts("shop.example.com"))
    try scene.release(
      "this policy", serial: nil, .candidate, issued: "2026-11-21", keySets: keySets, hosts("shop.example.com"))
    try scene.release(
      "the release planned for 2027-03-15T00:00:00Z", serial: nil, .planned, issued: "2027-03-15",
      keySets: keySets.merging(["web": ["spare"]]) { _, new in new }, hosts("shop.example.com"))
    for host in web {
      let change = host == "www.example.com" ? "2027-02-19" : "2027-01-10"
      try scene.server(host, leaf: "main", authority: "Example Root", then: [(change, "spare")])
    }
    try scene.server("archive.example.com", leaf: "old", certificate: ("2025-12-01", "2026-12-24"))
    try scene.server("device.example.com", leaf: "old", certificate: ("2024-01-01", "2034-01-01"))
    try scene.server("shop.example.com", leaf: "shop-next", certificate: ("2026-11-01", "2027-01-30"))
    try scene.server("two.example.com", leaf: "main", then: [("2027-02-19", "spare")])
    // One of two addresses presents a key that isn't in any manifest.
    scene.servers[scene.servers.count - 1].phases[0].views[0].landings.append(
      Landing(place: "192.0.2.11 ECDSA", judged: .trusted(PresentedChain([nil]), until: nil)))
    scene.steps = [
      PlannedStep(key: "spare", status: "active", instant: at("2027-01-10")),
      PlannedStep(key: "main", status: "retired", instant: at("2027-03-15")),
    ]
    let count = web.count
    scene.futures = [
      Future(
        .newerRoot, at: at("2027-02-08"), key: pin("main"), name: "main", next: ["next-root"],
        source: "https://ca.example/roots, 2026-10-01: The next root is in Debian's list from 2027-02-08",
        chain: PresentedChain([nil, pin("spare")]), servers: [0] + (2..<count)),
      Future(
        .renewal, at: nil, key: pin("old"), name: "old", source: nil, chain: PresentedChain([nil]),
        servers: [count, count + 1], renewedBy: at("2026-12-24")),
      Future(
        .intermediate, at: nil, key: pin("shop-main"), name: "shop-main", source: nil,
        chain: PresentedChain([nil, nil]), servers: [count + 2], onlyReports: true),
    ]
    return scene
  }

  /// A rotation at which nobody is locked out.
  static func safe() throws -> Scene {
    var scene = try Scene()
    let hosts = try [entry("api.example.com", "web"), entry("2001:db8::1", "web")]
    try scene.release(
      "serial 7", serial: 7, .released, issued: "2026-09-01", keySets: ["web": ["main", "spare"]], hosts)
    try scene.release(
      "this policy", serial: nil, .candidate, issued: "2026-11-21", keySets: ["web": ["main", "spare"]], hosts)
    try scene.server("api.example.com", leaf: "main", authority: "Example Root", then: [("2026-12-10", "spare")])
    try scene.server("2001:db8::1", leaf: "main", then: [("2026-12-10", "spare")])
    scene.servers[scene.servers.count - 1].phases[0].source = .assumed
    return scene
  }

  /// Text that would like to be more than text, wherever text may stand.
  static func hostile() throws -> Scene {
    var scene = try Scene()
    let harm = "</script><img src=x onerror=alert(1)>\u{202E}&\"'<!-- " + String(repeating: "W", count: 3_000)
    let hosts = try [entry("api.example.com", "web"), entry("other.example.com", "web")]
    try scene.release("git:\(harm)", serial: nil, .released, issued: "2026-11-01", keySets: ["web": ["main"]], hosts)
    try scene.release(
      harm, serial: nil, .candidate, issued: "2026-11-21", keySets: ["web": ["main", "spare"]],
      denied: ["lost": harm], hosts)
    try scene.server("api.example.com", leaf: "main", authority: harm, then: [("2026-12-01", "spare")])
    try scene.server("other.example.com", leaf: "main")
    scene.servers[1].phases[0].views[0].landings = [Landing(place: harm, judged: .refused(harm, PresentedChain([nil])))]
    scene.assumptions = [.init(harm, harm)]
    scene.steps = [PlannedStep(key: harm, status: harm, instant: at("2027-01-01"))]
    return scene
  }
}
