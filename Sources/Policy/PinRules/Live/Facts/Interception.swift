import PinFormat

/// Names of CAs that products use to read TLS connections on their way: such a CA is never a server's own.
///
/// A name proves nothing, so it decides nothing: it only keeps messages from advising to trust or to pin such a CA.
enum Interception {
  /// What the name of an authority holds, in lower case, and the product that makes CAs by such names.
  ///
  /// Most are those that Chrome tells its users about (chrome/browser/resources/ssl/ssl_error_assistant, as of 2020);
  /// the others are the default names of proxies for debugging, and CAs that became known for it: Superfish and eDellRoot
  /// (CERT VU#529496 and VU#870761), Qaznet (blocked by Chrome, Firefox and Safari on 2019-08-21).
  private static let products: [(name: String, product: String)] = [
    ("avast! web/mail shield", "Avast Antivirus"), ("avg web/mail shield", "AVG Antivirus"),
    ("bitdefender personal ca", "Bitdefender"), ("blue coat", "Blue Coat"), ("cisco umbrella", "Cisco Umbrella"),
    ("contentkeeper", "ContentKeeper"), ("cyberoam", "Cyberoam"), ("forcepoint", "Forcepoint"),
    ("fortigate", "FortiGate"), ("fortinet", "FortiGate"), ("kaspersky anti-virus", "Kaspersky"),
    ("mcafee web gateway", "McAfee Web Gateway"), ("netskope", "Netskope"), ("netspark", "NetSpark"),
    ("smoothwall", "Smoothwall"), ("sonicwall", "SonicWall"), ("sophos", "Sophos"),
    ("iwss.trend", "Trend Micro InterScan"), ("zscaler", "Zscaler"), ("charles proxy", "Charles Proxy"),
    ("fiddlerroot", "Fiddler"), ("mitmproxy", "mitmproxy"), ("portswigger", "Burp Suite"),
    ("edellroot", "Dell Foundation Services"), ("superfish", "Superfish"), ("qaznet", "Qaznet"),
  ]

  /// The product that the name of an authority (RFC 4514 text) is known from; nil for all other names.
  static func product(named distinguishedName: String) -> String? {
    let name = distinguishedName.lowercased()
    return products.first { name.contains($0.name) }?.product
  }

  /// What to do about an authority of such a name; nil for all others.
  static func advice(on distinguishedName: String) -> String? {
    product(named: distinguishedName).map { product in
      "'\(CertificateText.name(in: distinguishedName))' is a CA name of \(product), which inspects TLS connections: it probably "
        + "answered in the server's place. Probe from a network without TLS inspection, as clients have. Neither pin this CA "
        + "nor add it to the policy."
    }
  }
}
