// What load-floor.c resolves a manifest's references with, and finds its hosts by.
#ifndef PINTLE_FLOOR_INDEX_H
#define PINTLE_FLOOR_INDEX_H

#include "manifest-parse.h"
#include "name-hash.h"

// A name up to its quotation mark, which follows every name that was read.
static uint32_t length_at(uint32_t start) {
  return (uint32_t)((unsigned char *)memchr(file + start, '"', end - start) - (file + start));
}

// Sets and keys are sorted and are mostly referred to in that order, so those around the last one are tried first.
static uint32_t find_set(const Manifest *m, uint32_t start, uint32_t last) {
  uint32_t length = length_at(start);
  for (uint32_t i = last; i < last + 3 && i < m->set_count; i++)
    if (!compare(start, length, m->sets[i].name, m->sets[i].name_length)) return i;
  size_t low = 0, high = m->set_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (compare(m->sets[middle].name, m->sets[middle].name_length, start, length) < 0) low = middle + 1;
    else high = middle;
  }
  if (low == m->set_count || compare(start, length, m->sets[low].name, m->sets[low].name_length)) die("no such set");
  return (uint32_t)low;
}

static uint32_t find_key(const Manifest *m, uint32_t start, uint32_t last) {
  uint32_t length = length_at(start);
  for (uint32_t i = last ? last - 1 : 0; i < last + 4 && i < m->key_count; i++)
    if (!compare(start, length, m->keys[i].name, m->keys[i].name_length)) return i;
  size_t low = 0, high = m->key_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (compare(m->keys[middle].name, m->keys[middle].name_length, start, length) < 0) low = middle + 1;
    else high = middle;
  }
  if (low == m->key_count || compare(start, length, m->keys[low].name, m->keys[low].name_length)) die("no such key");
  return (uint32_t)low;
}

static void make_index(Manifest *m) {
  uint32_t last = 0;
  for (size_t i = 0; i < m->member_count; i++) m->members[i] = last = find_key(m, m->members[i], last);
  last = 0;
  for (size_t i = 0; i < m->host_count; i++) m->hosts[i].key_set = last = find_set(m, m->hosts[i].key_set, last);
  m->slot_count = 4;
  while (m->slot_count < m->host_count + m->host_count / 2 + 1) m->slot_count *= 2;
  m->slots = calloc(m->slot_count, sizeof(uint32_t));
  if (!m->slots) die("no memory");
  for (size_t i = 0; i < m->host_count; i++) {
    size_t slot = hash(file + m->hosts[i].name, m->hosts[i].name_length) & (m->slot_count - 1);
    while (m->slots[slot]) slot = (slot + 1) & (m->slot_count - 1);
    m->slots[slot] = (uint32_t)i + 1;
  }
}

static void discard(Manifest *m) {
  free(m->hosts);
  free(m->sets);
  free(m->keys);
  free(m->members);
  free(m->slots);
  memset(m, 0, sizeof *m);
}

#endif
