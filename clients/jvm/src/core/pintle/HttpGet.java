package pintle;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One GET over a connection of its own (RFC 9112).
 *
 * <p>HttpURLConnection would answer a server's 401 with the process's Authenticator, send its cookies, and ask its proxy
 * selector; most of that can't be turned off for one connection.
 */
final class HttpGet {
  /** The most bytes of all lines of a head, or of a chunked body. */
  private static final int MOST_HEAD = 65_536;
  private static final int MOST_INFORMATIONAL = 8;

  private final Download download;
  private final URL url;
  private final String host;
  private final int port;
  private InputStream input;
  private int lineBytes;

  int status;
  final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  HttpGet(Download download, URL url) {
    this.download = download;
    this.url = url;
    String name = url.getHost();
    host = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
    port = Download.port(url);
  }

  /** Sends the request, and reads the head of the answer. */
  void send(Map<String, String> conditions, Proxy proxy, SSLSocketFactory factory) throws IOException {
    boolean isSecure = url.getProtocol().equals("https");
    boolean isForwarded = proxy.type() == Proxy.Type.HTTP && !isSecure;
    Socket socket = connect(proxy);
    if (isSecure) {
      if (proxy.type() == Proxy.Type.HTTP) tunnel(socket);
      socket = secure(socket, factory == null ? platformFactory() : factory);
    }
    StringBuilder request = new StringBuilder("GET ");
    if (isForwarded) request.append("http://").append(authority());
    request.append(target()).append(" HTTP/1.1\r\nHost: ").append(authority());
    request.append("\r\nUser-Agent: pintle-jvm\r\nAccept: */*\r\nAccept-Encoding: identity\r\nConnection: close\r\n");
    for (Map.Entry<String, String> field : conditions.entrySet()) {
      request.append(field.getKey()).append(": ").append(field.getValue()).append("\r\n");
    }
    write(socket, request.append("\r\n"));
    input = new BufferedInputStream(socket.getInputStream());
    readHead();
  }

  private static void write(Socket socket, CharSequence text) throws IOException {
    socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** The host as in URLs, with the port unless it is the scheme's. */
  private String authority() {
    return url.getHost() + (port == url.getDefaultPort() ? "" : ":" + port);
  }

  /** Path and query; what isn't visible ASCII is escaped, so that it can't end the line. */
  private String target() {
    StringBuilder target = new StringBuilder(url.getFile().startsWith("/") ? "" : "/");
    for (byte one : url.getFile().getBytes(StandardCharsets.UTF_8)) {
      if (one > ' ' && one <= '~') target.append((char) one);
      else target.append(String.format("%%%02X", one & 0xFF));
    }
    return target.toString();
  }

  // The connection

  private Socket connect(Proxy proxy) throws IOException {
    if (proxy.type() == Proxy.Type.SOCKS) return connect(proxy, InetSocketAddress.createUnresolved(host, port));
    if (proxy.type() == Proxy.Type.HTTP) {
      InetSocketAddress at = (InetSocketAddress) proxy.address();
      return connectToAny(at.isUnresolved() ? at.getHostString() : at.getAddress().getHostAddress(), at.getPort());
    }
    return connectToAny(host, port);
  }

  private Socket connectToAny(String name, int at) throws IOException {
    IOException last = null;
    for (InetAddress address : InetAddress.getAllByName(name)) {
      try {
        return connect(Proxy.NO_PROXY, new InetSocketAddress(address, at));
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /** With NO_PROXY, the socket asks no proxy selector either. */
  private Socket connect(Proxy proxy, InetSocketAddress address) throws IOException {
    Socket socket = new Socket(proxy);
    try {
      download.uses(socket);
      int milliseconds = download.milliseconds();
      socket.setSoTimeout(milliseconds);
      socket.connect(address, milliseconds);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Nothing may be read beyond the answer's head, so it is read byte by byte. */
  private void tunnel(Socket socket) throws IOException {
    String to = url.getHost() + ":" + port;
    write(socket, "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n");
    input = socket.getInputStream();
    readHead();
    if (status != 200) throw new IOException("the proxy answered with status " + status);
  }

  /** The server's name is checked, whatever HostnameVerifier the program has made a default. */
  private Socket secure(Socket plain, SSLSocketFactory factory) throws IOException {
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    if (!isFor(host, socket.getSession())) throw new SSLPeerUnverifiedException("the certificate isn't for " + host);
    return socket;
  }

  /** On Android, a handshake whose trust manager isn't an X509ExtendedTrustManager checks no name. */
  static boolean isFor(String host, SSLSession session) {
    String name = HostName.canonical(host);
    try {
      return name != null && NameCheck.isFor(new Certificate(session.getPeerCertificates()[0].getEncoded()), name);
    } catch (SSLPeerUnverifiedException | CertificateException e) {
      return false;
    }
  }

  /** Not HttpsURLConnection's default, nor SSLContext's: the program may have replaced these by a pinned one. */
  private static SSLSocketFactory platformFactory() throws IOException {
    try {
      return SSLContext.getInstance("Default").getSocketFactory();
    } catch (NoSuchAlgorithmException e) {
      throw new IOException("the platform has no TLS", e);
    }
  }

  // The answer

  private void readHead() throws IOException {
    for (int heads = 0; heads <= MOST_INFORMATIONAL; heads++) {
      lineBytes = 0;
      String first = line();
      if (!first.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) throw new IOException("the answer isn't HTTP/1.1");
      status = Integer.parseInt(first.substring(9, 12));
      readFields();
      // Interim answers, of which 101 can't be one of ours.
      if (status >= 200 || status == 101) return;
    }
    throw new IOException("the server sends only interim answers");
  }

  private void readFields() throws IOException {
    fields.clear();
    for (String line; !(line = line()).isEmpty();) {
      int colon = line.indexOf(':');
      if (colon <= 0 || line.charAt(0) <= ' ' || line.charAt(colon - 1) <= ' ') {
        throw new IOException("the answer has a header field that can't be read");
      }
      String name = line.substring(0, colon);
      List<String> values = fields.get(name);
      if (values == null) fields.put(name, values = new ArrayList<>());
      values.add(line.substring(colon + 1).trim());
    }
  }

  /** A line of a head, without its end. */
  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int one; (one = input.read()) != '\n';) {
      if (one < 0) throw cutOff();
      if (++lineBytes > MOST_HEAD) throw new IOException("the answer's head has more than " + MOST_HEAD + " bytes");
      line.append((char) one);
    }
    int length = line.length();
    if (length > 0 && line.charAt(length - 1) == '\r') line.setLength(length - 1);
    return line.toString();
  }

  private static IOException cutOff() {
    return new IOException("the answer is cut off");
  }

  /** The only value of a field; null if it isn't there. */
  String field(String name) throws IOException {
    List<String> values = fields.get(name);
    if (values == null) return null;
    for (String value : values) if (!value.equals(values.get(0))) throw new IOException("the answer has two " + name);
    return values.get(0);
  }

  /** Reads the body; the download keeps it, and counts. */
  void readBody() throws IOException {
    String encoding = field("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) throw new IOException("the answer is encoded");
    String transfer = field("Transfer-Encoding");
    String length = field("Content-Length");
    if (transfer != null) {
      if (!transfer.equalsIgnoreCase("chunked")) throw new IOException("the answer's Transfer-Encoding isn't chunked");
      readChunks();
    } else if (length == null) {
      // The end of the connection is the end of the body.
      copy(Long.MAX_VALUE);
    } else {
      copyAll(number(length, 10));
    }
  }

  private void readChunks() throws IOException {
    lineBytes = 0;
    while (true) {
      String size = line();
      int extension = size.indexOf(';');
      long left = number((extension < 0 ? size : size.substring(0, extension)).trim(), 16);
      if (left == 0) break;
      copyAll(left);
      if (!line().isEmpty()) throw new IOException("the answer has a chunk that doesn't end where it says");
    }
    readFields();
  }

  private static long number(String text, int radix) throws IOException {
    boolean isNumber = text.matches(radix == 10 ? "[0-9]{1,18}" : "[0-9A-Fa-f]{1,15}");
    if (!isNumber) throw new IOException("the answer has a length that isn't one");
    return Long.parseLong(text, radix);
  }

  private void copyAll(long count) throws IOException {
    if (copy(count) > 0) throw cutOff();
  }

  /** Passes on at most this many bytes; returns how many didn't come. */
  private long copy(long count) throws IOException {
    byte[] buffer = new byte[8192];
    while (count > 0) {
      int read = input.read(buffer, 0, (int) Math.min(count, buffer.length));
      if (read < 0) break;
      download.keep(buffer, read);
      count -= read;
    }
    return count;
  }
}
