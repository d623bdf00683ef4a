/*
** The readers that ours is measured beside. Each keeps its parser from one text
** to the next where it has one.
*/
#ifndef BENCH_REFERENCES_H
#define BENCH_REFERENCES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a document and throws it away; 0 on success. */
int bench_simdjson_read(const char *text, size_t length);
int bench_jansson_read(const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
