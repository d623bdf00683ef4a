/*
** What keeps the names of an object unique.
*/
#ifndef BIDE_JSON_MEMBERS_H
#define BIDE_JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/value.h"

/*
** Leaves one member of each name, in place: the first one's position and the
** last one's value. `*count` becomes how many are left. It takes about linear
** time, and n log n for names that were made to collide. False when memory is out.
*/
bool bide_members_unique(BideMember *members, size_t *count);

#endif
