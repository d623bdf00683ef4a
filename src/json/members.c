#include "json/members.h"

#include <stdlib.h>
#include <string.h>

/* The memory of a table, two slots a member, later serves for a pointer to each member. */
_Static_assert(sizeof(BideMember *) <= 2 * sizeof(uint32_t), "the table has room for pointers");

/* Up to this number, comparing all pairs is faster than a table. */
#define FEW 16

static bool same_name(const BideMember *a, const BideMember *b) {
  return a->name_hash == b->name_hash && a->name_length == b->name_length &&
         memcmp(a->name, b->name, a->name_length) == 0;
}

static size_t unique_among_few(BideMember *members, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t place = 0;
    while (place < kept && !same_name(&members[place], &members[i]))
      place++;
    if (place < kept)
      members[place].value = members[i].value;
    else
      members[kept++] = members[i];
  }
  return kept;
}

/* A hash table of positions, plus one. It is abandoned once collisions cost too much. */
typedef struct NameTable {
  uint32_t *places;
  size_t mask;
  size_t patience;
} NameTable;

/* Returns the slot of the name, or the free one for it; NULL once `patience` is used up. */
static uint32_t *find_place(NameTable *table, const BideMember *members, const BideMember *wanted) {
  size_t at = wanted->name_hash & table->mask;
  while (table->places[at] != 0 && !same_name(&members[table->places[at] - 1], wanted)) {
    if (table->patience-- == 0)
      return NULL;
    at = (at + 1) & table->mask;
  }
  return &table->places[at];
}

/*
** Returns false if it gave up. `members` and `*count` are then as valid as before, and equal
** names are still in the order of the text, so that sorting can finish the work.
*/
static bool unique_by_table(NameTable *table, BideMember *members, size_t *count) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    uint32_t *place = find_place(table, members, &members[i]);
    if (place == NULL) {
      memmove(members + kept, members + i, (*count - i) * sizeof *members);
      *count -= i - kept;
      return false;
    }
    if (*place != 0) {
      members[*place - 1].value = members[i].value;
    } else {
      members[kept] = members[i];
      *place = (uint32_t)++kept;
    }
  }
  *count = kept;
  return true;
}

/* Compares two pointers to members; equal names keep the order of the text. */
static int order_of_names(const void *left, const void *right) {
  const BideMember *first = *(BideMember *const *)left, *second = *(BideMember *const *)right;
  int order;
  if (first->name_hash != second->name_hash)
    return first->name_hash < second->name_hash ? -1 : 1;
  if (first->name_length != second->name_length)
    return first->name_length < second->name_length ? -1 : 1;
  order = memcmp(first->name, second->name, first->name_length);
  return order != 0 ? order : first < second ? -1 : first > second;
}

/* Sorts so that equal names are adjacent, in the order of the text. Returns the number kept. */
static size_t unique_by_sorting(BideMember *members, size_t count, BideMember **order) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    order[i] = &members[i];
  qsort(order, count, sizeof *order, order_of_names);
  for (size_t i = 0, first = 0; i < count; i++) {
    if (i == 0 || !same_name(order[first], order[i])) {
      first = i;
      continue;
    }
    order[first]->value = order[i]->value;
    order[i]->name = NULL;
  }
  for (size_t i = 0; i < count; i++)
    if (members[i].name != NULL)
      members[kept++] = members[i];
  return kept;
}

bool bide_members_unique(BideMember *members, size_t *count) {
  NameTable table = {.places = NULL, .mask = 63, .patience = *count * 8};
  if (*count <= FEW) {
    *count = unique_among_few(members, *count);
    return true;
  }
  while (table.mask < *count * 2)
    table.mask = table.mask * 2 + 1;
  table.places = calloc(table.mask + 1, sizeof *table.places);
  if (table.places == NULL)
    return false;
  if (!unique_by_table(&table, members, count))
    *count = unique_by_sorting(members, *count, (void *)table.places);
  free(table.places);
  return true;
}
