// What load-floor.c parses a manifest with: every field by its name and in its place, names in order.
#ifndef PINTLE_FLOOR_PARSE_H
#define PINTLE_FLOOR_PARSE_H

#include "manifest-values.h"

#define MEDIA_TYPE "application/vnd.pintle.manifest.v1+json"

typedef struct {
  uint32_t name, key_set, expires;
  uint16_t port;
  uint8_t name_length, flags;
} Host;

typedef struct {
  uint32_t name, members;
  uint16_t name_length, active, backup;
} KeySet;

typedef struct {
  uint32_t name;
  uint16_t name_length;
  uint8_t pin[32];
} Key;

typedef struct {
  Host *hosts;
  KeySet *sets;
  Key *keys;
  uint32_t *members, *slots;
  size_t host_count, set_count, key_count, member_count, slot_count;
} Manifest;

static int compare(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length) {
  int order = memcmp(file + a, file + b, a_length < b_length ? a_length : b_length);
  return order ? order : (int)a_length - (int)b_length;
}

static int mode(void) {
  if (TAKE("enforce\"")) return 0;
  if (TAKE("report-only\"")) return 1;
  die("no mode");
  return 0;
}

static int on_expiry(void) {
  if (TAKE("unpinned\"")) return 2;
  if (TAKE("block\"")) return 3;
  return mode();
}

static void parse(Manifest *m) {
  uint32_t length, last = 0, last_length = 0, last_instant = 0;
  REQUIRE("{\"audience\":\"");
  string();
  REQUIRE(",\"expires\":\"");
  instant(0);
  REQUIRE(",\"hosts\":[");
  size_t left = end - at;
  m->hosts = room(left / 128 + 1, sizeof(Host));
  do {
    Host *host = &m->hosts[m->host_count++];
    memset(host, 0, sizeof *host);
    REQUIRE("{");
    if (TAKE("\"expires\":\"")) {
      host->expires = last_instant = instant(last_instant);
      REQUIRE(",");
    }
    REQUIRE("\"host\":\"");
    host->name = host_name(&length);
    host->name_length = (uint8_t)length;
    if (last_length && compare(last, last_length, host->name, length) >= 0) die("hosts out of order");
    last = host->name;
    last_length = length;
    if (TAKE(",\"include-subdomains\":1")) host->flags |= 1;
    REQUIRE(",\"key-set\":\"");
    host->key_set = name(320, &length);
    REQUIRE(",\"mode\":\"");
    host->flags |= (uint8_t)(mode() << 1);
    if (TAKE(",\"on-expiry\":\"")) host->flags |= (uint8_t)(on_expiry() << 3);
    if (TAKE(",\"port\":")) host->port = (uint16_t)number(65535);
    if (TAKE(",\"reporting\":")) number(65535);
    if (TAKE(",\"require\":\"leaf-and-ca\"")) host->flags |= 32;
    REQUIRE("}");
  } while (TAKE(","));
  REQUIRE("],\"issued\":\"");
  instant(0);
  REQUIRE(",\"key-sets\":{");
  left = end - at;
  m->sets = room(left / 64 + 1, sizeof(KeySet));
  m->members = room(left / 16 + 1, sizeof(uint32_t));
  last_length = 0;
  do {
    KeySet *set = &m->sets[m->set_count++];
    REQUIRE("\"");
    set->name = name(320, &length);
    set->name_length = (uint16_t)length;
    if (last_length && compare(last, last_length, set->name, length) >= 0) die("key sets out of order");
    last = set->name;
    last_length = length;
    set->members = (uint32_t)m->member_count;
    set->active = set->backup = 0;
    REQUIRE(":{\"active\":[");
    if (!TAKE("]")) {
      do {
        REQUIRE("\"");
        m->members[m->member_count++] = name(64, &length);
        set->active++;
      } while (TAKE(","));
      REQUIRE("]");
    }
    REQUIRE(",\"backup\":[");
    if (!TAKE("]")) {
      do {
        REQUIRE("\"");
        m->members[m->member_count++] = name(64, &length);
        set->backup++;
      } while (TAKE(","));
      REQUIRE("]");
    }
    REQUIRE("}");
  } while (TAKE(","));
  REQUIRE("},\"keys\":{");
  left = end - at;
  m->keys = room(left / 59 + 1, sizeof(Key));
  last_length = 0;
  do {
    Key *key = &m->keys[m->key_count++];
    REQUIRE("\"");
    key->name = name(64, &length);
    key->name_length = (uint16_t)length;
    if (last_length && compare(last, last_length, key->name, length) >= 0) die("keys out of order");
    last = key->name;
    last_length = length;
    REQUIRE(":{\"pin\":\"");
    pin(key->pin);
    REQUIRE("\"}");
  } while (TAKE(","));
  REQUIRE("},\"on-stale\":\"");
  on_expiry();
  if (TAKE(",\"previous\":\"")) string();
  REQUIRE(",\"provenance\":{");
  if (TAKE("\"commit\":\"")) {
    string();
    REQUIRE(",");
  }
  REQUIRE("\"compiler\":\"");
  string();
  REQUIRE(",\"sources\":\"");
  string();
  REQUIRE("},\"refresh-after\":\"");
  instant(0);
  if (TAKE(",\"reporting\":[")) {
    do {
      REQUIRE("[");
      do {
        REQUIRE("\"");
        string();
      } while (TAKE(","));
      REQUIRE("]");
    } while (TAKE(","));
    REQUIRE("]");
  }
  REQUIRE(",\"serial\":");
  number(9007199254740991);
  REQUIRE(",\"type\":\"" MEDIA_TYPE "\",\"unpinned-hosts\":\"");
  if (!TAKE("allow\"")) REQUIRE("deny\"");
  REQUIRE(",\"version\":1}");
  if (at != end) die("something behind the end");
}

#endif
