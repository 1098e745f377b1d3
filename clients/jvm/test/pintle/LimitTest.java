package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

/** What a peer can make the client do is limited; and the forms of signatures, which other providers may not check. */
public class LimitTest {
  private static Evaluation evaluate(List<byte[]> served, byte[] anchor) throws Exception {
    Handshake handshake = Handshake.server("a.test", 443, served, "1.3");
    TrustEvaluator evaluator = new TrustEvaluator(Collections.singletonList(Fixtures.certificate(anchor)));
    return evaluator.evaluate(served, new TrustRequest(handshake, System.currentTimeMillis() / 1000));
  }

  /** Authorities that certify each other: without a limit, hundreds of certificates are tried. */
  @Test
  public void tangle() throws Exception {
    try (Authority authority = new Authority().certify("leaf", "a.test")) {
      List<byte[]> served = new ArrayList<>(Fixtures.pem(authority.file("leaf.pem")));
      for (Path one : authority.tangle(5)) served.addAll(Fixtures.pem(one));
      byte[] other = Fixtures.pem("root.pem").get(0);
      Evaluation evaluation = evaluate(served, other);
      assertEquals("unknown-issuer", evaluation.failures.get(0).code());
      List<Certificate> offered = new ArrayList<>();
      for (byte[] der : served) offered.add(new Certificate(der));
      TrustRequest request = new TrustRequest(Handshake.server("a.test", 443, served, "1.3"), System.currentTimeMillis() / 1000);
      TrustAnchor anchor = new TrustAnchor(Fixtures.certificate(other), null);
      PathSearch search = new PathSearch(offered.get(0), offered.subList(1, offered.size()), Collections.singleton(anchor),
          Collections.<X509Certificate, Certificate>emptyMap(), request);
      assertEquals(0, search.build().size());
      assertEquals(101, search.steps());
      // The anchor itself is found, whatever else was sent.
      evaluation = evaluate(served, Fixtures.pem(authority.file("root.pem")).get(0));
      assertEquals(evaluation.failures.toString(), 0, evaluation.failures.size());
      assertEquals(2, evaluation.chain.size());
    }
  }

  @Test
  public void manyNamesAndConstraints() throws Exception {
    try (Authority authority = new Authority()) {
      String[] names = new String[1500];
      for (int i = 0; i < names.length; i++) names[i] = "n" + i + ".test";
      Certificate leaf = new Certificate(Fixtures.pem(authority.certify("many", names).file("many.pem")).get(0));
      Certificate few = new Certificate(Fixtures.pem(authority.constrained(80)).get(0));
      assertNull(NameCheck.constraintFailure(few, 1, leaf, 0));
      Certificate many = new Certificate(Fixtures.pem(authority.constrained(90)).get(0));
      assertTrue(NameCheck.constraintFailure(many, 1, leaf, 0).message().contains("than are compared"));
    }
  }

  @Test
  public void recentChains() throws Exception {
    RecentChains recent = new RecentChains();
    recent.record(Handshake.server("big.test", 443, Arrays.asList(new byte[40000], new byte[40000]), null), false, 1);
    recent.record(Handshake.server("none.test", 443, Collections.<byte[]>emptyList(), null), false, 1);
    assertEquals(0, recent.since(0, 10).size());
    for (int i = 0; i < 70; i++) {
      recent.record(Handshake.server("h" + i, 443, Collections.singletonList(new byte[1]), null), false, i);
      recent.record(Handshake.server("h69", 443, Collections.singletonList(new byte[1]), null), false, 69);
    }
    assertEquals(64, recent.since(0, 100).size());
    assertEquals(3, recent.since(66, 68).size());
    // What a wrong clock dated later doesn't count.
    assertEquals(0, recent.since(100, 50).size());
  }

  private static byte[] hex(String text) {
    return Bytes.ofHex(text.replace(" ", ""));
  }

  @Test
  public void formsOfP256Signatures() {
    String n = "00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    String less = "00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550";
    assertTrue(SigningKey.isP256Form(hex("3006 020101 020101")));
    assertTrue(SigningKey.isP256Form(hex("3046 0221" + less + " 0221" + less)));
    for (String wrong : new String[] {"3006 020100 020101", "3006 020101 020100", "3006 0201ff 020101", "3007 02020001 020101",
        "3046 0221" + n + "0221" + less, "3046 0221" + less + "0221" + n, "308106 020101 020101", "3080 020101 020101 0000",
        "3006 020101 020101 00", "3007 020101 020101 00", "3006 020101 030101", "3009 020101 020101 020101", "3003 020101",
        "3106 020101 020101", "3006 020101 0201", "3004 0200 0200", "", "30"}) {
      assertFalse(wrong, SigningKey.isP256Form(hex(wrong)));
    }
  }

  @Test
  public void formsOfEd25519Signatures() {
    String zeros = String.join("", Collections.nCopies(31, "00"));
    String order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    String less = "ecd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    String neutral = "01" + zeros;
    assertTrue(SigningKey.isEd25519Form(hex(neutral + less)));
    for (String wrong : new String[] {neutral + order, neutral + less + "00", neutral, "",
        // The sign of x = 0; y = 2, which isn't a point; y = p + 1.
        "01" + zeros.substring(2) + "80" + less, "02" + zeros + less,
        "ee" + String.join("", Collections.nCopies(30, "ff")) + "7f" + less}) {
      assertFalse(wrong, SigningKey.isEd25519Form(hex(wrong)));
    }
  }
}
