package pintle;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.util.Set;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/** Hands everything but streams, handshakes and what is about them to another socket; a line for each method. */
abstract class ForwardingSocket extends SSLSocket {
  final SSLSocket socket;

  ForwardingSocket(SSLSocket socket) {
    this.socket = socket;
  }

  // Java 9; Java 8 never calls these

  @SuppressWarnings("unchecked") // the platform's own method has this type
  public <T> T getOption(SocketOption<T> a) throws IOException { return (T) call("getOption", new Class<?>[] {SocketOption.class}, a); }
  public <T> Socket setOption(SocketOption<T> a, T b) throws IOException {
    call("setOption", new Class<?>[] {SocketOption.class, Object.class}, a, b);
    return this;
  }
  @SuppressWarnings("unchecked") // the platform's own method has this type
  public Set<SocketOption<?>> supportedOptions() {
    try {
      return (Set<SocketOption<?>>) call("supportedOptions", new Class<?>[0]);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object call(String name, Class<?>[] types, Object... arguments) throws IOException {
    try {
      Method method = Socket.class.getMethod(name, types);
      return method.invoke(socket, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException) throw (IOException) e.getCause();
      if (e.getCause() instanceof RuntimeException) throw (RuntimeException) e.getCause();
      throw new IOException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(e);
    }
  }

  @Override public void bind(SocketAddress a) throws IOException { socket.bind(a); }
  @Override public void close() throws IOException { socket.close(); }
  @Override public String getApplicationProtocol() { return socket.getApplicationProtocol(); }
  @Override public SocketChannel getChannel() { return socket.getChannel(); }
  @Override public boolean getEnableSessionCreation() { return socket.getEnableSessionCreation(); }
  @Override public String[] getEnabledCipherSuites() { return socket.getEnabledCipherSuites(); }
  @Override public String[] getEnabledProtocols() { return socket.getEnabledProtocols(); }
  @Override public String getHandshakeApplicationProtocol() { return socket.getHandshakeApplicationProtocol(); }
  @Override public SSLSession getHandshakeSession() { return socket.getHandshakeSession(); }
  @Override public InetAddress getInetAddress() { return socket.getInetAddress(); }
  @Override public boolean getKeepAlive() throws SocketException { return socket.getKeepAlive(); }
  @Override public InetAddress getLocalAddress() { return socket.getLocalAddress(); }
  @Override public int getLocalPort() { return socket.getLocalPort(); }
  @Override public SocketAddress getLocalSocketAddress() { return socket.getLocalSocketAddress(); }
  @Override public boolean getNeedClientAuth() { return socket.getNeedClientAuth(); }
  @Override public boolean getOOBInline() throws SocketException { return socket.getOOBInline(); }
  @Override public int getPort() { return socket.getPort(); }
  @Override public int getReceiveBufferSize() throws SocketException { return socket.getReceiveBufferSize(); }
  @Override public SocketAddress getRemoteSocketAddress() { return socket.getRemoteSocketAddress(); }
  @Override public boolean getReuseAddress() throws SocketException { return socket.getReuseAddress(); }
  @Override public SSLParameters getSSLParameters() { return socket.getSSLParameters(); }
  @Override public int getSendBufferSize() throws SocketException { return socket.getSendBufferSize(); }
  @Override public SSLSession getSession() { return socket.getSession(); }
  @Override public int getSoLinger() throws SocketException { return socket.getSoLinger(); }
  @Override public int getSoTimeout() throws SocketException { return socket.getSoTimeout(); }
  @Override public String[] getSupportedCipherSuites() { return socket.getSupportedCipherSuites(); }
  @Override public String[] getSupportedProtocols() { return socket.getSupportedProtocols(); }
  @Override public boolean getTcpNoDelay() throws SocketException { return socket.getTcpNoDelay(); }
  @Override public int getTrafficClass() throws SocketException { return socket.getTrafficClass(); }
  @Override public boolean getUseClientMode() { return socket.getUseClientMode(); }
  @Override public boolean getWantClientAuth() { return socket.getWantClientAuth(); }
  @Override public boolean isBound() { return socket.isBound(); }
  @Override public boolean isClosed() { return socket.isClosed(); }
  @Override public boolean isConnected() { return socket.isConnected(); }
  @Override public boolean isInputShutdown() { return socket.isInputShutdown(); }
  @Override public boolean isOutputShutdown() { return socket.isOutputShutdown(); }
  @Override public void sendUrgentData(int a) throws IOException { socket.sendUrgentData(a); }
  @Override public void setEnableSessionCreation(boolean a) { socket.setEnableSessionCreation(a); }
  @Override public void setEnabledCipherSuites(String[] a) { socket.setEnabledCipherSuites(a); }
  @Override public void setEnabledProtocols(String[] a) { socket.setEnabledProtocols(a); }
  @Override public void setKeepAlive(boolean a) throws SocketException { socket.setKeepAlive(a); }
  @Override public void setNeedClientAuth(boolean a) { socket.setNeedClientAuth(a); }
  @Override public void setOOBInline(boolean a) throws SocketException { socket.setOOBInline(a); }
  @Override public void setPerformancePreferences(int a, int b, int c) { socket.setPerformancePreferences(a, b, c); }
  @Override public void setReceiveBufferSize(int a) throws SocketException { socket.setReceiveBufferSize(a); }
  @Override public void setReuseAddress(boolean a) throws SocketException { socket.setReuseAddress(a); }
  @Override public void setSSLParameters(SSLParameters a) { socket.setSSLParameters(a); }
  @Override public void setSendBufferSize(int a) throws SocketException { socket.setSendBufferSize(a); }
  @Override public void setSoLinger(boolean a, int b) throws SocketException { socket.setSoLinger(a, b); }
  @Override public void setSoTimeout(int a) throws SocketException { socket.setSoTimeout(a); }
  @Override public void setTcpNoDelay(boolean a) throws SocketException { socket.setTcpNoDelay(a); }
  @Override public void setTrafficClass(int a) throws SocketException { socket.setTrafficClass(a); }
  @Override public void setUseClientMode(boolean a) { socket.setUseClientMode(a); }
  @Override public void setWantClientAuth(boolean a) { socket.setWantClientAuth(a); }
  @Override public void shutdownInput() throws IOException { socket.shutdownInput(); }
  @Override public void shutdownOutput() throws IOException { socket.shutdownOutput(); }
}
