// The floor of a decision: find the host in a table, find the leaf's key in the DER of three certificates, hash it with
// libcrypto (digest fetched once, context kept), compare. Nothing else is asked.
//
//     decide-floor HOSTS CHAIN.pem HOST TIMES [ROUNDS]
//
// HOSTS has a line for each host: its name, whether it covers its subdomains (0 or 1), and its pins (flat.py writes it).
// Prints the median over the rounds of what one decision takes, as `measured-work decide` does.
#define _POSIX_C_SOURCE 200809L
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "name-hash.h"

typedef struct {
  uint32_t name, pins;
  uint16_t name_length;
  uint8_t subdomains, pin_count;
} Entry;

static Entry *entries;
static uint8_t (*pins)[32];
static char *names;
static uint32_t *slots;
static size_t entry_count, pin_count, name_bytes, slot_count;
static unsigned char *certificates[16];
static size_t sizes[16], certificate_count;
static EVP_MD *sha256;
static EVP_MD_CTX *context;

static void die(const char *what) {
  fprintf(stderr, "decide-floor: %s\n", what);
  exit(1);
}

// MARK: the table

static void read_hosts(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0, entry_room = 0, pin_room = 0, name_room = 0;
  if (!file) die("the hosts can't be read");
  while (getline(&line, &room, file) > 0) {
    char *rest, *word = strtok_r(line, " \n", &rest), *flag = strtok_r(NULL, " \n", &rest);
    if (!word || !flag) die("a line without a host");
    size_t length = strlen(word);
    if (entry_count == entry_room) entries = realloc(entries, (entry_room = entry_room * 2 + 64) * sizeof *entries);
    if (name_bytes + length > name_room) names = realloc(names, name_room = name_room * 2 + length + 4096);
    Entry *entry = &entries[entry_count++];
    *entry = (Entry){(uint32_t)name_bytes, (uint32_t)pin_count, (uint16_t)length, *flag == '1', 0};
    memcpy(names + name_bytes, word, length);
    name_bytes += length;
    while ((word = strtok_r(NULL, " \n", &rest))) {
      if (pin_count == pin_room) pins = realloc(pins, (pin_room = pin_room * 2 + 64) * sizeof *pins);
      unsigned char decoded[33];
      if (strncmp(word, "sha256/", 7) || strlen(word) != 51 || EVP_DecodeBlock(decoded, (unsigned char *)word + 7, 44) != 33)
        die("what is no pin");
      memcpy(pins[pin_count++], decoded, 32);
      entry->pin_count++;
    }
  }
  free(line);
  fclose(file);
  for (slot_count = 4; slot_count < entry_count + entry_count / 2 + 1;) slot_count *= 2;
  slots = calloc(slot_count, sizeof *slots);
  for (size_t i = 0; i < entry_count; i++) {
    size_t slot = hash(names + entries[i].name, entries[i].name_length) & (slot_count - 1);
    while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
    slots[slot] = (uint32_t)i + 1;
  }
}

static const Entry *find(const char *name, size_t length) {
  for (size_t slot = hash(name, length) & (slot_count - 1); slots[slot]; slot = (slot + 1) & (slot_count - 1)) {
    const Entry *entry = &entries[slots[slot] - 1];
    if (entry->name_length == length && !memcmp(names + entry->name, name, length)) return entry;
  }
  return NULL;
}

// The host itself, or the nearest name above it that covers its subdomains.
static const Entry *governing(const char *host, size_t length) {
  const Entry *entry = find(host, length);
  while (!entry) {
    const char *dot = memchr(host, '.', length);
    if (!dot) return NULL;
    length -= (size_t)(dot + 1 - host);
    host = dot + 1;
    entry = find(host, length);
    if (entry && !entry->subdomains) entry = NULL;
  }
  return entry;
}

// MARK: the chain

// Steps over a DER element with this tag; where `contents` is asked for, into it.
static int step(const uint8_t **at, const uint8_t **end, uint8_t tag, int contents) {
  const uint8_t *p = *at;
  if (*end - p < 2 || *p != tag) return 0;
  size_t length = p[1];
  p += 2;
  if (length >= 0x80) {
    size_t count = length - 0x80;
    if (count < 1 || count > 4 || (size_t)(*end - p) < count || !*p) return 0;
    for (length = 0; count; count--) length = length << 8 | *p++;
    if (length < 0x80) return 0;
  }
  if ((size_t)(*end - p) < length) return 0;
  *at = contents ? p : p + length;
  if (contents) *end = p + length;
  return 1;
}

// Certificate, TBSCertificate, [version], serial, algorithm, issuer, validity, subject, then the key.
static int find_key(const uint8_t *der, size_t size, const uint8_t **key, size_t *key_size) {
  const uint8_t *at = der, *end = der + size;
  if (!step(&at, &end, 0x30, 1) || end != der + size || !step(&at, &end, 0x30, 1)) return 0;
  step(&at, &end, 0xA0, 0);
  if (!step(&at, &end, 0x02, 0)) return 0;
  for (int i = 0; i < 4; i++)
    if (!step(&at, &end, 0x30, 0)) return 0;
  *key = at;
  if (!step(&at, &end, 0x30, 0)) return 0;
  *key_size = (size_t)(at - *key);
  return 1;
}

// 1 where a pin of the host's matches, 0 where none does, -1 where nothing can be said.
static int decide(const char *host, size_t length) {
  const Entry *entry = governing(host, length);
  if (!entry) return -1;
  for (size_t i = 0; i < certificate_count; i++) {
    const uint8_t *key;
    size_t size;
    uint8_t digest[32];
    if (!find_key(certificates[i], sizes[i], &key, &size)) return -1;
    if (!EVP_DigestInit_ex2(context, sha256, NULL) || !EVP_DigestUpdate(context, key, size) ||
        !EVP_DigestFinal_ex(context, digest, NULL))
      return -1;
    for (uint32_t pin = 0; pin < entry->pin_count; pin++)
      if (!memcmp(pins[entry->pins + pin], digest, 32)) return 1;
  }
  return 0;
}

static void read_chain(const char *path) {
  FILE *file = fopen(path, "r");
  char *name, *header;
  long size;
  if (!file) die("the chain can't be read");
  while (certificate_count < 16 && PEM_read(file, &name, &header, &certificates[certificate_count], &size)) {
    sizes[certificate_count++] = (size_t)size;
    OPENSSL_free(name);
    OPENSSL_free(header);
  }
  fclose(file);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  long times = count >= 5 ? atol(arguments[4]) : 0, rounds = count == 6 ? atol(arguments[5]) : 1;
  if (count > 6 || times < 1 || rounds < 1) {
    fprintf(stderr, "usage: decide-floor HOSTS CHAIN.pem HOST TIMES [ROUNDS]\n");
    return 64;
  }
  read_hosts(arguments[1]);
  read_chain(arguments[2]);
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  context = EVP_MD_CTX_new();
  const char *host = arguments[3];
  size_t length = strlen(host);
  if (!sha256 || !context || decide(host, length) != 1) die("the chain doesn't match what is said of the host");
  double *figures = calloc((size_t)rounds, sizeof *figures);
  for (long round = 0; round < rounds; round++) {
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < times; i++)
      if (decide(host, length) != 1) die("the answer changed");
    clock_gettime(CLOCK_MONOTONIC, &stop);
    figures[round] = ((double)(stop.tv_sec - start.tv_sec) * 1e9 + (double)(stop.tv_nsec - start.tv_nsec)) / (double)times;
  }
  qsort(figures, (size_t)rounds, sizeof *figures, by_size);
  printf("decide %.0f ns\n", figures[rounds / 2]);
  return 0;
}
