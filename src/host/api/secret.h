/*
** Masks of bide.core.secret, for the C functions of other modules.
*/
#ifndef BIDE_HOST_API_SECRET_H
#define BIDE_HOST_API_SECRET_H

#include <lua.h>

#include "secret/mask.h"

/* Returns the mask at `index`, which lives as long as the value there; NULL if it is not a mask. */
const BideSecretMask *bide_secret_test(lua_State *L, int index);

#endif
