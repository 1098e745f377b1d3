package pintle;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** Tests/Fixtures/transports. */
final class Fixtures {
  static final Path FOLDER = Vectors.ROOT.resolve("Tests/Fixtures/transports");

  private Fixtures() {}

  static byte[] file(String name) throws Exception {
    return Files.readAllBytes(FOLDER.resolve(name));
  }

  static List<byte[]> pem(String name) throws Exception {
    return pem(FOLDER.resolve(name));
  }

  static List<byte[]> pem(Path file) throws Exception {
    String text = new String(Files.readAllBytes(file), StandardCharsets.US_ASCII);
    Matcher blocks = Pattern.compile("-----BEGIN [A-Z ]+-----([^-]+)-----END").matcher(text);
    List<byte[]> found = new ArrayList<>();
    while (blocks.find()) found.add(Base64.getMimeDecoder().decode(blocks.group(1)));
    return found;
  }

  static X509Certificate certificate(byte[] der) throws Exception {
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
  }

  static List<X509Certificate> root() throws Exception {
    return Collections.singletonList(certificate(pem("root.pem").get(0)));
  }

  /** A store with the fixtures' root as the system's, and one of their manifests. */
  static PinStoreSettings settings(byte[] manifest) throws Exception {
    return PinStoreSettings.keyset(file("1.keyset.json"), "test").anchors(root()).embedded(manifest);
  }

  static List<Object> cases(String name) throws Exception {
    return Json.list(Json.read(FOLDER.resolve(name)));
  }

  static KeyManager[] keys(String host) throws Exception {
    return keys(pem(host + "/chain.pem"), pem(host + "/key.pem").get(0));
  }

  static KeyManager[] keys(List<byte[]> chain, byte[] key) throws Exception {
    PrivateKey secret = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key));
    X509Certificate[] certificates = new X509Certificate[chain.size()];
    for (int i = 0; i < certificates.length; i++) certificates[i] = certificate(chain.get(i));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("own", secret, new char[0], certificates);
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  static String digest(byte[] der) {
    return Bytes.hex(Bytes.sha256(der));
  }

  static String pin(byte[] der) throws Exception {
    return new Certificate(der).pin;
  }
}
