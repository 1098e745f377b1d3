/*
 * libpintle: TLS public-key pinning from a signed manifest, for C and other languages that can call C.
 *
 * A store holds the manifest in force. For each TLS handshake it is given what the other side presented, evaluates
 * trust in it, compares the validated chain with the manifest's pins, and says what to do with the connection.
 * Quick starts, in C, Python and Go, and how to build the library: docs/libpintle.md. What is decided, and why:
 * docs/validation.md. For programs that use libssl, pintle_ssl.h does the asking.
 *
 * THREADS. Every function may be called from any thread, at any time, with the same store: questions, updates and
 * status run side by side. A question sees one manifest or the next, never a mixture, and never waits for an update.
 * Only pintle_store_close() must be the last call with its store, and an object that the caller owns (a settings, peer
 * or decision structure) is one thread's at a time. Nothing is kept outside the store: no global state, no thread is
 * started, no signal handler is installed, nothing is printed.
 *
 * OWNERSHIP. What is passed in is read during the call and copied where it is kept: the caller may free it afterwards.
 * The library makes two kinds of object, and each has a function that frees it: stores and decisions. Pointers inside
 * a decision live as long as the decision. free() is never right for either.
 *
 * ERRORS. Functions that can fail return a status below zero and, where the caller gave one, fill a pintle_error.
 * pintle_store_evaluate() can't fail: whatever is wrong, it answers PINTLE_CANCEL, which is 0, as is PINTLE_BLOCK. So
 * memory full of zeros never lets a connection through. Where memory runs out inside the library the process is
 * aborted, as with other runtimes that can't go on without it; so it is where a defect of the library's is detected.
 *
 * NULL. A null pointer where one is not allowed is an error of code "argument", never a crash; freeing a null pointer
 * does nothing. A null list is right where its count is 0.
 *
 * TEXT. All text is UTF-8 and ends with a zero byte. Codes are stable: programs compare them. Messages are for people
 * and may change: a clause in lower case without a full stop.
 *
 * TIME is in seconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX's time()).
 *
 * COMPATIBILITY. Structures that may grow begin with their size, which PINTLE_..._INIT sets; the library reads and
 * writes no more than that. In what it returns, fields are only added at the end. While the soname is
 * libpintle.so.0, programs compiled against an older header go on working with a newer library. Unknown values of an
 * enumeration that is returned must be treated as its value 0; unknown event bits must be ignored. The
 * version is that of the release: pkg-config, the packages for Python and Java, and `pintle --version` say the same.
 */
#ifndef PINTLE_H
#define PINTLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define PINTLE_VERSION_MAJOR 0
#define PINTLE_VERSION_MINOR 1
#define PINTLE_VERSION_PATCH 0

/* major << 16 | minor << 8 | patch */
#define PINTLE_VERSION ((PINTLE_VERSION_MAJOR << 16) | (PINTLE_VERSION_MINOR << 8) | PINTLE_VERSION_PATCH)

/* The version of the library that runs, in the form of PINTLE_VERSION. */
uint32_t pintle_version(void);

/* ---- Bytes, statuses, errors ------------------------------------------------------------------------------------ */

/* Some bytes that belong to the maker of the structure. `data` may be null where `size` is 0. */
typedef struct pintle_bytes {
  const void *data;
  size_t size;
} pintle_bytes;

/* What functions that can fail return; below 0 is a failure. */
enum {
  PINTLE_OK = 0,
  PINTLE_UNCHANGED = 1, /* an update: what is in force already was given again, or there is nothing newer */
  PINTLE_REFUSED = -1,  /* the bytes or settings aren't acceptable; pintle_error.code says why */
  PINTLE_ARGUMENT = -2, /* the call is wrong, a null pointer for instance; code "argument" */
  PINTLE_SYSTEM = -3    /* a file can't be read or written; code "unreadable-file", "not-stored" or "inherited" */
};

/* Why a function failed. 512 bytes, which never changes. Filled only where a status below 0 is returned. */
typedef struct pintle_error {
  int32_t status;    /* as returned */
  char code[60];     /* stable name, such as "too-few-signatures" (docs/libpintle.md lists them) */
  char message[448]; /* for people; cut at a character where it is longer */
} pintle_error;

/* ---- The store -------------------------------------------------------------------------------------------------- */

/* Holds the manifest in force and the keyset that it is taken by, what it has parsed of certificates, and what must
 * survive a restart. */
typedef struct pintle_store pintle_store;

/* What holds as long as no manifest is in force (pintle_settings.without_manifest). */
enum {
  PINTLE_WITHOUT_MANIFEST_BLOCK = 0,     /* nothing is connected to */
  PINTLE_WITHOUT_MANIFEST_NOT_PINNED = 1 /* as for a host that no entry governs */
};

/* The settings of a store. Begin with PINTLE_SETTINGS_INIT, which is right for all that isn't set. */
typedef struct pintle_settings {
  size_t size; /* of this structure */

  /* Whose signatures make a manifest valid, as long as the program is installed: public keys in PEM or DER
   * (SubjectPublicKeyInfo), one each, Ed25519 or ECDSA P-256, and how many different ones must have signed, at least 1.
   * A key that is given twice counts once.
   * Either both are set, or `keyset` below is: it says who signs, and can be replaced without a new program. */
  const pintle_bytes *signers;
  size_t signer_count;
  uint32_t threshold;

  uint32_t without_manifest; /* PINTLE_WITHOUT_MANIFEST_... */

  /* The environment that the program runs in; manifests and keysets for any other are refused. Must be set. */
  const char *audience;

  /* The folder for what must survive a restart: the last good manifest and the keysets. It must exist; processes may
   * share it. Null: nothing is kept on disk. */
  const char *directory;

  /* The manifest file that was shipped with the program: what holds where nothing newer is stored. May be empty. */
  pintle_bytes embedded;

  /* The anchors that count as the system's: certificates, each in DER or any number in one PEM text. Without any, the
   * system's trust store (libcrypto's default, which SSL_CERT_FILE and SSL_CERT_DIR replace); with some, these in its
   * place, or besides it where system_anchors isn't 0. */
  const pintle_bytes *anchors;
  size_t anchor_count;
  uint32_t system_anchors;

  /* The part of the pinned host entries that one update may take away, in percent, 0 to 100, unless the manifest was
   * signed as meant so. */
  uint32_t maximum_loss_percent;

  /* An update that would block a chain that was allowed lately is refused, unless the manifest was signed as meant so.
   * Not 0: such an update is taken. */
  uint32_t skip_recent_chains;
  uint32_t reserved; /* 0 */
  /* For how long a chain counts as allowed lately, in seconds; 0 is the default, a day. */
  int64_t recent_period;

  /* The most bytes of a manifest file that are read; 0 is the default, 64 MiB. */
  uint64_t maximum_bytes;

  /* The clock, for programs that have their own and for tests: called with clock_context, from any thread, must not
   * call the library. Null: the system's. The store's time never goes back, whatever the clock says. */
  int64_t (*clock)(void *clock_context);
  void *clock_context;

  /* The keyset file that was shipped with the program: who signs manifests, and who signs the next keyset
   * (docs/keyset-format.md). It is trusted because it came with the program; from it the store walks forward, and keeps
   * the newest in `directory`. Where it is set, `signer_count` and `threshold` must be 0. */
  pintle_bytes keyset;
} pintle_settings;

#define PINTLE_SETTINGS_INIT                                                                                            \
  { sizeof(pintle_settings), NULL, 0, 0, PINTLE_WITHOUT_MANIFEST_BLOCK, NULL, NULL, {NULL, 0}, NULL, 0, 0, 30, 0, 0,    \
    0, 0, NULL, NULL, {NULL, 0} }

/*
 * Opens a store: takes the stored manifest into force, or else the embedded one, or else none; and the newest keyset of
 * the stored ones and that of the settings.
 *
 * What is wrong with stored files or the embedded manifest doesn't fail the call, so that a program always starts under
 * the policy that it states for that; pintle_store_problem() names it, to be logged. A keyset of the settings that
 * can't be used does fail it: it came with the program, and nothing else names the signers of manifests.
 *
 * settings: read during the call only.
 * store:    where to put the store; null is put there on failure.
 * error:    where to say why it failed; may be null.
 *
 * Returns PINTLE_OK; PINTLE_REFUSED where the signers, the threshold, the keyset or the anchors can't be used;
 * PINTLE_ARGUMENT.
 */
int pintle_store_open(const pintle_settings *settings, pintle_store **store, pintle_error *error);

/* Frees a store. No other call with it may be under way, nor come later. Null is ignored. */
void pintle_store_close(pintle_store *store);

/*
 * Says what was found wrong when the store was opened.
 *
 * index: 0 for the first problem.
 * problem: where to put code ("unreadable-state", ...) and message; its status is PINTLE_REFUSED.
 *
 * Returns PINTLE_OK, or PINTLE_ARGUMENT where there are no more, and then leaves `problem` as it is.
 */
int pintle_store_problem(const pintle_store *store, size_t index, pintle_error *problem);

/*
 * Takes a newer manifest: verifies its signatures, reads it, and takes it into force unless it is older than what was
 * seen before, has expired, or is stopped by the activation guard (docs/updates.md).
 *
 * bytes, size: the whole file as it came, from wherever; nothing of it is believed before its signatures are verified.
 * error:       where to say why it was refused; may be null.
 *
 * Returns PINTLE_OK where it took effect: connections that were judged before may be dropped now, or judged again;
 * PINTLE_UNCHANGED where it is in force already; PINTLE_REFUSED, PINTLE_ARGUMENT or PINTLE_SYSTEM where it is not taken,
 * and then what was in force stays in force. When to look for a newer one is the caller's affair: see
 * pintle_status.refresh_after.
 */
int pintle_store_update(pintle_store *store, const void *bytes, size_t size, pintle_error *error);

/* Takes a newer manifest from a file, which is read as a whole, up to the settings' maximum_bytes; else as above. */
int pintle_store_update_file(pintle_store *store, const char *path, pintle_error *error);

/*
 * Takes the next keyset: verifies the signatures of enough root keys of the one in force before anything else of it is
 * read, and of enough of its own, and accepts manifests by its signers from then on. The manifest in force stays in
 * force, no matter who signed it; see pintle_status.endorsed.
 *
 * Versions can't be skipped: one that is further ahead is refused ("skipped-version") until those between were taken,
 * in their order. Look for a newer keyset before a newer manifest, which it may have to vouch for.
 *
 * bytes, size: the whole file as it came, from wherever, at most 65,536 bytes.
 * error:       where to say why it was refused; may be null.
 *
 * Returns PINTLE_OK where it is in force now; PINTLE_UNCHANGED where it was already; PINTLE_REFUSED (code "no-keyset"
 * where the settings gave signers and no keyset), PINTLE_ARGUMENT or PINTLE_SYSTEM where it is not taken, and then what
 * was in force stays in force.
 */
int pintle_store_update_keyset(pintle_store *store, const void *bytes, size_t size, pintle_error *error);

/* Takes the next keyset from a file; else as above. */
int pintle_store_update_keyset_file(pintle_store *store, const char *path, pintle_error *error);

/*
 * Takes all newer keysets from a folder, one after the other: with version N in force, the files N+1.keyset.json,
 * N+2.keyset.json and so on, up to the first that isn't there, at most 256 of them.
 *
 * path:  the folder, which something else fills: a package, a configuration service, a download. It need not be there
 *        yet.
 * error: where to say why one was refused; may be null.
 *
 * Returns PINTLE_OK where at least one was taken, PINTLE_UNCHANGED where there is none; below 0 as above where one is
 * refused, and then those before it stay in force (pintle_status.keyset_version says how far it came).
 */
int pintle_store_update_keyset_folder(pintle_store *store, const char *path, pintle_error *error);

/*
 * Does regular maintenance, for example every ten minutes, if the settings name a directory: loads newer
 * keysets and a newer manifest that another process has stored there, and repairs files that could not be written.
 *
 * Returns PINTLE_OK, PINTLE_SYSTEM where the directory can't be written to, or PINTLE_ARGUMENT.
 */
int pintle_store_maintain(pintle_store *store, pintle_error *error);

/* Where the manifest in force came from (pintle_status.source). */
enum {
  PINTLE_SOURCE_NONE = 0,     /* there is none */
  PINTLE_SOURCE_EMBEDDED = 1, /* it was shipped with the program */
  PINTLE_SOURCE_STORED = 2,   /* it was on disk at the start */
  PINTLE_SOURCE_UPDATE = 3    /* pintle_store_update() */
};

/* How old the manifest in force is (pintle_status.freshness). */
enum {
  PINTLE_FRESHNESS_NONE = 0,        /* there is no manifest */
  PINTLE_FRESHNESS_FRESH = 1,       /* nothing to do */
  PINTLE_FRESHNESS_REFRESH_DUE = 2, /* a newer one should be looked for; this one is in force as before */
  PINTLE_FRESHNESS_STALE = 3        /* it has expired; what that means for pinned hosts, it says itself */
};

/* The state of a store, for health checks and metrics. The manifest's fields are 0 where none is in force. */
typedef struct pintle_status {
  size_t size; /* of this structure */
  uint32_t source;
  uint32_t freshness;
  int64_t serial;         /* grows with each release */
  int64_t highest_serial; /* the highest that was ever accepted; 0 where there was none */
  int64_t issued;
  int64_t refresh_after;
  int64_t expires;
  int64_t now; /* the store's time: the clock's, or when manifest or keyset was issued where that is later */
  uint64_t entry_count;

  /* The keyset in force: 0 where the settings gave signers and no keyset. */
  int64_t keyset_version;
  int64_t keyset_expires;
  uint32_t keyset_expired; /* not 0: no further manifest is taken until a newer keyset comes; both stay in force */
  /* 0 where a manifest is in force that the keyset doesn't vouch for (any more), so that another should follow soon;
   * else 1, also without a keyset. */
  uint32_t endorsed;
} pintle_status;

#define PINTLE_STATUS_INIT { sizeof(pintle_status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/*
 * Tells the state of the store, as much of it as the caller's structure has room for; fields that this library doesn't
 * know become 0. Returns PINTLE_OK, or PINTLE_ARGUMENT where a pointer is null or `size` isn't set.
 */
int pintle_store_status(const pintle_store *store, pintle_status *status);

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

/* Who the other side of a handshake is (pintle_peer.role). */
enum {
  PINTLE_PEER_SERVER = 0,
  PINTLE_PEER_CLIENT = 1 /* it presented a client certificate; no name is compared */
};

/* Whether the caller validates certificates besides asking (pintle_peer.validation). */
enum {
  /* It doesn't: asking takes the place of the transport's own validation. The answer is never PINTLE_DEFAULT_HANDLING,
   * because a host that isn't pinned is evaluated too, against the store's anchors. */
  PINTLE_VALIDATION_REPLACED = 0,
  /* It does, before or after asking: a host that isn't pinned is left to it. */
  PINTLE_VALIDATION_STANDS = 1
};

/* pintle_peer.at: the store's own time. */
#define PINTLE_NOW INT64_MIN

/* What the transport knows about the other side. Begin with PINTLE_PEER_INIT. */
typedef struct pintle_peer {
  size_t size; /* of this structure */
  uint32_t role;
  uint32_t validation;

  /* The name or address that the connection is for, not the one that it happens to go to: ASCII, so A-labels for an
   * international name, in any letter case. For a client: the manifest's entry under which the program's clients
   * stand. */
  const char *host;
  /* The port that the connection is for. */
  uint16_t port;
  /* The version that was negotiated, as TLS writes it: 0x0303 for TLS 1.2, 0x0304 for TLS 1.3; 0 where it isn't
   * known, which is blocked where the entry asks for a version. SSL_version() gives it. */
  uint16_t tls_version;

  /* The certificates as the other side sent them, DER, its own first. At most 32, and 256 KiB in all. */
  const pintle_bytes *certificates;
  size_t certificate_count;

  int64_t at; /* the time to decide at, or PINTLE_NOW */
} pintle_peer;

#define PINTLE_PEER_INIT                                                                                                \
  { sizeof(pintle_peer), PINTLE_PEER_SERVER, PINTLE_VALIDATION_REPLACED, NULL, 0, 0, NULL, 0, PINTLE_NOW }

/* What to do with the connection. */
typedef enum pintle_disposition {
  PINTLE_CANCEL = 0,          /* close it before anything is sent on it */
  PINTLE_USE_CREDENTIAL = 1,  /* go on: trust was evaluated, and nothing objects */
  PINTLE_DEFAULT_HANDLING = 2 /* the transport's own validation decides; with PINTLE_VALIDATION_STANDS only */
} pintle_disposition;

/* The manifest's answer (pintle_decision.verdict). */
enum {
  PINTLE_BLOCK = 0,
  PINTLE_ALLOW = 1,
  PINTLE_NOT_PINNED = 2 /* it has nothing to say about the host */
};

/* The step of the order of decision that gave the answer (pintle_decision.step). */
enum {
  PINTLE_STEP_ENTRY = 1,       /* which entry governs the host, and whether it pins at this time */
  PINTLE_STEP_TRUST = 2,       /* trust evaluation */
  PINTLE_STEP_DENIAL = 3,      /* denied keys */
  PINTLE_STEP_REQUIREMENT = 4, /* the entry's requirement */
  PINTLE_STEP_MISMATCH = 5     /* what a mismatch means */
};

/* What happened beside plain enforcement, for a program to count and alarm on (pintle_decision.events). The names in
 * pintle_decision.event_names are these in lower case with hyphens, such as "no-entry". */
enum {
  PINTLE_EVENT_NO_ENTRY = 1 << 0,           /* no entry governs the host */
  PINTLE_EVENT_EXCLUDED = 1 << 1,           /* the governing entry has mode: off */
  PINTLE_EVENT_INVALID_HOST = 1 << 2,       /* the host isn't a valid host name */
  PINTLE_EVENT_ENTRY_EXPIRED = 1 << 3,      /* the entry has expired */
  PINTLE_EVENT_REFRESH_DUE = 1 << 4,        /* a newer manifest should be looked for */
  PINTLE_EVENT_MANIFEST_STALE = 1 << 5,     /* the manifest has expired */
  PINTLE_EVENT_REPORT_ONLY = 1 << 6,        /* the entry only reports */
  PINTLE_EVENT_UNTRUSTED = 1 << 7,          /* trust evaluation failed */
  PINTLE_EVENT_DENIED_KEY = 1 << 8,         /* a denied key is in the validated chain */
  PINTLE_EVENT_MISMATCH = 1 << 9,           /* the chain doesn't satisfy the entry: this is what reports are for */
  PINTLE_EVENT_EXCEPTION_USED = 1 << 10,    /* a dated exception of the policy excused a failure */
  PINTLE_EVENT_BACKUP_KEY_MATCHED = 1 << 11, /* the key that matched is a backup: a rotation has happened */
  PINTLE_EVENT_UNREADABLE_CHAIN = 1 << 12,  /* a public key in the validated chain can't be read */
  PINTLE_EVENT_NO_MANIFEST = 1 << 13        /* no manifest is in force */
};

/* A key of the manifest that was found in the validated chain. This structure never changes. */
typedef struct pintle_match {
  const char *key;     /* its name in the policy */
  int32_t certificate; /* the place of the certificate that holds it, from the leaf, which is 0 */
  uint32_t reserved;
} pintle_match;

/* Something that trust evaluation found wrong. This structure never changes. */
typedef struct pintle_failure {
  const char *code;    /* stable: "expired", "name-mismatch", ... (docs/validation.md lists them) */
  const char *message; /* for people: the certificate, what is wrong, the rule that it breaks, who has to act */
  int32_t certificate; /* the certificate's place above the leaf, which is 0; -1 if it isn't one certificate */
  uint32_t reserved;
} pintle_failure;

/* Where a key may be, or is (pintle_key.position). A chain of one certificate counts as leaf and as root. */
enum {
  PINTLE_POSITION_ANY = 0, /* anywhere, or not known */
  PINTLE_POSITION_LEAF = 1,
  PINTLE_POSITION_INTERMEDIATE = 2,
  PINTLE_POSITION_ROOT = 3
};

/* What the manifest says about a key (pintle_key.status). */
enum {
  PINTLE_KEY_UNKNOWN = 0, /* it is neither in the entry's key set nor denied */
  PINTLE_KEY_ACTIVE = 1,
  PINTLE_KEY_BACKUP = 2,
  PINTLE_KEY_DENIED = 3
};

/* A key of a chain, or of an entry's key set. This structure never changes. */
typedef struct pintle_key {
  const char *name;    /* in the policy; null if the status is PINTLE_KEY_UNKNOWN */
  const char *pin;     /* "sha256/" and Base64; null if the key of a certificate can't be read */
  int32_t certificate; /* presented: the place of its certificate, from the leaf, which is 0; required: -1 */
  uint32_t position;   /* presented: where it is; required: where it must be */
  uint32_t status;
  uint32_t reserved;
} pintle_key;

/* An answer, and how it came about. Belongs to the caller, who frees it with pintle_decision_free(). */
typedef struct pintle_decision {
  size_t size; /* of the structure that the library made */

  int32_t verdict;     /* PINTLE_BLOCK, PINTLE_ALLOW, PINTLE_NOT_PINNED */
  int32_t disposition; /* what pintle_store_evaluate() returned */
  int32_t step;        /* PINTLE_STEP_... */
  uint32_t events;     /* PINTLE_EVENT_... */

  /* Why, a stable code: "matched", "matched-both", "mismatch-reported"; "no-entry", "off", "expired", "no-manifest";
   * "invalid-host", "unpinned-host", "untrusted", "denied-key", "mismatch", "unreadable-chain"; and "argument" where the
   * call is wrong. */
  const char *reason;
  /* The same in one sentence for people, with the names of entry and keys; a refusal also lists the keys below. */
  const char *message;
  /* The governing entry, such as "api.example.com:8443"; null where none governs the host. */
  const char *entry;
  /* The clock that has run out where the reason is "expired", or where that is why the host isn't pinned: "entry" or
   * "manifest"; else null. */
  const char *clock;

  int64_t at;     /* the time that was decided at */
  int64_t serial; /* the serial of the manifest that decided; 0 where none was in force */

  const char *const *event_names; /* in the order of their bits */
  size_t event_count;

  /* The keys that bear on the answer, from the leaf upwards: what matched, what is denied, or the one of two that is
   * there. */
  const pintle_match *matches;
  size_t match_count;

  /* What trust evaluation found wrong, the gravest first. */
  const pintle_failure *failures;
  size_t failure_count;

  /* The validated chain in DER, leaf to anchor; none where trust evaluation failed or didn't take place. */
  const pintle_bytes *chain;
  size_t chain_count;

  /* Of a refusal because of keys or certificates, and of a mismatch that is only reported; else both are empty.
   * Required are the keys of the entry's key set: any of them, or, where requires_leaf_and_ca isn't 0, one at the leaf
   * and one above it. Presented are those of the validated chain, or of the served one where trust evaluation failed. */
  const pintle_key *required;
  size_t required_count;
  const pintle_key *presented;
  size_t presented_count;
  uint32_t requires_leaf_and_ca;
  uint32_t reserved;
} pintle_decision;

/*
 * Evaluates trust in what the other side presented, and decides by the manifest in force.
 *
 * Uses the processor only, some tenths of a millisecond: no network, no disk beyond the system's trust store. It may be
 * called from a verification callback.
 *
 * peer:     read during the call only.
 * decision: where to put how the answer came about, to be freed with pintle_decision_free(); may be null, which is
 *           cheaper. Something is always put there.
 *
 * Returns what to do. PINTLE_CANCEL, which is 0, also where an argument is wrong: reason "argument".
 */
pintle_disposition pintle_store_evaluate(
    pintle_store *store, const pintle_peer *peer, pintle_decision **decision);

/* Frees a decision and everything that it points to. Null is ignored. */
void pintle_decision_free(pintle_decision *decision);

#ifdef __cplusplus
}
#endif

#endif
