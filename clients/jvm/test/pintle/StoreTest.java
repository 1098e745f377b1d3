package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

/** Stores: platforms that lack Ed25519, keys in PEM, folders of keysets, listeners. */
public class StoreTest {
  /** Java before 15, Android before API 33. */
  private static final SigningKey.Platform WITHOUT_ED25519 = new SigningKey.Platform() {
    @Override
    Signature ed25519() throws GeneralSecurityException {
      throw new NoSuchAlgorithmException("no Ed25519 in this test");
    }
  };

  @Test
  public void platformWithoutEd25519() throws Exception {
    Release.Signer ed25519 = Release.Signer.ed25519();
    Release.Signer root = Release.Signer.p256();
    Release.Signer p256 = Release.Signer.p256();
    byte[] first = Release.keyset(1, root, p256, root);
    PinStore store = PinStore.open(PinStoreSettings.keyset(first, "test").platform(WITHOUT_ED25519)
        .anchors(Collections.emptyList()));
    assertEquals("ACTIVATED", StateScene.outcome(store, Release.manifest(1, p256, "a.test"), false));
    // A keyset with a signer that can't be verified here isn't accepted, and the one before stays.
    byte[] second = Release.keyset(2, root, ed25519, root);
    try {
      store.updateKeyset(second);
      fail("a keyset was accepted whose signatures can't be verified");
    } catch (PintleException e) {
      assertEquals("unsupported-signer", e.code());
      assertTrue(e.getMessage(), e.getMessage().contains("P-256 keys only"));
    }
    assertEquals(1, store.status().keysetVersion());
    assertEquals("ACTIVATED", StateScene.outcome(store, Release.manifest(2, p256, "a.test"), false));
    for (PinStoreSettings settings : Arrays.asList(
        PinStoreSettings.keyset(Release.keyset(1, root, ed25519, root), "test"),
        PinStoreSettings.signers(Arrays.asList(p256.spki, ed25519.spki), 1, "test"))) {
      try {
        PinStore.open(settings.platform(WITHOUT_ED25519));
        fail("opened with signers that can't be verified");
      } catch (PintleException e) {
        assertEquals("unsupported-signer", e.code());
      }
    }
    // A key that nobody may use is reported as that, also if the platform lacks the algorithm.
    byte[] neutral = Bytes.ofHex("302a30050603032b6570032100" + "01" + String.join("", Collections.nCopies(31, "00")));
    try {
      PinStore.open(PinStoreSettings.signers(Collections.singletonList(neutral), 1, "test").platform(WITHOUT_ED25519));
      fail("a key of small order was accepted");
    } catch (PintleException e) {
      assertEquals("unusable-signer", e.code());
    }
    assertTrue(SigningKey.Platform.CURRENT.hasEd25519());
  }

  @Test
  public void keysInPem() throws Exception {
    Release.Signer signer = Release.Signer.p256();
    String pem = "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(signer.spki)
        + "\n-----END PUBLIC KEY-----\n";
    PinStore store = PinStore.open(PinStoreSettings.signers(
        Collections.singletonList(pem.getBytes(StandardCharsets.US_ASCII)), 1, "test").anchors(Collections.emptyList()));
    assertEquals("ACTIVATED", StateScene.outcome(store, Release.manifest(1, signer, "a.test"), false));
    // Of two keys in one text, one would be ignored.
    try {
      PinStore.open(PinStoreSettings.signers(
          Collections.singletonList((pem + pem).getBytes(StandardCharsets.US_ASCII)), 1, "test"));
      fail("two keys in one text were accepted");
    } catch (PintleException e) {
      assertEquals("unusable-signer", e.code());
    }
    byte[] byOther = Release.manifest(2, Release.Signer.p256(), "a.test");
    assertEquals("needs 1 trusted signature, found 0 (of 1 signature)",
        assertRefused("too-few-signatures", () -> store.update(byOther)));
    assertEquals("2 trusted signatures", Bytes.count(2, "trusted signature"));
    assertEquals("no-keyset", StateScene.outcome(store, StateScene.keyset(2), true));
  }

  @Test
  public void keysetFolder() throws Exception {
    Path folder = Files.createTempDirectory("pintle-keysets");
    try (StateScene scene = new StateScene()) {
      PinStore store = scene.open();
      assertEquals(PinStore.Result.UNCHANGED, store.updateKeysetFolder(folder.toFile()));
      Files.write(folder.resolve("2.keyset.json"), StateScene.keyset(2));
      Files.write(folder.resolve("3.keyset.json"), StateScene.keyset(3));
      assertEquals(PinStore.Result.ACTIVATED, store.updateKeysetFolder(folder.toFile()));
      assertEquals(3, store.status().keysetVersion());
      Files.write(folder.resolve("4.keyset.json"), StateScene.keyset(3));
      assertRefused("older-version", () -> store.updateKeysetFolder(folder.toFile()));
      Files.write(folder.resolve("4.keyset.json"), new byte[65537]);
      assertRefused("unreadable-file", () -> store.updateKeysetFolder(folder.toFile()));
      assertEquals("can't read '" + folder + "/none.json': No such file or directory",
          assertRefused("unreadable-file", () -> store.updateFile(new File(folder.toFile(), "none.json"))));
      assertRefused("unreadable-file", () -> store.updateFile(folder.toFile()));
      Files.write(folder.resolve("m.json"), StateScene.release(3, 1));
      assertEquals(PinStore.Result.ACTIVATED, store.updateFile(folder.resolve("m.json").toFile()));
    } finally {
      Scratch.remove(folder);
    }
  }

  private interface Call {
    Object call() throws PintleException;
  }

  private static String assertRefused(String code, Call call) {
    try {
      call.call();
    } catch (PintleException e) {
      assertEquals(code, e.code());
      return e.getMessage();
    }
    throw new AssertionError("accepted, not " + code);
  }

  @Test
  public void listeners() throws Exception {
    List<String> told = new ArrayList<>();
    try (StateScene scene = new StateScene()) {
      PinStore store = PinStore.open(scene.settings(true, PinStoreSettings.WithoutManifest.BLOCK)
          .listener((handshake, decision) -> told.add(decision.reason())));
      PinStore.ActivationListener listener = one -> told.add("serial " + one.status().serial());
      store.addActivationListener(listener);
      store.update(StateScene.release(6, 0));
      store.update(StateScene.release(6, 0));
      store.evaluate(Handshake.server("other.example", 443, Collections.<byte[]>emptyList(), null), true);
      store.removeActivationListener(listener);
      store.update(StateScene.release(7, 0));
    }
    assertEquals(Arrays.asList("serial 6", "no-entry"), told);
  }

  /** What a listener throws changes neither an update nor a decision, is logged after all were called, and ends no thread. */
  @Test
  public void listenersThatThrow() throws Exception {
    List<String> told = new ArrayList<>();
    int logged;
    Thread thread = Thread.currentThread();
    Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
    try (StateScene scene = new StateScene(); Log log = new Log(error -> {
      told.add("logged: " + error.getMessage());
      throw new IllegalStateException("a handler that throws");
    })) {
      // On Android, this one ends the program.
      thread.setUncaughtExceptionHandler((one, error) -> told.add("uncaught"));
      PinStore store = PinStore.open(scene.settings(true, PinStoreSettings.WithoutManifest.BLOCK)
          .listener((handshake, decision) -> {
            throw new AssertionError("decided 1");
          })
          .listener((handshake, decision) -> told.add("decided 2")));
      store.addActivationListener(one -> StoreTest.<RuntimeException>sneak(new java.io.IOException("activated 1")));
      store.addActivationListener(one -> {
        throw new OutOfMemoryError("activated 2");
      });
      store.addActivationListener(one -> told.add("activated 3"));
      assertEquals(PinStore.Result.ACTIVATED, store.update(StateScene.release(6, 0)));
      assertEquals(PinStore.Result.ACTIVATED, store.updateKeyset(StateScene.keyset(2)));
      store.evaluate(Handshake.server("other.example", 443, Collections.<byte[]>emptyList(), null), true);
      logged = log.thrown.size();
    } finally {
      thread.setUncaughtExceptionHandler(before);
    }
    assertEquals(5, logged);
    List<String> once = Arrays.asList("activated 3", "logged: activated 1", "logged: activated 2");
    List<String> expected = new ArrayList<>(once);
    expected.addAll(once);
    expected.addAll(Arrays.asList("decided 2", "logged: decided 1"));
    assertEquals(expected, told);
  }

  /** As Kotlin does, which has no checked exceptions. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable error) throws E {
    throw (E) error;
  }

  /** The caller may change its bytes afterwards. */
  @Test
  public void bytesAreCopied() throws Exception {
    try (StateScene scene = new StateScene()) {
      byte[] mine = StateScene.release(6, 0).clone();
      PinStore store = scene.open();
      store.update(mine);
      Arrays.fill(mine, (byte) 0);
      store.maintain();
      assertEquals(6, scene.open().status().serial());
    }
  }
}
