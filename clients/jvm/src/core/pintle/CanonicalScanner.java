package pintle;

/**
 * Reads bytes that must be canonical JSON (RFC 8785) of a structure that the caller knows: objects, lists, strings and
 * integers.
 *
 * <p>One pass, no tree. The caller asks for what must come next, and everything else is an error with its offset. Each
 * value has one encoding, so a text that is read to its end is the text that would be written.
 */
final class CanonicalScanner {
  static final long LARGEST = 9007199254740991L;
  private static final String NAME = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  final byte[] bytes;
  private final int end;
  private int offset;

  CanonicalScanner(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.offset = start;
    this.end = end;
  }

  int offset() {
    return offset;
  }

  // Structure

  boolean take(char character) {
    if (offset >= end || bytes[offset] != character) return false;
    offset++;
    return true;
  }

  void require(char character) throws FormatException {
    if (!take(character)) throw error("expected '" + character + "'");
  }

  void require(String text) throws FormatException {
    if (!sees(text, offset)) throw error("expected " + text);
    offset += text.length();
  }

  private boolean sees(String text, int start) {
    if (end - start < text.length()) return false;
    for (int i = 0; i < text.length(); i++) if (bytes[start + i] != text.charAt(i)) return false;
    return true;
  }

  /** Steps over {@code "name":}, with the comma before it unless it is the object's first field, if it is next. */
  boolean takeField(String name) {
    // No value ends with an opening brace, so this is the first field.
    boolean isFirst = bytes[offset - 1] == '{';
    String text = (isFirst ? "\"" : ",\"") + name + "\":";
    if (!sees(text, offset)) return false;
    offset += text.length();
    return true;
  }

  void requireField(String name) throws FormatException {
    if (!takeField(name)) throw error("expected the field \"" + name + "\"");
  }

  /** Steps over the comma between two items, or the closing bracket; true if another item follows. */
  boolean takeNext(char closing) throws FormatException {
    if (take(',')) return true;
    require(closing);
    return false;
  }

  void finish() throws FormatException {
    if (offset != end) throw error("bytes follow the end of the content");
  }

  FormatException error(String message) {
    return error(offset, message);
  }

  FormatException error(int at, String message) {
    return new FormatException("byte " + at + ": " + message + ", found " + excerpt(at));
  }

  private String excerpt(int start) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = start; i < Math.min(end, start + 16); i++) {
      text.append(bytes[i] >= 0x20 && bytes[i] < 0x7F ? Character.toString((char) bytes[i]) : "?");
    }
    return text.append('"').toString();
  }

  /** Checks that an item's encoding is after that of the one before it; an offset below 0 means that there is none. */
  void checkOrder(int lastStart, int lastEnd, int start, int stop) throws FormatException {
    if (lastStart >= 0 && Bytes.compare(bytes, lastStart, lastEnd, start, stop) >= 0) {
      throw error(start, "not sorted, or listed twice");
    }
  }

  // Values

  /** A string of 1 to so many bytes as encoded, with any characters. */
  String text(int limit) throws FormatException {
    require('"');
    int start = offset;
    byte[] decoded = new byte[16];
    int count = 0;
    int i = start;
    while (true) {
      if (i >= end) throw error(start, "the bytes end inside a string");
      int value = bytes[i] & 255;
      if (value == '"') break;
      if (value < 0x20) throw error(i, "a control character that is not escaped");
      int length = value == '\\' ? escapeLength(i) : value < 0x80 ? 1 : sequenceLength(i);
      if (i + length - start > limit) throw error(start, "a text of more than " + limit + " bytes");
      if (count + 4 > decoded.length) decoded = java.util.Arrays.copyOf(decoded, decoded.length * 2);
      if (value == '\\') {
        decoded[count++] = unescaped(i);
      } else {
        for (int k = 0; k < length; k++) decoded[count++] = bytes[i + k];
      }
      i += length;
    }
    if (i == start) throw error(start, "an empty text");
    offset = i + 1;
    return new String(decoded, 0, count, Bytes.UTF8);
  }

  /** RFC 8785 section 3.2.2.2: each character has one escape, or none. */
  private int escapeLength(int at) throws FormatException {
    int next = at + 1 < end ? bytes[at + 1] : 0;
    if ("\"\\btnfr".indexOf(next) >= 0 && next != 0) return 2;
    if (next == 'u' && at + 6 <= end && bytes[at + 2] == '0' && bytes[at + 3] == '0') {
      int high = "01".indexOf(bytes[at + 4]);
      int low = "0123456789abcdef".indexOf(bytes[at + 5]);
      int value = high * 16 + low;
      boolean hasShort = value >= 8 && value <= 13 && value != 11;
      if (high >= 0 && low >= 0 && !hasShort) return 6;
    }
    throw error(at, "not an escape of RFC 8785");
  }

  private byte unescaped(int at) {
    switch (bytes[at + 1]) {
      case 'b': return 8;
      case 't': return 9;
      case 'n': return 10;
      case 'f': return 12;
      case 'r': return 13;
      case 'u': return (byte) Integer.parseInt(new String(bytes, at + 4, 2, Bytes.ASCII), 16);
      default: return bytes[at + 1];
    }
  }

  /** The length of a UTF-8 sequence of a character above U+007F (Unicode, table 3-7). */
  private int sequenceLength(int at) throws FormatException {
    int first = bytes[at] & 255;
    int count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    boolean isSound = first >= 0xC2 && first <= 0xF4 && at + count <= end;
    if (isSound) {
      int second = bytes[at + 1] & 255;
      isSound = second >= (first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80)
          && second <= (first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF);
      for (int i = 2; i < count; i++) isSound &= (bytes[at + i] & 0xC0) == 0x80;
    }
    if (!isSound) throw error(at, "not UTF-8");
    return count;
  }

  /** A string without escapes, of characters from U+0021 to U+007E. */
  String word(int limit) throws FormatException {
    require('"');
    int start = offset;
    int i = start;
    while (i < end && bytes[i] > 0x20 && bytes[i] < 0x7F && bytes[i] != '"' && bytes[i] != '\\') i++;
    if (i == start || i - start > limit || i >= end || bytes[i] != '"') throw error(start, "an invalid value");
    offset = i + 1;
    return new String(bytes, start, i - start, Bytes.ASCII);
  }

  /** {@code [a-z0-9][a-z0-9._-]*}, at most 64 characters. */
  String name() throws FormatException {
    int start = offset + 1;
    String name = word(64);
    if (!isName(name)) throw error(start, "an invalid name");
    return name;
  }

  static boolean isName(String text) {
    if (text.isEmpty() || text.length() > 64 || "._-".indexOf(text.charAt(0)) >= 0) return false;
    for (int i = 0; i < text.length(); i++) if (NAME.indexOf(text.charAt(i)) < 0) return false;
    return true;
  }

  /** One of these words. */
  String oneOf(String... words) throws FormatException {
    int start = offset + 1;
    String found = word(64);
    for (String word : words) if (word.equals(found)) return found;
    throw error(start, "an unknown value");
  }

  long integer(long least, long most) throws FormatException {
    int start = offset;
    long value = 0;
    while (offset < end && bytes[offset] >= '0' && bytes[offset] <= '9' && offset - start < 17) {
      value = value * 10 + bytes[offset++] - '0';
    }
    boolean isShortest = offset - start == 1 || offset > start && bytes[start] != '0';
    if (!isShortest || offset - start > 16 || value < least || value > most) throw error(start, "an invalid integer");
    return value;
  }

  long instant() throws FormatException {
    int start = offset + 1;
    String text = word(Instants.LENGTH);
    long value = text.length() == Instants.LENGTH ? Instants.parse(bytes, start) : Long.MIN_VALUE;
    if (value == Long.MIN_VALUE) throw error(start, "an invalid instant");
    return value;
  }

  /** So many lower-case hexadecimal digits. */
  String hex(int digits) throws FormatException {
    int start = offset + 1;
    String text = word(digits);
    boolean isHex = text.length() == digits;
    for (int i = 0; i < text.length(); i++) isHex &= "0123456789abcdef".indexOf(text.charAt(i)) >= 0;
    if (!isHex) throw error(start, "not " + digits + " hexadecimal digits");
    return text;
  }

  String digest() throws FormatException {
    return hex(64);
  }

  byte[] base64(int least, int most) throws FormatException {
    int start = offset + 1;
    word((most + 2) / 3 * 4);
    byte[] decoded = Bytes.base64(bytes, start, offset - 1);
    if (decoded == null || decoded.length < least || decoded.length > most) throw error(start, "invalid Base64");
    return decoded;
  }
}
