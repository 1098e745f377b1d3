// What load-floor.c reads single values of a manifest with: each is checked, and stepped over.
#ifndef PINTLE_FLOOR_VALUES_H
#define PINTLE_FLOOR_VALUES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *file;
static size_t file_size, at, end;
static int8_t base64_value[256];

static void die(const char *what) {
  fprintf(stderr, "load-floor: %s at byte %zu\n", what, at);
  exit(1);
}

static void *room(size_t count, size_t size) {
  void *memory = malloc(count * size + 1);
  if (!memory) die("no memory");
  return memory;
}

static int sees(const char *text, size_t length) { return end - at >= length && !memcmp(file + at, text, length); }

#define TAKE(text) (sees(text, sizeof(text) - 1) ? (at += sizeof(text) - 1, 1) : 0)
#define REQUIRE(text) \
  do { \
    if (!TAKE(text)) die("expected " text); \
  } while (0)

static uint8_t name_character[256];

static void make_tables(void) {
  memset(base64_value, -1, sizeof base64_value);
  const char *symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 64; i++) base64_value[(unsigned char)symbols[i]] = (int8_t)i;
  for (int c = 0; c < 256; c++)
    name_character[c] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == ':';
}

// A name up to its quotation mark, which is stepped over.
static uint32_t name(uint32_t limit, uint32_t *length) {
  size_t start = at;
  while (at < end && name_character[file[at]]) at++;
  *length = (uint32_t)(at - start);
  if (*length == 0 || *length > limit) die("a name of a wrong length");
  REQUIRE("\"");
  return (uint32_t)start;
}

static uint32_t host_name(uint32_t *length) {
  size_t start = at, label = at;
  for (; at < end; at++) {
    unsigned char c = file[at];
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') continue;
    if (c != '.' && c != '"') die("a character that no host has");
    if (at == label || at - label > 63 || file[label] == '-' || file[at - 1] == '-') die("no label");
    if (c == '"') break;
    label = at + 1;
  }
  *length = (uint32_t)(at - start);
  if (*length > 253 || (file[label] >= '0' && file[label] <= '9')) die("no host name");
  REQUIRE("\"");
  return (uint32_t)start;
}

// An instant is checked for its form where it differs from the one before it.
static uint32_t instant(uint32_t last) {
  size_t start = at;
  if (end - at < 21) die("no instant");
  if (!last || memcmp(file + last, file + at, 20)) {
    static const char form[] = "0000-00-00T00:00:00Z";
    for (int i = 0; i < 20; i++) {
      unsigned char c = file[at + (size_t)i];
      if (form[i] == '0' ? c < '0' || c > '9' : c != (unsigned char)form[i]) die("no instant");
    }
  }
  at += 20;
  REQUIRE("\"");
  return (uint32_t)start;
}

static void string(void) {
  while (at < end && file[at] != '"') {
    if (file[at] < 0x20 || file[at] > 0x7E || file[at] == '\\') die("a string that this program doesn't read");
    at++;
  }
  REQUIRE("\"");
}

static long number(long most) {
  size_t start = at;
  long value = 0;
  while (at < end && file[at] >= '0' && file[at] <= '9' && at - start < 16) value = value * 10 + (file[at++] - '0');
  if (at == start || value > most || (file[start] == '0' && at - start > 1)) die("no number");
  return value;
}

static void pin(uint8_t *out) {
  if (end - at < 45) die("no pin");
  const unsigned char *text = file + at;
  int all = 0;
  for (int i = 0; i < 40; i += 4, text += 4) {
    int a = base64_value[text[0]], b = base64_value[text[1]], c = base64_value[text[2]], d = base64_value[text[3]];
    all |= a | b | c | d;
    uint32_t group = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
    *out++ = (uint8_t)(group >> 16);
    *out++ = (uint8_t)(group >> 8);
    *out++ = (uint8_t)group;
  }
  int a = base64_value[text[0]], b = base64_value[text[1]], c = base64_value[text[2]];
  all |= a | b | c;
  if (all < 0 || c & 3 || text[3] != '=') die("no pin");
  *out++ = (uint8_t)(a << 2 | b >> 4);
  *out++ = (uint8_t)(b << 4 | c >> 2);
  at += 44;
}

#endif
