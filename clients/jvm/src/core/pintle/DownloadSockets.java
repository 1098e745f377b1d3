package pintle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.security.cert.CertificateException;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * TLS for a download: over a socket that the download can close, and with the server's name checked in the handshake,
 * whatever HostnameVerifier the program has made HttpsURLConnection's default.
 */
final class DownloadSockets extends SSLSocketFactory implements HostnameVerifier {
  private final Download download;
  private final SSLSocketFactory factory;

  DownloadSockets(Download download, SSLSocketFactory factory) {
    this.download = download;
    this.factory = factory;
  }

  @Override
  public Socket createSocket(Socket plain, String host, int port, boolean closes) throws IOException {
    download.uses(plain);
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, closes);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Android asks after the handshake, although that has checked the name; Java doesn't. */
  @Override
  public boolean verify(String host, SSLSession session) {
    String name = HostName.canonical(host);
    try {
      return name != null && NameCheck.isFor(new Certificate(session.getPeerCertificates()[0].getEncoded()), name);
    } catch (SSLPeerUnverifiedException | CertificateException e) {
      return false;
    }
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return factory.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return factory.getSupportedCipherSuites();
  }

  // HttpsURLConnection connects a socket of its own if there is none without an address, and then asks for TLS over that.

  static SocketException unsupported() {
    return (SocketException) new SocketException("only TLS over a socket").initCause(new UnsupportedOperationException());
  }

  @Override
  public Socket createSocket() throws IOException {
    throw unsupported();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw unsupported();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
    throw unsupported();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw unsupported();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
    throw unsupported();
  }
}
