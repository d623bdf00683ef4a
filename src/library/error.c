#include <stdlib.h>

#include "library/inside.h"

struct bide_error {
  BideError error;
};

/* It is shared and never written to; to free it does nothing. */
static const bide_error no_memory = {.error = {.code = BIDE_ERROR_MEMORY, .message = "no memory"}};

void bide_library_fail_memory(bide_error **error) {
  if (error != NULL)
    *error = (bide_error *)(uintptr_t)&no_memory;
}

void *bide_library_new(size_t size, bide_error **error) {
  void *memory = calloc(1, size);
  if (memory == NULL)
    bide_library_fail_memory(error);
  return memory;
}

void bide_library_fail(bide_error **error, const BideError *from) {
  bide_error *copy;
  if (error == NULL)
    return;
  copy = malloc(sizeof *copy);
  if (copy == NULL) {
    bide_library_fail_memory(error);
    return;
  }
  copy->error = *from;
  *error = copy;
}

const char *bide_error_class(const bide_error *error) {
  return bide_error_name(error->error.code);
}

const char *bide_error_message(const bide_error *error) {
  return error->error.message;
}

int bide_error_line(const bide_error *error) {
  return error->error.line;
}

int bide_error_column(const bide_error *error) {
  return error->error.column;
}

void bide_error_free(bide_error *error) {
  if (error != &no_memory)
    free(error);
}
