package pintle;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * The platform's engine, through which nothing of the application passes before the store has allowed its connection, and nothing
 * at all once a manifest blocks it. An engine can't close the transport, which learns of the refusal with the next bytes that it
 * sends or receives.
 */
final class PinEngine extends SSLEngine {
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};
  private final SSLEngine engine;
  private final OpenConnections connections;
  private volatile OpenConnections.Connection connection;
  private volatile boolean isClosing;
  /** Whether the store had allowed the connection when the handshake ended. */
  private volatile boolean isProved;

  PinEngine(SSLEngine engine, OpenConnections connections) {
    super(engine.getPeerHost(), engine.getPeerPort());
    this.engine = engine;
    this.connections = connections;
  }

  private SSLException fault() {
    if (connection == null) connection = connections.find(engine);
    return OpenConnections.fault(connection);
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
    SSLException fault = fault();
    if (fault == null) {
      isProved = true;
      return engine.wrap(sources, offset, length, target);
    }
    // After closeOutbound, an engine makes nothing but the alert that says so (RFC 8446 section 6.1).
    if (isProved && !isClosing) throw fault;
    // In the handshake, and for alerts, the platform's engine needs no bytes of the application, and gets none.
    SSLEngineResult result = engine.wrap(NOTHING, 0, NOTHING.length, target);
    checkHandshake(result);
    return result;
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
    SSLException fault = fault();
    if (fault != null && isProved) throw fault;
    int[] starts = positions(targets);
    SSLEngineResult result = engine.unwrap(source, targets, offset, length);
    try {
      if (!isProved) checkHandshake(result);
      // A manifest may have blocked the connection meanwhile.
      fault = isProved || result.bytesProduced() > 0 ? fault() : null;
      if (fault != null && !isProved) closeOutbound();
      if (fault != null) throw fault;
    } catch (SSLException e) {
      clear(targets, starts);
      throw e;
    }
    return result;
  }

  /** The platform's engine rejects wrong arguments. */
  private static int[] positions(ByteBuffer[] buffers) {
    int[] found = new int[buffers == null ? 0 : buffers.length];
    for (int i = 0; i < found.length; i++) found[i] = buffers[i] == null ? 0 : buffers[i].position();
    return found;
  }

  /** So that a program that ignores the exception gets nothing either. */
  private static void clear(ByteBuffer[] buffers, int[] starts) {
    for (int i = 0; i < starts.length; i++) {
      if (buffers[i] == null) continue;
      for (int j = starts[i]; j < buffers[i].position(); j++) buffers[i].put(j, (byte) 0);
      buffers[i].position(starts[i]);
    }
  }

  /** The handshake must not end without the proof. */
  private void checkHandshake(SSLEngineResult result) throws SSLException {
    if (result.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.FINISHED) return;
    if (fault() != null) throw ended();
    isProved = true;
  }

  private SSLException ended() {
    SSLException fault = fault();
    closeOutbound();
    return fault;
  }

  // All else is the platform's

  @Override
  public Runnable getDelegatedTask() {
    return engine.getDelegatedTask();
  }

  @Override
  public void closeInbound() throws SSLException {
    engine.closeInbound();
  }

  @Override
  public boolean isInboundDone() {
    return engine.isInboundDone();
  }

  @Override
  public void closeOutbound() {
    isClosing = true;
    engine.closeOutbound();
  }

  @Override
  public boolean isOutboundDone() {
    return engine.isOutboundDone();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return engine.getSupportedCipherSuites();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return engine.getEnabledCipherSuites();
  }

  @Override
  public void setEnabledCipherSuites(String[] suites) {
    engine.setEnabledCipherSuites(suites);
  }

  @Override
  public String[] getSupportedProtocols() {
    return engine.getSupportedProtocols();
  }

  @Override
  public String[] getEnabledProtocols() {
    return engine.getEnabledProtocols();
  }

  @Override
  public void setEnabledProtocols(String[] protocols) {
    engine.setEnabledProtocols(protocols);
  }

  @Override
  public SSLSession getSession() {
    return engine.getSession();
  }

  @Override
  public SSLSession getHandshakeSession() {
    return engine.getHandshakeSession();
  }

  @Override
  public void beginHandshake() throws SSLException {
    engine.beginHandshake();
  }

  @Override
  public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
    return engine.getHandshakeStatus();
  }

  @Override
  public void setUseClientMode(boolean isClient) {
    engine.setUseClientMode(isClient);
  }

  @Override
  public boolean getUseClientMode() {
    return engine.getUseClientMode();
  }

  @Override
  public void setNeedClientAuth(boolean isNeeded) {
    engine.setNeedClientAuth(isNeeded);
  }

  @Override
  public boolean getNeedClientAuth() {
    return engine.getNeedClientAuth();
  }

  @Override
  public void setWantClientAuth(boolean isWanted) {
    engine.setWantClientAuth(isWanted);
  }

  @Override
  public boolean getWantClientAuth() {
    return engine.getWantClientAuth();
  }

  @Override
  public void setEnableSessionCreation(boolean isEnabled) {
    engine.setEnableSessionCreation(isEnabled);
  }

  @Override
  public boolean getEnableSessionCreation() {
    return engine.getEnableSessionCreation();
  }

  @Override
  public SSLParameters getSSLParameters() {
    return engine.getSSLParameters();
  }

  @Override
  public void setSSLParameters(SSLParameters parameters) {
    engine.setSSLParameters(parameters);
  }

  // ALPN (RFC 7301): Java 9, and Java 8 from update 252 on

  @Override
  public String getApplicationProtocol() {
    return engine.getApplicationProtocol();
  }

  @Override
  public String getHandshakeApplicationProtocol() {
    return engine.getHandshakeApplicationProtocol();
  }

  @Override
  public void setHandshakeApplicationProtocolSelector(BiFunction<SSLEngine, List<String>, String> selector) {
    engine.setHandshakeApplicationProtocolSelector(selector);
  }

  @Override
  public BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
    return engine.getHandshakeApplicationProtocolSelector();
  }
}
