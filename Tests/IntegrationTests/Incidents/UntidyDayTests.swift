import Testing

/// Days on which nothing works anyway: no reason to release what takes clients' keys away (docs/rotation.md, "Pins and
/// health").
struct UntidyDayTests {
  private static func incident(_ day: String) -> Incident { Incident(name: "leaf-regenerated", day: day) }

  private func codes(_ answer: Incident.Answer<DiffDocument>, _ severity: String) -> [String] {
    answer.document.findings.filter { $0.severity == severity }.map(\.code)
  }

  /// The recorded certificate ended on 2024-10-18: after it as before it.
  @Test(arguments: ["2024-09-02", "2024-10-19", "2024-12-01", "2025-03-01"])
  func evidenceThatHasExpiredIsNoLicence(day: String) throws {
    let answer = try Self.incident(day).diff("replaced")
    #expect(answer.status == 3)
    #expect(codes(answer, "error") == ["P603"])
    #expect(codes(answer, "warning").contains("P619") == (day != "2024-09-02"))
    let witness = try #require(answer.document.findings.first { $0.code == "P603" }?.witness)
    #expect(witness.chain.map { $0.name ?? "?" } == ["api", "?", "?"])
  }

  /// A trust store that doesn't have the root, in place of the system's or beside it: the keys that signatures link are
  /// still judged.
  @Test(arguments: ["system", "other"])
  func theWrongTrustStoreIsNoLicence(name: String) throws {
    let store = "\(name)=../root-disappears/policies/keys/old-root.pem"
    let answer = try Self.incident("2024-09-02").diff("replaced", "--trust-store", store)
    #expect(answer.status == 3)
    #expect(codes(answer, "error") == ["P603"])
    #expect(codes(answer, "warning").contains("P619"))
  }

  /// Judged before the certificates began.
  @Test func evidenceOfTheFutureIsNoLicence() throws {
    let incident = Incident(name: "leaf-regenerated", day: "2024-05-16", released: "released/1.json")
    let answer = try incident.diff("replaced")
    #expect(answer.status == 3)
    #expect(codes(answer, "error") == ["P603"])
    #expect(codes(answer, "warning").contains("P619"))
  }

  /// What was released before is as safe as it was, but the headline says that not all is well.
  @Test func whatStaysIsSafeAndTheServerIsNamed() throws {
    let answer = try Self.incident("2024-12-01").diff("policies")
    #expect(answer.status == 0)
    #expect(codes(answer, "error").isEmpty)
    #expect(codes(answer, "warning").contains("P619"))
    let headline = try Self.incident("2024-12-01").headline("policies")
    #expect(headline.hasPrefix("pins safe, 1 server unhealthy "), "\(headline)")
    #expect(try Self.incident("2024-09-02").headline("policies").hasPrefix("safe: "))
  }

  /// `simulate` doesn't say "nobody" of it, and names the releases that nobody is taken to run.
  @Test func theSimulationSaysWhatItAssumes() throws {
    let text = try Self.incident("2024-12-01").simulated("policies")
    #expect(text.hasPrefix("no further client is locked out before 2025-03-02"), "\(text)")
    #expect(text.contains("serial 1 and serial 2 aren't counted: they were replaced at least 90 days ago"), "\(text)")
  }

  /// `rotate` says what to do first, and shows no plan.
  @Test func noPlanIsMadeForAServerThatFails() throws {
    let (status, message) = try Self.incident("2024-12-01").rotate("policies", to: "api-spare")
    #expect(status == 3)
    #expect(
      message.contains(
        "connections to api.example.com:443 fail for a reason other than pins: the certificate has expired"))
    #expect(message.contains("record the evidence again"))
    let store = "system=../root-disappears/policies/keys/old-root.pem"
    for options in [["--trust-store", store], ["--trust-store", store, "--check"]] {
      let (status, message) = try Self.incident("2024-09-02").rotate("policies", to: "api-spare", options)
      #expect(status == 3)
      #expect(message.contains("fail for a reason other than pins"), "\(message)")
    }
    #expect(try Self.incident("2024-09-02").rotate("policies", to: "api-spare").status == 0)
  }
}
