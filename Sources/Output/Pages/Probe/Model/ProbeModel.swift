import Diagnostics
import PinFormat
import PinProbe

/// Everything that the parts of a page share: hosts in their order, and the numbers of chains and certificates.
struct ProbeModel {
  let page: ProbePage
  /// The worst first.
  let hosts: [HostSummary]
  /// The numbers of the findings that speak of no host.
  let otherFindings: [Int]
  /// Each chain that was served and how it was judged, once, in the order in which the page comes to it.
  private(set) var chains: [ChainModel] = []
  /// The host (by its place in ``hosts``) at which a chain is drawn.
  private(set) var drawnAt: [Int] = []
  /// The chain (by its place in ``chains``) of each visit of each host; nil where none was served.
  private(set) var chainOfVisit: [[Int?]] = []
  /// Every certificate that is drawn, in the order in which the page comes to it.
  private(set) var certificates: [SHA256Digest] = []
  private(set) var numberOfCertificate: [SHA256Digest: Int] = [:]
  /// The common name in each subject that has one.
  private let commonNames: [String: String]
  /// Where to read about a rule, by its code.
  private let references: [String: String]

  init(_ page: ProbePage) {
    self.page = page
    let index = FindingIndex(page.report, page.assessment.targets)
    otherFindings = index.others
    hosts = page.assessment.targets.indices
      .map { HostSummary(page.assessment.targets[$0], findings: index.ofTarget[$0] ?? [], page) }
      .sorted(by: HostSummary.isBefore)
    let reference = page.report.tool.reference
    references = Dictionary(
      page.report.rules.compactMap { rule in rule.address(in: reference).map { (rule.code, $0) } },
      uniquingKeysWith: { first, _ in first })
    commonNames = Dictionary(
      page.assessment.certificates.values.compactMap { record in record.commonName.map { (record.subject, $0) } },
      uniquingKeysWith: min)
    numberChains()
  }

  private mutating func numberChains() {
    var known: [ChainModel: Int] = [:]
    for (place, host) in hosts.enumerated() {
      let deadlines = page.deadlines[host.target.label] ?? []
      var ofVisits: [Int?] = []
      for visit in host.target.visits {
        guard let served = visit.served else {
          ofVisits.append(nil)
          continue
        }
        let chain = ChainModel(served, stores: page.assessment.stores, deadlines: deadlines)
        if let number = known[chain] {
          ofVisits.append(number)
          continue
        }
        known[chain] = chains.count
        ofVisits.append(chains.count)
        chains.append(chain)
        drawnAt.append(place)
        for certificate in chain.certificates where numberOfCertificate[certificate] == nil {
          numberOfCertificate[certificate] = certificates.count
          certificates.append(certificate)
        }
      }
      chainOfVisit.append(ofVisits)
    }
  }

  var assessment: Assessment { page.assessment }
  var report: Report { page.report }

  func record(_ certificate: SHA256Digest) -> CertificateRecord? { page.assessment.certificates[certificate] }

  /// What people call a certificate: its common name, else the first name that it is for, else its subject.
  func name(_ certificate: SHA256Digest) -> String {
    guard let record = record(certificate) else { return "certificate " + String(certificate.hex.prefix(16)) }
    let subject = record.subject.isEmpty ? nil : record.subject
    let name = record.commonName ?? record.names.first ?? subject ?? "a certificate without a name"
    return ShownText.name(name)
  }

  /// What people call a certificate's issuer.
  func issuer(_ record: CertificateRecord) -> String {
    ShownText.name(commonNames[record.issuer] ?? record.issuer)
  }

  /// The address at which a finding's rule is explained.
  func reference(_ code: String) -> String? { references[code] }

  func count(_ standing: Standing) -> Int { hosts.count { $0.standing == standing } }

  /// True where a policy was judged, not trust alone.
  var judgesPins: Bool {
    page.assessment.targets.contains { target in
      target.visits.contains { visit in
        visit.served?.judgements.contains { $0.paths.contains { $0.verdict != nil } } ?? false
      }
    }
  }
}
