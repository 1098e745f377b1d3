package pintle;

/** Reads DER: definite lengths in their shortest form, nothing else. A method answers null if something else is next. */
final class Der {
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int NULL = 0x05;
  static final int OID = 0x06;
  static final int BOOLEAN = 0x01;
  static final int IA5_STRING = 0x16;
  static final int SEQUENCE = 0x30;
  static final int SET = 0x31;

  final byte[] bytes;
  private int position;
  private final int end;

  Der(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private Der(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    position = start;
    this.end = end;
  }

  boolean isAtEnd() {
    return position == end;
  }

  int position() {
    return position;
  }

  /** The tag of the next value, or -1. */
  int tag() {
    return end - position >= 2 ? bytes[position] & 255 : -1;
  }

  /** Steps over the next value, if it has this tag, and answers a reader of its contents. */
  Der enter(int tag) {
    if (tag() != tag) return null;
    int start = position + 2;
    int length = bytes[position + 1] & 255;
    if (length >= 0x80) {
      int count = length - 0x80;
      // 0x80 is BER's indefinite length; no certificate needs a length of more than four bytes.
      if (count < 1 || count > 4 || end - start < count || bytes[start] == 0) return null;
      long value = 0;
      for (int i = 0; i < count; i++) value = value << 8 | bytes[start + i] & 255;
      start += count;
      if (value < 0x80 || value > end - start) return null;
      length = (int) value;
    }
    if (end - start < length) return null;
    position = start + length;
    return new Der(bytes, start, position);
  }

  /** Steps over the next value, if it has this tag. */
  boolean skip(int tag) {
    return enter(tag) != null;
  }

  /** Steps over the next value, whatever it is. */
  boolean skip() {
    return tag() >= 0 && skip(tag());
  }

  /** The bytes that are left. */
  byte[] rest() {
    return java.util.Arrays.copyOfRange(bytes, position, end);
  }

  int count() {
    return end - position;
  }

  /** The dotted form of an object identifier that is next; null if it isn't one. */
  String oid() {
    Der contents = enter(OID);
    if (contents == null || contents.isAtEnd()) return null;
    StringBuilder text = new StringBuilder();
    long value = 0;
    for (int i = contents.position; i < contents.end; i++) {
      if (value == 0 && (bytes[i] & 255) == 0x80 || value > Long.MAX_VALUE >> 8) return null;
      value = value << 7 | bytes[i] & 0x7F;
      if (bytes[i] < 0) {
        if (i == contents.end - 1) return null;
        continue;
      }
      if (text.length() > 0) {
        text.append('.').append(value);
      } else {
        long first = Math.min(value / 40, 2);
        text.append(first).append('.').append(value - first * 40);
      }
      value = 0;
    }
    return text.toString();
  }
}
