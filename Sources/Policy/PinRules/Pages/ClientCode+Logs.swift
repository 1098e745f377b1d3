extension ClientCode {
  /// The codes of decisions: events that a client counts, and failures of trust evaluation.
  static let decisions = [
    log("no-entry", "No entry of the manifest governs the host, so only the transport's own validation counts."),
    log("excluded", "The host's entry has 'mode: off': nothing is pinned there."),
    log("invalid-host", "What the client asked about isn't a host name or an address. Look at its configuration."),
    log(
      "entry-expired",
      "The host's entry has expired, and 'on-expiry:' says what happens now. Set a later 'expires:' and release; "
        + "clients need that release."),
    log(
      "report-only",
      "The entry reports what it would block, and lets it through, by its 'mode:' or since it expired."),
    log(
      "untrusted",
      "Trust evaluation failed before any pin was compared. The log names the failure, such as 'unknown-issuer': ask "
        + "for that code."),
    log(
      "denied-key",
      "The chain has a key that the policy denies. Don't remove the denial: ask the server's operator, by telephone, "
        + "why the server presents this key."),
    log(
      "mismatch",
      "The chain is valid, but has none of the keys that the entry asks for. A changed certificate or an attack: "
        + "'pintle why' shows which, and what to do."),
    log(
      "exception-used",
      "A dated exception of the policy excused a failure. Fix its cause before the exception ends."),
    log(
      "backup-key-matched",
      "The server presents a backup key: a rotation has happened. Make it an active key, and add a new backup."),
    log("unreadable-chain", "A certificate of the chain has a key that can't be read. The server has to replace it."),
    log(
      "denials-leaf-only",
      "The transport shows the leaf only, so denied keys above it weren't looked for. 'pintle diff' lists them."),
    log("malformed", "A certificate can't be read or breaks RFC 5280. Its issuer has to issue it again."),
    log(
      "key-encoding",
      "A public key isn't in its algorithm's usual form, so pins and denials would miss it. Have it issued again."),
    log("unusable-chain", "The server sent no certificate, or more than any chain needs."),
    log("wrong-certificate", "The server doesn't present the one certificate that the entry names."),
    log(
      "self-signed",
      "The server's certificate is self-signed and not an anchor: a default configuration, or an attack. Ask the "
        + "operator."),
    log(
      "missing-intermediate",
      "The server doesn't send an intermediate that its certificate needs. Its operator adds it."),
    log(
      "unknown-issuer",
      "The chain ends at a CA that isn't an anchor for this host: the entry's 'anchors:', or the trust store, don't "
        + "have it. Until the operator confirms the CA, treat it as an attack, and change nothing in the policy."),
    log("rejected", "The trust store itself says that a certificate must not be used for this."),
    log(
      "bad-signature",
      "A certificate's signature isn't its issuer's: the wrong intermediate is served, or it was changed."),
    log(
      "not-an-authority",
      "A certificate that isn't a CA's signs another one. The server sends the wrong chain, or an attacker."),
    log("path-too-long", "There are more certificates below a CA than it allows."),
    log("name-constraints", "A CA of the chain may not issue for this name."),
    log("wrong-usage", "The certificate isn't for TLS servers: its Key Usage or Extended Key Usage says so."),
    log(
      "expired",
      "A certificate of the chain has expired. The server's operator renews it, for the same key or a pinned one."),
    log("not-yet-valid", "A certificate of the chain isn't valid yet. Is the client's clock right?"),
    log("name-mismatch", "The host isn't among the certificate's names: the wrong server, or the wrong certificate."),
    log("weak-key", "A key is weaker than the minimum, or than the entry's 'trust:' allows."),
    log("weak-signature", "A signature is weaker than the minimum, or than the entry's 'trust:' allows."),
    log("old-tls-version", "The connection's TLS version is below the entry's 'minimum-tls:', or unknown."),
    log("other", "Another failure of trust evaluation; the log's text says which. It blocks, as all do."),
  ]

  /// The codes of a service's health.
  static let health = [
    log("no-manifest", "No manifest is in force, and the client does what its settings say for that. Give it one."),
    log(
      "manifest-stale",
      "The manifest in force has expired, and 'on-stale:' says what clients do. Release the policy again now, then "
        + "find out why no newer one arrived."),
    log("refresh-due", "The manifest in force should have been replaced by now. Was one released? Does it arrive?"),
    log(
      "update-rejected",
      "The last manifest that arrived was rejected. The log has the reason's own code: ask for that."),
    log(
      "fetch-failing",
      "At least three rounds of fetching failed. Check the network, and the servers of 'fetch.urls'."),
    log("file-unreadable", "The file of 'file.path' can't be read. Check its path and permissions."),
    log("keyset-expiring", "The keyset expires soon, and the next one hasn't arrived. Release it, on all mirrors."),
    log(
      "manifest-not-endorsed",
      "The keyset of now wouldn't accept the manifest in force: signers were removed, or the minimum serial was "
        + "raised. Release a manifest that the new signers signed."),
    log(
      "keyset-rejected",
      "A keyset that arrived was rejected; the trusted one stays. The log has the reason's own code."),
    log("keyset-fetch-failing", "Keysets can't be fetched. Check the network, and the servers of 'keyset.urls'."),
    log("keysets-unreadable", "The folder of 'keyset.folder' can't be read. Check its path and permissions."),
    log("startup-problem", "Something was wrong when the service began; the log has the code and the problem."),
    log("state-not-written", "The state folder can't be written: after a restart, the client has an older manifest."),
    log("reports-not-kept", "Reports can't be kept on disk: those that aren't delivered yet are lost at a restart."),
    log("not-running", "The service was never started, or has stopped: nothing updates the manifest."),
  ]

  private static func log(_ name: String, _ text: String) -> ClientCode { ClientCode(name, text, of: .logs) }
}
