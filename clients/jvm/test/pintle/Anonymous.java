package pintle;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** A JVM whose settings allow cipher suites without certificates, as some programs do for old servers. */
public final class Anonymous {
  private Anonymous() {}

  private static final String SUITE = "TLS_DH_anon_WITH_AES_128_GCM_SHA256";

  /** How many bytes an impostor without a certificate got. */
  static String run(byte[] secret) throws Exception {
    Path settings = Files.createTempFile("pintle", ".security");
    Files.write(settings, "jdk.tls.disabledAlgorithms=\n".getBytes(StandardCharsets.US_ASCII));
    Path output = Files.createTempFile("pintle", ".out");
    try {
      Process process = new ProcessBuilder(Arrays.asList(System.getProperty("java.home") + File.separator + "bin/java",
          "-XX:TieredStopAtLevel=1", "-Djava.security.properties=" + settings, "-Dpintle.root=" + Vectors.ROOT,
          "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp", System.getProperty("java.class.path"),
          Anonymous.class.getName(), new String(secret, StandardCharsets.US_ASCII)))
          .redirectErrorStream(true).redirectOutput(output.toFile()).start();
      if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
      return new String(Files.readAllBytes(output), StandardCharsets.UTF_8).trim();
    } finally {
      Files.delete(settings);
      Files.delete(output);
    }
  }

  /** Lets a client talk to a server that has no certificate, and counts. */
  private static int received(boolean isEngine, SSLContext context, byte[] secret) throws Exception {
    SSLContext plain = SSLContext.getInstance("TLS");
    plain.init(null, null, null);
    try (ServerSocket server = plain.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ((SSLServerSocket) server).setEnabledCipherSuites(new String[] {SUITE});
      ((SSLServerSocket) server).setEnabledProtocols(new String[] {"TLSv1.2"});
      Thread client = new Thread(() -> {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
          socket.setSoTimeout(2000);
          if (isEngine) {
            send(context.createSSLEngine("a.test", 443), socket, secret);
            return;
          }
          SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, "a.test", 443, true);
          tls.setEnabledCipherSuites(new String[] {SUITE});
          tls.getOutputStream().write(secret);
        } catch (Exception e) {
          // What counts is what arrives.
          return;
        }
      });
      client.start();
      int count = 0;
      try (Socket socket = server.accept()) {
        InputStream input = socket.getInputStream();
        while (count < secret.length && input.read() >= 0) count++;
      } catch (IOException e) {
        // Ended.
      }
      client.join();
      return count;
    }
  }

  private static void send(SSLEngine engine, Socket socket, byte[] secret) throws Exception {
    engine.setUseClientMode(true);
    engine.setEnabledCipherSuites(new String[] {SUITE});
    ByteBuffer request = ByteBuffer.wrap(secret);
    ByteBuffer incoming = ByteBuffer.allocate(1 << 16);
    while (request.hasRemaining()) {
      if (!step(engine, socket, request, incoming) || engine.isOutboundDone()) return;
    }
    socket.getInputStream().read();
  }

  /** Receives or sends once, as the engine needs it; false if the other side has ended the connection. */
  static boolean step(SSLEngine engine, Socket socket, ByteBuffer request, ByteBuffer incoming) throws IOException {
    byte[] buffer = new byte[1 << 14];
    for (Runnable task; (task = engine.getDelegatedTask()) != null;) task.run();
    if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_UNWRAP) {
      incoming.flip();
      try {
        SSLEngineResult result = engine.unwrap(incoming, ByteBuffer.allocate(1 << 16));
        if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) return true;
      } finally {
        incoming.compact();
      }
      int count = socket.getInputStream().read(buffer);
      if (count < 0) return false;
      incoming.put(buffer, 0, count);
    } else {
      ByteBuffer outgoing = ByteBuffer.allocate(1 << 16);
      engine.wrap(request, outgoing);
      socket.getOutputStream().write(outgoing.array(), 0, outgoing.position());
    }
    return true;
  }

  public static void main(String[] arguments) throws Exception {
    byte[] secret = arguments[0].getBytes(StandardCharsets.US_ASCII);
    PinStore store = PinStore.open(Fixtures.settings(Release.manifest(1, Release.Signer.ofFixtures(), "a.test")));
    SSLContext pinned = PinContext.of(store);
    SSLContext own = SSLContext.getInstance("TLS");
    own.init(null, new TrustManager[] {PinTrustManager.forServers(store)}, null);
    List<String> counts = new ArrayList<>();
    counts.add("socket: " + received(false, pinned, secret));
    counts.add("engine: " + received(true, pinned, secret));
    counts.add("without Pintle's sockets: " + received(false, own, secret));
    System.out.println(counts);
  }
}
