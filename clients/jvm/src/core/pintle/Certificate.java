package pintle;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A certificate as it was sent: what the platform reads of it, and what is read here, strictly.
 *
 * <p>The public key's bytes are the certificate's own. {@code getPublicKey().getEncoded()} may encode the key again, so its
 * hash would say nothing about what is in the certificate.
 */
final class Certificate {
  static final String KEY_USAGE = "2.5.29.15";
  static final String SUBJECT_KEY_ID = "2.5.29.14";
  static final String ALTERNATIVE_NAMES = "2.5.29.17";
  static final String BASIC_CONSTRAINTS = "2.5.29.19";
  static final String NAME_CONSTRAINTS = "2.5.29.30";
  static final String AUTHORITY_KEY_ID = "2.5.29.35";
  static final String EXTENDED_KEY_USAGE = "2.5.29.37";
  private static final String EMAIL_ADDRESS = "1.2.840.113549.1.9.1";
  private static final int MAXIMUM_EXTENSIONS = 64;

  static final class Extension {
    final boolean isCritical;
    final byte[] value;

    Extension(boolean isCritical, byte[] value) {
      this.isCritical = isCritical;
      this.value = value;
    }
  }

  /** A name that authorities' name constraints are about, by its tag in GeneralName (RFC 5280 section 4.2.1.6). */
  static final class Name {
    final int tag;
    /** Null if it is an e-mail address of the subject that isn't an IA5String. */
    final byte[] bytes;

    Name(int tag, byte[] bytes) {
      this.tag = tag;
      this.bytes = bytes;
    }

    /** ISO 8859-1 keeps each byte, so nothing outside ASCII equals a host. */
    String text() {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }

  final byte[] der;
  final X509Certificate platform;
  final String fingerprint;
  final String pin;
  final PublicKeyForm key;
  final Map<String, Extension> extensions = new HashMap<>();
  boolean repeatsAnExtension;
  /** The algorithm of the signature, in the signed part and beside the signature. */
  byte[] innerAlgorithm;
  byte[] outerAlgorithm;
  boolean hasEmptyIssuer;
  boolean hasEmptySubject;
  /** The dNSName entries of the Subject Alternative Name as they are written; null if there is no such extension. */
  List<String> dnsNames;
  List<byte[]> addresses;
  int alternativeNameCount;
  /** Null until it is asked for. */
  private volatile Boolean isSelfSigned;
  /** Those of the Subject Alternative Name, and the e-mail addresses of the subject. */
  final List<Name> names = new ArrayList<>();
  /** Object identifiers; null without the extension. */
  List<String> usages;
  Boolean isAuthority;
  int pathLength = -1;
  /** The first two bytes of keyUsage's bits; -1 without the extension. */
  int keyUsage = -1;
  boolean hasAuthorityKeyId;

  Certificate(byte[] der) throws CertificateException {
    this.der = der;
    byte[] spki = readLayout();
    readExtensions();
    fingerprint = Bytes.hex(Bytes.sha256(der));
    pin = Bytes.base64(Bytes.sha256(spki));
    key = new PublicKeyForm(spki);
    X509Certificate read;
    try {
      read = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException | RuntimeException e) {
      // Many platforms read no key in an unusual form.
      if (key.fault != null) throw new UnusualKey(key.fault);
      throw malformed(String.valueOf(e.getMessage()));
    }
    if (read == null) throw malformed("not a certificate");
    platform = read;
  }

  /** A certificate that the platform can't read, and whose key isn't in the usual form of its algorithm. */
  static final class UnusualKey extends CertificateException {
    private static final long serialVersionUID = 1;

    UnusualKey(String fault) {
      super(fault);
    }
  }

  /** Whether the bytes are exactly one certificate in DER. */
  static boolean isReadable(byte[] der) {
    try {
      new Certificate(der);
      return true;
    } catch (UnusualKey e) {
      // It is one; no path that needs it is accepted.
      return true;
    } catch (CertificateException | RuntimeException e) {
      return false;
    }
  }

  /** The pin of a certificate, also of one that can't be used for anything; null if it has no SubjectPublicKeyInfo. */
  static String pin(byte[] der) {
    Der certificate = new Der(der).enter(Der.SEQUENCE);
    Der signed = certificate == null ? null : certificate.enter(Der.SEQUENCE);
    if (signed == null) return null;
    signed.skip(0xA0);
    boolean isSound = signed.skip(Der.INTEGER);
    for (int i = 0; i < 4; i++) isSound &= signed.skip(Der.SEQUENCE);
    int start = signed.position();
    return isSound && signed.skip(Der.SEQUENCE) ? Bytes.base64(Bytes.sha256(der, start, signed.position())) : null;
  }

  /** The subject (RFC 4514), cut if it is long, because the peer chooses it; null if it is empty. */
  String subject() {
    String text = platform.getSubjectX500Principal().getName();
    return text.isEmpty() ? null : text.substring(0, Math.min(120, text.length()));
  }

  private static CertificateException malformed(String why) {
    return new CertificateException(why);
  }

  /** Walks over the outer structure (RFC 5280 section 4.1), and answers the bytes of SubjectPublicKeyInfo. */
  private byte[] readLayout() throws CertificateException {
    Der whole = new Der(der);
    Der certificate = whole.enter(Der.SEQUENCE);
    Der signed = certificate == null || !whole.isAtEnd() ? null : certificate.enter(Der.SEQUENCE);
    if (signed == null) throw malformed("the bytes are not a certificate in DER");
    int start = certificate.position();
    boolean isSound = certificate.skip(Der.SEQUENCE);
    outerAlgorithm = java.util.Arrays.copyOfRange(der, start, certificate.position());
    isSound &= certificate.skip(Der.BIT_STRING) && certificate.isAtEnd();
    signed.skip(0xA0);
    isSound &= signed.skip(Der.INTEGER);
    start = signed.position();
    isSound &= signed.skip(Der.SEQUENCE);
    innerAlgorithm = java.util.Arrays.copyOfRange(der, start, signed.position());
    Der issuer = signed.enter(Der.SEQUENCE);
    isSound &= signed.skip(Der.SEQUENCE);
    Der subject = signed.enter(Der.SEQUENCE);
    start = signed.position();
    if (!isSound || issuer == null || subject == null || !signed.skip(Der.SEQUENCE)) {
      throw malformed("the bytes are not a certificate in DER");
    }
    byte[] spki = java.util.Arrays.copyOfRange(der, start, signed.position());
    hasEmptyIssuer = issuer.isAtEnd();
    hasEmptySubject = subject.isAtEnd();
    readEmails(subject);
    signed.skip(0x81);
    signed.skip(0x82);
    Der list = signed.enter(0xA3);
    if (!signed.isAtEnd()) throw malformed("the certificate has an unknown part");
    if (list != null) listExtensions(list.enter(Der.SEQUENCE));
    return spki;
  }

  private void readEmails(Der subject) {
    while (subject.tag() == Der.SET) {
      Der set = subject.enter(Der.SET);
      for (Der attribute; set != null && (attribute = set.enter(Der.SEQUENCE)) != null;) {
        if (!EMAIL_ADDRESS.equals(attribute.oid())) continue;
        Der value = attribute.enter(Der.IA5_STRING);
        names.add(new Name(NameCheck.EMAIL, value == null ? null : value.rest()));
      }
    }
  }

  private void listExtensions(Der list) throws CertificateException {
    int count = 0;
    while (list != null && !list.isAtEnd()) {
      Der extension = list.enter(Der.SEQUENCE);
      String oid = extension == null ? null : extension.oid();
      if (oid == null) throw malformed("an extension of the certificate can't be read");
      Der critical = extension.enter(Der.BOOLEAN);
      boolean isCritical = critical != null && critical.count() == 1 && critical.bytes[critical.position()] != 0;
      Der value = extension.enter(Der.OCTET_STRING);
      if (value == null || !extension.isAtEnd()) throw malformed("an extension of the certificate can't be read");
      if (++count > MAXIMUM_EXTENSIONS) throw malformed("the certificate has more than 64 extensions");
      repeatsAnExtension |= extensions.put(oid, new Extension(isCritical, value.rest())) != null;
    }
  }

  private void readExtensions() throws CertificateException {
    Extension names = extensions.get(ALTERNATIVE_NAMES);
    boolean isSound = names == null || readNames(new Der(names.value));
    Extension usage = extensions.get(EXTENDED_KEY_USAGE);
    isSound &= usage == null || readUsages(new Der(usage.value));
    Extension constraints = extensions.get(BASIC_CONSTRAINTS);
    isSound &= constraints == null || readConstraints(new Der(constraints.value));
    Extension bits = extensions.get(KEY_USAGE);
    isSound &= bits == null || readKeyUsage(new Der(bits.value));
    Extension authority = extensions.get(AUTHORITY_KEY_ID);
    isSound &= authority == null || readAuthorityKeyId(new Der(authority.value));
    Extension subject = extensions.get(SUBJECT_KEY_ID);
    isSound &= subject == null || new Der(subject.value).skip(Der.OCTET_STRING);
    if (!isSound) throw malformed("an extension of the certificate can't be read");
  }

  private boolean readNames(Der whole) {
    Der list = whole.enter(Der.SEQUENCE);
    if (list == null || !whole.isAtEnd()) return false;
    dnsNames = new ArrayList<>();
    addresses = new ArrayList<>();
    while (!list.isAtEnd()) {
      int tag = list.tag();
      Der name = list.enter(tag);
      if (name == null) return false;
      alternativeNameCount++;
      Name read = new Name(tag, name.rest());
      names.add(read);
      if (tag == 0x82) dnsNames.add(read.text());
      if (tag == 0x87) addresses.add(read.bytes);
    }
    return true;
  }

  private boolean readUsages(Der whole) {
    Der list = whole.enter(Der.SEQUENCE);
    if (list == null || !whole.isAtEnd()) return false;
    usages = new ArrayList<>();
    while (!list.isAtEnd()) {
      String oid = list.oid();
      if (oid == null) return false;
      usages.add(oid);
    }
    return true;
  }

  private boolean readConstraints(Der whole) {
    Der list = whole.enter(Der.SEQUENCE);
    if (list == null || !whole.isAtEnd()) return false;
    Der flag = list.enter(Der.BOOLEAN);
    isAuthority = flag != null && flag.count() == 1 && flag.bytes[flag.position()] != 0;
    if (list.isAtEnd()) return true;
    Der length = list.enter(Der.INTEGER);
    if (length == null || !list.isAtEnd() || length.isAtEnd()) return false;
    java.math.BigInteger value = new java.math.BigInteger(length.rest());
    if (value.signum() < 0) return false;
    pathLength = value.bitLength() < 31 ? value.intValue() : Integer.MAX_VALUE;
    return true;
  }

  private boolean readKeyUsage(Der whole) {
    Der bits = whole.enter(Der.BIT_STRING);
    if (bits == null || !whole.isAtEnd() || bits.count() < 1) return false;
    byte[] found = bits.rest();
    keyUsage = (found.length > 1 ? (found[1] & 255) << 8 : 0) | (found.length > 2 ? found[2] & 255 : 0);
    return true;
  }

  private boolean readAuthorityKeyId(Der whole) {
    Der list = whole.enter(Der.SEQUENCE);
    if (list == null || !whole.isAtEnd()) return false;
    hasAuthorityKeyId = list.tag() == 0x80;
    return true;
  }

  boolean isCritical(String oid) {
    Extension extension = extensions.get(oid);
    return extension != null && extension.isCritical;
  }

  boolean isCa() {
    return isAuthority != null && isAuthority;
  }

  /** keyCertSign (RFC 5280 section 4.2.1.3, bit 5). */
  boolean maySignCertificates() {
    return keyUsage < 0 || (keyUsage & 0x0400) != 0;
  }

  boolean isSelfIssued() {
    return platform.getIssuerX500Principal().equals(platform.getSubjectX500Principal());
  }

  boolean hasSubjectOf(Certificate other) {
    return platform.getSubjectX500Principal().equals(other.platform.getSubjectX500Principal());
  }

  /** Whether this certificate's key made the signature on the other. */
  boolean hasSigned(Certificate other) {
    try {
      other.platform.verify(platform.getPublicKey());
      return true;
    } catch (java.security.GeneralSecurityException | RuntimeException e) {
      return false;
    }
  }

  boolean isSelfSigned() {
    Boolean known = isSelfSigned;
    if (known == null) isSelfSigned = known = isSelfIssued() && hasSigned(this);
    return known;
  }
}
