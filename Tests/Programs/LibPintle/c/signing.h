/* Manifests and keysets for the tests in C, signed by keys that anybody can make: docs/manifest-format.md and
 * docs/keyset-format.md say how. */
#ifndef SIGNING_H
#define SIGNING_H

#include <openssl/sha.h>

#include "support.h"

#define KEYS 8
#define KEY(number) (1u << (number)) /* sets of keys are bits */
#define RELEASE KEY(0)               /* the key that signed the fixtures' manifests */
#define P256 KEY(7)                  /* all others are Ed25519 */

static const char manifest_type[] = "application/vnd.pintle.manifest.v1+json";
static const char keyset_type[] = "application/vnd.pintle.keyset.v1+json";

typedef struct signing_key {
  EVP_PKEY *key;
  char public_key[128]; /* SubjectPublicKeyInfo in Base64 */
  char id[65];
} signing_key;

/* The key of a number, which keysets call "key-0" and so on. */
static inline const signing_key *key_of(int number) {
  static signing_key keys[KEYS];
  signing_key *made = &keys[number];
  if (made->key != NULL) return made;
  if (number == 0) {
    pintle_bytes pem = read_fixture("release.key");
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.size);
    made->key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    free((void *)pem.data);
  } else if (number == 7) {
    /* RFC 5915: version 1, the private key, the curve. */
    unsigned char der[51] = {0x30, 49, 2, 1, 1, 4, 32}, *secret = der + 7;
    static const unsigned char curve[] = {0xa0, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7};
    memset(secret, number, 32);
    memcpy(secret + 32, curve, sizeof curve);
    const unsigned char *start = der;
    made->key = d2i_PrivateKey(EVP_PKEY_EC, NULL, &start, sizeof der);
  } else {
    unsigned char secret[32];
    memset(secret, number, sizeof secret);
    made->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, sizeof secret);
  }
  NEED(made->key != NULL);
  unsigned char *public_key = NULL, digest[32];
  int size = i2d_PUBKEY(made->key, &public_key);
  NEED(size == 44 || size == 91);
  EVP_EncodeBlock((unsigned char *)made->public_key, public_key, size);
  SHA256(public_key, (size_t)size, digest);
  for (int index = 0; index < 32; index++) snprintf(made->id + index * 2, 3, "%02x", digest[index]);
  OPENSSL_free(public_key);
  return made;
}

/* A signature over DSSE's pre-authentication encoding; its size. */
static inline size_t sign(int number, const char *type, const char *body, unsigned char signature[128]) {
  size_t room = strlen(body) + 128, size = 128;
  char *message = malloc(room);
  NEED(message != NULL);
  int message_size = snprintf(message, room, "DSSEv1 %zu %s %zu %s", strlen(type), type, strlen(body), body);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  const EVP_MD *digest = KEY(number) == P256 ? EVP_sha256() : NULL;
  NEED(EVP_DigestSignInit(context, NULL, digest, NULL, key_of(number)->key) == 1 &&
       EVP_DigestSign(context, signature, &size, (unsigned char *)message, (size_t)message_size) == 1);
  EVP_MD_CTX_free(context);
  free(message);
  return size;
}

static inline int by_id(const void *left, const void *right) {
  return strcmp(key_of(*(const int *)left)->id, key_of(*(const int *)right)->id);
}

/* The whole file around some signed bytes, signed by a set of keys; freed by the caller. */
static inline pintle_bytes seal(const char *type, const char *body, unsigned by) {
  int signers[KEYS], count = 0;
  for (int number = 0; number < KEYS; number++)
    if (by & KEY(number)) signers[count++] = number;
  qsort(signers, (size_t)count, sizeof signers[0], by_id);
  size_t room = strlen(body) + 64 + KEYS * 320;
  char *file = malloc(room);
  NEED(file != NULL);
  int size = snprintf(file, room, "{\"signatures\":[");
  for (int index = 0; index < count; index++) {
    unsigned char signature[128], base64[192];
    EVP_EncodeBlock(base64, signature, (int)sign(signers[index], type, body, signature));
    size += snprintf(file + size, room - (size_t)size, "%s{\"keyid\":\"%s\",\"sig\":\"%s\"}", index > 0 ? "," : "",
                     key_of(signers[index])->id, base64);
  }
  size += snprintf(file + size, room - (size_t)size, "],\"signed\":%s}", body);
  return (pintle_bytes){file, (size_t)size};
}

/* A fixture's manifest under another serial, as a change that is meant to be drastic; freed by the caller. */
static inline pintle_bytes make_manifest(const char *name, long serial, unsigned by) {
  static const char expires[] = "\"expires\":\"2099-", signed_field[] = ",\"signed\":";
  pintle_bytes file = read_fixture(name);
  char *text = (char *)file.data, *body = strstr(text, signed_field), *insert = strstr(text, expires),
       *number = strstr(text, "\"serial\":");
  NEED(body != NULL && insert != NULL && number != NULL);
  body += strlen(signed_field);
  text[file.size - 1] = 0; /* the bracket that closes the file */
  size_t room = file.size + 512;
  char *changed = malloc(room);
  NEED(changed != NULL);
  snprintf(changed, room, "%.*s\"drastic-change\":\"a test\",%.*s\"serial\":%ld%s", (int)(insert - body), body,
           (int)(number - insert), insert, serial, strchr(number, ','));
  pintle_bytes whole = seal(manifest_type, changed, by);
  free(text);
  free(changed);
  return whole;
}

/* The same by the fixtures' key. */
static inline pintle_bytes sign_again(const char *name, long serial) { return make_manifest(name, serial, RELEASE); }

/* What a keyset says. */
typedef struct plan {
  long version;
  unsigned roots, signers;
  int root_threshold, signer_threshold;
  long epoch, minimum_serial;
  const char *audience, *expires;
} plan;

/* Two of the roots 1, 2 and 3; manifests are signed by the fixtures' key. */
static const plan first_plan = {1, KEY(1) | KEY(2) | KEY(3), RELEASE, 2, 1, 1, 1, "test", "2099-01-01T00:00:00Z"};

static inline int add_role(char *text, size_t room, unsigned keys, int threshold) {
  int size = snprintf(text, room, "{\"keys\":[");
  const char *comma = "";
  for (int number = 0; number < KEYS; number++)
    if (keys & KEY(number)) {
      size += snprintf(text + size, room - (size_t)size, "%s\"key-%d\"", comma, number);
      comma = ",";
    }
  return size + snprintf(text + size, room - (size_t)size, "],\"threshold\":%d}", threshold);
}

/* The signed bytes of a keyset; freed by the caller. */
static inline char *keyset_body(const plan *plan) {
  size_t room = 4096;
  char *body = malloc(room);
  NEED(body != NULL);
  int size = snprintf(body, room, "{\"audience\":\"%s\",\"expires\":\"%s\",\"issued\":\"%s\",\"keys\":{",
                      plan->audience, plan->expires, "2025-01-01T00:00:00Z");
  const char *comma = "";
  for (int number = 0; number < KEYS; number++)
    if ((plan->roots | plan->signers) & KEY(number)) {
      size += snprintf(body + size, room - (size_t)size, "%s\"key-%d\":\"%s\"", comma, number,
                       key_of(number)->public_key);
      comma = ",";
    }
  size += snprintf(body + size, room - (size_t)size, "},\"keyset-version\":%ld,\"minimum-serial\":%ld,\"roots\":",
                   plan->version, plan->minimum_serial);
  size += add_role(body + size, room - (size_t)size, plan->roots, plan->root_threshold);
  size += snprintf(body + size, room - (size_t)size, ",\"serial-epoch\":%ld,\"signers\":", plan->epoch);
  size += add_role(body + size, room - (size_t)size, plan->signers, plan->signer_threshold);
  snprintf(body + size, room - (size_t)size, ",\"type\":\"%s\",\"version\":1}", keyset_type);
  return body;
}

/* A keyset file; freed by the caller. */
static inline pintle_bytes make_keyset(plan plan, unsigned by) {
  char *body = keyset_body(&plan);
  pintle_bytes file = seal(keyset_type, body, by);
  free(body);
  return file;
}

#endif
