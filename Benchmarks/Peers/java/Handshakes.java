import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import pintle.PinContext;
import pintle.PinStore;
import pintle.PinStoreSettings;

/**
 * TLS handshakes of the JVM with and without Pintle: Benchmarks/handshakes runs it.
 *
 * <pre>Handshakes plain|pinned PORT ROOT MANIFEST SIGNER TIMES</pre>
 *
 * Each connection is closed before the next one. Prints what one took: processor time, the rate, the 99th percentile.
 */
public final class Handshakes {
  private static final String HOST = "api.perf.test";

  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[1]);
    int times = Integer.parseInt(arguments[5]);
    X509Certificate root;
    try (InputStream file = new FileInputStream(arguments[2])) {
      root = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file);
    }
    SSLContext context = arguments[0].equals("plain") ? plain(root) : pinned(root, arguments[3], arguments[4]);
    // Java's own client offers to resume. nginx doesn't, so that each handshake is a full one.
    Callable<Void> connect = () -> connect(context.getSocketFactory(), port);
    for (int i = 0; i < 1_000; i++) connect.call(); // until the compiler has done its work
    long[] walls = new long[times];
    long processor = processor(), began = System.nanoTime();
    for (int i = 0; i < times; i++) {
      long before = System.nanoTime();
      connect.call();
      walls[i] = System.nanoTime() - before;
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.printf("processor %.3f us%n", (processor() - processor) / 1e3 / times);
    System.out.printf("rate %.3f handshakes/s%n", times / seconds);
    Arrays.sort(walls);
    System.out.printf("p99 %.3f us%n", walls[times * 99 / 100] / 1e3);
  }

  private static Void connect(SSLSocketFactory factory, int port) throws Exception {
    try (SSLSocket socket = (SSLSocket) factory.createSocket(new Socket("127.0.0.1", port), HOST, port, true)) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.startHandshake();
    }
    return null;
  }

  private static SSLContext plain(X509Certificate root) throws Exception {
    KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
    anchors.load(null, null);
    anchors.setCertificateEntry("root", root);
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private static SSLContext pinned(X509Certificate root, String manifest, String signer) throws Exception {
    PinStoreSettings settings =
        PinStoreSettings.signers(Collections.singleton(Files.readAllBytes(Paths.get(signer))), 1, "fleet")
            .embedded(Files.readAllBytes(Paths.get(manifest)))
            .anchors(Collections.singleton(root))
            .withoutManifest(PinStoreSettings.WithoutManifest.BLOCK);
    PinStore store = PinStore.open(settings);
    for (PinStore.Problem problem : store.problems()) throw new IllegalStateException(problem.toString());
    return PinContext.of(store);
  }

  private static long processor() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
