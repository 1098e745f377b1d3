// The floor of compiling: what libyaml and libcrypto alone cost for a policy of one file, and no more than must be done
// with what they say.
//
//   compile-floor POLICY.yaml SIGNING-KEY MANIFEST [SERIAL ISSUED COMPILER]
//
// libyaml's events go into records, names are looked up in a hash table, pins are checked to be canonical Base64, what
// is listed twice is rejected; the manifest is written in canonical form, signed with Ed25519, and the signature
// verified. With the same serial, time and compiler its bytes are those of `pintle build`, which a measurement checks.
//
// It knows the fields of the measured policies only, has no messages, and gives up at the first surprise.
#define _GNU_SOURCE
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <yaml.h>

#define MEDIA_TYPE "application/vnd.pintle.manifest.v1+json"

struct text {
  const char *bytes;
  uint32_t length;
};

struct key {
  struct text name, pin;
  int is_used;
};

struct set {
  struct text name;
  uint32_t *active, *backup;
  uint32_t active_count, backup_count;
  int is_used;
};

struct host {
  struct text name, expires, on_expiry, mode, uri, set_name;
  int has_subdomains;
  uint32_t set;
};

// Sorted pointers are cheaper to move than records.
static struct key *keys;
static struct set *sets;
static struct host *hosts;
static size_t key_count, set_count, host_count;

static struct text owner, default_mode, default_on_expiry, audience;

static void surprise(const char *what) {
  fprintf(stderr, "compile-floor: %s\n", what);
  exit(1);
}

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (memory == NULL) surprise("there is no memory left");
  return memory;
}

// MARK: Texts, copied one behind the other

static char *arena, *arena_end;

static struct text copy(const char *bytes, size_t length) {
  if (arena == NULL || (size_t)(arena_end - arena) < length) {
    size_t size = length > 1 << 20 ? length : 1 << 20;
    arena = allocate(size);
    arena_end = arena + size;
  }
  memcpy(arena, bytes, length);
  arena += length;
  return (struct text){arena - length, (uint32_t)length};
}

static int equal(struct text a, struct text b) { return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0; }

static int is(struct text text, const char *word) {
  return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

static int order(struct text a, struct text b) {
  int difference = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
  if (difference != 0) return difference;
  return a.length < b.length ? -1 : a.length > b.length;
}

// MARK: Names, looked up by hash

struct table {
  uint32_t *slots;  // one more than the number; 0 for none
  size_t size;
};

static uint64_t hash(struct text text) {
  uint64_t value = 14695981039346656037u;
  for (uint32_t index = 0; index < text.length; index++) {
    value = (value ^ (unsigned char)text.bytes[index]) * 1099511628211u;
  }
  return value ^ value >> 29;
}

static struct table make_table(size_t count) {
  struct table table = {.size = 16};
  while (table.size < 2 * count) table.size *= 2;
  table.slots = calloc(table.size, sizeof *table.slots);
  if (table.slots == NULL) surprise("there is no memory left");
  return table;
}

// The slot of a name: its own, or the empty one where it belongs.
static uint32_t *find(struct table table, struct text name, struct text (*name_of)(uint32_t)) {
  size_t slot = hash(name) & (table.size - 1);
  while (table.slots[slot] != 0 && !equal(name_of(table.slots[slot] - 1), name)) slot = (slot + 1) & (table.size - 1);
  return &table.slots[slot];
}

static void add(struct table table, struct text name, uint32_t number, struct text (*name_of)(uint32_t)) {
  uint32_t *slot = find(table, name, name_of);
  if (*slot != 0) surprise("a name stands twice");
  *slot = number + 1;
}

static struct text key_name(uint32_t number) { return keys[number].name; }
static struct text set_name(uint32_t number) { return sets[number].name; }
static struct text host_name(uint32_t number) { return hosts[number].name; }

// MARK: The policy

static yaml_parser_t parser;
static yaml_event_t event;

static void next(void) {
  yaml_event_delete(&event);
  if (yaml_parser_parse(&parser, &event) == 0) surprise("the file is no YAML");
}

static void expect(yaml_event_type_t type) {
  if (event.type != type) surprise("something else belongs here");
  next();
}

// The scalar that comes, which lasts until the next event.
static struct text peek(void) {
  if (event.type != YAML_SCALAR_EVENT) surprise("a scalar belongs here");
  return (struct text){(const char *)event.data.scalar.value, (uint32_t)event.data.scalar.length};
}

static struct text scalar(void) {
  struct text text = peek();
  text = copy(text.bytes, text.length);
  next();
  return text;
}

static void skip(void) {
  int depth = 0;
  do {
    if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT) depth++;
    if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) depth--;
    next();
  } while (depth > 0);
}

// Makes room for one more record, twice as much as there was.
static void grow(void *records, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return;
  void **memory = records;
  *memory = realloc(*memory, (count == 0 ? 1 : 2 * count) * size);
  if (*memory == NULL) surprise("there is no memory left");
}

// The values of Base64 symbols; 0x80 for other characters.
static unsigned char symbols[256];

static int is_pin(struct text text) {
  if (text.length != 51 || memcmp(text.bytes, "sha256/", 7) != 0 || text.bytes[50] != '=') return 0;
  unsigned char all = 0;
  for (int index = 7; index < 50; index++) all |= symbols[(unsigned char)text.bytes[index]];
  return all < 0x80 && (symbols[(unsigned char)text.bytes[49]] & 3) == 0;
}

static int is_date(struct text text) {
  if (text.length != 10 || text.bytes[4] != '-' || text.bytes[7] != '-') return 0;
  for (int index = 0; index < 10; index++) {
    if (index != 4 && index != 7 && (text.bytes[index] < '0' || text.bytes[index] > '9')) return 0;
  }
  return 1;
}

static struct text date(void) {
  if (!is_date(peek())) surprise("a date belongs here");
  return scalar();
}

static void read_keys(void) {
  expect(YAML_MAPPING_START_EVENT);
  while (event.type != YAML_MAPPING_END_EVENT) {
    grow(&keys, key_count, sizeof *keys);
    struct key *key = &keys[key_count++];
    *key = (struct key){.name = scalar()};
    expect(YAML_MAPPING_START_EVENT);
    while (event.type != YAML_MAPPING_END_EVENT) {
      struct text field = peek();
      if (is(field, "pin")) {
        next();
        if (!is_pin(peek())) surprise("a pin belongs here");
        key->pin = scalar();
      } else if (is(field, "custody")) {
        next();
        scalar();
      } else if (is(field, "created")) {
        next();
        date();
      } else {
        surprise("a key has a field that isn't known");
      }
    }
    next();
    if (key->pin.length == 0) surprise("a key has no pin");
  }
  next();
}

// The names of a list of keys, which are looked up when all are known; the texts of each list are contiguous.
static struct text *members;
static size_t member_count;

static uint32_t read_members(void) {
  uint32_t count = 0;
  expect(YAML_SEQUENCE_START_EVENT);
  while (event.type != YAML_SEQUENCE_END_EVENT) {
    grow(&members, member_count, sizeof *members);
    struct text name = scalar();
    members[member_count++] = name;
    count++;
  }
  next();
  return count;
}

static uint32_t read_set(struct text name) {
  grow(&sets, set_count, sizeof *sets);
  struct set set = {.name = name};
  expect(YAML_MAPPING_START_EVENT);
  while (event.type != YAML_MAPPING_END_EVENT) {
    struct text field = peek();
    int is_active = is(field, "active");
    if (!is_active && !is(field, "backup")) surprise("a set has a field that isn't known");
    next();
    size_t first = member_count;
    uint32_t count = read_members();
    // Until the keys are looked up, a list is known by the number of its first name.
    if (is_active) {
      set.active = (uint32_t *)first;
      set.active_count = count;
    } else {
      set.backup = (uint32_t *)first;
      set.backup_count = count;
    }
  }
  next();
  sets[set_count] = set;
  return (uint32_t)set_count++;
}

static void read_sets(void) {
  expect(YAML_MAPPING_START_EVENT);
  while (event.type != YAML_MAPPING_END_EVENT) read_set(scalar());
  next();
}

static struct text uri(void) {
  expect(YAML_SEQUENCE_START_EVENT);
  struct text text = scalar();
  expect(YAML_SEQUENCE_END_EVENT);
  return text;
}

static struct text inline_name(struct text host) {
  char name[512] = "host:";
  if (host.length > 253) surprise("a host is too long");
  memcpy(name + 5, host.bytes, host.length);
  return copy(name, host.length + 5);
}

// A host in its canonical form: lower-case letters, digits and hyphens between dots, the last part no number.
static int is_host(struct text text) {
  uint32_t label = 0;
  int has_letter = 0;
  if (text.length == 0 || text.length > 253) return 0;
  for (uint32_t index = 0; index <= text.length; index++) {
    char byte = index < text.length ? text.bytes[index] : '.';
    if (byte == '.') {
      if (index == label || index - label > 63 || text.bytes[label] == '-' || text.bytes[index - 1] == '-') return 0;
      if (index == text.length && !has_letter) return 0;
      label = index + 1;
      has_letter = 0;
    } else if (byte >= 'a' && byte <= 'z') {
      has_letter = 1;
    } else if (byte != '-' && (byte < '0' || byte > '9')) {
      return 0;
    }
  }
  return 1;
}

static void read_hosts(void) {
  expect(YAML_SEQUENCE_START_EVENT);
  while (event.type != YAML_SEQUENCE_END_EVENT) {
    grow(&hosts, host_count, sizeof *hosts);
    struct host host = {.set = UINT32_MAX};
    expect(YAML_MAPPING_START_EVENT);
    while (event.type != YAML_MAPPING_END_EVENT) {
      struct text field = peek();
      if (is(field, "host")) {
        next();
        if (!is_host(peek())) surprise("a host belongs here");
        host.name = scalar();
      } else if (is(field, "include-subdomains")) {
        next();
        if (!is(peek(), "true") && !is(peek(), "false")) surprise("a truth value belongs here");
        host.has_subdomains = is(peek(), "true");
        next();
      } else if (is(field, "expires")) {
        next();
        host.expires = date();
      } else if (is(field, "on-expiry")) {
        next();
        host.on_expiry = scalar();
      } else if (is(field, "mode")) {
        next();
        host.mode = scalar();
      } else if (is(field, "report-uris")) {
        next();
        host.uri = uri();
      } else if (is(field, "keys")) {
        next();
        if (event.type == YAML_SCALAR_EVENT) {
          host.set_name = scalar();
        } else {
          host.set = read_set((struct text){NULL, 0});
        }
      } else {
        surprise("a host has a field that isn't known");
      }
    }
    next();
    if (host.name.length == 0) surprise("an entry has no host");
    if (host.set != UINT32_MAX) sets[host.set].name = inline_name(host.name);
    hosts[host_count++] = host;
  }
  next();
}

static void read_fields(struct text *value, const char *name, struct text *other, const char *other_name) {
  expect(YAML_MAPPING_START_EVENT);
  while (event.type != YAML_MAPPING_END_EVENT) {
    struct text field = peek();
    struct text *known = is(field, name) ? value : is(field, other_name) ? other : NULL;
    next();
    if (known == NULL) {
      skip();
    } else {
      *known = scalar();
    }
  }
  next();
}

static void read_policy(void) {
  next();
  expect(YAML_STREAM_START_EVENT);
  expect(YAML_DOCUMENT_START_EVENT);
  expect(YAML_MAPPING_START_EVENT);
  while (event.type != YAML_MAPPING_END_EVENT) {
    struct text field = peek();
    if (is(field, "version")) {
      next();
      if (!is(peek(), "1")) surprise("the version isn't 1");
      next();
    } else if (is(field, "owner")) {
      next();
      owner = scalar();
    } else if (is(field, "defaults")) {
      next();
      read_fields(&default_on_expiry, "on-expiry", &default_mode, "mode");
    } else if (is(field, "manifest")) {
      struct text age;
      next();
      read_fields(&audience, "audience", &age, "client-max-age");
    } else if (is(field, "keys")) {
      next();
      read_keys();
    } else if (is(field, "key-sets")) {
      next();
      read_sets();
    } else if (is(field, "hosts")) {
      next();
      read_hosts();
    } else {
      surprise("the policy has a field that isn't known");
    }
  }
}

// MARK: Names to numbers

static uint32_t *look_up(struct table table, size_t first, uint32_t count) {
  uint32_t *numbers = allocate((count == 0 ? 1 : count) * sizeof *numbers);
  for (uint32_t index = 0; index < count; index++) {
    uint32_t slot = *find(table, members[first + index], key_name);
    if (slot == 0) surprise("a set has a key that isn't declared");
    for (uint32_t before = 0; before < index; before++) {
      if (numbers[before] == slot - 1) surprise("a key stands twice in a set");
    }
    numbers[index] = slot - 1;
  }
  return numbers;
}

static void resolve(void) {
  struct table key_table = make_table(key_count), set_table = make_table(set_count), host_table = make_table(host_count);
  for (uint32_t number = 0; number < key_count; number++) add(key_table, keys[number].name, number, key_name);
  for (uint32_t number = 0; number < set_count; number++) {
    struct set *set = &sets[number];
    add(set_table, set->name, number, set_name);
    set->active = look_up(key_table, (size_t)set->active, set->active_count);
    set->backup = look_up(key_table, (size_t)set->backup, set->backup_count);
  }
  for (uint32_t number = 0; number < host_count; number++) {
    struct host *host = &hosts[number];
    add(host_table, host->name, number, host_name);
    if (host->mode.length == 0) host->mode = default_mode;
    if (host->on_expiry.length == 0) host->on_expiry = default_on_expiry;
    if (host->set == UINT32_MAX) {
      uint32_t slot = *find(set_table, host->set_name, set_name);
      if (slot == 0) surprise("an entry uses a set that isn't declared");
      host->set = slot - 1;
    }
    struct set *set = &sets[host->set];
    if (set->is_used) continue;
    set->is_used = 1;
    for (uint32_t index = 0; index < set->active_count; index++) keys[set->active[index]].is_used = 1;
    for (uint32_t index = 0; index < set->backup_count; index++) keys[set->backup[index]].is_used = 1;
  }
}

// MARK: The manifest

static char *out, *end;

static void put(const char *bytes, size_t length) {
  memcpy(end, bytes, length);
  end += length;
}

#define LITERAL(text) put(text, sizeof text - 1)

static void put_text(struct text text) {
  for (uint32_t index = 0; index < text.length; index++) {
    unsigned char byte = (unsigned char)text.bytes[index];
    if (byte < 0x20 || byte == '"' || byte == '\\') surprise("a text would have to be escaped");
  }
  *end++ = '"';
  put(text.bytes, text.length);
  *end++ = '"';
}

static void put_date(struct text date) {
  *end++ = '"';
  put(date.bytes, date.length);
  LITERAL("T00:00:00Z\"");
}

static void put_instant(time_t instant) {
  struct tm parts;
  gmtime_r(&instant, &parts);
  end += strftime(end, 32, "\"%Y-%m-%dT%H:%M:%SZ\"", &parts);
}

static int by_key(const void *a, const void *b) {
  return order(keys[*(const uint32_t *)a].name, keys[*(const uint32_t *)b].name);
}

static int by_set(const void *a, const void *b) {
  return order(sets[*(const uint32_t *)a].name, sets[*(const uint32_t *)b].name);
}

static int by_host(const void *a, const void *b) {
  return order(hosts[*(const uint32_t *)a].name, hosts[*(const uint32_t *)b].name);
}

static int by_uri(const void *a, const void *b) { return order(*(const struct text *)a, *(const struct text *)b); }

static uint32_t *sorted(size_t count, int (*compare)(const void *, const void *)) {
  uint32_t *numbers = allocate((count + 1) * sizeof *numbers);
  for (uint32_t number = 0; number < count; number++) numbers[number] = number;
  qsort(numbers, count, sizeof *numbers, compare);
  return numbers;
}

static void put_members(uint32_t *numbers, uint32_t count) {
  qsort(numbers, count, sizeof *numbers, by_key);
  *end++ = '[';
  for (uint32_t index = 0; index < count; index++) {
    if (index > 0) *end++ = ',';
    put_text(keys[numbers[index]].name);
  }
  *end++ = ']';
}

// The distinct report URIs, of which the measured policies have few.
static struct text uris[64];
static uint32_t uri_count;

static void collect_uris(void) {
  for (size_t number = 0; number < host_count; number++) {
    struct text text = hosts[number].uri;
    uint32_t index = 0;
    if (text.length == 0) continue;
    while (index < uri_count && !equal(uris[index], text)) index++;
    if (index < uri_count) continue;
    if (uri_count == 64) surprise("there are too many report URIs");
    uris[uri_count++] = text;
  }
  qsort(uris, uri_count, sizeof *uris, by_uri);
}

static void put_host(const struct host *host) {
  char first = '{';
  if (host->expires.length > 0) {
    LITERAL("{\"expires\":");
    put_date(host->expires);
    first = ',';
  }
  *end++ = first;
  LITERAL("\"host\":");
  put_text(host->name);
  if (host->has_subdomains) LITERAL(",\"include-subdomains\":1");
  LITERAL(",\"key-set\":");
  put_text(sets[host->set].name);
  LITERAL(",\"mode\":");
  if (host->mode.length > 0) {
    put_text(host->mode);
  } else {
    LITERAL("\"enforce\"");
  }
  if (host->expires.length > 0) {
    LITERAL(",\"on-expiry\":");
    if (host->on_expiry.length > 0) {
      put_text(host->on_expiry);
    } else {
      LITERAL("\"enforce\"");
    }
  }
  if (host->uri.length > 0) {
    uint32_t index = 0;
    while (!equal(uris[index], host->uri)) index++;
    end += sprintf(end, ",\"reporting\":%u", index);
  }
  *end++ = '}';
}

static void put_digest(const unsigned char *digest) {
  for (int index = 0; index < 32; index++) end += sprintf(end, "%02x", digest[index]);
}

// Writes what is signed; `source` is the digest of the one policy file.
static void encode(const unsigned char *source, const char *serial, time_t issued, const char *compiler) {
  collect_uris();
  uint32_t *host_order = sorted(host_count, by_host);
  LITERAL("{\"audience\":");
  put_text(audience);
  LITERAL(",\"expires\":");
  put_instant(issued + 30 * 86400);
  LITERAL(",\"hosts\":[");
  for (size_t index = 0; index < host_count; index++) {
    if (index > 0) *end++ = ',';
    put_host(&hosts[host_order[index]]);
  }
  LITERAL("],\"issued\":");
  put_instant(issued);
  LITERAL(",\"key-sets\":{");
  uint32_t *set_order = sorted(set_count, by_set);
  for (size_t index = 0, written = 0; index < set_count; index++) {
    struct set *set = &sets[set_order[index]];
    if (!set->is_used) continue;
    if (written++ > 0) *end++ = ',';
    put_text(set->name);
    LITERAL(":{\"active\":");
    put_members(set->active, set->active_count);
    LITERAL(",\"backup\":");
    put_members(set->backup, set->backup_count);
    *end++ = '}';
  }
  LITERAL("},\"keys\":{");
  uint32_t *key_order = sorted(key_count, by_key);
  for (size_t index = 0, written = 0; index < key_count; index++) {
    struct key *key = &keys[key_order[index]];
    if (!key->is_used) continue;
    if (written++ > 0) *end++ = ',';
    put_text(key->name);
    LITERAL(":{\"pin\":\"");
    put(key->pin.bytes + 7, key->pin.length - 7);
    LITERAL("\"}");
  }
  LITERAL("},\"on-stale\":\"enforce\",\"provenance\":{\"compiler\":");
  put_text((struct text){compiler, (uint32_t)strlen(compiler)});
  LITERAL(",\"sources\":\"");
  unsigned char digest[32];
  EVP_Digest(source, 32, digest, NULL, EVP_sha256(), NULL);
  put_digest(digest);
  LITERAL("\"},\"refresh-after\":");
  put_instant(issued + 86400);
  if (uri_count > 0) {
    LITERAL(",\"reporting\":[");
    for (uint32_t index = 0; index < uri_count; index++) {
      if (index > 0) *end++ = ',';
      *end++ = '[';
      put_text(uris[index]);
      *end++ = ']';
    }
    *end++ = ']';
  }
  LITERAL(",\"serial\":");
  put(serial, strlen(serial));
  LITERAL(",\"type\":\"" MEDIA_TYPE "\",\"unpinned-hosts\":\"allow\",\"version\":1}");
}

// MARK: Files

static unsigned char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) surprise("a file can't be opened");
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = allocate(*length + 1);
  if (fread(bytes, 1, *length, file) != *length) surprise("a file can't be read");
  fclose(file);
  return bytes;
}

static EVP_PKEY *read_key(const char *path) {
  FILE *file = fopen(path, "r");
  EVP_PKEY *key = file == NULL ? NULL : PEM_read_PrivateKey(file, NULL, NULL, NULL);
  if (key == NULL) surprise("the signing key can't be read");
  fclose(file);
  return key;
}

// Signs the pre-authentication encoding, which ends where the manifest ends, and verifies what was made.
static void sign(EVP_PKEY *key, const char *message, size_t length, unsigned char *signature) {
  size_t size = 64;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1
      || EVP_DigestSign(context, signature, &size, (const unsigned char *)message, length) != 1) {
    surprise("the manifest can't be signed");
  }
  EVP_MD_CTX_free(context);
  context = EVP_MD_CTX_new();
  if (EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1
      || EVP_DigestVerify(context, signature, size, (const unsigned char *)message, length) != 1) {
    surprise("the signature doesn't verify");
  }
  EVP_MD_CTX_free(context);
}

static void write_file(const char *path, EVP_PKEY *key, const unsigned char *signature, const char *manifest) {
  unsigned char *spki = NULL, digest[32];
  char head[512], text[96];
  int length = i2d_PUBKEY(key, &spki);
  EVP_Digest(spki, (size_t)length, digest, NULL, EVP_sha256(), NULL);
  EVP_EncodeBlock((unsigned char *)text, signature, 64);
  char *cursor = stpcpy(head, "{\"signatures\":[{\"keyid\":\"");
  for (int index = 0; index < 32; index++) cursor += sprintf(cursor, "%02x", digest[index]);
  cursor += sprintf(cursor, "\",\"sig\":\"%s\"}],\"signed\":", text);
  FILE *file = fopen(path, "wb");
  if (file == NULL) surprise("the manifest can't be written");
  fwrite(head, 1, (size_t)(cursor - head), file);
  fwrite(manifest, 1, (size_t)(end - manifest), file);
  fputc('}', file);
  if (fclose(file) != 0) surprise("the manifest can't be written");
}

static double milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(int count, char **words) {
  if (count != 4 && count != 7) surprise("give POLICY.yaml SIGNING-KEY MANIFEST [SERIAL ISSUED COMPILER]");
  const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  memset(symbols, 0x80, sizeof symbols);
  for (int value = 0; value < 64; value++) symbols[(unsigned char)alphabet[value]] = (unsigned char)value;
  struct tm parts = {.tm_year = 126, .tm_mon = 10, .tm_mday = 21};
  if (count == 7 && strptime(words[5], "%Y-%m-%d", &parts) == NULL) surprise("the time is no date");

  size_t length;
  unsigned char *bytes = read_file(words[1], &length), source[32];
  EVP_Digest(bytes, length, source, NULL, EVP_sha256(), NULL);
  yaml_parser_initialize(&parser);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, bytes, length);
  read_policy();
  yaml_parser_delete(&parser);
  double read = milliseconds();
  resolve();
  double resolved = milliseconds();

  // What is signed begins with a header that holds its length: room is left in front of it.
  size_t room = 256, size = 65536 + key_count * 160 + set_count * 512 + member_count * 96 + host_count * 1024;
  out = allocate(room + size);
  end = out + room;
  encode(source, count == 7 ? words[4] : "1", timegm(&parts), count == 7 ? words[6] : "measured-work");
  double encoded = milliseconds();
  char header[128];
  int header_length = sprintf(
      header, "DSSEv1 %zu %s %zu ", strlen(MEDIA_TYPE), MEDIA_TYPE, (size_t)(end - out) - room);
  char *message = out + room - header_length;
  memcpy(message, header, (size_t)header_length);
  EVP_PKEY *key = read_key(words[2]);
  unsigned char signature[64];
  sign(key, message, (size_t)(end - message), signature);
  write_file(words[3], key, signature, out + room);
  double signed_at = milliseconds();
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("read %.2f resolve %.2f encode %.2f sign %.2f total %.2f ms, peak %ld KiB\n", read, resolved - read,
         encoded - resolved, signed_at - encoded, signed_at, usage.ru_maxrss);
  return 0;
}
