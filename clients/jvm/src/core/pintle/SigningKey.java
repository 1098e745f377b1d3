package pintle;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.List;

/**
 * A public key that signs manifests or keysets, in its one encoding, and the forms of its signatures
 * (docs/manifest-format.md#forms-of-signatures).
 *
 * <p>Providers differ in what they accept beyond the algorithm, so forms are checked here before they are asked.
 */
final class SigningKey {
  private static final byte[] ED25519 = Bytes.ofHex("302a300506032b6570032100");
  private static final byte[] P256 = Bytes.ofHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004");
  /** RFC 7748 section 4.1, RFC 8032 section 5.1. */
  private static final BigInteger ED_P = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
  private static final BigInteger ED_D =
      BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(ED_P)).mod(ED_P);
  private static final BigInteger ED_ORDER = BigInteger.ONE.shiftLeft(252)
      .add(new BigInteger("27742317777372353535851937790883648493"));
  /** The y of the points of small order: of orders 4, 1, 2, and twice 8. */
  private static final List<BigInteger> SMALL_ORDERS = Arrays.asList(BigInteger.ZERO, BigInteger.ONE,
      ED_P.subtract(BigInteger.ONE),
      new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16),
      new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16));
  /** SEC 2 version 2, section 2.4.2. */
  private static final BigInteger P = new BigInteger(
      "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
  private static final BigInteger B = new BigInteger(
      "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", 16);
  private static final BigInteger ORDER = new BigInteger(
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

  /** What a platform may lack; tests replace it. */
  static class Platform {
    static final Platform CURRENT = new Platform();
    /** RFC 8032 section 7.1, test 1: of the empty message. */
    private static final byte[] KEY = Bytes.ofHex("302a300506032b6570032100"
        + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    private static final byte[] SIGNATURE = Bytes.ofHex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
    private volatile Boolean hasEd25519;

    /** The algorithm is named by text only, so that platforms without it load this class. */
    Signature ed25519() throws GeneralSecurityException {
      return Signature.getInstance("Ed25519");
    }

    /** Whether a right signature is verified: on Android the name may belong to a provider that can't use other keys. */
    final boolean hasEd25519() {
      Boolean known = hasEd25519;
      if (known == null) {
        try {
          Signature verifier = ed25519();
          verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(KEY)));
          // Java wants to be given even an empty message.
          verifier.update(new byte[0]);
          known = verifier.verify(SIGNATURE);
        } catch (GeneralSecurityException | RuntimeException e) {
          known = false;
        }
        hasEd25519 = known;
      }
      return known;
    }
  }

  final byte[] spki;
  final String keyId;
  private final boolean isEd25519;
  private final PublicKey key;
  private final Platform platform;

  /** Reads SubjectPublicKeyInfo in DER. */
  SigningKey(byte[] spki, Platform platform) throws PintleException {
    this.spki = spki;
    this.platform = platform;
    keyId = Bytes.hex(Bytes.sha256(spki));
    isEd25519 = spki.length == 44 && Bytes.startsWith(spki, ED25519);
    if (isEd25519) {
      if (!isUsableEdwardsPoint(Arrays.copyOfRange(spki, 12, 44))) {
        throw unusable("its point isn't reduced, isn't on the curve, or has small order", null);
      }
      if (!platform.hasEd25519()) {
        throw new PintleException("unsupported-signer",
            "the key " + keyId + " is Ed25519, which this platform doesn't have (Java has it from 15 on, Android only with"
                + " recent updates): sign for this audience with P-256 keys only");
      }
    } else if (spki.length != 91 || !Bytes.startsWith(spki, P256)) {
      throw unusable("it must be Ed25519 or ECDSA P-256, in DER, a point on P-256 uncompressed", null);
    } else if (!isOnP256(new BigInteger(1, Arrays.copyOfRange(spki, 27, 59)),
        new BigInteger(1, Arrays.copyOfRange(spki, 59, 91)))) {
      throw unusable("its point isn't on P-256", null);
    }
    try {
      key = KeyFactory.getInstance(isEd25519 ? "Ed25519" : "EC").generatePublic(new X509EncodedKeySpec(spki));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw unusable("the platform can't read it", e);
    }
  }

  private PintleException unusable(String why, Exception cause) {
    return new PintleException("unusable-signer", "the key " + keyId + " can't be used: " + why, cause);
  }

  /** Whether the key made this signature; anything that isn't its one form is wrong. */
  boolean hasSigned(byte[] message, byte[] signature) {
    if (isEd25519 ? !isEd25519Form(signature) : !isP256Form(signature)) return false;
    try {
      Signature verifier = isEd25519 ? platform.ed25519() : Signature.getInstance("SHA256withECDSA");
      verifier.initVerify(key);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException | RuntimeException e) {
      // A provider that can't decide hasn't verified it.
      return false;
    }
  }

  /** R is the one encoding of a point, and S is below the group's order (RFC 8032 section 5.1.7). */
  static boolean isEd25519Form(byte[] signature) {
    if (signature.length != 64 || !isEdwardsPoint(Arrays.copyOfRange(signature, 0, 32))) return false;
    return littleEndian(signature, 32, 64).compareTo(ED_ORDER) < 0;
  }

  private static BigInteger littleEndian(byte[] bytes, int start, int end) {
    byte[] reversed = new byte[end - start];
    for (int i = 0; i < reversed.length; i++) reversed[i] = bytes[end - 1 - i];
    return new BigInteger(1, reversed);
  }

  private static boolean isEdwardsPoint(byte[] point) {
    boolean isNegative = (point[31] & 0x80) != 0;
    BigInteger y = littleEndian(point, 0, 32).clearBit(255);
    if (y.compareTo(ED_P) >= 0) return false;
    // From the curve's equation: x² = (y² - 1) / (d·y² + 1), which is a square if numerator times denominator is.
    BigInteger yy = y.multiply(y).mod(ED_P);
    BigInteger above = yy.subtract(BigInteger.ONE);
    // x = 0 has no sign.
    if (above.signum() == 0) return !isNegative;
    BigInteger product = above.multiply(ED_D.multiply(yy).add(BigInteger.ONE)).mod(ED_P);
    return product.modPow(ED_P.shiftRight(1), ED_P).equals(BigInteger.ONE);
  }

  /** A point in its one encoding that isn't of small order: for one of these eight, anybody could sign. */
  private static boolean isUsableEdwardsPoint(byte[] point) {
    return isEdwardsPoint(point) && !SMALL_ORDERS.contains(littleEndian(point, 0, 32).clearBit(255));
  }

  private static boolean isOnP256(BigInteger x, BigInteger y) {
    if (x.compareTo(P) >= 0 || y.compareTo(P) >= 0) return false;
    BigInteger right = x.multiply(x).subtract(BigInteger.valueOf(3)).multiply(x).add(B);
    return y.multiply(y).subtract(right).mod(P).signum() == 0;
  }

  /** Two integers from 1 to n - 1 in DER (RFC 3279 section 2.2.3). */
  static boolean isP256Form(byte[] signature) {
    if (signature.length < 8 || signature.length > 72 || signature[0] != 0x30 || signature[1] != signature.length - 2) {
      return false;
    }
    int second = afterNumber(signature, 2);
    return second > 0 && afterNumber(signature, second) == signature.length;
  }

  /** Where the integer at an offset ends; 0 if it isn't in its shortest form, or isn't from 1 to n - 1. */
  private static int afterNumber(byte[] bytes, int start) {
    if (bytes.length - start < 3 || bytes[start] != 2) return 0;
    int count = bytes[start + 1];
    int end = start + 2 + count;
    if (count < 1 || count > 33 || end > bytes.length || bytes[start + 2] < 0) return 0;
    if (bytes[start + 2] == 0 && count > 1 && bytes[start + 3] >= 0) return 0;
    BigInteger number = new BigInteger(Arrays.copyOfRange(bytes, start + 2, end));
    return number.signum() > 0 && number.compareTo(ORDER) < 0 ? end : 0;
  }
}
