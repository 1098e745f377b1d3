package pintle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sockets decided by a store: those of {@link PinContext}. Libraries that take the name of a class, such as PostgreSQL's JDBC
 * driver ({@code sslfactory}), take that of a subclass whose constructor has no parameters and gives this one the store.
 */
public class PinSocketFactory extends SSLSocketFactory {
  private final PinContext context;

  /**
   * For connections to servers.
   *
   * @param store decides
   */
  public PinSocketFactory(PinStore store) {
    this(new PinContext(store, null));
  }

  PinSocketFactory(PinContext context) {
    this.context = context;
  }

  private SSLSocketFactory next() {
    return context.fresh().getSocketFactory();
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return next().getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return next().getSupportedCipherSuites();
  }

  @Override
  public Socket createSocket() throws IOException {
    return context.identified((SSLSocket) next().createSocket(), null);
  }

  @Override
  public Socket createSocket(Socket socket, String host, int port, boolean closes) throws IOException {
    return context.identified((SSLSocket) next().createSocket(socket, host, port, closes), socket);
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return context.identified((SSLSocket) next().createSocket(host, port), null);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
    return context.identified((SSLSocket) next().createSocket(host, port, local, localPort), null);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return context.identified((SSLSocket) next().createSocket(host, port), null);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
    return context.identified((SSLSocket) next().createSocket(host, port, local, localPort), null);
  }
}
