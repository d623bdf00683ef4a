/*
** Masks of bide.core.secret as C functions of other modules take them.
*/
#ifndef BIDE_HOST_API_SECRET_H
#define BIDE_HOST_API_SECRET_H

#include <lua.h>

#include "base/secret_mask.h"

/* The mask at `index`, which lives as long as the value there; NULL where it is none. */
const BideSecretMask *bide_secret_mask_test(lua_State *L, int index);

#endif
