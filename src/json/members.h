/*
** Removes repeated names from the members of an object.
*/
#ifndef BIDE_JSON_MEMBERS_H
#define BIDE_JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/value.h"

/*
** Keeps one member of each name, in place: at the position of the first and with the value of
** the last. Sets `*count` to the number of members kept. Takes about linear time, and n log n for
** names that were made to collide. Returns false if memory is exhausted.
*/
bool bide_members_unique(BideMember *members, size_t *count);

#endif
