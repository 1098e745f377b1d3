package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;

import java.security.cert.TrustAnchor;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** Which anchors a path may end at is remembered, until one of them or an exception begins or ends. */
public class AnchorTest {
  private static TrustRequest request(long at, Manifest.Trust trust, boolean isClient) {
    Handshake handshake = isClient ? Handshake.client("clients", 443, Collections.<byte[]>emptyList(), null)
        : Handshake.server("a.test", 443, Collections.<byte[]>emptyList(), null);
    return new TrustRequest(handshake, at, trust, Collections.<String, byte[]>emptyMap());
  }

  private static int count(AnchorSet anchors, Manifest.Trust trust, long at) {
    return anchors.usable(request(at, trust, false)).size();
  }

  @Test
  public void remembersAsLongAsItHolds() throws Exception {
    Certificate root = new Certificate(Fixtures.pem("root.pem").get(0));
    long begin = TrustRequest.seconds(root.platform.getNotBefore());
    long end = TrustRequest.seconds(root.platform.getNotAfter());
    Map<String, Certificate> all = Collections.singletonMap(root.fingerprint, root);
    AnchorSet anchors = new AnchorSet(all);
    Manifest.Trust trust = Manifest.Trust.NONE;
    Set<TrustAnchor> found = anchors.usable(request(begin, trust, false));
    assertEquals(1, found.size());
    assertSame(found, anchors.usable(request(end - 1, trust, false)));
    assertNotSame(found, anchors.usable(request(begin, trust, true)));
    assertEquals(0, count(anchors, trust, end));
    assertEquals(0, count(anchors, trust, begin - 1));
    assertEquals(1, count(anchors, trust, begin));

    Manifest.Trust excusing = new Manifest.Trust();
    excusing.exceptions = Collections.singletonList(new Manifest.Trust.Exception(root.fingerprint, "expired", end + 10));
    AnchorSet ofEntry = new AnchorSet(anchors, excusing.anchors);
    assertEquals(1, count(ofEntry, excusing, end));
    assertEquals(1, count(ofEntry, excusing, end + 9));
    assertEquals(0, count(ofEntry, excusing, end + 10));
    assertEquals(1, count(ofEntry, excusing, end - 1));
    assertEquals(0, count(anchors, trust, end + 9));
  }

  /** An intermediate in the system's store is a step of a path, and an end of one only if the entry names it. */
  @Test
  public void anIntermediateOfTheStoreIsNoAnchor() throws Exception {
    java.util.List<byte[]> served = Fixtures.pem("allowed.test/chain.pem");
    java.security.cert.X509Certificate intermediate = new Certificate(served.get(1)).platform;
    java.util.List<java.security.cert.X509Certificate> both = new java.util.ArrayList<>(Fixtures.root());
    both.add(intermediate);
    Handshake handshake = Handshake.server("allowed.test", 443, served, "1.3");
    Handshake leafOnly = Handshake.server("allowed.test", 443, served.subList(0, 1), "1.3");
    long now = System.currentTimeMillis() / 1000;
    Map<String, byte[]> certificates = new java.util.HashMap<>();
    Manifest.Trust ofAnother = new Manifest.Trust();
    ofAnother.anchors = Collections.singletonList(Fixtures.digest(Fixtures.pem("client-ca.pem").get(0)));
    certificates.put(ofAnother.anchors.get(0), Fixtures.pem("client-ca.pem").get(0));
    Manifest.Trust named = new Manifest.Trust();
    named.anchors = Collections.singletonList(Fixtures.digest(served.get(1)));
    certificates.put(named.anchors.get(0), served.get(1));
    for (Manifest.Trust trust : new Manifest.Trust[] {Manifest.Trust.NONE, ofAnother, named}) {
      int own = trust == named ? 2 : 0;
      assertEquals(own, length(Collections.singletonList(intermediate), true, handshake, now, trust, certificates));
      assertEquals(trust == named ? 2 : 3, length(both, true, leafOnly, now, trust, certificates));
      // What a program passes as an anchor is one.
      assertEquals(2, length(Collections.singletonList(intermediate), false, handshake, now, trust, certificates));
    }
  }

  private static int length(java.util.List<java.security.cert.X509Certificate> system, boolean isStore,
      Handshake handshake, long now, Manifest.Trust trust, Map<String, byte[]> certificates) {
    Evaluation evaluation = new TrustEvaluator(system, isStore)
        .evaluate(handshake.certificates, new TrustRequest(handshake, now, trust, certificates));
    return evaluation.chain == null ? 0 : evaluation.chain.size();
  }

  /** An entry whose minimum is above the key of the anchor has none; another entry has. */
  @Test
  public void eachEntryHasItsOwn() throws Exception {
    byte[] root = Fixtures.pem("root.pem").get(0);
    TrustEvaluator evaluator = new TrustEvaluator(Fixtures.root());
    java.util.List<byte[]> served = Fixtures.pem("allowed.test/chain.pem");
    Handshake handshake = Handshake.server("allowed.test", 443, served, "1.3");
    long now = System.currentTimeMillis() / 1000;
    Manifest.Trust strict = new Manifest.Trust();
    strict.minimumEcBits = 521;
    Manifest.Trust named = new Manifest.Trust();
    named.anchors = Collections.singletonList(Fixtures.digest(root));
    named.hasSystemAnchors = false;
    Manifest.Trust other = new Manifest.Trust();
    other.anchors = Collections.singletonList(Fixtures.digest(Fixtures.pem("client-ca.pem").get(0)));
    other.hasSystemAnchors = false;
    Map<String, byte[]> certificates = new java.util.HashMap<>();
    certificates.put(named.anchors.get(0), root);
    certificates.put(other.anchors.get(0), Fixtures.pem("client-ca.pem").get(0));
    for (int round = 0; round < 2; round++) {
      int[] sizes = new int[4];
      Manifest.Trust[] all = {Manifest.Trust.NONE, strict, named, other};
      for (int i = 0; i < all.length; i++) {
        Evaluation evaluation = evaluator.evaluate(served, new TrustRequest(handshake, now, all[i], certificates));
        sizes[i] = evaluation.chain == null ? 0 : evaluation.chain.size();
      }
      assertEquals("[3, 0, 3, 0]", java.util.Arrays.toString(sizes));
    }
  }
}
