/*
** Symbols are hidden in the shared library that they are linked into. BIDE_API marks
** the few that another library calls: what transfer.so needs of core.so, and what Lua
** opens.
*/
#ifndef BIDE_BASE_EXPORT_H
#define BIDE_BASE_EXPORT_H

#define BIDE_API __attribute__((visibility("default")))

#endif
