package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.Test;

/** kill -9 during updates of manifests and keysets: what was accepted stays, as a whole, and the next one is accepted. */
public class KillTest {
  private static final int KILLS = Integer.getInteger("pintle.kills", 10);
  private static final int RELEASES = 120;

  @Test
  public void killed() throws Exception {
    Random random = new Random(26);
    Path releases = Files.createTempDirectory("pintle-releases");
    try {
      int number = 0;
      for (int serial = 1; serial <= RELEASES; serial++) {
        Files.write(releases.resolve(String.format("%05d.json", number++)), StateScene.release(serial, 0, 1));
        if (serial == 40) Files.write(releases.resolve(String.format("%05d.keyset.json", number++)), StateScene.keyset(2));
        if (serial == 80) Files.write(releases.resolve(String.format("%05d.keyset.json", number++)), StateScene.keyset(3));
      }
      int between = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        try (StateScene scene = new StateScene()) {
          if (kill(scene, releases, random)) between++;
        }
      }
      System.out.printf("%d processes killed with -9 during updates, %d of them between the first and the last update%n",
          KILLS, between);
      assertTrue(between * 2 > KILLS);
    } finally {
      Scratch.remove(releases);
    }
  }

  private static boolean kill(StateScene scene, Path releases, Random random) throws Exception {
    Process process = StoreTool.start(false, "update", releases.toString());
    long serial = 0;
    long keyset = 1;
    boolean isDone = false;
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String input = new String(StateScene.keyset(1), StandardCharsets.UTF_8) + "\n" + scene.folder + "\n";
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      int taken = random.nextInt(90);
      for (String line; (line = lines.readLine()) != null;) {
        if (line.equals("ready")) continue;
        isDone |= line.equals("done");
        if (line.endsWith(".keyset.json ACTIVATED")) keyset++;
        if (line.endsWith("json ACTIVATED") && !line.contains("keyset")) serial++;
        if (taken-- == 0) {
          // At some moment of the next update.
          java.util.concurrent.locks.LockSupport.parkNanos(random.nextInt(2_000_000));
          process.toHandle().destroyForcibly();
        }
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
    PinStore store = scene.open();
    Status status = store.status();
    assertTrue(status.serial() + " after " + serial, status.serial() >= serial && status.serial() <= RELEASES);
    assertTrue(status.keysetVersion() + " after " + keyset, status.keysetVersion() >= keyset);
    for (PinStore.Problem problem : store.problems()) throw new AssertionError(problem.toString());
    if (status.serial() > 1) {
      assertEquals("UNCHANGED", StateScene.outcome(store, StateScene.release(status.serial(), 0, 1), false));
      assertEquals("older-serial", StateScene.outcome(store, StateScene.release(status.serial() - 1, 0, 1), false));
    }
    assertEquals("ACTIVATED", StateScene.outcome(store, StateScene.release(status.serial() + 1, 0, 1), false));
    assertEquals(0, scene.open().problems().size());
    for (String name : scene.names()) assertTrue(name, !name.endsWith(".new"));
    return serial > 0 && !isDone;
  }
}
