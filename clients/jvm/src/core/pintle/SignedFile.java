package pintle;

import java.util.ArrayList;
import java.util.List;

/** A signed file as its signatures and the place of its signed bytes, of which nothing has been read. */
final class SignedFile {
  static final String MANIFEST = "application/vnd.pintle.manifest.v1+json";
  static final String KEYSET = "application/vnd.pintle.keyset.v1+json";
  private static final int MAXIMUM_SIGNATURES = 64;

  /** A signature over the pre-authentication encoding of the signed bytes. */
  static final class Signature {
    final String keyId;
    final byte[] bytes;

    Signature(String keyId, byte[] bytes) {
      this.keyId = keyId;
      this.bytes = bytes;
    }
  }

  final byte[] bytes;
  final String type;
  final List<Signature> signatures = new ArrayList<>();
  final int start;
  final int end;

  /** Finds both in a file whose size the caller has capped. */
  SignedFile(byte[] bytes, String type) throws FormatException {
    this.bytes = bytes;
    this.type = type;
    CanonicalScanner scanner = new CanonicalScanner(bytes, 0, bytes.length);
    scanner.require("{\"signatures\":[");
    do {
      int at = scanner.offset();
      scanner.require('{');
      scanner.requireField("keyid");
      String keyId = scanner.digest();
      scanner.requireField("sig");
      signatures.add(new Signature(keyId, scanner.base64(1, 512)));
      scanner.require('}');
      int count = signatures.size();
      if (count > 1 && signatures.get(count - 2).keyId.compareTo(keyId) >= 0) {
        throw scanner.error(at, "signatures are not sorted by key, or a key signed twice");
      }
      if (count > MAXIMUM_SIGNATURES) throw scanner.error(at, "too many signatures");
    } while (scanner.takeNext(']'));
    scanner.require(",\"signed\":");
    start = scanner.offset();
    end = bytes.length - 1;
    if (end - start < 2 || bytes[start] != '{' || bytes[end] != '}' || bytes[end - 1] != '}') {
      throw scanner.error("no signed object up to the file's closing brace");
    }
  }

  /**
   * The error about a file that isn't what it should be, which adds that the two kinds were swapped if the file's end says so. That
   * may be wrong: nobody need have signed it.
   */
  static PintleException hint(PintleException error, byte[] file, boolean isKeysetExpected) {
    String end = new String(file, Math.max(0, file.length - 1024), Math.min(1024, file.length), Bytes.ASCII);
    if (!end.contains("\"type\":\"" + (isKeysetExpected ? MANIFEST : KEYSET) + "\"")) return error;
    return new PintleException(error.code(), error.getMessage() + "; the file says that it is a "
        + (isKeysetExpected ? "manifest, and a keyset is expected here" : "keyset, and a manifest is expected here"), error);
  }

  /** What signing keys sign (DSSE's pre-authentication encoding). */
  byte[] message() {
    byte[] head = ("DSSEv1 " + type.length() + " " + type + " " + (end - start) + " ").getBytes(Bytes.ASCII);
    byte[] message = java.util.Arrays.copyOf(head, head.length + end - start);
    System.arraycopy(bytes, start, message, head.length, end - start);
    return message;
  }

  /** SHA-256 over the signed bytes. */
  String signedDigest() {
    return Bytes.hex(Bytes.sha256(bytes, start, end));
  }

  CanonicalScanner content() {
    return new CanonicalScanner(bytes, start, end);
  }
}
