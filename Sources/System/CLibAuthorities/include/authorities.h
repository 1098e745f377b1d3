#ifndef PINTLE_AUTHORITIES_H
#define PINTLE_AUTHORITIES_H

#include <stddef.h>
#include <stdint.h>

// The files of authorities/ as they were when the program was built, as schemas/authorities.schema.json describes them.
// Dates are seconds since 1970-01-01T00:00:00Z, digests are bytes, a source is its number in the file; all other values
// are texts as in YAML. Zero or null where a field isn't given.

#define PINTLE_LIST(name, kind) \
  struct name {                 \
    kind const *items;          \
    size_t count;               \
  }
PINTLE_LIST(pintle_words, const char *);

struct pintle_source {
  const char *name, *url, *says;
  int64_t published;
};

/// An item of any list of statements. 'date' is also what the file calls 'from'.
struct pintle_statement {
  const char *key, *store, *notice;
  int64_t date, since, distrust_after, until, created_before;
  struct pintle_words authorities;
  unsigned short source;
  unsigned char years;
};
PINTLE_LIST(pintle_statements, struct pintle_statement);

struct pintle_authority_key {
  const char *name, *subject, *place;
  int64_t created, expires;
  uint8_t pin[32], certificate[32];
  unsigned short source;
  struct pintle_statements signed_by, issues_until, successors, stores;
  /// The numbers of this key, of the keys that signed or succeed it, of the roots that it signed, and so on; for an
  /// issuing key also those of its authority's roots.
  PINTLE_LIST(pintle_numbers, unsigned short) linked;
};

struct pintle_authority {
  const char *name, *owner;
  /// Keys are numbered in the order of the files: the number of its first one.
  unsigned short first;
  struct pintle_words names;
  struct pintle_statements changes_issuers;
  PINTLE_LIST(pintle_authority_keys, struct pintle_authority_key) keys;
};

struct pintle_service {
  const char *name;
  struct pintle_words names;
  struct pintle_statements issues_from;
};

struct pintle_authority_file {
  const char *name;
  int64_t reviewed;
  PINTLE_LIST(pintle_sources, struct pintle_source) sources;
  struct pintle_statements schedules;
  PINTLE_LIST(pintle_authorities, struct pintle_authority) authorities;
  PINTLE_LIST(pintle_services, struct pintle_service) services;
};

extern const struct pintle_authority_file *const pintle_authority_files;
extern const size_t pintle_authority_file_count;

#endif
