package pintle;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a JSON object, each read once: a field that isn't read is an error. */
final class Fields {
  private final Map<String, Object> left;

  Fields(Object value) {
    left = new LinkedHashMap<>(Json.object(value));
  }

  boolean has(String name) {
    return left.containsKey(name);
  }

  Object take(String name) {
    if (!left.containsKey(name)) throw new IllegalArgumentException("no field " + name);
    return left.remove(name);
  }

  /** The field, which is still to be taken. */
  Object peek(String name) {
    return left.get(name);
  }

  String text(String name) {
    return (String) take(name);
  }

  int number(String name) {
    return Math.toIntExact((Long) take(name));
  }

  List<Object> list(String name) {
    return Json.list(take(name));
  }

  void finish() {
    if (!left.isEmpty()) throw new IllegalArgumentException("this runner doesn't know the fields " + left.keySet());
  }
}
