package pintle.netty;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import java.security.GeneralSecurityException;
import pintle.PinContext;
import pintle.PinStore;

/** Netty with the JDK's TLS, decided by a store in the handshake. */
public final class PinNetty {
  private PinNetty() {}

  /**
   * {@return a context for clients}
   * <p>Make handlers with {@code newHandler(allocator, host, port)}: without the host there is no decision, and the handshake
   * fails. Once a manifest blocks a channel, nothing is sent or received on it any more: the next bytes in either direction
   * fail, with a {@code PinningException} as the cause.
   *
   * @param protocols the protocols that are offered by ALPN (RFC 7301), such as {@code h2}; none if there are none
   * @param store decides
   * @throws GeneralSecurityException if the platform has no TLS
   */
  public static SslContext client(PinStore store, String... protocols) throws GeneralSecurityException {
    ApplicationProtocolConfig alpn = protocols.length == 0 ? ApplicationProtocolConfig.DISABLED
        : new ApplicationProtocolConfig(ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT, protocols);
    return new JdkSslContext(PinContext.of(store), true, null, IdentityCipherSuiteFilter.INSTANCE, alpn, ClientAuth.NONE,
        new String[] {"TLSv1.3", "TLSv1.2"}, false);
  }
}
