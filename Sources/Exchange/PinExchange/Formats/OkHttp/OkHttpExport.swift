extension ExportFormat {
  /// A Kotlin object with a `CertificatePinner`.
  package static let okHttpKotlin = ExportFormat(
    name: "okhttp-kotlin", title: "OkHttp's CertificatePinner, as a Kotlin object", citation: OkHttpFeatures.citation,
    options: [.name, .package], support: OkHttpFeatures.support
  ) { list, settings throws(ExchangeError) in
    try [OkHttpSource(list, settings, in: .kotlin).file()]
  }

  /// A Java class with a `CertificatePinner`.
  package static let okHttpJava = ExportFormat(
    name: "okhttp-java", title: "OkHttp's CertificatePinner, as a Java class", citation: OkHttpFeatures.citation,
    options: [.name, .package], support: OkHttpFeatures.support
  ) { list, settings throws(ExchangeError) in
    try [OkHttpSource(list, settings, in: .java).file()]
  }
}

/// What OkHttp's `CertificatePinner` does with a policy (`okhttp3/CertificatePinner.kt`).
///
/// It compares any certificate of the chain that its `CertificateChainCleaner` has built up to a trusted root. Patterns
/// are a name, `*.name` for exactly one label more, and, since OkHttp 4.3.0, `**.name` for the name and all below it. A
/// host is checked against the pins of all the patterns that match it together, any of which is enough.
enum OkHttpFeatures {
  static let citation = "okhttp3/CertificatePinner.kt, OkHttp 4.3.0 and later"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .address, .anyPosition, .caKey, .leafKey, .mixedPositions, .singleKey: .exact
    case .port: .lost(.leaveAway, "OkHttp can't pin a single port: the pins apply to all ports of the host.")
    case .nestedEntries:
      .refused(
        "OkHttp takes the pins of all patterns that match a name together, so that the keys of the entry above would do "
          + "for the name too.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "OkHttp can't exclude a name: the keys of the entry above apply to it, and with other keys it is blocked.")
    case .unpinnedHosts: .lost(.leaveAway, "OkHttp connects to hosts without pins.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "OkHttp accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "OkHttp is satisfied by any one of the host's keys.")
    case .deniedKeys: .lost(.leaveKeysOut, "OkHttp accepts a chain with a denied key.")
    case .anchors, .furtherAnchors, .trust:
      .lost(.leaveAway, "OkHttp validates only with the trust manager of its client.")
    case .reportOnly: .lost(.takeOut, "OkHttp has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "OkHttp reports nothing.")
    // The pins in source code stay as long as the build is in use, as the policy says for an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "OkHttp keeps blocking mismatches after the expiry, until another build is installed.")
    case .expiryBlock:
      .lost(.leaveAway, "OkHttp still accepts the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}
