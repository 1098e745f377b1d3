package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jetbrains.annotations.Nullable;

/** What a transport knows about the other side of a TLS handshake. */
public final class Handshake {
  /** The most certificates that are read. */
  static final int MAXIMUM_CERTIFICATES = 32;

  final boolean isClient;
  final String host;
  final int port;
  final List<byte[]> certificates;
  final String tlsVersion;

  private Handshake(boolean isClient, String host, int port, List<byte[]> certificates, String tlsVersion) {
    this.isClient = isClient;
    this.host = host;
    this.port = port;
    this.certificates = Collections.unmodifiableList(new ArrayList<>(certificates));
    this.tlsVersion = tlsVersion;
  }

  /**
   * {@return a server}
   *
   * @param host the name or address that the connection is for: ASCII, so A-labels for an international name
   * @param port the port that the connection is for
   * @param certificates as they were sent, in DER, the server's own first
   * @param tlsVersion {@code 1.2}, {@code 1.3}, or null if the transport doesn't say
   */
  public static Handshake server(String host, int port, List<byte[]> certificates, @Nullable String tlsVersion) {
    return new Handshake(false, host, port, certificates, tlsVersion);
  }

  /**
   * {@return a client that presented certificates; {@code entry} is the manifest's entry for the service's clients}
   *
   * @param entry the manifest's entry for the service's clients
   * @param port the port that the connection is for
   * @param certificates as they were sent, in DER, the own one first
   * @param tlsVersion {@code 1.2}, {@code 1.3}, or null if the transport doesn't say
   */
  public static Handshake client(String entry, int port, List<byte[]> certificates, @Nullable String tlsVersion) {
    return new Handshake(true, entry, port, certificates, tlsVersion);
  }

  /** {@return the name or address that the connection is for; for a client, the entry} */
  public String host() {
    return host;
  }

  /** {@return the port that the connection is for} */
  public int port() {
    return port;
  }

  @Override
  public String toString() {
    return Bytes.printable(HostName.label(host, port));
  }

  /** The version as {@link #tlsVersion} has it, from the name that Java gives a protocol. */
  static String version(String protocol) {
    if (protocol == null || !protocol.startsWith("TLSv1")) return null;
    return protocol.equals("TLSv1") ? "1.0" : protocol.substring("TLSv".length());
  }
}
