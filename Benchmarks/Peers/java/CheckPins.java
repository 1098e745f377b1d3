import java.io.BufferedReader;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.CertificatePinner;

/**
 * What OkHttp takes to check the pins of one connection, whose certificates the handshake has parsed.
 *
 * <p>CheckPins PINS CHAIN HOST SECONDS, where each line of PINS is a host, whether its subdomains are covered, and its
 * pins.
 */
public final class CheckPins {
  public static void main(String[] arguments) throws Exception {
    var builder = new CertificatePinner.Builder();
    try (BufferedReader lines = Files.newBufferedReader(Path.of(arguments[0]))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        builder.add(words[0], Arrays.copyOfRange(words, 2, words.length));
      }
    }
    CertificatePinner pinner = builder.build();
    List<Certificate> chain;
    try (InputStream pem = Files.newInputStream(Path.of(arguments[1]))) {
      chain = new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(pem));
    }
    String host = arguments[2];
    if (isPassed(pinner, host, chain.subList(1, 2))) throw new IllegalStateException(host + " isn't pinned");
    double seconds = Double.parseDouble(arguments[3]);
    // The first half warms up, the second is measured; what doesn't match throws.
    long times = repeat(pinner, host, chain, seconds / 2, Long.MAX_VALUE);
    long begun = System.nanoTime();
    repeat(pinner, host, chain, Double.MAX_VALUE, times);
    System.out.printf("check %d ns%n", (System.nanoTime() - begun) / times);
  }

  private static boolean isPassed(CertificatePinner pinner, String host, List<Certificate> chain) {
    try {
      pinner.check(host, chain);
      return true;
    } catch (SSLPeerUnverifiedException refused) {
      return false;
    }
  }

  private static long repeat(CertificatePinner pinner, String host, List<Certificate> chain, double seconds, long most)
      throws Exception {
    long begun = System.nanoTime();
    long times = 0;
    while (times < most && System.nanoTime() - begun < seconds * 1e9) {
      pinner.check(host, chain);
      times++;
    }
    return times;
  }
}
