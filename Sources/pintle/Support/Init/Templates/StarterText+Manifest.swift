extension StarterText {
  /// `policies/manifest.yaml`: what holds for the whole manifest.
  static func manifest(audience: String) -> String {
    #"""
    # yaml-language-server: $schema=../schemas/policy.schema.json
    #
    # What holds for the whole manifest.
    version: 1

    manifest:
      # The environment that the manifest is for; a client of any other refuses it.
      audience: \#(audience)
      # A client looks for a newer manifest once a day, and calls this one stale after thirty days.
      refresh-after: 1d
      expires-after: 30d
      # A stale manifest goes on as before, and says so in the client's metrics.
      on-stale: enforce
      # How long after a release some clients may still run an older one: no rotation is faster than this.
      client-max-age: 90d

    """#
  }
}
