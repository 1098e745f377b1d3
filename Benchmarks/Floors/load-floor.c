// The floor of loading a manifest: the same signature check on the same bytes, a strict parse and an index, as a C
// programmer would write them for this one format, and nothing else.
//
//     load-floor MANIFEST PUBLIC-KEY ROUNDS
//
// MANIFEST is what `pintle build` wrote, signed with one Ed25519 key, without certificates, denials or `trust`. Prints
// the medians of verifying, parsing and indexing, and their sum, as `measured-work load` prints its figure; then the
// memory that stays private to the process.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <time.h>

#include "manifest-index.h"

// MARK: verifying

static size_t signed_at;
static unsigned char signature[64];

// Finds the one signature and where the signed bytes begin.
static void read_envelope(void) {
  at = 0;
  end = file_size;
  REQUIRE("{\"signatures\":[{\"keyid\":\"");
  string();
  REQUIRE(",\"sig\":\"");
  unsigned char text[89] = {0};
  if (end - at < 89) die("no signature");
  memcpy(text, file + at, 88);
  unsigned char decoded[66];
  if (EVP_DecodeBlock(decoded, text, 88) != 66) die("no signature");
  memcpy(signature, decoded, 64);
  at += 88;
  REQUIRE("\"}],\"signed\":");
  signed_at = at;
  if (file[file_size - 1] != '}') die("no closing brace");
  end = file_size - 1;
}

// The pre-authentication encoding is made in place: its beginning replaces the end of the envelope for a while.
static void verify(EVP_PKEY *key) {
  char header[128];
  size_t length = (size_t)snprintf(
    header, sizeof header, "DSSEv1 %zu %s %zu ", sizeof MEDIA_TYPE - 1, MEDIA_TYPE, end - signed_at);
  unsigned char kept[128], *message = file + signed_at - length;
  memcpy(kept, message, length);
  memcpy(message, header, length);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context || EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1 ||
      EVP_DigestVerify(context, signature, sizeof signature, message, length + end - signed_at) != 1)
    die("the signature doesn't fit");
  EVP_MD_CTX_free(context);
  memcpy(message, kept, length);
}

// MARK: measuring

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, uint64_t *rounds, size_t count) {
  qsort(rounds, count, sizeof *rounds, by_size);
  printf("%s %llu ns\n", what, (unsigned long long)rounds[count / 2]);
}

static long private_bytes(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long kibibytes = 0;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "RssAnon: %ld", &kibibytes) == 1) break;
  if (status) fclose(status);
  return kibibytes * 1024;
}

int main(int count, char **arguments) {
  size_t rounds = count == 4 ? strtoul(arguments[3], NULL, 10) : 0;
  if (!rounds) {
    fprintf(stderr, "usage: load-floor MANIFEST PUBLIC-KEY ROUNDS\n");
    return 64;
  }
  FILE *source = fopen(arguments[1], "rb"), *key_source = fopen(arguments[2], "r");
  EVP_PKEY *key = key_source ? PEM_read_PUBKEY(key_source, NULL, NULL, NULL) : NULL;
  if (!source || !key) {
    fprintf(stderr, "load-floor: %s\n", errno ? strerror(errno) : "no public key");
    return 1;
  }
  fclose(key_source);
  fseek(source, 0, SEEK_END);
  file_size = (size_t)ftell(source);
  rewind(source);
  long before = private_bytes();
  file = room(file_size, 1);
  if (file_size < 512 || fread(file, 1, file_size, source) != file_size) die("no manifest");
  fclose(source);
  make_tables();
  uint64_t *verified = room(rounds, 8), *parsed = room(rounds, 8), *indexed = room(rounds, 8), *all = room(rounds, 8);
  Manifest manifest = {0};
  for (size_t i = 0; i < rounds; i++) {
    discard(&manifest);
    uint64_t start = now();
    read_envelope();
    verify(key);
    uint64_t parsing = now();
    at = signed_at;
    parse(&manifest);
    uint64_t indexing = now();
    make_index(&manifest);
    uint64_t done = now();
    verified[i] = parsing - start;
    parsed[i] = indexing - parsing;
    indexed[i] = done - indexing;
    all[i] = done - start;
  }
  report("verify", verified, rounds);
  report("parse", parsed, rounds);
  report("index", indexed, rounds);
  report("load", all, rounds);
  printf("hosts %zu entries\n", manifest.host_count);
  printf("private %ld bytes\n", private_bytes() - before);
  discard(&manifest);
  EVP_PKEY_free(key);
  return 0;
}
