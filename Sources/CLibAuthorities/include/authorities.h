#ifndef PINTLE_AUTHORITIES_H
#define PINTLE_AUTHORITIES_H

#include <stddef.h>

/// A file of authorities/, as it was when the program was built.
struct pintle_authority_file {
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

extern const struct pintle_authority_file *const pintle_authority_files;
extern const size_t pintle_authority_file_count;

/// Where a run of bytes first is in a text; null where it isn't.
const void *pintle_authority_find(const void *text, size_t count, const void *run, size_t length);

#endif
