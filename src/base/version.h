/* The version of bide, as `bide --version` and the User-Agent header say it. */
#ifndef BIDE_BASE_VERSION_H
#define BIDE_BASE_VERSION_H

#define BIDE_VERSION "0.1.0"

#endif
