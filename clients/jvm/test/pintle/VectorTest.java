package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/**
 * All conformance vectors. A row in which the platform is stricter than the vector is listed here, with the reason; no row
 * may be more lenient, and none may be left out.
 */
public class VectorTest {
  /** Rows that are blocked or refused though the vector isn't. */
  private static final List<String> STRICTER = Arrays.asList(
      // Java's ECDSA doesn't reduce x modulo n; one signature in 2^128 is concerned, and none that was made honestly.
      "signature-forms#p256-x-beyond-n",
      // Java reads no key in this form, so JSSE ends the handshake, too, though the path doesn't need the certificate.
      "key-encodings#unused");
  /** Rows that are blocked with another failure's code. */
  private static final List<String> OTHER_CODE = Arrays.asList(
      // Java can't read such an anchor, so no program can give it: there is no anchor then.
      "key-encodings#ec-compressed-root-pinned", "key-encodings#ec-compressed-root-denied",
      "key-encodings#ec-hybrid-root-pinned", "key-encodings#ec-hybrid-root-denied",
      "key-encodings#ec-explicit-root-pinned", "key-encodings#ec-explicit-root-denied",
      "key-encodings#rsa-trailing-root-pinned", "key-encodings#rsa-trailing-root-denied",
      // The code is the same; the certificate can't be read, so it has no place in a path.
      "key-encodings#named-anchor", "key-encodings#named-intermediate",
      // Java follows the names up to the root, whose key it doesn't verify; libcrypto 3.0 ends at the leaf.
      "post-quantum#signature-null",
      // Java's name constraints fail on the empty subtree, which excludes all names.
      "name-constraints#excludes-all.www.www",
      // Java can't read a certificate with an empty DNS name.
      "name-constraints#permits-com.empty-name.www");

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
      if (Arrays.asList("certificates.json", "signers.json", "shared.json").contains(name)) continue;
      Fields file = Vectors.theme(name);
      String theme = file.text("theme");
      String kind = file.text("kind");
      file.text("about");
      vectors.takeFiles(file);
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
    assertEquals(Collections.emptyList(), wrong);
    assertTrue(count >= 1500);
  }

  private boolean compare(Vectors vectors, String kind, Fields row, String id) throws Exception {
    switch (kind) {
      case "decision": {
        Object expected = row.take("expected");
        if (row.has("expectedBy")) expected = Json.object(row.take("expectedBy")).getOrDefault("java-17", expected);
        return compareDecision(Json.object(expected), vectors.decision(row), id);
      }
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
    if (STRICTER.contains(id) && String.valueOf(found).contains("result=refused")) {
      stricter.add(id);
      return false;
    }
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
    if (blocks && code != null && other != null && left.equals(right) && OTHER_CODE.contains(id)) {
      otherCode.add(id);
      return false;
    }
    if (!blocks && "untrusted".equals(found.get("reason")) && STRICTER.contains(id)) {
      stricter.add(id);
      return false;
    }
    return check(expected, found, id);
  }
}
