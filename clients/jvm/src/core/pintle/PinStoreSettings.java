package pintle;

import java.io.File;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/** The settings of a {@link PinStore}. What isn't set has the value that docs/updates.md says. */
public final class PinStoreSettings {
  /** What every question is answered with as long as no manifest is in force. */
  public enum WithoutManifest {
    /** Nothing is connected to. */
    BLOCK,
    /** The platform's own validation decides. */
    NOT_PINNED
  }

  /** The wall clock, in seconds since 1970-01-01T00:00:00Z. */
  public interface Clock {
    /** {@return now, in seconds since 1970-01-01T00:00:00Z} */
    long now();
  }

  /**
   * Receives every decision, on the thread that asked: for counters and reports. It must not block. When a manifest takes
   * effect, each open connection is decided on again, on the thread of the update.
   */
  public interface DecisionListener {
    /**
     * Called after each decision.
     *
     * <p>What it throws, an {@code Error} too, is logged (java.util.logging, logger {@code pintle}) after all listeners were
     * called. The decision stays as it is.
     *
     * @param handshake what the transport knows about the other side
     * @param decision the answer
     */
    void decided(Handshake handshake, Decision decision);
  }

  final String audience;
  private final byte[] keyset;
  private final List<byte[]> signers;
  private final int threshold;
  File directory;
  byte[] embedded;
  WithoutManifest withoutManifest = WithoutManifest.BLOCK;
  int maximumBytes = Manifest.MAXIMUM_BYTES;
  int maximumLossPercent = 30;
  boolean replaysRecentChains = true;
  long recentPeriod = 86400;
  PlatformTrust trust;
  SigningKey.Platform platform = SigningKey.Platform.CURRENT;
  Clock clock = new Clock() {
    @Override
    public long now() {
      return Math.floorDiv(System.currentTimeMillis(), 1000L);
    }
  };
  final List<DecisionListener> listeners = new ArrayList<>();
  private Signers fixed;

  private PinStoreSettings(String audience, byte[] keyset, List<byte[]> signers, int threshold) {
    this.audience = audience;
    this.keyset = keyset;
    this.signers = signers;
    this.threshold = threshold;
  }

  /**
   * {@return settings for signers that a keyset names, which newer keysets may change}
   *
   * @param keyset the keyset file that was shipped with the program
   * @param audience the environment that the program runs in, such as {@code production}
   */
  public static PinStoreSettings keyset(byte[] keyset, String audience) {
    return new PinStoreSettings(audience, keyset.clone(), null, 0);
  }

  /**
   * {@return settings for signers that never change without a new program}
   *
   * @param publicKeys SubjectPublicKeyInfo, in DER or PEM, of Ed25519 or ECDSA P-256 keys
   * @param threshold how many different ones must have signed
   * @param audience the environment that the program runs in
   */
  public static PinStoreSettings signers(Collection<byte[]> publicKeys, int threshold, String audience) {
    List<byte[]> keys = new ArrayList<>();
    for (byte[] key : publicKeys) keys.add(fromPem(key));
    return new PinStoreSettings(audience, null, keys, threshold);
  }

  private static byte[] fromPem(byte[] key) {
    String text = new String(key, Bytes.ASCII);
    int start = text.indexOf("-----BEGIN PUBLIC KEY-----");
    int end = text.indexOf("-----END PUBLIC KEY-----");
    // Two keys in one text aren't a key, and are rejected as one that can't be read.
    boolean isOne = text.indexOf("-----BEGIN ") == text.lastIndexOf("-----BEGIN ");
    if (start < 0 || end < start || !isOne) return key.clone();
    byte[] body = text.substring(start + 26, end).replaceAll("[\r\n]", "").getBytes(Bytes.ASCII);
    byte[] decoded = Bytes.base64(body, 0, body.length);
    return decoded == null ? key.clone() : decoded;
  }

  /**
   * The folder for what must survive a restart. It must exist, and belong to the service alone.
   *
   * @param directory an existing folder
   * @return this
   */
  public PinStoreSettings directory(File directory) {
    this.directory = directory;
    return this;
  }

  /**
   * The manifest file that was shipped with the program: what holds if nothing newer is stored.
   *
   * @param manifest the whole file
   * @return this
   */
  public PinStoreSettings embedded(byte[] manifest) {
    embedded = manifest == null || manifest.length == 0 ? null : manifest.clone();
    return this;
  }

  /**
   * What holds if there is neither a stored nor an embedded manifest; {@code BLOCK} unless set.
   *
   * @param answer what holds then
   * @return this
   */
  public PinStoreSettings withoutManifest(WithoutManifest answer) {
    withoutManifest = answer;
    return this;
  }

  /**
   * The most bytes of a manifest file that are read; 64 MiB unless set.
   *
   * @param bytes the limit
   * @return this
   */
  public PinStoreSettings maximumBytes(int bytes) {
    maximumBytes = bytes;
    return this;
  }

  /**
   * The part of the pinned entries that one update may take away, in percent; 30 unless set.
   *
   * @param percent of the entries
   * @return this
   */
  public PinStoreSettings maximumLossPercent(int percent) {
    maximumLossPercent = Math.max(0, percent);
    return this;
  }

  /**
   * For how many seconds a chain counts as allowed lately; a day unless set. 0 switches this part of the guard off.
   *
   * @param seconds how long
   * @return this
   */
  public PinStoreSettings recentPeriod(long seconds) {
    recentPeriod = seconds;
    replaysRecentChains = seconds > 0;
    return this;
  }

  /**
   * The trust manager that takes the platform's place, with its accepted issuers as anchors.
   *
   * @param manager the platform's, or another
   * @return this
   */
  public PinStoreSettings trustManager(X509TrustManager manager) {
    trust = PlatformTrust.of(manager);
    return this;
  }

  /**
   * The anchors that count in the place of the system's.
   *
   * @param anchors the certificates
   * @return this
   */
  public PinStoreSettings anchors(Collection<X509Certificate> anchors) {
    trust = PlatformTrust.of(anchors);
    return this;
  }

  /**
   * The clock; the system's unless set.
   *
   * @param clock answers with seconds since 1970-01-01T00:00:00Z
   * @return this
   */
  public PinStoreSettings clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /**
   * Adds a listener.
   *
   * @param listener who is called
   * @return this
   */
  public PinStoreSettings listener(DecisionListener listener) {
    listeners.add(listener);
    return this;
  }

  /** For tests: a platform that lacks algorithms. */
  PinStoreSettings platform(SigningKey.Platform platform) {
    this.platform = platform;
    return this;
  }

  PinStoreSettings copy() {
    PinStoreSettings copy = new PinStoreSettings(audience, keyset, signers, threshold);
    copy.directory = directory;
    copy.embedded = embedded;
    copy.withoutManifest = withoutManifest;
    copy.maximumBytes = maximumBytes;
    copy.maximumLossPercent = maximumLossPercent;
    copy.replaysRecentChains = replaysRecentChains;
    copy.recentPeriod = recentPeriod;
    copy.trust = trust;
    copy.platform = platform;
    copy.clock = clock;
    copy.listeners.addAll(listeners);
    return copy;
  }

  /** Reads what came with the program; null for fixed signers. */
  Keyset shippedKeyset() throws PintleException {
    if (keyset != null) return Keyset.shipped(keyset, audience, platform);
    fixed = Signers.of(signers, threshold, platform);
    return null;
  }

  /** Verifies and reads a manifest by the signers of a keyset, or by the fixed ones. */
  Manifest load(byte[] bytes, Keyset keyset) throws PintleException {
    return Manifest.load(bytes, keyset == null ? fixed : keyset.signers, audience, maximumBytes);
  }
}
