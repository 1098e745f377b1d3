// Issues certificates by the thousand: one leaf with a key of its own for each host that standard input names.
//
//   leaves FROM TO ISSUER.pem ISSUER.key [ISSUER.pem ISSUER.key]... < hosts > leaves
//
// A line of input is a host and its issuer's number from 0; a line of output is the host, SHA-256 over the certificate
// in hexadecimal, the certificate, and SHA-256 over its SubjectPublicKeyInfo, both in Base64. FROM and TO are dates as in
// a certificate (20261001000000Z). Keys are P-256, and nobody keeps them. Starting openssl for each would take minutes.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ISSUERS = 32, MAX_HOST = 256, MAX_DER = 4096 };

static void fail(const char *what) {
  fprintf(stderr, "leaves: %s\n", what);
  exit(1);
}

static FILE *opened(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) fail(path);
  return file;
}

static void extend(X509 *leaf, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, leaf, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (extension == NULL || !X509_add_ext(leaf, extension, -1)) fail(value);
  X509_EXTENSION_free(extension);
}

static void print_base64(const unsigned char *bytes, int count) {
  static unsigned char text[MAX_DER * 2];
  EVP_EncodeBlock(text, bytes, count);
  fputs((char *)text, stdout);
}

int main(int count, char **arguments) {
  X509 *issuers[MAX_ISSUERS];
  EVP_PKEY *keys[MAX_ISSUERS];
  int known = (count - 3) / 2;
  if (count < 5 || known > MAX_ISSUERS) fail("give dates and issuers");
  for (int i = 0; i < known; i++) {
    FILE *certificate = opened(arguments[3 + 2 * i]), *key = opened(arguments[4 + 2 * i]);
    issuers[i] = PEM_read_X509(certificate, NULL, NULL, NULL);
    keys[i] = PEM_read_PrivateKey(key, NULL, NULL, NULL);
    if (issuers[i] == NULL || keys[i] == NULL) fail("an issuer can't be read");
    fclose(certificate);
    fclose(key);
  }

  char host[MAX_HOST], name[MAX_HOST + 8];
  int number;
  long serial = 1;
  while (scanf("%255s %d", host, &number) == 2) {
    if (number < 0 || number >= known) fail("there is no such issuer");
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *leaf = X509_new();
    if (key == NULL || leaf == NULL) fail("no key");
    X509_set_version(leaf, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(leaf), serial++);
    X509_set_issuer_name(leaf, X509_get_subject_name(issuers[number]));
    ASN1_TIME_set_string_X509(X509_getm_notBefore(leaf), arguments[1]);
    ASN1_TIME_set_string_X509(X509_getm_notAfter(leaf), arguments[2]);
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(leaf), "CN", MBSTRING_ASC, (unsigned char *)host, -1, -1, 0);
    X509_set_pubkey(leaf, key);
    snprintf(name, sizeof name, "DNS:%s", host);
    extend(leaf, issuers[number], NID_basic_constraints, "critical,CA:FALSE");
    extend(leaf, issuers[number], NID_key_usage, "critical,digitalSignature");
    extend(leaf, issuers[number], NID_ext_key_usage, "serverAuth");
    extend(leaf, issuers[number], NID_subject_alt_name, name);
    extend(leaf, issuers[number], NID_subject_key_identifier, "hash");
    extend(leaf, issuers[number], NID_authority_key_identifier, "keyid");
    if (!X509_sign(leaf, keys[number], EVP_sha256())) fail("a certificate can't be signed");

    unsigned char der[MAX_DER], spki[MAX_DER], digest[32], *end = der;
    int length = i2d_X509(leaf, NULL);
    if (length <= 0 || length > MAX_DER) fail("a certificate is too long");
    i2d_X509(leaf, &end);
    EVP_Digest(der, length, digest, NULL, EVP_sha256(), NULL);
    printf("%s ", host);
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    putchar(' ');
    print_base64(der, length);
    putchar(' ');
    end = spki;
    int spki_length = i2d_PUBKEY(key, &end);
    EVP_Digest(spki, spki_length, digest, NULL, EVP_sha256(), NULL);
    print_base64(digest, 32);
    putchar('\n');
    X509_free(leaf);
    EVP_PKEY_free(key);
  }
  return ferror(stdout) != 0;
}
