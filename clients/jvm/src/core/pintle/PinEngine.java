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
 * The platform's engine, through which nothing passes any more once a manifest blocks its connection. An engine can't close
 * the transport, which learns of the refusal with the next bytes that it sends or receives.
 */
final class PinEngine extends SSLEngine {
  private final SSLEngine engine;
  private final OpenConnections connections;
  private volatile OpenConnections.Connection connection;
  private volatile boolean isClosing;

  PinEngine(SSLEngine engine, OpenConnections connections) {
    super(engine.getPeerHost(), engine.getPeerPort());
    this.engine = engine;
    this.connections = connections;
  }

  private void checkNotRefused() throws SSLException {
    if (connection == null) connection = connections.find(engine);
    if (connection == null || connection.refusal == null) return;
    throw (SSLException) new SSLException(connection.refusal.getMessage()).initCause(connection.refusal);
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
    // After closeOutbound, an engine makes nothing but the alert that says so (RFC 8446 section 6.1).
    if (!isClosing) checkNotRefused();
    return engine.wrap(sources, offset, length, target);
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
    checkNotRefused();
    return engine.unwrap(source, targets, offset, length);
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
