extension PullRequestTests {
  private static let lastHost = "    require: leaf-and-ca\n"
  private static let set = "    active: [root-1]\n    backup: [root-2, web-spare]\n"

  static let rows = [
    Row("nothing but a comment", ("web.yaml", "hosts:\n", "# The order is that of the menu.\nhosts:\n")),
    Row(
      "a new host on trial",
      ("web.yaml", lastHost, lastHost + "  - { host: status.example.com, mode: report-only, keys: public-web }\n")),
    Row(
      "a new host that enforces",
      ("web.yaml", lastHost, lastHost + "  - { host: status.example.com, keys: public-web }\n")),
    Row(
      "a new host in front of its subtree",
      (
        "internal.yaml", "  - host: fax.corp.example.com\n",
        """
          - host: git.corp.example.com
            keys: corp
            trust:
              anchors: [keys/corp-root.pem]
              reason: these names are never served under a public CA
          - host: fax.corp.example.com

        """
      )),
    Row("a later expiry", ("web.yaml", "expires: 2027-08-01", "expires: 2027-11-01")),
    Row(
      "a backup for a shared set",
      ("web.yaml", set, "    active: [root-1]\n    backup: [root-2, web-spare, web-spare-2]\n"),
      (
        "web.yaml", "  api: {",
        "  web-spare-2: { file: keys/web-spare-2.csr, position: leaf, custody: HSM E, created: 2026-11-20 }\n  api: {"
      )),
    Row(
      "a backup for one host", ("web.yaml", "backup: [api-spare] }", "backup: [api-spare, api-spare-2] }"),
      (
        "web.yaml", "  pay: {",
        "  api-spare-2: { file: keys/web-spare-2.csr, position: leaf, custody: HSM E, created: 2026-11-20 }\n  pay: {"
      )),
    Row(
      "an intermediate beside its pinned root",
      ("web.yaml", set, "    active: [root-1, issuing-1]\n    backup: [root-2, web-spare]\n"),
      ("web.yaml", "  root-2: {", "  issuing-1: { file: keys/issuing-1.pem, position: intermediate }\n  root-2: {")
    ),
    Row("a known backup promoted", ("web.yaml", set, "    active: [root-1, root-2]\n    backup: [web-spare]\n")),
    Row(
      "a known backup that becomes active as planned",
      (
        "web.yaml", "keys/api-spare.csr, position: leaf,",
        "keys/api-spare.csr, position: leaf, steps: { active: 2027-03-01 },"
      )),
    Row(
      "another name for a key",
      ("web.yaml", "  root-1: {", "  example-root-1: {"), ("web.yaml", "active: [root-1]", "active: [example-root-1]"),
      ("web.yaml", "active: [pay, root-1]", "active: [pay, example-root-1]")),
    Row(
      "another name for a set",
      ("web.yaml", "  public-web:\n", "  web:\n"),
      ("web.yaml", "www.example.com\n    keys: public-web\n", "www.example.com\n    keys: web\n"),
      ("web.yaml", "shop.example.com\n    keys: public-web\n", "shop.example.com\n    keys: web\n"),
      ("web.yaml", "blog.example.com\n    keys: public-web\n", "blog.example.com\n    keys: web\n"),
      ("web.yaml", "static.example.com\n    keys: public-web\n", "static.example.com\n    keys: web\n"),
      ("web.yaml", "mode: report-only\n    keys: public-web\n", "mode: report-only\n    keys: web\n")),
    Row(
      "a set of its own in place of a shared one",
      (
        "web.yaml", "blog.example.com\n    keys: public-web\n",
        "blog.example.com\n    keys: { active: [root-1], backup: [root-2, web-spare] }\n"
      )),
    Row(
      "a host moved to another file",
      ("web.yaml", "  - host: blog.example.com\n    keys: public-web\n", ""),
      (
        "blog.yaml", "",
        """
        version: 1
        owner: editors@example.com
        defaults: { expires: 2027-08-01, on-expiry: report-only, report-uris: [https://pins.example.org/reports] }
        hosts:
          - { host: blog.example.com, keys: public-web }

        """
      )),
    Row(
      "another order",
      ("web.yaml", "  - host: www.example.com\n    keys: public-web\n", ""),
      ("web.yaml", lastHost, lastHost + "  - { keys: public-web, host: www.example.com }\n")),
    Row("another owner", ("web.yaml", "owner: web@", "owner: platform@")),
    Row("another report URI", ("web.yaml", "example.org/reports", "example.org/mismatches")),
    Row(
      "enforced after a trial",
      (
        "web.yaml", "  # On trial since the last release but one.\n  - host: new.example.com\n    mode: report-only\n",
        "  - host: new.example.com\n"
      )),
    Row(
      "a finding accepted for a time",
      (
        "web.yaml", "keys: { active: [api], backup: [api-spare] }",
        "keys: { active: [api], backup: [api-spare] } # pintle:allow P316 until 2027-06-01: renewals keep the key"
      )),
    Row("a reason for a set", ("web.yaml", set, set + "    reason: two public CAs, and a key of our own\n")),
    Row("a longer time until clients refresh", ("manifest.yaml", "refresh-after: 1d", "refresh-after: 2d")),
    Row("a longer freshness", ("manifest.yaml", "expires-after: 30d", "expires-after: 45d")),
    Row("a wider adoption window", ("manifest.yaml", "client-max-age: 90d", "client-max-age: 120d")),
    Row(
      "the kinds of clients",
      ("manifest.yaml", "client-max-age: 90d\n", "client-max-age: 90d\n  clients: [full-chain]\n")),
    Row(
      "a key that nobody serves denied",
      (
        "web.yaml", "  pay: {",
        """
          leaked-2024:
            pin: sha256/VeaEC7avGy2P59QnIEVQk5TfH2EnclW5aXzJCrs/6p0=
            position: leaf
            denied: found in a public bucket on 2026-11-20
          pay: {
        """
      )),
    Row(
      "where a key is kept",
      (
        "web.yaml", "  api: { file: keys/api.pem, position: leaf }",
        "  api: { file: keys/api.pem, position: leaf, status: active, custody: load balancer, created: 2026-08-30 }"
      )),
    Row(
      "the default written down",
      (
        "web.yaml", "  - host: shop.example.com\n",
        "  - host: shop.example.com\n    mode: enforce\n    expires: 2027-08-01T00:00:00Z\n"
      )),
    Row(
      "another reason of an exclusion", ("internal.yaml", "an appliance with a certificate of its own", "goes in March")
    ),
  ]
}
