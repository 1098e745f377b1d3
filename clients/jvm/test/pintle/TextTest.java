package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** What a person on call reads: sentences, keys, hints; and what the jar says about itself. */
public class TextTest {
  private static final List<byte[]> CHAIN = chain();
  private static final String SPARE = "sha256/" + Base64.getEncoder().encodeToString(new byte[32]);

  private static List<byte[]> chain() {
    try {
      return Fixtures.pem("allowed.test/chain.pem");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pin(int place) throws Exception {
    return "sha256/" + Fixtures.pin(place < CHAIN.size() ? CHAIN.get(place) : Fixtures.pem("root.pem").get(0));
  }

  /** The decision on the chain by a manifest with these keys. */
  private static Decision decide(String host, Object keys, Object set, Object entry) throws Exception {
    byte[] manifest = Release.sign(SignedFile.MANIFEST,
        Release.content(1, Json.object(keys), Release.map("set", set), entry), Release.Signer.ofFixtures());
    PinStore store = PinStore.open(Fixtures.settings(manifest));
    assertEquals(Collections.emptyList(), store.problems());
    return store.evaluate(Handshake.server(host, 443, CHAIN, "1.3"), false);
  }

  private static Object spare(String position) {
    String pin = SPARE.substring("sha256/".length());
    return position == null ? Release.map("pin", pin) : Release.map("pin", pin, "position", position);
  }

  private static Object set(Object active, Object backup) {
    return Release.map("active", active, "backup", backup);
  }

  private static Object entry(String host) {
    return Release.map("host", host, "key-set", "set", "mode", "enforce");
  }

  @Test
  public void mismatch() throws Exception {
    Decision decision = decide("allowed.test", Release.map("new", spare(null), "root", spare("root")),
        set(Release.list("new"), Release.list("root")), entry("allowed.test"));
    String presented = "leaf " + pin(0) + ", intermediate " + pin(1) + ", root " + pin(2);
    assertEquals("block: none of the entry's pins matches the validated chain (entry allowed.test); presented: " + presented
        + "; required: one of new " + SPARE + ", root (backup) at the root " + SPARE, decision.message());
    assertEquals(decision.message(), decision.toString());
    Handshake handshake = Handshake.server("allowed.test", 8443, Collections.<byte[]>emptyList(), null);
    assertEquals("allowed.test:8443: " + decision.message(), new PinningException(handshake, decision).getMessage());
    Decision.Key leaf = decision.presented().get(0);
    assertEquals("0 leaf UNKNOWN", leaf.certificate() + " " + leaf.position() + " " + leaf.status());
    assertNull(leaf.name());
    assertEquals(pin(0), leaf.pin());
    Decision.Key root = decision.required().get(1);
    assertEquals("root -1 root BACKUP", root.name() + " " + root.certificate() + " " + root.position() + " " + root.status());
    assertFalse(decision.requiresLeafAndAuthority());
  }

  @Test
  public void otherSentences() throws Exception {
    Object denied = Release.map("denied", "found in a bucket", "pin", pin(2).substring(7));
    Decision decision = decide("allowed.test", Release.map("leaked", denied, "new", spare(null)),
        set(Release.list("new"), Release.list()), entry("allowed.test"));
    assertTrue(decision.message(), decision.message().startsWith("block: key leaked at the root, certificate 2 is denied: "
        + "found in a bucket (entry allowed.test); presented: leaf "));
    assertTrue(decision.message(), decision.message().contains("root leaked (denied) " + pin(2) + "; required: new " + SPARE));
    // Another name than the certificate's.
    decision = decide("other.test", Release.map("new", spare(null)), set(Release.list("new"), Release.list()), entry("other.test"));
    assertTrue(decision.message(), decision.message().contains("trust evaluation failed: leaf 'CN="));
    assertTrue(decision.message(), decision.message().contains(
        "(RFC 9525 section 6.3); the server operator has to act (entry other.test); served, not validated: leaf " + pin(0)
        + ", certificate 1 " + pin(1) + "; required: new "));
    for (String host : new String[] {"allowed.test:443", "https://allowed.test", "allowed.test/", "allowed.test?"}) {
      decision = decide(host, Release.map("new", spare(null)), set(Release.list("new"), Release.list()), entry("allowed.test"));
      assertTrue(decision.message(), decision.message().endsWith("without scheme, port or path (no entry)"));
      assertEquals(Collections.emptyList(), decision.presented());
    }
  }

  @Test
  public void manyKeys() throws Exception {
    java.util.Map<String, Object> keys = Release.map();
    for (int i = 0; i < 12; i++) {
      byte[] pin = new byte[32];
      pin[0] = (byte) i;
      keys.put("k" + (char) ('a' + i), Release.map("pin", Base64.getEncoder().encodeToString(pin)));
    }
    Decision decision = decide("allowed.test", keys, set(new java.util.ArrayList<>(keys.keySet()), Release.list()), entry("allowed.test"));
    assertEquals(12, decision.required().size());
    assertTrue(decision.message(), decision.message().contains(", kh sha256/") && decision.message().endsWith(" and 4 more"));
  }

  private interface Load {
    Object load() throws PintleException;
  }

  private static void hint(String end, Load load) {
    try {
      load.load();
      fail("a file of another kind was taken");
    } catch (PintleException e) {
      assertTrue(e.getMessage(), e.getMessage().endsWith(end));
    }
  }

  @Test
  public void swappedFiles() throws Exception {
    byte[] keyset = Fixtures.file("1.keyset.json");
    byte[] manifest = Fixtures.file("manifest.json");
    PinStore store = PinStore.open(Fixtures.settings(manifest));
    String ofKeyset = "; the file says that it is a manifest, and a keyset is expected here";
    hint(ofKeyset, () -> PinStore.open(PinStoreSettings.keyset(manifest, "test")));
    hint(ofKeyset, () -> store.updateKeyset(manifest));
    hint("; the file says that it is a keyset, and a manifest is expected here", () -> store.update(keyset));
  }

  /** One version everywhere, a module for those who use modules, and classes that Java 8 and Android read. */
  @Test
  public void jar() throws Exception {
    String source = new String(Files.readAllBytes(Vectors.ROOT.resolve("Sources/Output/Diagnostics/Version.swift")), StandardCharsets.UTF_8);
    Matcher version = Pattern.compile("current = \"(.*)\"").matcher(source);
    assertTrue(version.find());
    assertEquals(version.group(1), PinStore.version());
    Path jar = Vectors.ROOT.resolve(".build/jvm/pintle-" + PinStore.version() + ".jar");
    ModuleDescriptor module = ModuleFinder.of(jar).find("pintle").get().descriptor();
    assertFalse(module.isAutomatic());
    assertEquals(1, module.exports().size());
    try (JarFile file = new JarFile(jar.toFile())) {
      assertEquals(PinStore.version(), file.getManifest().getMainAttributes().getValue("Implementation-Version"));
      String rules = new String(file.getInputStream(file.getEntry("META-INF/proguard/pintle.pro")).readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(rules.contains("-keep class * extends pintle.PinSocketFactory"));
      for (JarEntry entry : Collections.list(file.entries())) {
        if (!entry.getName().endsWith(".class") || entry.getName().startsWith("META-INF/")) continue;
        byte[] bytes = file.getInputStream(entry).readAllBytes();
        assertEquals(entry.getName(), 52, bytes[7]);
        assertTrue(entry.getName(), entry.getName().startsWith("pintle/"));
      }
    }
  }
}
