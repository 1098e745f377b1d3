package pintle;

import java.math.BigInteger;

/**
 * What a certificate's own SubjectPublicKeyInfo says, and whether it is in the usual form of its algorithm. Pins are
 * hashes, so one key must have one encoding (docs/validation.md#one-key-one-encoding).
 */
final class PublicKeyForm {
  static final String RSA = "1.2.840.113549.1.1.1";
  private static final String RSA_PSS = "1.2.840.113549.1.1.10";
  private static final String RSA_OF_1988 = "2.5.8.1.1";
  private static final String EC = "1.2.840.10045.2.1";
  private static final String ED25519 = "1.3.101.112";
  private static final String ED448 = "1.3.101.113";

  /** What is unusual about the form; null if it is the usual one. */
  String fault;
  /** The algorithm's object identifier; null if it can't be read. */
  String algorithm;
  int rsaBits;
  boolean hasSoundExponent = true;
  private boolean hasParameters;

  PublicKeyForm(byte[] spki) {
    fault = read(new Der(spki));
  }

  private String read(Der whole) {
    String notDer = "the public key isn't in the shortest DER form";
    Der info = whole.enter(Der.SEQUENCE);
    Der identifier = info == null || !whole.isAtEnd() ? null : info.enter(Der.SEQUENCE);
    if (identifier == null) return notDer;
    algorithm = identifier.oid();
    Der key = info.enter(Der.BIT_STRING);
    // The first byte is the number of unused bits.
    if (algorithm == null || key == null || !info.isAtEnd() || key.count() < 2 || key.bytes[key.position()] != 0) {
      return notDer;
    }
    byte[] bits = java.util.Arrays.copyOfRange(key.bytes, key.position() + 1, key.position() + key.count());
    switch (algorithm) {
      case RSA:
        readRsa(bits);
        Der parameters = identifier.enter(Der.NULL);
        if (parameters == null || !parameters.isAtEnd() || !identifier.isAtEnd()) {
          return "the RSA key's algorithm has other parameters than NULL";
        }
        return rsaBits == 0 ? notDer : null;
      case RSA_PSS: return "the RSA key's algorithm is id-RSASSA-PSS, not rsaEncryption";
      case RSA_OF_1988: return "the RSA key's algorithm has its name of 1988, not rsaEncryption";
      case EC: return curveFault(identifier, bits[0], notDer);
      case ED25519:
      case ED448:
        if (!identifier.isAtEnd()) return "the algorithm of the Edwards-curve key has parameters";
        return isReduced(bits) ? null : "the Edwards-curve key's y isn't reduced modulo p";
      default:
        // As in clients that accept ML-DSA (RFC 9881 section 2).
        hasParameters = AlgorithmName.isMlDsa(algorithm) && !identifier.isAtEnd();
        if (hasParameters) return "the algorithm of the ML-DSA key has parameters";
        return "keys of type " + AlgorithmName.of(algorithm) + " aren't accepted";
    }
  }

  private void readRsa(byte[] bits) {
    Der whole = new Der(bits);
    Der key = whole.enter(Der.SEQUENCE);
    if (key == null || !whole.isAtEnd()) return;
    BigInteger modulus = positive(key.enter(Der.INTEGER));
    BigInteger exponent = positive(key.enter(Der.INTEGER));
    if (modulus == null || exponent == null || !key.isAtEnd()) return;
    rsaBits = modulus.bitLength();
    hasSoundExponent = exponent.testBit(0) && exponent.bitLength() > 1;
  }

  private static BigInteger positive(Der integer) {
    if (integer == null || integer.isAtEnd()) return null;
    byte[] bytes = integer.rest();
    boolean isShortest = bytes[0] > 0 || bytes[0] == 0 && (bytes.length == 1 || bytes[1] < 0);
    return isShortest ? new BigInteger(bytes) : null;
  }

  private static String curveFault(Der identifier, byte first, String notDer) {
    if (identifier.tag() != Der.OID) return "the key spells out its elliptic curve instead of naming it";
    String curve = identifier.oid();
    if (curve == null || !identifier.isAtEnd()) return notDer;
    if (curve.startsWith("2.23.43.1.4.")) return "the key names its elliptic curve as WTLS did";
    if (first == 2 || first == 3) return "the EC public key is a compressed point, not an uncompressed one";
    return first == 6 || first == 7 ? "the EC public key is a point in hybrid form, not an uncompressed one" : null;
  }

  /** Whether y is below p: 2^255 - 19, or 2^448 - 2^224 - 1. */
  private static boolean isReduced(byte[] key) {
    byte[] y = new byte[key.length];
    for (int i = 0; i < key.length; i++) y[i] = key[key.length - 1 - i];
    BigInteger p = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    if (key.length == 57) {
      p = BigInteger.ONE.shiftLeft(448).subtract(BigInteger.ONE.shiftLeft(224)).subtract(BigInteger.ONE);
    }
    y[0] &= 0x7F;
    return new BigInteger(1, y).compareTo(p) < 0;
  }

  /** Whether keys of this algorithm are accepted at all; if not, the fault says so. */
  boolean isAccepted() {
    return hasParameters || RSA.equals(algorithm) || RSA_PSS.equals(algorithm) || RSA_OF_1988.equals(algorithm) || EC.equals(algorithm)
        || isEdwards();
  }

  boolean isEdwards() {
    return ED25519.equals(algorithm) || ED448.equals(algorithm);
  }

  /** The strength as elliptic curves count it; 0 for others. */
  int edwardsBits() {
    return ED25519.equals(algorithm) ? 256 : ED448.equals(algorithm) ? 448 : 0;
  }
}
