// The hash of names by which the floors' tables are looked up.
#ifndef PINTLE_FLOOR_NAME_HASH_H
#define PINTLE_FLOOR_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t hash(const void *name, size_t length) {
  const char *text = name;
  uint64_t state = 0x9E3779B97F4A7C15u ^ length, word;
  for (; length >= 8; text += 8, length -= 8) {
    memcpy(&word, text, 8);
    __uint128_t product = (__uint128_t)(state ^ word) * 0xD6E8FEB86659FD93u;
    state = (uint64_t)product ^ (uint64_t)(product >> 64);
  }
  word = 0;
  memcpy(&word, text, length);
  __uint128_t product = (__uint128_t)(state ^ word) * 0xA0761D6478BD642Fu;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
