package pintle;

import static org.junit.Assert.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

/** The table of docs/security.md#state-files, cell by cell, with an embedded manifest and without. */
public class StateTableTest {
  static final boolean FULL = Boolean.getBoolean("pintle.full");
  private static final List<String> KINDS = Arrays.asList(
      "absent", "old", "torn", "forged", "link", "FIFO", "directory", "other owner", "world-writable");

  private static final class Cell {
    List<String> files;
    PinStoreSettings.WithoutManifest without;
    String kind;
    String outcome;

    @Override
    public String toString() {
      return files + ": " + kind + ", " + without;
    }
  }

  private static List<Cell> table() throws Exception {
    List<Cell> cells = new ArrayList<>();
    for (String line : Files.readAllLines(Vectors.ROOT.resolve("docs/security.md"))) {
      String[] columns = line.split("\\|", -1);
      if (columns.length != KINDS.size() + 4 || !columns[1].trim().startsWith("`")) continue;
      List<String> files = new ArrayList<>();
      String[] parts = columns[1].split("`");
      for (int i = 1; i < parts.length; i += 2) files.add(parts[i]);
      for (PinStoreSettings.WithoutManifest without : PinStoreSettings.WithoutManifest.values()) {
        String setting = columns[2].trim();
        boolean isMeant = setting.equals("either")
            || setting.equals(without == PinStoreSettings.WithoutManifest.BLOCK ? "`block`" : "`notPinned`");
        for (int i = 0; isMeant && i < KINDS.size(); i++) {
          Cell cell = new Cell();
          cell.files = files;
          cell.without = without;
          cell.kind = KINDS.get(i);
          cell.outcome = columns[i + 3].trim();
          cells.add(cell);
        }
      }
    }
    return cells;
  }

  private static String expected(Cell cell, boolean isEmbedded) {
    switch (cell.outcome) {
      case "newest": return "9 cancel";
      case "older": return "7 cancel";
      case "embedded, or block": return isEmbedded ? "5 cancel" : "0 cancel";
      case "embedded, or not pinned": return isEmbedded ? "5 cancel" : "0 performDefaultHandling";
      default: throw new IllegalArgumentException("no such outcome: " + cell.outcome);
    }
  }

  private static byte[] old(String name) throws Exception {
    return name.startsWith("keysets") ? StateScene.lines(StateScene.keyset(1), StateScene.keyset(2)) : StateScene.release(7, 0, 1);
  }

  private static void change(StateScene scene, Cell cell) throws Exception {
    for (String name : cell.files) {
      Path path = scene.path(name);
      byte[] now = Files.exists(path) ? Files.readAllBytes(path) : old(name);
      Files.deleteIfExists(path);
      switch (cell.kind) {
        case "old": Files.write(path, old(name)); break;
        case "torn": Files.write(path, Arrays.copyOf(now, now.length / 2)); break;
        case "forged": Files.write(path, StateScene.forged(name)); break;
        case "link":
          Path outside = scene.folder.resolveSibling(scene.folder.getFileName() + "-outside");
          Files.write(outside, old(name));
          outside.toFile().deleteOnExit();
          Files.createSymbolicLink(path, outside);
          break;
        case "FIFO": assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", path.toString()).start().waitFor()); break;
        case "directory":
          Files.createDirectory(path);
          Files.write(path.resolve("file"), new byte[] {1});
          break;
        case "other owner":
        case "world-writable":
          Files.write(path, now);
          Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(cell.kind.equals("other owner") ? "---------" : "rw-rw-rw-"));
          break;
        default: assertEquals("absent", cell.kind);
      }
    }
  }

  /** What is found, and that the next keysets and the next manifest are accepted. */
  static String run(PinStore store, byte[][] keysets, byte[] next) {
    String found = StateScene.found(store);
    for (byte[] keyset : keysets) StateScene.outcome(store, keyset, true);
    return found + " " + StateScene.outcome(store, next, false);
  }

  @Test
  public void cells() throws Exception {
    List<Cell> cells = table();
    assertEquals((7 * 2 + 4) * KINDS.size(), cells.size());
    byte[][] keysets = {StateScene.keyset(2), StateScene.keyset(3)};
    byte[] next = StateScene.release(10, 1);
    List<String> wrong = new ArrayList<>();
    Foreign foreign = new Foreign(keysets, next);
    int count = 0;
    for (Cell cell : cells) {
      for (boolean isEmbedded : new boolean[] {true, false}) {
        // If the table says the same for both, one of them is a sample.
        if (!FULL && isEmbedded && !cell.outcome.startsWith("embedded")) continue;
        String expected = expected(cell, isEmbedded) + " ACTIVATED";
        StateScene scene = new StateScene().filled();
        change(scene, cell);
        count++;
        if (cell.kind.equals("other owner") && foreign.isNeeded) {
          foreign.add(scene, cell.without, isEmbedded, cell.files, cell + ", embedded: " + isEmbedded, expected);
          continue;
        }
        try {
          String found = run(PinStore.open(scene.settings(isEmbedded, cell.without)), keysets, next);
          if (!found.equals(expected)) wrong.add(cell + ", embedded: " + isEmbedded + ": " + found + ", not " + expected);
          PinStore after = PinStore.open(scene.settings(isEmbedded, cell.without));
          String state = after.status().keysetVersion() + " " + after.status().serial() + " " + after.problems();
          if (!state.equals("3 10 []")) wrong.add(cell + ", embedded: " + isEmbedded + ": afterwards " + state);
        } finally {
          scene.close();
        }
      }
    }
    wrong.addAll(foreign.run());
    assertEquals(Collections.emptyList(), wrong);
    System.out.printf("%d cells of the state table, with an embedded manifest and without: %d runs%n", cells.size(), count);
  }

  /** Root may read all files, so the cells of another owner run in one process of another user. */
  private static final class Foreign {
    final boolean isNeeded = "root".equals(System.getProperty("user.name"));
    private final List<StateScene> scenes = new ArrayList<>();
    private final List<String> cells = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    private final StringBuilder input = new StringBuilder();

    Foreign(byte[][] keysets, byte[] next) throws Exception {
      for (byte[] one : new byte[][] {StateScene.keyset(1), keysets[0], keysets[1], next, StateScene.release(5, 0)}) {
        input.append(new String(one, StandardCharsets.UTF_8)).append('\n');
      }
    }

    void add(StateScene scene, PinStoreSettings.WithoutManifest without, boolean isEmbedded, List<String> files, String cell,
        String expected) throws Exception {
      scenes.add(scene);
      cells.add(cell);
      this.expected.add(expected);
      input.append(scene.folder).append(' ').append(without).append(' ').append(isEmbedded).append('\n');
      chown(scene.folder);
      for (String name : scene.names()) if (!files.contains(name)) chown(scene.path(name));
    }

    private static void chown(Path path) throws Exception {
      Files.setOwner(path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    }

    List<String> run() throws Exception {
      if (scenes.isEmpty()) return Collections.emptyList();
      List<String> found = StoreTool.run(input.toString(), true, "state");
      List<String> wrong = new ArrayList<>();
      for (int i = 0; i < cells.size(); i++) {
        if (!found.get(i).equals(expected.get(i))) wrong.add(cells.get(i) + ": " + found.get(i) + ", not " + expected.get(i));
      }
      for (StateScene one : scenes) one.close();
      return wrong;
    }
  }
}
