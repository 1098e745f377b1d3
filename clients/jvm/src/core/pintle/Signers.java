package pintle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whose signatures count, and how many different ones are needed. */
final class Signers {
  private final Map<String, SigningKey> keys = new LinkedHashMap<>();
  final int threshold;

  /** A key that is given twice counts once. */
  Signers(Collection<SigningKey> keys, int threshold) throws PintleException {
    for (SigningKey key : keys) this.keys.put(key.keyId, key);
    this.threshold = threshold;
    if (threshold < 1 || threshold > this.keys.size()) {
      throw new PintleException("unusable-threshold", threshold + " signatures can't be required: the number of different"
          + " trusted keys is " + this.keys.size());
    }
  }

  static Signers of(Collection<byte[]> publicKeys, int threshold, SigningKey.Platform platform) throws PintleException {
    List<SigningKey> keys = new ArrayList<>();
    for (byte[] key : publicKeys) keys.add(new SigningKey(key, platform));
    return new Signers(keys, threshold);
  }

  boolean isSame(Signers other) {
    return threshold == other.threshold && keys.keySet().equals(other.keys.keySet());
  }

  /** The ids of the trusted keys that signed; each signature by a trusted key must verify, even if enough others do. */
  List<String> verify(SignedFile file) throws PintleException {
    List<String> signed = new ArrayList<>();
    for (SignedFile.Signature signature : file.signatures) {
      if (keys.containsKey(signature.keyId)) signed.add(signature.keyId);
    }
    if (signed.size() < threshold) {
      throw new PintleException("too-few-signatures", "needs " + Bytes.count(threshold, "trusted signature") + ", found "
          + signed.size() + " (of " + Bytes.count(file.signatures.size(), "signature") + ")");
    }
    byte[] message = file.message();
    for (SignedFile.Signature signature : file.signatures) {
      SigningKey key = keys.get(signature.keyId);
      if (key != null && !key.hasSigned(message, signature.bytes)) {
        throw new PintleException("invalid-signature", "the signature of the key " + key.keyId
            + " doesn't fit the signed bytes: one of them was changed");
      }
    }
    return signed;
  }
}
