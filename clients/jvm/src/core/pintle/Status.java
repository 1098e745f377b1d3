package pintle;

/** The state of a store, for health checks and metrics. Instants are seconds since 1970-01-01T00:00:00Z. */
public final class Status {
  private final PinStore.InForce state;
  private final long now;

  Status(PinStore.InForce state, long now) {
    this.state = state;
    this.now = now;
  }

  /** {@return where the manifest in force came from} */
  public PinStore.Source source() {
    return state.source;
  }

  /** {@return {@code fresh}, {@code refresh-due} or {@code stale}; {@code none} without a manifest} */
  public String freshness() {
    Manifest manifest = state.manifest();
    if (manifest == null) return "none";
    return now >= manifest.expires ? "stale" : now >= manifest.refreshAfter ? "refresh-due" : "fresh";
  }

  /** {@return the serial of the manifest in force; 0 without one} */
  public long serial() {
    return state.manifest() == null ? 0 : state.manifest().serial;
  }

  /** {@return the serial that an update must not be below, in the keyset's epoch} */
  public long highestSerial() {
    return state.highestSerial();
  }

  /** {@return how many host entries the manifest has} */
  public int entryCount() {
    return state.manifest() == null ? 0 : state.manifest().entries.size();
  }

  /** {@return when the manifest was issued; 0 without one} */
  public long issued() {
    return state.manifest() == null ? 0 : state.manifest().issued;
  }

  /** {@return when to look for a newer manifest; 0 without one} */
  public long refreshAfter() {
    return state.manifest() == null ? 0 : state.manifest().refreshAfter;
  }

  /** {@return when the manifest is stale; 0 without one} */
  public long expires() {
    return state.manifest() == null ? 0 : state.manifest().expires;
  }

  /** {@return the version of the keyset that is trusted; 0 with fixed signers} */
  public long keysetVersion() {
    return state.keyset == null ? 0 : state.keyset.version;
  }

  /** {@return when the keyset expires; 0 with fixed signers} */
  public long keysetExpires() {
    return state.keyset == null ? 0 : state.keyset.expires;
  }

  /** {@return whether no further manifest is accepted until a newer keyset comes} */
  public boolean isKeysetExpired() {
    return state.keyset != null && now >= state.keyset.expires;
  }

  /** {@return whether the keyset would accept the manifest in force; true without one} */
  public boolean isEndorsed() {
    return state.isEndorsed;
  }

  /**
   * Whether nothing is missing. As long as anything is, all is asked for and often, so that neither a wrong tag nor an outdated
   * mirror holds back what is needed. An embedded manifest of an earlier epoch is above the highest serial.
   */
  boolean isSettled() {
    return freshness().equals("fresh") && isEndorsed() && !isKeysetExpired() && serial() <= highestSerial();
  }

  /** {@return the store's time} */
  public long now() {
    return now;
  }
}
