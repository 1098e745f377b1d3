package pintle;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A process of its own for tests of the store: one that is killed, or that belongs to another user. */
public final class StoreTool {
  private StoreTool() {}

  /** Foreign: as another user. */
  static Process start(boolean isForeign, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (arguments[0].equals("full")) command.addAll(Arrays.asList("bash", "-c", "ulimit -f 3 && exec \"$0\" \"$@\""));
    // The user and group "nobody" of Debian.
    if (isForeign) command.addAll(Arrays.asList("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    command.addAll(Arrays.asList(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Xshare:auto", "-XX:-UsePerfData",
        "-cp", System.getProperty("java.class.path"), "pintle.StoreTool"));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Runs to the end; the answer is what it printed. */
  static List<String> run(String input, boolean isForeign, String... arguments) throws Exception {
    Process process = start(isForeign, arguments);
    process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    List<String> lines = new ArrayList<>();
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line; (line = reader.readLine()) != null;) lines.add(line);
    }
    if (process.waitFor() != 0) throw new IOException("exit status " + process.exitValue() + ": " + lines);
    return lines;
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (arguments[0].equals("state")) {
      state(input);
    } else if (arguments[0].equals("full")) {
      full(input);
    } else {
      update(arguments[1], input);
    }
  }

  private static byte[] line(BufferedReader input) throws IOException {
    String line = input.readLine();
    return line == null ? null : line.getBytes(StandardCharsets.UTF_8);
  }

  /** The files, one a line; then folders, each with its settings. */
  private static void state(BufferedReader input) throws Exception {
    byte[] keyset = line(input);
    byte[][] keysets = {line(input), line(input)};
    byte[] next = line(input);
    byte[] embedded = line(input);
    for (String line; (line = input.readLine()) != null;) {
      String[] words = line.split(" ");
      PinStore store = PinStore.open(PinStoreSettings.keyset(keyset, "test").directory(new File(words[0]))
          .withoutManifest(PinStoreSettings.WithoutManifest.valueOf(words[1]))
          .embedded(words[2].equals("true") ? embedded : null).anchors(Collections.emptyList()));
      System.out.println(StateTableTest.run(store, keysets, next));
    }
  }

  /** Takes two manifests in a folder where no file may have more than 3 KiB, as on a full disk. */
  private static void full(BufferedReader input) throws Exception {
    PinStore store = PinStore.open(PinStoreSettings.keyset(line(input), "test").directory(new File(input.readLine()))
        .anchors(Collections.emptyList()));
    for (int i = 0; i < 2; i++) {
      System.out.println(StateScene.outcome(store, line(input), false) + " " + store.status().serial());
    }
  }

  /** Takes all files of a folder in the order of their names, and says after each that it took it. */
  private static void update(String folder, BufferedReader input) throws Exception {
    File[] files = new File(folder).listFiles();
    Arrays.sort(files);
    PinStore store = PinStore.open(PinStoreSettings.keyset(line(input), "test").directory(new File(input.readLine()))
        .anchors(Collections.emptyList()));
    System.out.println("ready");
    for (File file : files) {
      byte[] bytes = Files.readAllBytes(file.toPath());
      PinStore.Result result = file.getName().endsWith(".keyset.json") ? store.updateKeyset(bytes) : store.update(bytes);
      System.out.println(file.getName() + " " + result);
    }
    System.out.println("done");
  }
}
