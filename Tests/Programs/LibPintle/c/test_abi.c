/* The functions of pintle.h one by one: what comes back, who owns it, and what is refused. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "signing.h"

/* Of this size in the first header with the soname libpintle.so.0, and never smaller. */
_Static_assert(sizeof(pintle_error) == 512, "pintle_error never changes");
_Static_assert(sizeof(pintle_match) == 16 && sizeof(pintle_failure) == 24, "list items never change");
_Static_assert(sizeof(pintle_key) == 32, "nor does this one");
_Static_assert(sizeof(pintle_settings) >= 128 && sizeof(pintle_peer) >= 56 && sizeof(pintle_status) >= 72, "");

static pintle_peer peer_of(const char *host, const chain *chain) {
  pintle_peer peer = PINTLE_PEER_INIT;
  peer.host = host;
  peer.port = 443;
  peer.tls_version = 0x0304;
  peer.certificates = chain->certificates;
  peer.certificate_count = chain->count;
  return peer;
}

/* The pin of a certificate; libcrypto computes it here. */
static const char *pin_of(const pintle_bytes *certificate) {
  static char text[64];
  const unsigned char *start = certificate->data;
  unsigned char *key = NULL, digest[32];
  X509 *parsed = d2i_X509(NULL, &start, (long)certificate->size);
  int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(parsed), &key);
  NEED(size > 0);
  SHA256(key, (size_t)size, digest);
  strcpy(text, "sha256/");
  EVP_EncodeBlock((unsigned char *)text + 7, digest, sizeof digest);
  OPENSSL_free(key);
  X509_free(parsed);
  return text;
}

/* The keys of a refusal, and of a mismatch that is only reported: as data, and by name or pin in the message. */
static void check_keys(const row *row, const pintle_decision *decision, const chain *served) {
  int is_trusted = decision->chain_count > 0, is_refused = strcmp(row->disposition, "cancel") == 0;
  int is_about_keys = strstr("mismatch denied-key mismatch-reported untrusted", row->reason) != NULL;
  const pintle_bytes *certificates = is_trusted ? decision->chain : served->certificates;
  size_t count = is_trusted ? decision->chain_count : served->count;
  CHECK((decision->required_count > 0) == is_about_keys, "%s: %zu", row->host, decision->required_count);
  CHECK((decision->required == NULL) == (decision->required_count == 0), "%s", row->host);
  if (!is_about_keys) return;
  CHECK(decision->presented_count == count, "%s: %zu, not %zu", row->host, decision->presented_count, count);
  for (size_t index = 0; index < decision->presented_count; index++) {
    const pintle_key *key = &decision->presented[index];
    CHECK(strcmp(key->pin, pin_of(&certificates[index])) == 0, "%s: %zu", row->host, index);
    CHECK(key->certificate == (int32_t)index, "%s: %d", key->pin, key->certificate);
    CHECK((key->name == NULL) == (key->status == PINTLE_KEY_UNKNOWN), "%s: %u", key->pin, key->status);
    CHECK(index > 0 || key->position == PINTLE_POSITION_LEAF || count == 1, "%s: %u", row->host, key->position);
    CHECK(!is_refused || strstr(decision->message, key->pin) != NULL, "%s", decision->message);
  }
  for (size_t index = 0; index < decision->required_count; index++) {
    const pintle_key *key = &decision->required[index];
    CHECK(key->certificate == -1 && key->name != NULL && strncmp(key->pin, "sha256/", 7) == 0, "%s", row->host);
    CHECK(key->status == PINTLE_KEY_ACTIVE || key->status == PINTLE_KEY_BACKUP, "%s: %u", key->name, key->status);
    CHECK(!is_refused || strstr(decision->message, key->name) != NULL, "%s", decision->message);
  }
}

/* Every row of the fixtures, for servers and for clients. */
static void test_rows(pintle_store *store, const char *file, uint32_t role) {
  row rows[32];
  size_t count = read_rows(file, rows, 32);
  for (size_t index = 0; index < count; index++) {
    row *row = &rows[index];
    chain chain = read_chain(row->chain);
    pintle_peer peer = peer_of(row->host, &chain);
    peer.role = role;
    pintle_decision *decision = NULL;
    pintle_disposition answer = pintle_store_evaluate(store, &peer, &decision);
    CHECK((int)answer == disposition_number(row->disposition), "%s: %s", row->host, decision->message);
    CHECK(decision->disposition == (int)answer, "%s", row->host);
    CHECK(decision->verdict == verdict_number(row->verdict), "%s: %s", row->host, decision->message);
    CHECK(strcmp(decision->reason, row->reason) == 0, "%s: %s", row->host, decision->reason);
    CHECK(decision->serial == 1 && decision->size >= sizeof *decision, "%s", row->host);
    CHECK((decision->chain_count > 0) == (decision->failure_count == 0 && decision->step != PINTLE_STEP_ENTRY) ||
              decision->verdict == PINTLE_NOT_PINNED,
          "%s", row->host);
    check_keys(row, decision, &chain);
    CHECK(pintle_store_evaluate(store, &peer, NULL) == answer, "%s", row->host);
    /* Where the transport validates too, a host that isn't pinned is left to it. */
    peer.validation = PINTLE_VALIDATION_STANDS;
    int expected = decision->verdict == PINTLE_NOT_PINNED ? PINTLE_DEFAULT_HANDLING : (int)answer;
    CHECK((int)pintle_store_evaluate(store, &peer, NULL) == expected, "%s", row->host);
    pintle_decision_free(decision);
    free_chain(&chain);
  }
}

/* A store with a folder goes on after a restart where it was. */
static void test_folder(void) {
  char folder[] = "/tmp/pintle.XXXXXX", command[64];
  pintle_bytes signer = read_fixture("release.pub");
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.signers = &signer;
  settings.signer_count = 1;
  settings.threshold = 1;
  settings.audience = "test";
  settings.directory = mkdtemp(folder);
  NEED(settings.directory != NULL);
  pintle_store *store = NULL;
  pintle_error error = {0};
  pintle_status status = PINTLE_STATUS_INIT;
  NEED(pintle_store_open(&settings, &store, NULL) == PINTLE_OK);
  CHECK(pintle_store_update_file(store, FIXTURES "newer.json", &error) == PINTLE_OK, "%s", error.message);
  CHECK(pintle_store_maintain(store, &error) == PINTLE_OK, "%s", error.message);
  CHECK(pintle_store_maintain(NULL, &error) == PINTLE_ARGUMENT, "no store");
  pintle_store_close(store);
  NEED(pintle_store_open(&settings, &store, NULL) == PINTLE_OK);
  pintle_store_status(store, &status);
  CHECK(status.source == PINTLE_SOURCE_STORED && status.serial == 2, "%ld", (long)status.serial);
  CHECK(pintle_store_update_file(store, FIXTURES "manifest.json", &error) == PINTLE_REFUSED, "an older one");
  CHECK(strcmp(error.code, "older-serial") == 0, "%s", error.code);
  pintle_store_close(store);
  free((void *)signer.data);
  snprintf(command, sizeof command, "rm -r %s", folder);
  NEED(system(command) == 0);
}

/* All fields of a decision. */
static void test_content(pintle_store *store) {
  chain chain = read_chain("allowed.test/chain.pem");
  pintle_peer peer = peer_of("ALLOWED.test.", &chain);
  pintle_decision *decision = NULL;
  pintle_store_evaluate(store, &peer, &decision);
  CHECK(decision->step == PINTLE_STEP_REQUIREMENT && decision->events == 0 && decision->event_count == 0, "plain");
  CHECK(strcmp(decision->entry, "allowed.test") == 0 && decision->clock == NULL, "entry");
  CHECK(decision->match_count == 1 && strcmp(decision->matches[0].key, "issuing") == 0, "match");
  CHECK(decision->matches[0].certificate == 1, "the place of the match");
  CHECK(decision->chain_count == 3 && decision->chain[0].size == chain.certificates[0].size &&
            memcmp(decision->chain[0].data, chain.certificates[0].data, chain.certificates[0].size) == 0,
        "the validated chain begins with the leaf");
  CHECK(strncmp(decision->message, "allow: ", 7) == 0, "%s", decision->message);
  pintle_decision_free(decision);

  peer.at = 4102444800; /* 2100: certificates and manifest have expired */
  pintle_store_evaluate(store, &peer, &decision);
  CHECK(decision->at == 4102444800, "the time that was asked for");
  CHECK(decision->events == (PINTLE_EVENT_REFRESH_DUE | PINTLE_EVENT_MANIFEST_STALE | PINTLE_EVENT_UNTRUSTED), "%x",
        decision->events);
  CHECK(decision->event_count == 3 && strcmp(decision->event_names[1], "manifest-stale") == 0, "names of events");
  CHECK(decision->failure_count > 0 && strcmp(decision->failures[0].code, "expired") == 0, "the gravest failure");
  pintle_decision_free(decision);
  free_chain(&chain);
}

/* What a caller may do wrong with a question: it is answered with PINTLE_CANCEL, and says why. */
static void test_wrong_questions(pintle_store *store) {
  chain chain = read_chain("unpinned.test/chain.pem");
  pintle_bytes null = {NULL, 8};
  struct {
    pintle_peer peer;
    size_t extra; /* bytes behind the structure, not zero */
  } questions[8];
  memset(questions, 0, sizeof questions);
  for (int index = 1; index < 8; index++) questions[index].peer = peer_of("unpinned.test", &chain);
  questions[1].peer.size = 8;
  questions[2].peer.role = 9;
  questions[3].peer.validation = 9;
  questions[4].peer.host = NULL;
  questions[5].peer.certificates = &null;
  questions[6].peer.size += sizeof questions[6].extra;
  questions[6].extra = 1;
  questions[7].peer.host = "\xff\xfe";
  for (int index = 0; index < 8; index++) {
    pintle_decision *decision = NULL;
    CHECK(pintle_store_evaluate(store, &questions[index].peer, &decision) == PINTLE_CANCEL, "question %d", index);
    CHECK(strcmp(decision->reason, "argument") == 0 && decision->verdict == PINTLE_BLOCK, "question %d", index);
    pintle_decision_free(decision);
  }
  CHECK(pintle_store_evaluate(NULL, &questions[7].peer, NULL) == PINTLE_CANCEL, "no store");
  CHECK(pintle_store_evaluate(store, NULL, NULL) == PINTLE_CANCEL, "no question");
  /* A newer caller that asks for nothing that is new. */
  questions[6].extra = 0;
  CHECK(pintle_store_evaluate(store, &questions[6].peer, NULL) == PINTLE_USE_CREDENTIAL, "a longer structure");
  /* Too many certificates, and none. */
  pintle_bytes many[64];
  for (int index = 0; index < 64; index++) many[index] = chain.certificates[0];
  pintle_peer peer = peer_of("unpinned.test", &chain);
  pintle_decision *decision = NULL;
  peer.certificates = many;
  for (size_t count = 0; count <= 64; count += 64) {
    peer.certificate_count = count;
    CHECK(pintle_store_evaluate(store, &peer, &decision) == PINTLE_CANCEL, "%zu", count);
    CHECK(strcmp(decision->failures[0].code, "unusable-chain") == 0, "%s", decision->failures[0].code);
    pintle_decision_free(decision);
  }
  free_chain(&chain);
}

/* Chains that can't be read, as a hostile peer sends them: each is refused, and leaves nothing behind. */
static void test_hostile_chains(pintle_store *store) {
  chain chain = read_chain("allowed.test/chain.pem");
  pintle_peer peer = peer_of("allowed.test", &chain);
  size_t size = chain.certificates[1].size;
  unsigned char *damaged = malloc(size);
  NEED(damaged != NULL);
  const void *whole = chain.certificates[1].data;
  for (size_t place = 0; place < size; place += 7) {
    memcpy(damaged, whole, size);
    damaged[place] ^= 0x55;
    chain.certificates[1].data = damaged;
    peer.certificates = chain.certificates;
    CHECK(pintle_store_evaluate(store, &peer, NULL) == PINTLE_CANCEL, "byte %zu", place);
    chain.certificates[1].size = place;
    CHECK(pintle_store_evaluate(store, &peer, NULL) == PINTLE_CANCEL, "cut at %zu", place);
    chain.certificates[1].size = size;
  }
  chain.certificates[1].data = whole;
  free(damaged);
  free_chain(&chain);
}

/* Settings that can't be used. */
static void test_wrong_settings(void) {
  pintle_bytes signer = read_fixture("release.pub"), garbage = {"garbage", 7}, null = {NULL, 7};
  pintle_settings good = PINTLE_SETTINGS_INIT;
  good.signers = &signer;
  good.signer_count = 1;
  good.threshold = 1;
  good.audience = "test";
  struct {
    pintle_settings settings;
    int status;
    const char *code;
  } rows[9];
  for (int index = 0; index < 9; index++) {
    rows[index].settings = good;
    rows[index].status = PINTLE_ARGUMENT;
    rows[index].code = "argument";
  }
  rows[0].settings.size = 0;
  rows[1].settings.audience = NULL;
  rows[2].settings.signers = NULL;
  rows[3].settings.signers = &null;
  rows[4].settings.without_manifest = 7;
  rows[5].settings.maximum_loss_percent = 101;
  rows[6].settings.threshold = 0, rows[6].status = PINTLE_REFUSED, rows[6].code = "unusable-threshold";
  rows[7].settings.signers = &garbage, rows[7].status = PINTLE_REFUSED, rows[7].code = "unusable-signer";
  rows[8].settings.anchors = &garbage, rows[8].settings.anchor_count = 1;
  rows[8].status = PINTLE_REFUSED, rows[8].code = "unusable-anchor";
  for (int index = 0; index < 9; index++) {
    pintle_store *store = (pintle_store *)&index;
    pintle_error error;
    CHECK(pintle_store_open(&rows[index].settings, &store, &error) == rows[index].status, "settings %d", index);
    CHECK(store == NULL && error.status == rows[index].status, "settings %d", index);
    CHECK(strcmp(error.code, rows[index].code) == 0, "settings %d: %s, %s", index, error.code, error.message);
    CHECK(pintle_store_open(&rows[index].settings, &store, NULL) < 0, "settings %d", index);
  }
  CHECK(pintle_store_open(&good, NULL, NULL) == PINTLE_ARGUMENT, "no place for the store");
  CHECK(pintle_store_open(NULL, NULL, NULL) == PINTLE_ARGUMENT, "nothing at all");

  /* A damaged embedded manifest never keeps a program from starting. */
  good.embedded = garbage;
  pintle_store *store = NULL;
  pintle_error problem;
  NEED(pintle_store_open(&good, &store, NULL) == PINTLE_OK);
  CHECK(pintle_store_problem(store, 0, &problem) == PINTLE_OK && strcmp(problem.code, "malformed-file") == 0, "%s",
        problem.code);
  CHECK(pintle_store_problem(store, 1, &problem) == PINTLE_ARGUMENT, "there is one problem");
  CHECK(pintle_store_problem(store, 0, NULL) == PINTLE_ARGUMENT, "no place for it");
  pintle_store_close(store);
  free((void *)signer.data);
}

static void expect(int status, const pintle_error *error, int wanted, const char *code) {
  CHECK(status == wanted, "%d, %s, not %s", status, error->code, code);
  if (status < 0) CHECK(strcmp(error->code, code) == 0 && error->message[0] != 0, "%s, not %s", error->code, code);
}

static void test_updates(void) {
  pintle_store *store = open_store();
  pintle_bytes first = read_fixture("manifest.json"), second = sign_again("newer.json", 2);
  pintle_bytes other = sign_again("manifest.json", 2), third = sign_again("manifest.json", 3);
  pintle_error error = {0};
  pintle_status status = PINTLE_STATUS_INIT;
  CHECK(pintle_store_status(store, &status) == PINTLE_OK && status.source == PINTLE_SOURCE_NONE, "nothing yet");
  expect(pintle_store_update(store, first.data, first.size, &error), &error, PINTLE_OK, "");
  expect(pintle_store_update(store, first.data, first.size, NULL), &error, PINTLE_UNCHANGED, "");
  expect(pintle_store_update(store, second.data, second.size, &error), &error, PINTLE_OK, "");
  expect(pintle_store_update(store, first.data, first.size, &error), &error, PINTLE_REFUSED, "older-serial");
  expect(pintle_store_update(store, other.data, other.size, &error), &error, PINTLE_REFUSED, "conflicting-serial");
  ((char *)third.data)[third.size - 9] ^= 1;
  expect(pintle_store_update(store, third.data, third.size, &error), &error, PINTLE_REFUSED, "invalid-signature");
  expect(pintle_store_update(store, "", 0, &error), &error, PINTLE_REFUSED, "malformed-file");
  expect(pintle_store_update(store, NULL, 1, &error), &error, PINTLE_ARGUMENT, "argument");
  expect(pintle_store_update(NULL, first.data, first.size, &error), &error, PINTLE_ARGUMENT, "argument");
  expect(pintle_store_update_file(store, FIXTURES "manifest.json", &error), &error, PINTLE_REFUSED, "older-serial");
  expect(pintle_store_update_file(store, "/nowhere/at/all", &error), &error, PINTLE_SYSTEM, "unreadable-file");
  expect(pintle_store_update_file(store, NULL, &error), &error, PINTLE_ARGUMENT, "argument");
  CHECK(pintle_store_status(store, &status) == PINTLE_OK && status.serial == 2 && status.highest_serial == 2, "%ld",
        (long)status.serial);
  CHECK(status.source == PINTLE_SOURCE_UPDATE && status.freshness == PINTLE_FRESHNESS_FRESH, "state");
  CHECK(status.entry_count > 8 && status.issued < status.refresh_after && status.refresh_after < status.expires, "%ld",
        (long)status.expires);
  status.size = 4;
  CHECK(pintle_store_status(store, &status) == PINTLE_ARGUMENT, "no size");
  CHECK(pintle_store_status(NULL, &status) == PINTLE_ARGUMENT, "no store");
  CHECK(pintle_store_status(store, NULL) == PINTLE_ARGUMENT, "no place for it");
  pintle_store_close(store);
  free((void *)first.data);
  free((void *)second.data);
  free((void *)other.data);
  free((void *)third.data);
}

static int64_t clock_of(void *context) { return *(int64_t *)context; }

/* A caller's clock, which the store never follows backwards. */
static void test_clock(void) {
  pintle_bytes signer = read_fixture("release.pub"), manifest = read_fixture("manifest.json");
  int64_t now = 1800000000;
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.signers = &signer;
  settings.signer_count = 1;
  settings.threshold = 1;
  settings.audience = "test";
  settings.embedded = manifest;
  settings.clock = clock_of;
  settings.clock_context = &now;
  settings.maximum_bytes = 1 << 20;
  pintle_store *store = NULL;
  NEED(pintle_store_open(&settings, &store, NULL) == PINTLE_OK);
  pintle_status status = PINTLE_STATUS_INIT;
  pintle_store_status(store, &status);
  CHECK(status.now == now && status.source == PINTLE_SOURCE_EMBEDDED, "%ld", (long)status.now);
  now = 4100000000;
  pintle_store_status(store, &status);
  CHECK(status.now == now && status.freshness == PINTLE_FRESHNESS_STALE, "%ld", (long)status.now);
  pintle_store_close(store);
  free((void *)signer.data);
  free((void *)manifest.data);
}

/* Opening, updating, evaluating and closing, often enough for leak detectors to find a leak. */
static void test_cycles(void) {
  chain chain = read_chain("allowed.test/chain.pem");
  pintle_peer peer = peer_of("allowed.test", &chain);
  for (int cycle = 0; cycle < 20; cycle++) {
    pintle_store *store = open_store();
    for (long serial = 1; serial <= 4; serial++) {
      pintle_bytes manifest = sign_again(serial % 2 ? "manifest.json" : "newer.json", serial);
      NEED(pintle_store_update(store, manifest.data, manifest.size, NULL) == PINTLE_OK);
      free((void *)manifest.data);
      for (int question = 0; question < 25; question++) {
        pintle_decision *decision = NULL;
        int expected = serial % 2 ? PINTLE_USE_CREDENTIAL : PINTLE_CANCEL;
        CHECK((int)pintle_store_evaluate(store, &peer, &decision) == expected, "%s", decision->message);
        pintle_decision_free(decision);
      }
    }
    pintle_store_close(store);
  }
  free_chain(&chain);
}

int main(void) {
  CHECK(pintle_version() == PINTLE_VERSION, "header and library are of one version");
  pintle_store_close(NULL);
  pintle_decision_free(NULL);
  pintle_store *store = open_store();
  pintle_error error;
  int status = pintle_store_update_file(store, FIXTURES "manifest.json", &error);
  CHECK(status == PINTLE_OK, "%s", error.message);
  test_rows(store, "cases.json", PINTLE_PEER_SERVER);
  test_rows(store, "clients.json", PINTLE_PEER_CLIENT);
  test_content(store);
  test_wrong_questions(store);
  test_hostile_chains(store);
  pintle_store_close(store);
  test_wrong_settings();
  test_updates();
  test_folder();
  test_clock();
  test_cycles();
  return result("the functions of pintle.h do what the header says");
}
