package pintle;

import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Digests, hexadecimal digits and Base64 in its one form (RFC 4648 section 4). */
final class Bytes {
  static final Charset UTF8 = Charset.forName("UTF-8");
  static final Charset ASCII = Charset.forName("US-ASCII");
  private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private Bytes() {}

  static byte[] sha256(byte[] bytes) {
    return sha256(bytes, 0, bytes.length);
  }

  static byte[] sha256(byte[] bytes, int start, int end) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes, start, end - start);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform must have SHA-256", e);
    }
  }

  static String hex(byte[] bytes) {
    char[] text = new char[bytes.length * 2];
    for (int i = 0; i < bytes.length; i++) {
      text[2 * i] = HEX[bytes[i] >> 4 & 15];
      text[2 * i + 1] = HEX[bytes[i] & 15];
    }
    return new String(text);
  }

  static String base64(byte[] bytes) {
    StringBuilder text = new StringBuilder((bytes.length + 2) / 3 * 4);
    for (int i = 0; i < bytes.length; i += 3) {
      int group = (bytes[i] & 255) << 16;
      if (i + 1 < bytes.length) group |= (bytes[i + 1] & 255) << 8;
      if (i + 2 < bytes.length) group |= bytes[i + 2] & 255;
      text.append(ALPHABET.charAt(group >> 18)).append(ALPHABET.charAt(group >> 12 & 63));
      text.append(i + 1 < bytes.length ? ALPHABET.charAt(group >> 6 & 63) : '=');
      text.append(i + 2 < bytes.length ? ALPHABET.charAt(group & 63) : '=');
    }
    return text.toString();
  }

  /** The bytes that a text stands for; null if it isn't Base64 in its one form. */
  static byte[] base64(byte[] text, int start, int end) {
    int count = end - start;
    if (count % 4 != 0) return null;
    int padding = 0;
    while (padding < 2 && padding < count && text[end - 1 - padding] == '=') padding++;
    byte[] bytes = new byte[count / 4 * 3 - padding];
    int group = 0;
    int made = 0;
    for (int i = start; i < end; i++) {
      int value = i < end - padding ? symbol(text[i]) : 0;
      if (value < 0) return null;
      group = group << 6 | value;
      if ((i - start) % 4 != 3) continue;
      for (int shift = 16; shift >= 0 && made < bytes.length; shift -= 8) bytes[made++] = (byte) (group >> shift);
      group &= 0xFFFFFF;
      // The bits that padding leaves over are zero, so that a value has one encoding.
      if (i == end - 1 && padding > 0 && (group & (padding == 1 ? 0xFF : 0xFFFF)) != 0) return null;
      group = 0;
    }
    return bytes;
  }

  private static int symbol(byte character) {
    if (character >= 'A' && character <= 'Z') return character - 'A';
    if (character >= 'a' && character <= 'z') return character - 'a' + 26;
    if (character >= '0' && character <= '9') return character - '0' + 52;
    return character == '+' ? 62 : character == '/' ? 63 : -1;
  }

  /** A text for a log: files and peers choose parts of it, so it has no control characters, and an end. */
  static String printable(String text) {
    StringBuilder safe = new StringBuilder();
    for (int i = 0; i < text.length() && i < 600; i++) {
      char character = text.charAt(i);
      boolean isSafe = character >= 0x20 && (character < 0x7F || character > 0xA0) && !Character.isSurrogate(character)
          && Character.getType(character) != Character.FORMAT;
      safe.append(isSafe && character != 0x2028 && character != 0x2029 ? character : '?');
    }
    return safe.toString();
  }

  /** A number with its noun: {@code 1 signature}, {@code 2 signatures}. */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  static boolean startsWith(byte[] bytes, byte[] prefix) {
    return bytes.length >= prefix.length && matches(bytes, 0, prefix);
  }

  /** Whether the bytes from an offset on are these; the caller has checked that there are enough. */
  static boolean matches(byte[] bytes, int start, byte[] other) {
    for (int i = 0; i < other.length; i++) if (bytes[start + i] != other[i]) return false;
    return true;
  }

  /** Compares as unsigned bytes. */
  static int compare(byte[] bytes, int start, int end, int otherStart, int otherEnd) {
    int count = Math.min(end - start, otherEnd - otherStart);
    for (int i = 0; i < count; i++) {
      int difference = (bytes[start + i] & 255) - (bytes[otherStart + i] & 255);
      if (difference != 0) return difference;
    }
    return (end - start) - (otherEnd - otherStart);
  }

  static byte[] ofHex(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    return bytes;
  }
}
