import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A server that vouches for itself.
  static let selfSignedCertificate = Rule(
    code: "P506",
    name: "self-signed-certificate",
    severity: .error,
    title: "A server presents a self-signed certificate that isn't a trust anchor.",
    rationale: """
      Anybody can make a self-signed certificate, so it doesn't prove who the server is. If a device can't have a
      certificate from a CA, the policy can name its one certificate, with a reason. That is as strict as a pin can be.
      """,
    failing: .live("self-signed", "The appliance sends a certificate that it signed itself.", appliance("")),
    passing: .live(
      "self-signed", "The appliance sends a certificate that it signed itself.",
      appliance(
        """

            trust:
              certificate: keys/appliance.pem
              reason: the device can't be enrolled in our CA
        """)),
    citation: "RFC 5280 section 6.1; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .selfSigned },
        related: \.anchorsPlace,
        help: { trouble in
          "Have the server present a certificate from a CA that its clients trust. If it can't, "
            + trouble.oneCertificate
        })
    })

  private static func appliance(_ trust: String) -> String {
    """
      appliance: { file: keys/appliance.pem }
      appliance-next: { file: keys/appliance-next.csr }
    hosts:
      - host: appliance.example.internal
        keys: { active: [appliance], backup: [appliance-next] }\(trust)
    """
  }
}
