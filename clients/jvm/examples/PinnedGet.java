import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collections;
import javax.net.ssl.HttpsURLConnection;
import pintle.PinContext;
import pintle.PinStore;
import pintle.PinStoreSettings;
import pintle.PinningException;

/**
 * Gets a page from a pinned server, and sends nothing to an impostor.
 *
 * <pre>java -cp pintle.jar PinnedGet.java AUDIENCE KEYSET MANIFEST URL [DIRECTORY [ROOT.pem]]</pre>
 *
 * The exit status is 0 for an answer, 2 if Pintle rejects the server, and 1 for any other error.
 */
public final class PinnedGet {
  private PinnedGet() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments, System.out, System.err));
  }

  static int run(String[] arguments, PrintStream output, PrintStream errors) {
    if (arguments.length < 4) {
      errors.println("usage: PinnedGet AUDIENCE KEYSET MANIFEST URL [DIRECTORY [ROOT.pem]]");
      return 1;
    }
    try {
      PinStoreSettings settings = PinStoreSettings.keyset(read(arguments[1]), arguments[0])
          .embedded(read(arguments[2]))
          .withoutManifest(PinStoreSettings.WithoutManifest.BLOCK);
      if (arguments.length > 4) settings.directory(new File(arguments[4]));
      if (arguments.length > 5) settings.anchors(Collections.singleton(certificate(arguments[5])));
      PinStore store = PinStore.open(settings);
      for (PinStore.Problem problem : store.problems()) errors.println(problem);

      HttpsURLConnection connection = (HttpsURLConnection) new URL(arguments[3]).openConnection();
      connection.setSSLSocketFactory(PinContext.forUrlConnections(store));
      try (InputStream input = connection.getInputStream()) {
        byte[] buffer = new byte[8192];
        for (int count; (count = input.read(buffer)) >= 0;) output.write(buffer, 0, count);
      }
      return 0;
    } catch (IOException e) {
      PinningException rejection = PinningException.in(e);
      errors.println(rejection == null ? e.toString() : rejection.getMessage());
      return rejection == null ? 1 : 2;
    } catch (Exception e) {
      errors.println(e);
      return 1;
    }
  }

  private static byte[] read(String file) throws IOException {
    Path path = Paths.get(file);
    return Files.readAllBytes(path);
  }

  private static X509Certificate certificate(String file) throws Exception {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(read(file)));
  }
}
