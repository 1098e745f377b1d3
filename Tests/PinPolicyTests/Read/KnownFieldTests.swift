import PinPolicy
import Testing

@Suite("Fields that a mapping has")
struct KnownFieldTests {
  @Test(
    "An unknown field comes with those that are known",
    arguments: [
      ("x: 1", "policy file", "version owner defaults manifest keys key-sets hosts"),
      ("defaults: { x: 1 }", "defaults", "mode include-subdomains expires on-expiry report-uris require trust"),
      (
        "manifest: { x: 1 }", "manifest",
        "audience refresh-after expires-after on-stale client-max-age clients unpinned-hosts limits"
      ),
      ("manifest: { limits: { x: 1 } }", "limits", "max-lifetime expiry-warning max-hosts max-blast-radius"),
      ("keys: { a: { file: f, x: 1 } }", "key", "file pin position denied custody created status steps reason"),
      ("keys: { a: { file: f, steps: { x: 1 } } }", "steps", "published active retiring retired"),
      ("key-sets: { a: { x: 1 } }", "key set", "active backup reason"),
      (
        "hosts: [{ host: a, x: 1 }]", "host entry",
        "host port include-subdomains mode keys require expires on-expiry report-uris trust owner reason probe"
      ),
      ("hosts: [{ host: a, keys: { x: 1 } }]", "key set", "active backup reason"),
      (
        "hosts: [{ host: a, trust: { x: 1 } }]", "trust",
        """
        anchors intermediates certificate server-name exceptions minimum-rsa-bits minimum-ec-bits signatures \
        minimum-tls reason
        """
      ),
    ])
  func known(text: String, within: String, fields: String) {
    let kinds = read("version: 1\n" + text + "\n").problems.map(\.kind)
    #expect(kinds == [.unknownField(name: "x", within: within, known: fields.split(separator: " ").map(String.init))])
  }
}
