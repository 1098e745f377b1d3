package pintle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small reader of JSON, for the files of tests: objects as maps, lists, strings, longs, booleans, null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(Path file) throws IOException {
    return read(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
  }

  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at != text.length()) throw json.error();
    return value;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return (List<Object>) value;
  }

  private IllegalArgumentException error() {
    return new IllegalArgumentException("not JSON at " + at);
  }

  private void space() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean take(char character) {
    space();
    if (at >= text.length() || text.charAt(at) != character) return false;
    at++;
    return true;
  }

  private void require(char character) {
    if (!take(character)) throw error();
  }

  private Object value() {
    space();
    if (take('{')) {
      Map<String, Object> map = new LinkedHashMap<>();
      if (take('}')) return map;
      do {
        String key = string();
        require(':');
        if (map.containsKey(key)) throw error();
        map.put(key, value());
      } while (take(','));
      require('}');
      return map;
    }
    if (take('[')) {
      List<Object> list = new ArrayList<>();
      if (take(']')) return list;
      do {
        list.add(value());
      } while (take(','));
      require(']');
      return list;
    }
    if (at < text.length() && text.charAt(at) == '"') return string();
    for (Object word : new Object[] {true, false, "null"}) {
      if (text.startsWith(word.toString(), at)) {
        at += word.toString().length();
        return word.equals("null") ? null : word;
      }
    }
    int start = at;
    while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) at++;
    if (start == at) throw error();
    return Long.parseLong(text.substring(start, at));
  }

  private String string() {
    require('"');
    StringBuilder found = new StringBuilder();
    while (text.charAt(at) != '"') {
      char character = text.charAt(at++);
      if (character != '\\') {
        found.append(character);
        continue;
      }
      char escape = text.charAt(at++);
      if (escape == 'u') {
        found.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
        at += 4;
      } else {
        int place = "bfnrt".indexOf(escape);
        found.append(place < 0 ? escape : "\b\f\n\r\t".charAt(place));
      }
    }
    at++;
    return found.toString();
  }
}
