/* What the tests in C share: checks, and the fixtures of the transports. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <pintle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURES "Tests/Fixtures/transports/"
#define MOST 8 /* certificates of a chain */

static int failures = 0;

/* Counts what is not as it should be, and says where. */
#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/* Ends the program where going on makes no sense. */
#define NEED(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: the test itself can't go on: %s\n", __FILE__, __LINE__, #condition);                     \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A whole file of the fixtures, with a zero byte behind it; freed by the caller. */
static inline pintle_bytes read_fixture(const char *name) {
  char path[256];
  snprintf(path, sizeof path, FIXTURES "%s", name);
  FILE *file = fopen(path, "rb");
  NEED(file != NULL && fseek(file, 0, SEEK_END) == 0);
  size_t size = (size_t)ftell(file);
  char *data = malloc(size + 1);
  NEED(data != NULL && fseek(file, 0, SEEK_SET) == 0 && fread(data, 1, size, file) == size);
  data[size] = 0;
  fclose(file);
  return (pintle_bytes){data, size};
}

/* The certificates of a PEM file in DER. */
typedef struct chain {
  pintle_bytes certificates[MOST];
  size_t count;
} chain;

static inline chain read_chain(const char *name) {
  pintle_bytes pem = read_fixture(name);
  BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.size);
  chain found = {.count = 0};
  for (X509 *certificate; (certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL; X509_free(certificate)) {
    unsigned char *der = NULL;
    int size = i2d_X509(certificate, &der);
    NEED(size > 0 && found.count < MOST);
    found.certificates[found.count++] = (pintle_bytes){der, (size_t)size};
  }
  ERR_clear_error();
  BIO_free(bio);
  free((void *)pem.data);
  NEED(found.count > 0);
  return found;
}

static inline void free_chain(chain *chain) {
  for (size_t index = 0; index < chain->count; index++) OPENSSL_free((void *)chain->certificates[index].data);
}

/* A row of cases.json or clients.json, one a line. */
typedef struct row {
  char host[64], chain[96], key[96], verdict[16], reason[32], disposition[32];
} row;

static inline size_t read_rows(const char *name, row *rows, size_t most) {
  pintle_bytes text = read_fixture(name);
  size_t count = 0;
  for (char *line = strtok((char *)text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    row *next = &rows[count];
    if (sscanf(line,
               " {\"host\": \"%63[^\"]\", \"chain\": \"%95[^\"]\", \"key\": \"%95[^\"]\", \"verdict\": \"%15[^\"]\","
               " \"reason\": \"%31[^\"]\", \"disposition\": \"%31[^\"]\"",
               next->host, next->chain, next->key, next->verdict, next->reason, next->disposition) != 6)
      continue;
    NEED(++count < most);
  }
  free((void *)text.data);
  NEED(count >= 3);
  return count;
}

static inline int verdict_number(const char *name) {
  return strcmp(name, "allow") == 0 ? PINTLE_ALLOW : strcmp(name, "block") == 0 ? PINTLE_BLOCK : PINTLE_NOT_PINNED;
}

static inline int disposition_number(const char *name) {
  return strcmp(name, "useCredential") == 0 ? PINTLE_USE_CREDENTIAL : PINTLE_CANCEL;
}

/* A store for the fixtures, without a manifest. */
static inline pintle_store *open_store(void) {
  pintle_bytes signer = read_fixture("release.pub"), root = read_fixture("root.pem");
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.signers = &signer;
  settings.signer_count = 1;
  settings.threshold = 1;
  settings.audience = "test";
  settings.anchors = &root;
  settings.anchor_count = 1;
  pintle_store *store = NULL;
  pintle_error error;
  int status = pintle_store_open(&settings, &store, &error);
  if (status != PINTLE_OK) fprintf(stderr, "%s: %s\n", error.code, error.message);
  NEED(status == PINTLE_OK);
  free((void *)signer.data);
  free((void *)root.data);
  return store;
}

/* What main returns. */
static inline int result(const char *what) {
  if (failures == 0) printf("%s\n", what);
  else fprintf(stderr, "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}

#endif
