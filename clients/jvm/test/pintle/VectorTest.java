package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** All conformance vectors. */
public class VectorTest {
  private final List<String> otherCode = new ArrayList<>();
  private final List<String> stricter = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  @Test
  public void allRows() throws Exception {
    Vectors vectors = new Vectors();
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> folder = Files.newDirectoryStream(Vectors.FOLDER, "*.json")) {
      for (Path file : folder) files.add(file);
    }
    Collections.sort(files);
    int count = 0;
    int exact = 0;
    for (Path path : files) {
      String name = path.getFileName().toString();
      if (name.equals("certificates.json") || name.equals("signers.json")) continue;
      Fields file = Vectors.theme(name);
      String theme = file.text("theme");
      String kind = file.text("kind");
      file.text("about");
      int ofTheme = 0;
      for (Object value : file.list("vectors")) {
        Fields row = new Fields(value);
        String id = theme + "#" + row.text("id");
        row.text("comment");
        row.text("section");
        count++;
        ofTheme += compare(vectors, kind, row, id) ? 1 : 0;
        row.finish();
      }
      file.finish();
      exact += ofTheme;
    }
    System.out.printf("%d vectors: %d exactly, %d blocked as expected with another failure's code, %d stricter, %d wrong%n",
        count, exact, otherCode.size(), stricter.size(), wrong.size());
    for (String one : wrong) System.out.println("  wrong: " + one);
    for (String one : otherCode) System.out.println("  other code: " + one);
    for (String one : stricter) System.out.println("  stricter: " + one);
    assertEquals(Collections.emptyList(), wrong);
    assertTrue(count >= 1500);
  }

  private boolean compare(Vectors vectors, String kind, Fields row, String id) throws Exception {
    switch (kind) {
      case "decision": return compareDecision(Json.object(row.take("expected")), vectors.decision(row), id);
      case "load": return check(row.take("expected"), vectors.load(row), id);
      case "store": {
        Path folder = Files.createTempDirectory("pintle-vector");
        try {
          List<Object> expected = new ArrayList<>();
          for (Object step : Json.list(row.peek("steps"))) expected.add(Json.object(step).get("expected"));
          return check(expected, vectors.store(row, folder), id);
        } finally {
          Scratch.remove(folder);
        }
      }
      default: throw new IllegalArgumentException("this runner doesn't know the kind " + kind);
    }
  }

  private boolean check(Object expected, Object found, String id) {
    if (expected.equals(found)) return true;
    wrong.add(id + "\n    expected " + expected + "\n    found    " + found);
    return false;
  }

  private boolean compareDecision(Map<String, Object> expected, Object answer, String id) {
    Map<String, Object> found = Json.object(answer);
    if (expected.equals(found)) return true;
    boolean blocks = "cancel".equals(expected.get("disposition"));
    Map<String, Object> left = new LinkedHashMap<>(expected);
    Map<String, Object> right = new LinkedHashMap<>(found);
    Object code = left.remove("failure");
    Object other = right.remove("failure");
    if (blocks && code != null && left.equals(right)) {
      otherCode.add(id + ": expected " + code + ", found " + other);
      return false;
    }
    if (!blocks && "untrusted".equals(found.get("reason"))) {
      stricter.add(id + ": expected " + expected.get("reason") + ", found " + other);
      return false;
    }
    return check(expected, found, id);
  }
}
