package pintle;

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes and signs manifests and keysets for tests. */
final class Release {
  /** A signing key with its SubjectPublicKeyInfo. */
  static final class Signer {
    final PrivateKey secret;
    final byte[] spki;

    Signer(PrivateKey secret, byte[] spki) {
      this.secret = secret;
      this.spki = spki;
    }

    static Signer ed25519() throws Exception {
      return of(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());
    }

    static Signer p256() throws Exception {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return of(generator.generateKeyPair());
    }

    private static Signer of(KeyPair pair) {
      return new Signer(pair.getPrivate(), pair.getPublic().getEncoded());
    }

    /** The key that signed the fixtures of the transports. */
    static Signer ofFixtures() throws Exception {
      PrivateKey secret = KeyFactory.getInstance("Ed25519")
          .generatePrivate(new PKCS8EncodedKeySpec(Fixtures.pem("release.key").get(0)));
      return new Signer(secret, Fixtures.pem("release.pub").get(0));
    }

    String id() throws Exception {
      return Bytes.hex(MessageDigest.getInstance("SHA-256").digest(spki));
    }

    byte[] sign(byte[] message) throws Exception {
      Signature signature = Signature.getInstance(secret instanceof EdECPrivateKey ? "Ed25519" : "SHA256withECDSA");
      signature.initSign(secret);
      signature.update(message);
      return signature.sign();
    }
  }

  private Release() {}

  static Map<String, Object> map(Object... pairs) {
    Map<String, Object> map = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) map.put((String) pairs[i], pairs[i + 1]);
    return map;
  }

  static List<Object> list(Object... items) {
    return Arrays.asList(items);
  }

  /** Canonical JSON of maps that are sorted, lists, ASCII strings and numbers. */
  static String json(Object value) {
    if (value instanceof Map) {
      StringBuilder text = new StringBuilder();
      for (Map.Entry<String, Object> one : Json.object(value).entrySet()) {
        text.append(text.length() == 0 ? "" : ",").append(json(one.getKey())).append(':').append(json(one.getValue()));
      }
      return "{" + text + "}";
    }
    if (value instanceof List) {
      StringBuilder text = new StringBuilder();
      for (Object one : (List<?>) value) text.append(text.length() == 0 ? "" : ",").append(json(one));
      return "[" + text + "]";
    }
    return value instanceof String ? "\"" + ((String) value).replace("\\", "\\\\").replace("\"", "\\\"") + "\"" : value.toString();
  }

  static byte[] sign(String type, Object content, Signer... signers) throws Exception {
    byte[] body = json(content).getBytes(StandardCharsets.UTF_8);
    byte[] head = ("DSSEv1 " + type.length() + " " + type + " " + body.length + " ").getBytes(StandardCharsets.US_ASCII);
    byte[] message = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, message, head.length, body.length);
    Map<String, Object> signatures = new TreeMap<>();
    for (Signer one : signers) {
      signatures.put(one.id(), map("keyid", one.id(), "sig", Base64.getEncoder().encodeToString(one.sign(message))));
    }
    String start = "{\"signatures\":" + json(new java.util.ArrayList<>(signatures.values())) + ",\"signed\":";
    return (start + json(content) + "}").getBytes(StandardCharsets.UTF_8);
  }

  /** A manifest's content; entries and what they refer to are added by the test. */
  static Map<String, Object> content(long serial, Map<String, Object> keys, Map<String, Object> keySets, Object... hosts) {
    return map("audience", "test", "expires", "2099-09-30T00:00:00Z", "hosts", list(hosts), "issued", "2025-01-01T00:00:00Z",
        "key-sets", keySets, "keys", keys, "on-stale", "enforce",
        "provenance", map("compiler", "test", "sources", String.join("", Collections.nCopies(64, "0"))),
        "refresh-after", "2098-12-04T00:00:00Z", "serial", serial, "type", SignedFile.MANIFEST, "unpinned-hosts", "allow",
        "version", 1);
  }

  /** A manifest that pins these hosts by a key that nobody has. */
  static byte[] manifest(long serial, Signer signer, String... hosts) throws Exception {
    Object[] entries = new Object[hosts.length];
    for (int i = 0; i < hosts.length; i++) entries[i] = map("host", hosts[i], "key-set", "nobody", "mode", "enforce");
    Map<String, Object> keys = map("nobody", map("pin", Base64.getEncoder().encodeToString(new byte[32])));
    Map<String, Object> sets = map("nobody", map("active", list("nobody"), "backup", list()));
    return sign(SignedFile.MANIFEST, content(serial, keys, sets, entries), signer);
  }

  /** A keyset with one root and one signer. */
  static byte[] keyset(long version, Signer root, Signer signer, Signer... signing) throws Exception {
    Map<String, Object> keys = map("root", Base64.getEncoder().encodeToString(root.spki),
        "signer", Base64.getEncoder().encodeToString(signer.spki));
    return sign(SignedFile.KEYSET, map("audience", "test", "expires", "2099-01-01T00:00:00Z", "issued",
        "2025-01-01T00:00:00Z", "keys", keys, "keyset-version", version, "minimum-serial", 1, "roots",
        map("keys", list("root"), "threshold", 1), "serial-epoch", 1, "signers",
        map("keys", list("signer"), "threshold", 1), "type", SignedFile.KEYSET, "version", 1), signing);
  }
}
