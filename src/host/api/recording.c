/*
** bide.core.recording: the lines of recordings, where attempts are like one another. Annotated in
** lua/bide/meta/recording.lua.
*/
#include <errno.h>
#include <lauxlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "host/api/modules.h"
#include "host/api/secret.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/values/document.h"
#include "host/values/response.h"
#include "json/writer.h"

typedef struct Text {
  const char *bytes;
  size_t length;
} Text;

/* A part of a text. */
typedef struct Span {
  size_t begin, length;
} Span;

/*
** What the lines of such attempts share. Its user values keep what it borrows; those of HTTP have
** response headers, of which the date may differ.
*/
typedef struct Form {
  const BideSecretMask *mask;
  BideBuffer output; /* the JSON of the last output, without its secrets */
  Text middle;       /* follows the output */
  Text headers;      /* JSON */
  Text lines;        /* the headers as received */
  Span date;         /* in `headers` */
  Span date_line;    /* in `lines`; of the same length, 0 if there is none */
  int status;        /* 0 if the attempts send no request */
  bool is_body;      /* whether `output` is the body, to the byte */
} Form;

enum { OUTPUT = 1, MASK, MIDDLE, HEADERS, LINES };

static const BideClass form_class = {"bide.recording.form"};

static Form *check(lua_State *L) {
  return bide_class_check(L, 1, &form_class);
}

static int collect_form(lua_State *L) {
  bide_buffer_free(&check(L)->output);
  return 0;
}

/* Returns the text at `index`, which the form at 1 keeps. */
static Text keep_text(lua_State *L, int form, int index, int place) {
  Text text;
  text.bytes = luaL_checklstring(L, index, &text.length);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, form, place);
  return text;
}

/* ---- the date ------------------------------------------------------------------------ */

static bool is_of_date(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == ' ' || byte == ',' || byte == ':' || byte == '+' ||
         byte == '-';
}

static bool is_date(const char *bytes, size_t length) {
  size_t plain = 0;
  while (plain < length && is_of_date(bytes[plain]))
    plain++;
  return plain == length;
}

/* Returns where in a text a part is; a length of 0 if it is not there. */
static Span find(Text text, Text part) {
  for (size_t at = 0; part.length > 0 && part.length <= text.length - at; at++)
    if (memcmp(text.bytes + at, part.bytes, part.length) == 0)
      return (Span){at, part.length};
  return (Span){0, 0};
}

/* Returns where the value of the first line "Date: value" is; a length of 0 if there is none. */
static Span find_date_line(Text lines) {
  static const char name[] = "date:";
  size_t at = 0;
  while (lines.length - at > sizeof name - 1) {
    const char *line = lines.bytes + at;
    const char *feed = memchr(line, '\n', lines.length - at);
    size_t begin = at + sizeof name - 1, end;
    at = feed != NULL ? (size_t)(feed - lines.bytes) + 1 : lines.length;
    if (strncasecmp(line, name, sizeof name - 1) != 0)
      continue;
    for (end = at; end > begin && (lines.bytes[end - 1] == '\n' || lines.bytes[end - 1] == '\r');)
      end--;
    while (begin < end && lines.bytes[begin] == ' ')
      begin++;
    return (Span){begin, end - begin};
  }
  return (Span){0, 0};
}

/*
** Finds the date of an answer in both forms of its headers. There is none if it is not plain, or
** written in another way than it was received: then headers are the same only to the byte.
*/
static void find_date(Form *form) {
  static const char name[] = "\"date\":\"";
  Span line = find_date_line(form->lines);
  Span member = find(form->headers, (Text){name, sizeof name - 1});
  size_t begin = member.begin + member.length;
  const char *value = form->lines.bytes + line.begin;
  form->date_line = form->date = (Span){0, 0};
  if (member.length == 0 || line.length == 0 || !is_date(value, line.length) ||
      form->headers.length - begin <= line.length ||
      memcmp(form->headers.bytes + begin, value, line.length) != 0 ||
      form->headers.bytes[begin + line.length] != '"')
    return;
  form->date = (Span){begin, line.length};
  form->date_line = line;
}

/* Reports whether headers are those of the form but for their date. */
static bool has_headers(const Form *form, Text lines) {
  size_t begin = form->date_line.begin, end = begin + form->date_line.length;
  return lines.length == form->lines.length && memcmp(lines.bytes, form->lines.bytes, begin) == 0 &&
         memcmp(lines.bytes + end, form->lines.bytes + end, lines.length - end) == 0 &&
         is_date(lines.bytes + begin, end - begin);
}

/* ---- making -------------------------------------------------------------------------- */

/*
** recording.form(mask, output, text, middle, status) -> form; without a status, of attempts that
** send no request
*/
static int new_form(lua_State *L) {
  const BideSecretMask *mask = bide_secret_test(L, 1);
  Form *form;
  Text text;
  luaL_argcheck(L, mask != NULL, 1, "expected a mask");
  lua_settop(L, 5);
  bide_document_check(L, 2);
  text.bytes = luaL_checklstring(L, 3, &text.length);
  luaL_checkstring(L, 4);
  form = lua_newuserdatauv(L, sizeof *form, LINES);
  *form = (Form){.mask = mask, .status = (int)luaL_optinteger(L, 5, 0)};
  bide_buffer_init(&form->output, 0);
  form->output.budget = &bide_memory_of(L)->budget;
  bide_class_set(L, &form_class);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, MASK);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, OUTPUT);
  form->middle = keep_text(L, lua_gettop(L), 4, MIDDLE);
  if (!bide_buffer_append(&form->output, text.bytes, text.length))
    bide_failure_no_memory(L);
  return 1;
}

/* form:headers(lines, text) */
static int set_headers(lua_State *L) {
  Form *form = check(L);
  luaL_checkstring(L, 3);
  form->lines = keep_text(L, 1, 2, LINES);
  form->headers = keep_text(L, 1, 3, HEADERS);
  find_date(form);
  return 0;
}

/* ---- lines --------------------------------------------------------------------------- */

/* The room for what precedes the output: two names, and three numbers. */
#define HEAD ((size_t)128)

static char *put(char *at, const char *bytes, size_t length) {
  memcpy(at, bytes, length);
  return at + length;
}

static char *put_number(char *at, int64_t number) {
  char digits[24], *begin = digits + sizeof digits;
  uint64_t left = number < 0 ? 0 : (uint64_t)number;
  do
    *--begin = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  return put(at, begin, (size_t)(digits + sizeof digits - begin));
}

/* Puts seconds with their three decimals. */
static char *put_seconds(char *at, int64_t milliseconds) {
  int64_t time = milliseconds < 0 ? 0 : milliseconds;
  at = put_number(at, time / 1000);
  *at++ = '.';
  *at++ = (char)('0' + time / 100 % 10);
  *at++ = (char)('0' + time / 10 % 10);
  *at++ = (char)('0' + time % 10);
  return at;
}

#define PUT(at, literal) put(at, literal, sizeof(literal) - 1)

static char *put_head(char *at, int64_t attempt, int64_t began, int64_t lasts) {
  at = PUT(at, "{\"attempt\":");
  at = put_number(at, attempt);
  at = PUT(at, ",\"at\":");
  at = put_seconds(at, began);
  at = PUT(at, ",\"duration\":");
  at = put_seconds(at, lasts);
  return PUT(at, ",\"output\":");
}

static char *put_headers(char *at, const Form *form, Text lines) {
  char *begin = at;
  at = put(at, form->headers.bytes, form->headers.length);
  memcpy(begin + form->date.begin, lines.bytes + form->date_line.begin, form->date.length);
  return at;
}

/* The arguments of form:line. */
enum { ATTEMPT = 2, AT, LASTS, DOCUMENT, RESPONSE, LIMIT };

/* The names that most answers have, which all forms share. */
#define NAMES lua_upvalueindex(1)

static bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/*
** Reports whether a body differs from the last one in digits of its values alone: in a counter, or
** a time. Rules on names and texts make no difference between digits, so it has no secret if the
** last one had none, unless a mask knows names or values. An escape may make any character of its
** digits, a name may become one that is given twice, and a number with an exponent one that is too
** large.
*/
static bool differs_in_digits(const Form *form, Text body) {
  const char *last = form->output.bytes;
  bool is_text = false, has_changed = false; /* within quotation marks; what is within them */
  if (!form->is_body || !bide_secret_mask_is_general(form->mask) ||
      body.length != form->output.length || memchr(body.bytes, '\\', body.length) != NULL)
    return false;
  for (size_t i = 0; i < body.length; i++) {
    char byte = body.bytes[i];
    if (byte != last[i] && (!is_digit(byte) || !is_digit(last[i])))
      return false;
    has_changed = has_changed || byte != last[i];
    if (byte == '"') {
      bool is_name = is_text && i + 1 < body.length && body.bytes[i + 1] == ':';
      if (is_name && has_changed)
        return false;
      is_text = !is_text;
      has_changed = false;
    } else if (!is_text && (byte == 'e' || byte == 'E') && is_digit(body.bytes[i - 1])) {
      return false; /* a document begins with a bracket */
    }
  }
  return true;
}

/* Writes the JSON of an output that is not the last one. Returns false if it may have a secret. */
static bool write_json(lua_State *L, Form *form, const BideValue *value, Text body) {
  if (value->type != BIDE_OBJECT && value->type != BIDE_ARRAY)
    return false;
  if (body.length > 0 && differs_in_digits(form, body)) {
    memcpy(form->output.bytes, body.bytes, body.length);
    return true;
  }
  form->output.length = 0;
  form->is_body = false;
  if (!bide_json_write_clean(&form->output, value, form->mask, lua_touserdata(L, NAMES)))
    return false;
  form->is_body = body.length == form->output.length &&
                  memcmp(body.bytes, form->output.bytes, body.length) == 0;
  return true;
}

/* Writes the output, unless it is that of the last line. Returns false if a mask may redact it. */
static bool write_output(lua_State *L, Form *form, const BideValue *value, Text body) {
  bool is_written;
  lua_getiuservalue(L, 1, OUTPUT);
  is_written = lua_rawequal(L, -1, DOCUMENT);
  lua_pop(L, 1);
  if (is_written)
    return true;
  lua_pushnil(L);
  lua_setiuservalue(L, 1, OUTPUT);
  if (!write_json(L, form, value, body))
    return false;
  lua_pushvalue(L, DOCUMENT);
  lua_setiuservalue(L, 1, OUTPUT);
  return true;
}

static void push_line(lua_State *L, const Form *form, Text lines) {
  size_t most = HEAD + 2 * form->output.length + form->middle.length + form->headers.length;
  luaL_Buffer buffer;
  char *begin = luaL_buffinitsize(L, &buffer, most), *at = begin;
  at = put_head(at, luaL_checkinteger(L, ATTEMPT), luaL_checkinteger(L, AT),
                luaL_checkinteger(L, LASTS));
  at = put(at, form->output.bytes, form->output.length);
  at = put(at, form->middle.bytes, form->middle.length);
  if (form->status != 0) {
    at = put_headers(at, form, lines);
    at = PUT(at, ",\"response\":");
    at = put(at, form->output.bytes, form->output.length);
    at = PUT(at, "}]");
  }
  at = PUT(at, "}\n");
  luaL_pushresultsize(&buffer, (size_t)(at - begin));
}

/*
** form:line(attempt, at, lasts, output, response, limit) -> line | nil, "headers" | nil
** Times are in milliseconds.
*/
static int line(lua_State *L) {
  Form *form = check(L);
  size_t limit = (size_t)luaL_checkinteger(L, LIMIT);
  const BideDocument *document = bide_document_check(L, DOCUMENT);
  BideResponseParts parts = {.status = 0};
  Text lines;
  for (int i = ATTEMPT; i <= LASTS; i++)
    luaL_checkinteger(L, i);
  lua_settop(L, LIMIT);
  if (form->status != 0 && (!bide_response_parts(L, RESPONSE, DOCUMENT, &parts) ||
                            parts.body_length == 0 || parts.body_length > limit))
    return 0;
  if (parts.status != form->status ||
      !write_output(L, form, &document->root, (Text){parts.body, parts.body_length}) ||
      form->output.length > limit)
    return 0;
  lines = (Text){parts.headers, parts.headers_length};
  if (form->status != 0 && (form->lines.bytes == NULL || !has_headers(form, lines))) {
    lua_pushnil(L);
    lua_pushliteral(L, "headers");
    return 2;
  }
  push_line(L, form, lines);
  return 1;
}

/* ---- files --------------------------------------------------------------------------- */

/* recording.append(descriptor, text) -> the bytes that were written, and why not all were */
static int append(lua_State *L) {
  int descriptor = (int)luaL_checkinteger(L, 1), error = 0;
  size_t length, written = 0;
  const char *text = luaL_checklstring(L, 2, &length);
  while (written < length && error == 0) {
    ssize_t count = write(descriptor, text + written, length - written);
    if (count > 0)
      written += (size_t)count;
    else if (count == 0 || errno != EINTR)
      error = count == 0 ? ENOSPC : errno;
  }
  lua_pushinteger(L, (lua_Integer)written);
  if (error == 0)
    return 1;
  lua_pushstring(L, strerror(error));
  return 2;
}

static const luaL_Reg metamethods[] = {{"__gc", collect_form}, {NULL, NULL}};

static const luaL_Reg methods[] = {{"headers", set_headers}, {NULL, NULL}};

static const luaL_Reg functions[] = {{"form", new_form}, {"append", append}, {NULL, NULL}};

/* Adds the method that needs the names. */
static void define_line(lua_State *L) {
  bide_class_push(L, &form_class);
  lua_getfield(L, -1, "__index");
  memset(lua_newuserdatauv(L, sizeof(BideSecretNames), 0), 0, sizeof(BideSecretNames));
  lua_pushcclosure(L, line, 1); /* metatable methods line */
  lua_setfield(L, -2, "line");
  lua_pop(L, 2);
}

int bide_open_recording(lua_State *L) {
  bide_class_define(L, &form_class, metamethods, methods);
  define_line(L);
  luaL_newlib(L, functions);
  return 1;
}
