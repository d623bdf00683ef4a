#include "base/error.h"

#include <stdio.h>

void bide_error_set(BideError *error, BideErrorCode code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bide_error_set_list(error, code, format, arguments);
  va_end(arguments);
}

void bide_error_set_list(BideError *error, BideErrorCode code, const char *format,
                         va_list arguments) {
  if (error == NULL)
    return;
  error->code = code;
  error->offset = 0;
  error->line = 0;
  error->column = 0;
  vsnprintf(error->message, sizeof error->message, format, arguments);
}

void bide_error_locate(BideError *error, const char *text, size_t length, size_t offset) {
  if (error == NULL)
    return;
  if (offset > length)
    offset = length;
  error->offset = offset;
  error->line = 1;
  error->column = 1;
  for (size_t i = 0; i < offset; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte == '\n') {
      error->line++;
      error->column = 1;
    } else if ((byte & 0xC0) != 0x80) { /* not a continuation byte of UTF-8 */
      error->column++;
    }
  }
}

const char *bide_error_name(BideErrorCode code) {
  switch (code) {
    case BIDE_OK: return "ok";
    case BIDE_ERROR_MEMORY: return "out-of-memory";
    case BIDE_ERROR_LIMIT: return "limit";
    case BIDE_ERROR_JSON: return "json";
    case BIDE_ERROR_SYNTAX: return "syntax";
    case BIDE_ERROR_TYPE: return "invalid-type";
    case BIDE_ERROR_VALUE: return "invalid-value";
    case BIDE_ERROR_ARITY: return "invalid-arity";
    case BIDE_ERROR_UNKNOWN_FUNCTION: return "unknown-function";
    case BIDE_ERROR_DEFINITION: return "definition";
    case BIDE_ERROR_SYSTEM: return "system";
    case BIDE_ERROR_HOST: return "host";
    case BIDE_ERROR_NO_MEMBER: return "no-member";
  }
  return "unknown";
}
