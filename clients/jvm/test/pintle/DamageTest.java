package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

/** docs/updates.md#what-survives-what, beside kill -9 and the state table. */
public class DamageTest {
  private static final String[] FILES = {"manifest.json", "manifest.copy.json", "keysets", "keysets.copy"};

  /** One file cut, changed or lengthened anywhere: the manifest stays, and so does the newest keyset. */
  @Test
  public void torn() throws Exception {
    int runs = 0;
    try (StateScene scene = new StateScene().filled()) {
      for (String name : FILES) {
        byte[] whole = Files.readAllBytes(scene.path(name));
        int step = StateTableTest.FULL ? 1 : whole.length / 12;
        for (int at = 0; at < whole.length; at += step) {
          byte[] changed = whole.clone();
          changed[at] ^= 1;
          byte[] longer = Arrays.copyOf(whole, whole.length + 1 + at % 3);
          byte[][] kinds = {Arrays.copyOf(whole, at), changed, longer};
          for (int kind = 0; kind < kinds.length; kind++) {
            // If every byte is tried, in one way each.
            if (step == 1 && kind != at % kinds.length) continue;
            Files.write(scene.path(name), kinds[kind]);
            PinStore store = scene.open();
            assertEquals(name + " at " + at, "9 3", store.status().serial() + " " + store.status().keysetVersion());
            assertEquals(name + " at " + at, 0, scene.open().problems().size());
            assertTrue(Arrays.equals(whole, Files.readAllBytes(scene.path(name))));
            runs++;
          }
        }
      }
    }
    System.out.printf("%d damaged files of a state, each repaired%n", runs);
  }

  /** What an update leaves behind at each of its steps, as far as files show it. */
  @Test
  public void stepsOfAnUpdate() throws Exception {
    byte[] next = StateScene.release(10, 1);
    String[][] steps = {{}, {"manifest.json.new"}, {"manifest.json.new", "manifest.copy.json.new"},
        {"manifest.json", "manifest.copy.json.new"}, {"manifest.json", "manifest.copy.json"}};
    for (String[] written : steps) {
      for (int length : new int[] {next.length / 2, next.length}) {
        boolean isNamed = Arrays.asList(written).contains("manifest.json");
        if (isNamed && length < next.length) continue;
        try (StateScene scene = new StateScene().filled()) {
          for (String name : written) Files.write(scene.path(name), Arrays.copyOf(next, length));
          PinStore store = scene.open();
          assertEquals(Arrays.toString(written), isNamed ? 10 : 9, store.status().serial());
          assertEquals(isNamed ? "UNCHANGED" : "ACTIVATED", StateScene.outcome(store, next, false));
          assertEquals(Collections.emptyList(), scene.open().problems());
          for (String name : scene.names()) assertTrue(name, !name.endsWith(".new"));
        }
      }
    }
  }

  /** A folder that is missing, or that can't be written to: the embedded or the stored manifest, and no update. */
  @Test
  public void unusableFolder() throws Exception {
    try (StateScene scene = new StateScene().filled()) {
      PinStoreSettings settings = scene.settings(true, PinStoreSettings.WithoutManifest.BLOCK)
          .directory(scene.path("nowhere").toFile());
      PinStore store = PinStore.open(settings);
      assertEquals("unusable-directory: can't use the state folder '" + scene.path("nowhere")
          + "': No such file or directory; updates are rejected until this process can write to it",
          store.problems().get(0).toString());
      assertEquals(5, store.status().serial());
      assertEquals("not-stored", StateScene.outcome(store, StateScene.release(6, 0), false));
      assertEquals("not-stored", StateScene.outcome(store, StateScene.keyset(2), true));
      assertEquals("5 1", store.status().serial() + " " + store.status().keysetVersion());
      Files.createDirectory(scene.path("nowhere"));
      assertEquals("ACTIVATED", StateScene.outcome(store, StateScene.release(6, 0), false));
    }
    try (StateScene scene = new StateScene().filled()) {
      Files.setPosixFilePermissions(scene.folder, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertEquals("exposed-directory", scene.open().problems().get(0).code());
      // A folder that holds the place of a file which an update must write, and can't be moved away.
      PinStore store = scene.open();
      Files.createDirectory(scene.path("manifest.json.new"));
      Files.write(scene.path("manifest.json.new/file"), new byte[1]);
      assertEquals("ACTIVATED", StateScene.outcome(store, StateScene.release(10, 1), false));
      assertEquals(10, scene.open().status().serial());
    }
  }

  /** A disk that is full: the old manifest stays, on disk and in force, and a smaller one is accepted. */
  @Test
  public void diskFull() throws Exception {
    try (StateScene scene = new StateScene().filled()) {
      String input = new String(StateScene.keyset(1)) + "\n" + scene.folder + "\n" + new String(StateScene.large(10)) + "\n"
          + new String(StateScene.release(10, 1)) + "\n";
      assertEquals(Arrays.asList("not-stored 9", "ACTIVATED 10"), StoreTool.run(input, false, "full"));
      assertEquals(Collections.emptyList(), scene.open().problems());
      assertEquals(10, scene.open().status().serial());
      for (String name : scene.names()) assertTrue(name, !name.endsWith(".new"));
    }
  }

  /** A signer who was revoked writes to the folder: one copy changes nothing, both are what docs/security.md says. */
  @Test
  public void revokedSigner() throws Exception {
    byte[] revoked = StateScene.release(100, 0);
    for (String[] files : new String[][] {{"manifest.json"}, {"manifest.copy.json"}, {"manifest.json", "manifest.copy.json"}}) {
      try (StateScene scene = new StateScene().filled()) {
        for (String name : files) Files.write(scene.path(name), revoked);
        PinStore store = scene.open();
        assertEquals(files.length == 1 ? 9 : 100, store.status().serial());
        assertEquals(files.length == 1, store.status().isEndorsed());
        if (files.length == 2) assertEquals("disowned-manifest", store.problems().get(0).code());
      }
    }
  }

  /** Several stores with one folder: the highest release wins, and each takes what another has stored. */
  @Test
  public void several() throws Exception {
    try (StateScene scene = new StateScene()) {
      PinStore first = scene.open();
      PinStore second = scene.open();
      assertEquals("ACTIVATED", StateScene.outcome(first, StateScene.release(2, 0, 1), false));
      assertEquals("older-serial", StateScene.outcome(second, StateScene.release(1, 0, 1), false));
      assertEquals(2, second.status().serial());
      assertEquals("ACTIVATED", StateScene.outcome(first, StateScene.keyset(2), true));
      assertEquals("ACTIVATED", StateScene.outcome(first, StateScene.release(3, 1), false));
      // Only the second keyset's signers signed it.
      assertEquals("ACTIVATED", StateScene.outcome(second, StateScene.release(4, 1), false));
      first.maintain();
      assertEquals("4 2", first.status().serial() + " " + first.status().keysetVersion());
      int workers = 4;
      AtomicReference<String> wrong = new AtomicReference<>();
      Thread[] threads = new Thread[workers];
      for (int worker = 0; worker < workers; worker++) {
        int number = worker;
        PinStore store = worker % 2 == 0 ? first : scene.open();
        threads[worker] = new Thread(() -> {
          try {
            for (int serial = 5 + number; serial < 25; serial += workers) {
              String outcome = StateScene.outcome(store, StateScene.release(serial, 1), false);
              if (!outcome.equals("ACTIVATED") && !outcome.equals("older-serial")) wrong.set(outcome);
            }
          } catch (Exception e) {
            wrong.set(e.toString());
          }
        });
        threads[worker].start();
      }
      for (Thread one : threads) one.join();
      assertEquals(null, wrong.get());
      first.maintain();
      assertEquals(24, first.status().serial());
      assertEquals(24, scene.open().status().serial());
      assertEquals(Collections.emptyList(), scene.open().problems());
    }
  }

  /** Readers see one manifest or the next, and go on while updates are made. */
  @Test
  public void readers() throws Exception {
    try (StateScene scene = new StateScene()) {
      PinStore store = scene.open();
      store.update(StateScene.release(1, 0, 1));
      AtomicBoolean isDone = new AtomicBoolean();
      AtomicInteger asked = new AtomicInteger();
      AtomicReference<String> wrong = new AtomicReference<>();
      Thread[] threads = new Thread[3];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = new Thread(() -> {
          long last = 0;
          while (!isDone.get()) {
            Decision decision = store.evaluate(
                Handshake.server(StateScene.HOST, 443, Collections.<byte[]>emptyList(), null), true);
            if (!decision.isBlocked() || decision.serial() < last) wrong.set(decision.toString());
            last = decision.serial();
            asked.incrementAndGet();
          }
        });
        threads[i].start();
      }
      for (int serial = 2; serial < 40; serial++) store.update(StateScene.release(serial, 0, 1));
      isDone.set(true);
      for (Thread one : threads) one.join();
      assertEquals(null, wrong.get());
      assertTrue(asked.get() > 0);
    }
  }
}
