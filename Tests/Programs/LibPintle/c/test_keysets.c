/* Keysets through pintle.h: walking forward, what is refused and for which reason, files, folders and restarts. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <sys/stat.h>
#include <unistd.h>

#include "signing.h"

#define MANIFEST FIXTURES "manifest.json"

/* The second version: one root and all signers are others, one of them for ECDSA. */
static const plan second_plan = {
    2, KEY(2) | KEY(3) | KEY(4), KEY(5) | P256, 2, 2, 1, 1, "test", "2099-01-01T00:00:00Z"};

static int64_t clock_of(void *context) { return *(int64_t *)context; }

static void release(pintle_bytes file) { free((void *)file.data); }

/* Settings with a keyset, which must live as long as they are used. */
static pintle_settings settings_with(pintle_bytes keyset) {
  static pintle_bytes root;
  if (root.data == NULL) root = read_fixture("root.pem");
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.keyset = keyset;
  settings.audience = "test";
  settings.anchors = &root;
  settings.anchor_count = 1;
  return settings;
}

static pintle_store *open_with(const pintle_settings *settings) {
  pintle_store *store = NULL;
  pintle_error error;
  int status = pintle_store_open(settings, &store, &error);
  if (status != PINTLE_OK) fprintf(stderr, "%s: %s\n", error.code, error.message);
  NEED(status == PINTLE_OK);
  return store;
}

/* A store with a keyset of a plan, signed by all its roots. */
static pintle_store *open_plan(plan plan) {
  pintle_bytes keyset = make_keyset(plan, plan.roots);
  pintle_settings settings = settings_with(keyset);
  pintle_store *store = open_with(&settings);
  release(keyset);
  return store;
}

static pintle_status status_of(const pintle_store *store) {
  pintle_status status = PINTLE_STATUS_INIT;
  CHECK(pintle_store_status(store, &status) == PINTLE_OK, "the state of a store");
  return status;
}

static long version_of(const pintle_store *store) { return (long)status_of(store).keyset_version; }

static void expect(const char *what, int status, const pintle_error *error, int wanted, const char *code) {
  CHECK(status == wanted, "%s: %d, %s: %s; not %s", what, status, error->code, error->message, code);
  if (status >= 0) return;
  CHECK(strcmp(error->code, code) == 0 && error->message[0] != 0, "%s: %s: %s", what, error->code, error->message);
}

static void update_keyset(pintle_store *store, const char *what, pintle_bytes file, int wanted, const char *code) {
  pintle_error error = {0};
  expect(what, pintle_store_update_keyset(store, file.data, file.size, &error), &error, wanted, code);
  /* Once more, and nobody asks why. */
  int again = wanted == PINTLE_OK ? PINTLE_UNCHANGED : wanted;
  CHECK(pintle_store_update_keyset(store, file.data, file.size, NULL) == again, "%s: once more", what);
}

static void update_manifest(pintle_store *store, const char *what, pintle_bytes file, int wanted, const char *code) {
  pintle_error error = {0};
  expect(what, pintle_store_update(store, file.data, file.size, &error), &error, wanted, code);
  release(file);
}

static int asked_of(pintle_store *store) {
  chain chain = read_chain("allowed.test/chain.pem");
  pintle_peer peer = PINTLE_PEER_INIT;
  peer.host = "allowed.test";
  peer.port = 443;
  peer.certificates = chain.certificates;
  peer.certificate_count = chain.count;
  int answer = (int)pintle_store_evaluate(store, &peer, NULL);
  free_chain(&chain);
  return answer;
}

/* Signers are replaced while the store runs: the manifest in force stays, and the new ones sign the next. */
static void test_walk(void) {
  pintle_store *store = open_plan(first_plan);
  pintle_status status = status_of(store);
  CHECK(status.keyset_version == 1 && status.keyset_expires == 4070908800, "%ld", (long)status.keyset_expires);
  CHECK(status.keyset_expired == 0 && status.endorsed == 1, "no manifest is one that nobody objects to");
  update_manifest(store, "the first", make_manifest("manifest.json", 5, RELEASE), PINTLE_OK, "");
  CHECK(asked_of(store) == PINTLE_USE_CREDENTIAL && status_of(store).endorsed == 1, "in force and endorsed");

  pintle_bytes second = make_keyset(second_plan, KEY(2) | KEY(3));
  update_keyset(store, "the second", second, PINTLE_OK, "");
  status = status_of(store);
  CHECK(status.keyset_version == 2 && status.serial == 5 && status.endorsed == 0, "%ld", (long)status.keyset_version);
  CHECK(asked_of(store) == PINTLE_USE_CREDENTIAL, "disowned, and in force");
  pintle_bytes revoked = make_manifest("manifest.json", 6, RELEASE), one = make_manifest("manifest.json", 6, KEY(5));
  update_manifest(store, "by a revoked key", revoked, PINTLE_REFUSED, "too-few-signatures");
  update_manifest(store, "by one of two", one, PINTLE_REFUSED, "too-few-signatures");
  /* The same bytes with the signatures that were missing endorse what is in force. */
  update_manifest(store, "the same again", make_manifest("manifest.json", 5, KEY(5) | P256), PINTLE_UNCHANGED, "");
  CHECK(status_of(store).endorsed == 1 && status_of(store).serial == 5, "endorsed again");
  update_manifest(store, "by both", make_manifest("newer.json", 6, KEY(5) | P256 | RELEASE), PINTLE_OK, "");
  CHECK(asked_of(store) == PINTLE_CANCEL && status_of(store).endorsed == 1, "the next manifest");
  release(second);
  pintle_store_close(store);
}

/* Stolen keys signed the highest serial that there is: a new epoch begins to count again. */
static void test_recovery(void) {
  const long highest = 9007199254740991;
  pintle_store *store = open_plan(first_plan);
  update_manifest(store, "the thief's", make_manifest("newer.json", highest, RELEASE), PINTLE_OK, "");
  plan next = second_plan;
  next.epoch = 2, next.minimum_serial = 40;
  pintle_bytes second = make_keyset(next, next.roots);
  update_keyset(store, "the next epoch", second, PINTLE_OK, "");
  CHECK(status_of(store).endorsed == 0 && status_of(store).serial == highest, "the thief's is in force still");
  unsigned both = KEY(5) | P256;
  update_manifest(store, "too low", make_manifest("manifest.json", 39, both), PINTLE_REFUSED, "below-minimum-serial");
  update_manifest(store, "the thief's again", make_manifest("newer.json", highest, RELEASE), PINTLE_REFUSED,
                  "too-few-signatures");
  update_manifest(store, "the recovery", make_manifest("manifest.json", 40, both), PINTLE_OK, "");
  pintle_status status = status_of(store);
  CHECK(status.serial == 40 && status.highest_serial == 40 && status.endorsed == 1, "%ld", (long)status.highest_serial);
  CHECK(asked_of(store) == PINTLE_USE_CREDENTIAL, "the recovery is in force");
  release(second);
  pintle_store_close(store);
}

/* Keysets that must not be taken, offered to a store with the first plan's, whose minimum serial is 7 and epoch 3: it
 * stays in force. */
static void test_refusals(void) {
  const unsigned old = KEY(1) | KEY(2) | KEY(3), both = KEY(2) | KEY(3);
  plan first = first_plan, good = second_plan;
  first.epoch = good.epoch = 3;
  first.minimum_serial = good.minimum_serial = 7;
  struct {
    const char *what;
    plan plan;
    unsigned by;
    const char *code;
  } rows[] = {
      {"nobody", good, 0, "malformed-file"},
      {"one root", good, KEY(2), "too-few-signatures"},
      {"one root and one that was none", good, KEY(2) | KEY(4), "too-few-signatures"},
      {"the old roots without enough new ones", good, KEY(1) | KEY(2), "too-few-signatures"},
      {"signers", good, KEY(5) | P256 | RELEASE, "too-few-signatures"},
      {"another audience", good, both, "wrong-audience"},
      {"a version left out", good, both, "skipped-version"},
      {"the version before", good, both, "malformed-keyset"},
      {"the same version", first, old, "conflicting-version"},
      {"a lower epoch", good, both, "serials-fall"},
      {"a lower serial", good, both, "serials-fall"},
      {"no roots needed", good, both, "malformed-keyset"},
      {"more signers needed than there are", good, both, "malformed-keyset"},
      {"an expiry before it was made", good, both, "malformed-keyset"},
      {"an expiry that is no time", good, both, "malformed-keyset"},
      {"a version that is no number in JSON", good, both, "malformed-keyset"},
  };
  rows[5].plan.audience = "Test";
  rows[6].plan.version = 3;
  rows[7].plan.version = 0;
  rows[8].plan.expires = "2098-01-01T00:00:00Z";
  rows[9].plan.epoch = 2;
  rows[10].plan.minimum_serial = 6;
  rows[11].plan.root_threshold = 0;
  rows[12].plan.signer_threshold = 3;
  rows[13].plan.expires = "2024-01-01T00:00:00Z";
  rows[14].plan.expires = "2099-02-30T00:00:00Z";
  rows[15].plan.version = 9007199254740992;
  pintle_store *store = open_plan(first);
  for (size_t index = 0; index < sizeof rows / sizeof rows[0]; index++) {
    pintle_bytes file = make_keyset(rows[index].plan, rows[index].by);
    update_keyset(store, rows[index].what, file, PINTLE_REFUSED, rows[index].code);
    CHECK(version_of(store) == 1, "%s", rows[index].what);
    release(file);
  }
  pintle_bytes file = make_keyset(good, both);
  update_keyset(store, "as it should be", file, PINTLE_OK, "");
  release(file);
  file = make_keyset(first, old);
  update_keyset(store, "one before", file, PINTLE_REFUSED, "older-version");
  release(file);
  file = make_keyset(first, KEY(1) | KEY(3));
  update_keyset(store, "one before, by too few of the new roots", file, PINTLE_REFUSED, "too-few-signatures");
  release(file);
  pintle_store_close(store);
}

/* A manifest isn't accepted as a keyset, nor the other way round, even if the same key may sign both. */
static void test_confusion(void) {
  plan first = first_plan;
  first.roots = RELEASE, first.root_threshold = 1;
  pintle_store *store = open_plan(first);
  pintle_bytes manifest = make_manifest("manifest.json", 1, RELEASE);
  update_keyset(store, "a manifest", manifest, PINTLE_REFUSED, "invalid-signature");
  release(manifest);
  first.version = 2;
  update_manifest(store, "a keyset", make_keyset(first, RELEASE), PINTLE_REFUSED, "invalid-signature");
  char *body = keyset_body(&first);
  pintle_bytes disguised = seal(manifest_type, body, RELEASE);
  update_keyset(store, "a keyset that was signed as a manifest", disguised, PINTLE_REFUSED, "invalid-signature");
  update_manifest(store, "the same as a manifest", disguised, PINTLE_REFUSED, "malformed-manifest");
  free(body);
  pintle_store_close(store);
}

/* Files that are damaged at any byte, cut or lengthened, oversized or no keysets at all: none is taken. */
static void test_hostile_files(void) {
  pintle_store *store = open_plan(first_plan);
  pintle_bytes good = make_keyset(second_plan, KEY(2) | KEY(3));
  char *damaged = malloc(good.size + 1);
  NEED(damaged != NULL);
  for (size_t place = 0; place < good.size; place++) {
    for (int bit = 0; bit < 8; bit += 5) {
      memcpy(damaged, good.data, good.size);
      damaged[place] ^= (char)(1 << bit);
      CHECK(pintle_store_update_keyset(store, damaged, good.size, NULL) == PINTLE_REFUSED, "byte %zu", place);
    }
    /* In memory of exactly this size, so that sanitizers find a read beyond it. */
    char *cut = malloc(place);
    NEED(cut != NULL || place == 0);
    if (place > 0) memcpy(cut, good.data, place);
    CHECK(pintle_store_update_keyset(store, place > 0 ? cut : "", place, NULL) == PINTLE_REFUSED, "cut at %zu", place);
    free(cut);
  }
  static const char last[] = {' ', '\n', '}', 0, '{', (char)0xff};
  memcpy(damaged, good.data, good.size);
  for (size_t index = 0; index < sizeof last; index++) {
    damaged[good.size] = last[index];
    CHECK(pintle_store_update_keyset(store, damaged, good.size + 1, NULL) == PINTLE_REFUSED, "with %d", last[index]);
  }
  free(damaged);

  struct {
    const char *what;
    pintle_bytes file;
    const char *code;
  } rows[] = {
      {"nothing", {"", 0}, "malformed-file"},
      {"a zero byte", {"", 1}, "malformed-file"},
      {"an empty object", {"{}", 2}, "malformed-file"},
      {"no keyset", {"{\"signatures\":[],\"signed\":{}}", 29}, "malformed-file"},
      {"a number", {"9007199254740993", 16}, "malformed-file"},
      {"a byte order mark", {"\xef\xbb\xbf{\"signatures\":[", 18}, "malformed-file"},
      {"UTF-16", {"\xff\xfe{\0", 4}, "malformed-file"},
      {"PEM", {"-----BEGIN PUBLIC KEY-----\n", 27}, "malformed-file"},
  };
  for (size_t index = 0; index < sizeof rows / sizeof rows[0]; index++)
    update_keyset(store, rows[index].what, rows[index].file, PINTLE_REFUSED, rows[index].code);

  /* As large as a file may be, and one byte more; brackets as deep as there is room. */
  char *large = malloc(1 << 20);
  NEED(large != NULL);
  memset(large, '[', 1 << 20);
  update_keyset(store, "brackets", (pintle_bytes){large, 65536}, PINTLE_REFUSED, "malformed-file");
  update_keyset(store, "one byte more", (pintle_bytes){large, 65537}, PINTLE_REFUSED, "too-large");
  update_keyset(store, "far more", (pintle_bytes){large, 1 << 20}, PINTLE_REFUSED, "too-large");
  free(large);
  CHECK(version_of(store) == 1, "nothing of all this was taken");
  update_keyset(store, "as it should be", good, PINTLE_OK, "");
  release(good);
  pintle_store_close(store);
}

/* Signed bytes that were changed at any place before enough roots signed them, so that all of them are read: what isn't
 * a keyset is refused, and the few that are one still are taken as a whole. */
static void test_signed_mutations(void) {
  pintle_store *store = open_plan(first_plan);
  char *body = keyset_body(&second_plan);
  size_t size = strlen(body), taken = 0, refused = 0;
  char *changed = malloc(size + 2);
  NEED(changed != NULL);
  for (size_t place = 0; place < size; place++) {
    for (int change = 0; change < 4; change++) {
      memcpy(changed, body, size + 1);
      if (change == 0) changed[place] ^= 1;    /* another digit or letter */
      if (change == 1) changed[place] ^= 0x5a; /* most often a control character */
      if (change == 2) memmove(changed + place, body + place + 1, size - place);    /* left out */
      if (change == 3) memcpy(changed + place + 1, body + place, size - place + 1); /* twice */
      if (memchr(changed, 0, size - 1) != NULL) continue; /* the test's own texts end there */
      pintle_bytes file = seal(keyset_type, changed, KEY(2) | KEY(3));
      pintle_error error = {0};
      int result = pintle_store_update_keyset(store, file.data, file.size, &error);
      CHECK(result == PINTLE_OK || result == PINTLE_REFUSED, "%d, %s: %s", result, error.code, error.message);
      CHECK(version_of(store) == (result == PINTLE_OK ? 2 : 1), "place %zu, change %d", place, change);
      release(file);
      if (result == PINTLE_REFUSED) refused++;
      if (result != PINTLE_OK) continue;
      taken++;
      pintle_store_close(store);
      store = open_plan(first_plan);
    }
  }
  /* The dates and the minimum serial may have other digits, some bytes give another public key that signs manifests. */
  CHECK(taken >= 5 && taken < size / 8 && refused > size * 3, "%zu of %zu taken", taken, taken + refused);
  free(body);
  free(changed);
  pintle_store_close(store);
}

/* Calls that are wrong. */
static void test_arguments(void) {
  pintle_store *store = open_plan(first_plan), *fixed = open_store();
  pintle_bytes good = make_keyset(second_plan, KEY(2) | KEY(3));
  pintle_error error = {0};
  int status = pintle_store_update_keyset(NULL, good.data, good.size, &error);
  expect("no store", status, &error, PINTLE_ARGUMENT, "argument");
  expect("no bytes", pintle_store_update_keyset(store, NULL, 1, &error), &error, PINTLE_ARGUMENT, "argument");
  expect("none", pintle_store_update_keyset(store, NULL, 0, &error), &error, PINTLE_REFUSED, "malformed-file");
  expect("no path", pintle_store_update_keyset_file(store, NULL, &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no path", pintle_store_update_keyset_folder(store, NULL, &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no text", pintle_store_update_keyset_file(store, "\xff", &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no text", pintle_store_update_keyset_folder(store, "\xff", &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no store", pintle_store_update_keyset_file(NULL, MANIFEST, &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no store", pintle_store_update_keyset_folder(NULL, "/", &error), &error, PINTLE_ARGUMENT, "argument");
  status = pintle_store_update_keyset(store, good.data, SIZE_MAX, &error);
  expect("an absurd size", status, &error, PINTLE_ARGUMENT, "argument");
  expect("no folder", pintle_store_update_keyset_folder(store, "", &error), &error, PINTLE_ARGUMENT, "argument");
  expect("no file", pintle_store_update_keyset_file(store, "", &error), &error, PINTLE_SYSTEM, "unreadable-file");
  char *path = malloc(100001);
  NEED(path != NULL);
  memset(path, '/', 100000), path[100000] = 0;
  status = pintle_store_update_keyset_file(store, path, &error);
  expect("a path without end", status, &error, PINTLE_SYSTEM, "unreadable-file");
  CHECK(pintle_store_update_keyset_folder(store, path, NULL) != PINTLE_OK, "a folder without end");
  memcpy(path, "%s%n%s%n", 9);
  status = pintle_store_update_keyset_file(store, path, &error);
  expect("a path that is a format", status, &error, PINTLE_SYSTEM, "unreadable-file");
  free(path);
  CHECK(pintle_store_update_keyset_folder(store, "/nowhere/at/all", NULL) == PINTLE_UNCHANGED, "it isn't there yet");
  CHECK(version_of(store) == 1, "nothing of all this was taken");
  CHECK(pintle_store_update_keyset(NULL, NULL, 0, NULL) == PINTLE_ARGUMENT, "nothing at all");
  CHECK(pintle_store_update_keyset_file(NULL, NULL, NULL) == PINTLE_ARGUMENT, "nothing at all");
  CHECK(pintle_store_update_keyset_folder(NULL, NULL, NULL) == PINTLE_ARGUMENT, "nothing at all");

  /* A store whose signers are fixed has no keyset, and takes none. */
  update_keyset(fixed, "fixed signers", good, PINTLE_REFUSED, "no-keyset");
  expect("fixed signers", pintle_store_update_keyset_folder(fixed, "/", &error), &error, PINTLE_REFUSED, "no-keyset");
  pintle_status state = status_of(fixed);
  CHECK(state.keyset_version == 0 && state.keyset_expires == 0 && state.keyset_expired == 0, "there is none");
  CHECK(state.endorsed == 1, "nobody disowns anything");
  release(good);
  pintle_store_close(store);
  pintle_store_close(fixed);
}

/* Settings with a keyset that can't be used; and one that can, in spite of its age. */
static void test_settings(void) {
  pintle_bytes signer = read_fixture("release.pub"), good = make_keyset(first_plan, first_plan.roots);
  pintle_bytes unsigned_one = make_keyset(first_plan, KEY(1)), second = make_keyset(second_plan, second_plan.roots);
  char *large = calloc(1, 65537);
  NEED(large != NULL);
  struct {
    const char *what;
    pintle_settings settings;
    int status;
    const char *code;
  } rows[] = {
      {"signers besides", settings_with(good), PINTLE_ARGUMENT, "argument"},
      {"a count of signers besides", settings_with(good), PINTLE_ARGUMENT, "argument"},
      {"a threshold besides", settings_with(good), PINTLE_ARGUMENT, "argument"},
      {"no audience", settings_with(good), PINTLE_ARGUMENT, "argument"},
      {"null", settings_with((pintle_bytes){NULL, 9}), PINTLE_ARGUMENT, "argument"},
      {"an absurd size", settings_with((pintle_bytes){"", SIZE_MAX}), PINTLE_ARGUMENT, "argument"},
      {"a file that is empty", settings_with((pintle_bytes){"", 0}), PINTLE_REFUSED, "malformed-file"},
      {"garbage", settings_with((pintle_bytes){"garbage", 7}), PINTLE_REFUSED, "malformed-file"},
      {"a manifest", settings_with(signer), PINTLE_REFUSED, "malformed-file"},
      {"too large", settings_with((pintle_bytes){large, 65537}), PINTLE_REFUSED, "too-large"},
      {"another audience", settings_with(good), PINTLE_REFUSED, "wrong-audience"},
      {"too few root signatures", settings_with(unsigned_one), PINTLE_REFUSED, "too-few-signatures"},
      {"neither signers nor keyset", settings_with((pintle_bytes){NULL, 0}), PINTLE_REFUSED, "unusable-threshold"},
      {"a size that reaches into it", settings_with(good), PINTLE_REFUSED, "malformed-file"},
  };
  rows[0].settings.signers = &signer, rows[0].settings.signer_count = 1, rows[0].settings.threshold = 1;
  rows[1].settings.signer_count = 1;
  rows[2].settings.threshold = 1;
  rows[3].settings.audience = NULL;
  rows[10].settings.audience = "production";
  rows[13].settings.size -= sizeof(size_t);
  for (size_t index = 0; index < sizeof rows / sizeof rows[0]; index++) {
    pintle_store *store = (pintle_store *)&index;
    pintle_error error = {0};
    expect(rows[index].what, pintle_store_open(&rows[index].settings, &store, &error), &error, rows[index].status,
           rows[index].code);
    CHECK(store == NULL, "%s", rows[index].what);
    pintle_store_close(store);
  }

  /* It may have expired; manifests aren't taken by it then, but the next keyset is. */
  int64_t now = 4070908800; /* on the limit is past it */
  plan last = first_plan, next = second_plan;
  last.expires = next.expires = "2099-01-01T00:00:00Z", next.expires = "2199-01-01T00:00:00Z";
  pintle_bytes old = make_keyset(last, last.roots), renewed = make_keyset(next, KEY(2) | KEY(3));
  pintle_settings settings = settings_with(old);
  settings.clock = clock_of, settings.clock_context = &now;
  pintle_store *store = open_with(&settings);
  CHECK(status_of(store).keyset_expired == 1, "on the limit");
  update_manifest(store, "too late", make_manifest("manifest.json", 1, RELEASE), PINTLE_REFUSED, "keyset-expired");
  update_keyset(store, "the next", renewed, PINTLE_OK, "");
  CHECK(status_of(store).keyset_expired == 0 && status_of(store).keyset_expires == 7226582400, "%ld",
        (long)status_of(store).keyset_expires);
  pintle_store_close(store);
  now--;
  store = open_with(&settings);
  CHECK(status_of(store).keyset_expired == 0, "a second before");
  pintle_store_close(store);

  release(signer);
  release(good);
  release(unsigned_one);
  release(second);
  release(old);
  release(renewed);
  free(large);
}

/* What programs have that were compiled against the header of 0.1: nothing behind it is read or written. */
typedef struct old_settings {
  size_t size;
  const pintle_bytes *signers;
  size_t signer_count;
  uint32_t threshold, without_manifest;
  const char *audience, *directory;
  pintle_bytes embedded;
  const pintle_bytes *anchors;
  size_t anchor_count;
  uint32_t system_anchors, maximum_loss_percent, skip_recent_chains, reserved;
  int64_t recent_period;
  uint64_t maximum_bytes;
  int64_t (*clock)(void *);
  void *clock_context;
} old_settings;

typedef struct old_status {
  size_t size;
  uint32_t source, freshness;
  int64_t serial, highest_serial, issued, refresh_after, expires, now;
  uint64_t entry_count;
} old_status;

_Static_assert(sizeof(old_settings) == 128 && offsetof(pintle_settings, keyset) == 128, "added at the end");
_Static_assert(sizeof(old_status) == 72 && offsetof(pintle_status, keyset_version) == 72, "added at the end");

static void test_older_structures(void) {
  pintle_bytes signer = read_fixture("release.pub"), manifest = read_fixture("manifest.json");
  old_settings *settings = calloc(1, sizeof *settings);
  old_status *status = calloc(1, sizeof *status);
  NEED(settings != NULL && status != NULL);
  *settings = (old_settings){.size = sizeof *settings, .signers = &signer, .signer_count = 1, .threshold = 1,
                             .audience = "test", .embedded = manifest, .maximum_loss_percent = 30};
  pintle_store *store = open_with((const pintle_settings *)settings);
  status->size = sizeof *status;
  CHECK(pintle_store_status(store, (pintle_status *)status) == PINTLE_OK, "an older status");
  CHECK(status->size == sizeof *status && status->source == PINTLE_SOURCE_EMBEDDED, "its first fields");
  CHECK(status->serial == 1 && status->highest_serial == 1 && status->now > 0, "%ld", (long)status->serial);
  CHECK(status->entry_count > 8, "its last field");
  for (size_t size = 0; size < sizeof *status; size++) {
    status->size = size;
    status->serial = -1;
    CHECK(pintle_store_status(store, (pintle_status *)status) == PINTLE_ARGUMENT && status->serial == -1, "%zu", size);
  }
  free(settings);
  free(status);

  /* A newer program's: what this library doesn't know becomes 0; and sizes that nobody can mean. */
  struct {
    pintle_status status;
    unsigned char further[8], guard[8];
  } longer;
  memset(&longer, 0x55, sizeof longer);
  longer.status.size = sizeof longer.status + sizeof longer.further;
  CHECK(pintle_store_status(store, &longer.status) == PINTLE_OK && longer.status.serial == 1, "a longer status");
  CHECK(longer.status.size == sizeof longer.status + sizeof longer.further, "the size is the caller's");
  CHECK(longer.further[0] == 0 && longer.further[7] == 0 && longer.guard[0] == 0x55, "what is behind");
  pintle_status absurd = {.size = SIZE_MAX, .serial = -1};
  CHECK(pintle_store_status(store, &absurd) == PINTLE_ARGUMENT && absurd.serial == -1, "an absurd size");
  pintle_store_close(store);
  release(signer);
  release(manifest);
}

static void write_file(const char *folder, const char *name, pintle_bytes bytes) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  NEED(file != NULL && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0);
}

static void write_keyset(const char *folder, long version, unsigned by) {
  plan plan = first_plan;
  char name[32];
  plan.version = version;
  pintle_bytes file = make_keyset(plan, by);
  snprintf(name, sizeof name, "%ld.keyset.json", version);
  write_file(folder, name, file);
  release(file);
}

/* A folder that something else fills, a folder of the store's own, and restarts. */
static void test_folders(void) {
  const unsigned enough = KEY(1) | KEY(3);
  char own[] = "/tmp/pintle.XXXXXX", filled[] = "/tmp/pintle.XXXXXX", path[128], command[128];
  pintle_bytes first = make_keyset(first_plan, first_plan.roots);
  pintle_settings settings = settings_with(first);
  settings.directory = mkdtemp(own);
  NEED(settings.directory != NULL && mkdtemp(filled) != NULL);
  pintle_error error = {0};
  pintle_store *store = open_with(&settings);
  CHECK(pintle_store_update_keyset_folder(store, filled, &error) == PINTLE_UNCHANGED, "%s", error.message);
  for (long version = 1; version <= 5; version++) write_keyset(filled, version, enough);
  write_keyset(filled, 7, enough);
  CHECK(pintle_store_update_keyset_folder(store, filled, &error) == PINTLE_OK, "%s", error.message);
  CHECK(version_of(store) == 5, "%ld: up to the first that isn't there", version_of(store));
  CHECK(pintle_store_update_keyset_folder(store, filled, NULL) == PINTLE_UNCHANGED, "nothing new");
  write_keyset(filled, 6, enough);
  write_keyset(filled, 8, KEY(1));
  write_keyset(filled, 9, enough);
  int status = pintle_store_update_keyset_folder(store, filled, &error);
  expect("the eighth", status, &error, PINTLE_REFUSED, "too-few-signatures");
  CHECK(version_of(store) == 7, "%ld: those before it stay", version_of(store));
  pintle_store_close(store);

  /* A restart goes on there, also where an older or a newer program is installed. */
  store = open_with(&settings);
  CHECK(version_of(store) == 7, "%ld", version_of(store));
  CHECK(pintle_store_problem(store, 0, &error) == PINTLE_ARGUMENT, "%s: %s", error.code, error.message);
  snprintf(path, sizeof path, "%s/8.keyset.json", filled);
  write_keyset(filled, 8, enough);
  CHECK(pintle_store_update_keyset_file(store, path, &error) == PINTLE_OK, "%s", error.message);
  CHECK(pintle_store_update_keyset_file(store, path, &error) == PINTLE_UNCHANGED, "%s", error.message);
  snprintf(path, sizeof path, "%s/6.keyset.json", filled);
  status = pintle_store_update_keyset_file(store, path, &error);
  expect("the sixth", status, &error, PINTLE_REFUSED, "older-version");
  status = pintle_store_update_keyset_file(store, "/nowhere/at/all", &error);
  expect("no file", status, &error, PINTLE_SYSTEM, "unreadable-file");
  status = pintle_store_update_keyset_file(store, filled, &error);
  expect("a folder", status, &error, PINTLE_SYSTEM, "unreadable-file");
  update_manifest(store, "a manifest", make_manifest("manifest.json", 3, RELEASE), PINTLE_OK, "");
  pintle_store_close(store);
  store = open_with(&settings);
  pintle_status state = status_of(store);
  CHECK(state.source == PINTLE_SOURCE_STORED && state.serial == 3, "%ld", (long)state.serial);
  CHECK(state.keyset_version == 8, "%ld", (long)state.keyset_version);
  CHECK(pintle_store_maintain(store, &error) == PINTLE_OK && state.endorsed == 1, "%s", error.message);

  /* Two processes with one folder: each takes what the other has taken. */
  pintle_store *other = open_with(&settings);
  snprintf(path, sizeof path, "%s/9.keyset.json", filled);
  CHECK(pintle_store_update_keyset_file(other, path, &error) == PINTLE_OK, "%s", error.message);
  CHECK(pintle_store_maintain(store, &error) == PINTLE_OK, "%s", error.message);
  CHECK(version_of(store) == 9, "%ld", version_of(store));
  pintle_store_close(other);

  /* A file that is too large to be one, and one that isn't there to be read. */
  char *large = calloc(1, 65537);
  NEED(large != NULL);
  write_file(filled, "10.keyset.json", (pintle_bytes){large, 65537});
  status = pintle_store_update_keyset_folder(store, filled, &error);
  expect("too large", status, &error, PINTLE_SYSTEM, "unreadable-file"); /* it isn't read to its end */
  CHECK(version_of(store) == 9, "%ld", version_of(store));
  free(large);
  snprintf(path, sizeof path, "%s/10.keyset.json", filled);
  NEED(unlink(path) == 0 && mkdir(path, 0700) == 0);
  status = pintle_store_update_keyset_folder(store, filled, &error);
  expect("a folder by the name", status, &error, PINTLE_SYSTEM, "unreadable-file");
  pintle_store_close(store);

  /* What can't be kept isn't trusted either. */
  settings.directory = "/nowhere/at/all";
  store = open_with(&settings);
  CHECK(pintle_store_problem(store, 0, &error) == PINTLE_OK, "the folder isn't there");
  CHECK(strcmp(error.code, "unusable-directory") == 0, "%s", error.code);
  status = pintle_store_update_keyset_folder(store, filled, &error);
  expect("no folder to keep it in", status, &error, PINTLE_SYSTEM, "not-stored");
  CHECK(version_of(store) == 1, "%ld", version_of(store));
  pintle_store_close(store);
  release(first);
  snprintf(command, sizeof command, "rm -r %s %s", own, filled);
  NEED(system(command) == 0);
}

/* Opening, walking and closing, often enough for leak detectors to find a leak. */
static void test_cycles(void) {
  pintle_bytes files[20];
  for (long version = 1; version <= 20; version++) {
    plan plan = first_plan;
    plan.version = version;
    files[version - 1] = make_keyset(plan, plan.roots);
  }
  pintle_settings settings = settings_with(files[0]);
  for (int cycle = 0; cycle < 10; cycle++) {
    pintle_store *store = open_with(&settings);
    for (int index = 1; index < 20; index++) {
      CHECK(pintle_store_update_keyset(store, files[index].data, files[index].size, NULL) == PINTLE_OK, "%d", index);
      CHECK(pintle_store_update_keyset(store, files[0].data, files[0].size, NULL) == PINTLE_REFUSED, "%d", index);
    }
    CHECK(version_of(store) == 20, "%d", cycle);
    pintle_store_close(store);
  }
  for (int index = 0; index < 20; index++) release(files[index]);
}

int main(void) {
  test_walk();
  test_recovery();
  test_refusals();
  test_confusion();
  test_hostile_files();
  test_signed_mutations();
  test_arguments();
  test_settings();
  test_older_structures();
  test_folders();
  test_cycles();
  return result("keysets: who signs is replaced while a store runs, and nothing else can do that");
}
