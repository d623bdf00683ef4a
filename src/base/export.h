/*
** Marks exported symbols. All others are hidden in the shared library that they are linked
** into. Exported are the few that another library calls: those that transfer.so needs from
** core.so, and those that Lua opens.
*/
#ifndef BIDE_BASE_EXPORT_H
#define BIDE_BASE_EXPORT_H

#define BIDE_API __attribute__((visibility("default")))

#endif
