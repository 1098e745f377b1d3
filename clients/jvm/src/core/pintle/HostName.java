package pintle;

/** Host names and addresses in canonical form (docs/manifest-format.md#canonical-form). */
final class HostName {
  private HostName() {}

  /** What a client asks for, in canonical form; null if it has none. */
  static String canonical(String asked) {
    if (asked.indexOf(':') >= 0 || asked.indexOf('[') >= 0) return address6(asked);
    int end = asked.length();
    if (end > 1 && asked.charAt(end - 1) == '.') end--;
    if (end == 0 || end > 253) return null;
    StringBuilder text = new StringBuilder(end);
    int label = 0;
    for (int i = 0; i <= end; i++) {
      char character = i < end ? asked.charAt(i) : '.';
      if (character == '.') {
        if (i == label || i - label > 63) return null;
        label = i + 1;
      } else if (character >= 'A' && character <= 'Z') {
        character |= 0x20;
      } else if (!isLetterOrDigit(character) && character != '-' && character != '_') {
        return null;
      }
      if (i < end) text.append(character);
    }
    String host = text.toString();
    // URL parsers read a name that ends in a number as an IPv4 address, so no other spelling of one is accepted.
    return endsInNumber(host) && octets(host) == null ? null : host;
  }

  /** Why a text has no canonical form, as a clause. */
  static String fault(String asked) {
    String address = "it is neither a name nor an IP address in canonical form; pass it alone, without scheme, port or path";
    if (asked.indexOf(':') >= 0 || asked.indexOf('[') >= 0) return address;
    byte[] text = asked.getBytes(Bytes.UTF8);
    int end = text.length > 1 && text[text.length - 1] == '.' ? text.length - 1 : text.length;
    if (end == 0) return "it is empty";
    if (end > 253) return "it has more than 253 octets";
    int label = 0;
    for (int i = 0; i <= end; i++) {
      int character = i < end ? text[i] : '.';
      if (character == '.') {
        if (i == label) return "it has an empty label";
        if (i - label > 63) return "a label has more than 63 octets";
        label = i + 1;
      } else if (character < 0) {
        return "it has characters outside ASCII; ask with A-labels";
      } else if (!isLetterOrDigit((char) (character | 0x20)) && character != '-' && character != '_') {
        return "it has a character that host names don't have; pass the name alone, without scheme, port or path";
      }
    }
    return address;
  }

  /** Whether an entry may have this name: canonical, without what only a question may have. */
  static boolean isCanonical(String host) {
    if (!host.equals(canonical(host))) return false;
    if (isAddress(host)) return true;
    if (host.indexOf('_') >= 0) return false;
    return !host.startsWith("-") && !host.endsWith("-") && !host.contains(".-") && !host.contains("-.");
  }

  /** Whether a host in canonical form is an address. */
  static boolean isAddress(String host) {
    return host.indexOf(':') >= 0 || endsInNumber(host);
  }

  /** Whether there could be an entry with this label: a host, or a host and a port. */
  static boolean isLabel(String label) {
    int colon = label.lastIndexOf(':');
    boolean hasBrackets = label.startsWith("[");
    if (!hasBrackets && label.indexOf(':') != colon || colon < 0) {
      return !hasBrackets && isCanonical(label);
    }
    if (!isPort(label.substring(colon + 1))) return false;
    String host = label.substring(0, colon);
    if (!hasBrackets) return isCanonical(host);
    return host.endsWith("]") && host.indexOf(':') > 0 && isCanonical(host.substring(1, host.length() - 1));
  }

  private static boolean isPort(String text) {
    if (text.isEmpty() || text.length() > 5 || text.charAt(0) == '0') return false;
    for (int i = 0; i < text.length(); i++) if (!isDigit(text.charAt(i))) return false;
    return Integer.parseInt(text) <= 65535;
  }

  static String label(String host, int port) {
    if (port == 0) return host;
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /** The octets of an address in canonical form; null for a name. */
  static byte[] addressBytes(String host) {
    if (host.indexOf(':') < 0) return octets(host);
    int[] groups = groups(host);
    if (groups == null) return null;
    byte[] bytes = new byte[16];
    for (int i = 0; i < 16; i++) bytes[i] = (byte) (groups[i / 2] >> (i % 2 == 0 ? 8 : 0));
    return bytes;
  }

  private static boolean isDigit(char character) {
    return character >= '0' && character <= '9';
  }

  private static boolean isLetterOrDigit(char character) {
    return character >= 'a' && character <= 'z' || isDigit(character);
  }

  /** Whether the last label is a number as URL parsers read them; in lower case. */
  private static boolean endsInNumber(String host) {
    String label = host.substring(host.lastIndexOf('.') + 1);
    boolean isHex = label.startsWith("0x");
    for (int i = isHex ? 2 : 0; i < label.length(); i++) {
      char character = label.charAt(i);
      if (!isDigit(character) && !(isHex && character >= 'a' && character <= 'f')) return false;
    }
    return !label.isEmpty();
  }

  /** Four decimal numbers without leading zeros; null for anything else. */
  private static byte[] octets(String text) {
    byte[] octets = new byte[4];
    int count = 0;
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i < text.length() && text.charAt(i) != '.') {
        if (!isDigit(text.charAt(i))) return null;
        continue;
      }
      int digits = i - start;
      if (count == 4 || digits < 1 || digits > 3 || digits > 1 && text.charAt(start) == '0') return null;
      int value = Integer.parseInt(text.substring(start, i));
      if (value > 255) return null;
      octets[count++] = (byte) value;
      start = i + 1;
    }
    return count == 4 ? octets : null;
  }

  /** An IPv6 address in the form of RFC 5952, an IPv4-mapped one as the IPv4 address; null if it isn't one. */
  private static String address6(String asked) {
    String text = asked;
    if (text.startsWith("[")) {
      if (text.length() < 2 || !text.endsWith("]")) return null;
      text = text.substring(1, text.length() - 1);
    }
    int[] groups = groups(text);
    if (groups == null) return null;
    if ((groups[0] | groups[1] | groups[2] | groups[3] | groups[4]) == 0 && groups[5] == 0xFFFF) {
      return (groups[6] >> 8) + "." + (groups[6] & 255) + "." + (groups[7] >> 8) + "." + (groups[7] & 255);
    }
    int cut = 0;
    int cutLength = 1;
    for (int i = 0; i < 8; i++) {
      int length = 0;
      while (i + length < 8 && groups[i + length] == 0) length++;
      if (length > cutLength) {
        cut = i;
        cutLength = length;
      }
    }
    StringBuilder host = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (cutLength > 1 && i == cut) {
        host.append("::");
        i += cutLength - 1;
        continue;
      }
      if (host.length() > 0 && host.charAt(host.length() - 1) != ':') host.append(':');
      host.append(Integer.toHexString(groups[i]));
    }
    return host.toString();
  }

  /** The groups of an IPv6 address (RFC 4291 section 2.2), without brackets or zone; null if it isn't one. */
  private static int[] groups(String text) {
    int[] groups = new int[8];
    int count = 0;
    int gap = -1;
    int i = 0;
    if (text.startsWith("::")) {
      gap = 0;
      i = 2;
    }
    while (i < text.length()) {
      if (count == 8) return null;
      int stop = text.indexOf(':', i);
      if (stop < 0) stop = text.length();
      byte[] octets = stop == text.length() ? octets(text.substring(i)) : null;
      if (octets != null) {
        if (count == 7) return null;
        groups[count++] = (octets[0] & 255) << 8 | octets[1] & 255;
        groups[count++] = (octets[2] & 255) << 8 | octets[3] & 255;
        break;
      }
      if (stop == i || stop - i > 4) return null;
      for (int k = i; k < stop; k++) {
        int digit = text.charAt(k) < 128 ? Character.digit(text.charAt(k), 16) : -1;
        if (digit < 0) return null;
        groups[count] = groups[count] << 4 | digit;
      }
      count++;
      i = stop;
      if (i == text.length()) break;
      i++;
      if (i == text.length()) return null;
      if (text.charAt(i) == ':') {
        if (gap >= 0) return null;
        gap = count;
        i++;
      }
    }
    if (gap < 0) return count == 8 ? groups : null;
    if (count == 8) return null;
    for (int moved = count - 1; moved >= gap; moved--) {
      groups[8 - count + moved] = groups[moved];
      groups[moved] = 0;
    }
    return groups;
  }
}
