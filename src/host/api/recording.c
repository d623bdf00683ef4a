/*
** bide.core.recording: the lines of recordings, where attempts are like one another. Annotated in
** lua/bide/meta/recording.lua.
*/
#include <errno.h>
#include <lauxlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"
#include "host/api/modules.h"
#include "host/api/secret.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/values/document.h"
#include "host/values/headers.h"
#include "host/values/response.h"
#include "json/writer.h"

/* A part of a text. */
typedef struct Span {
  size_t begin, length;
} Span;

/* The room for what precedes the output, two names and three numbers; and that for a date. */
#define HEAD ((size_t)128)
#define DATE ((size_t)64)

/*
** What the lines of such attempts share, and what the line that was made last has of its own. Its
** user values keep what it borrows; those of HTTP have response headers, of which the date may
** differ.
*/
typedef struct Form {
  const BideSecretMask *mask;
  BideBuffer output;  /* the JSON of the last output, without its secrets */
  BideText middle;    /* follows the output */
  BideText headers;   /* JSON */
  BideText lines;     /* the headers as received */
  Span date;          /* in `headers` */
  Span date_line;     /* in `lines`; of the same length, 0 if there is none */
  size_t limit;       /* the most bytes of a body and of its JSON */
  int status;         /* 0 if the attempts send no request */
  bool is_body;       /* whether `output` is the body, to the byte */
  char head[HEAD];    /* of the last line; it precedes the output */
  size_t head_length; /* 0 if no line was made */
  char date_of_line[DATE];
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
static BideText keep_text(lua_State *L, int form, int index, int place) {
  BideText text;
  text.bytes = luaL_checklstring(L, index, &text.length);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, form, place);
  return text;
}

/* ---- the date ------------------------------------------------------------------------ */

static bool is_of_date(char byte) {
  return bide_is_alphanumeric(byte) || byte == ' ' || byte == ',' || byte == ':' || byte == '+' ||
         byte == '-';
}

static bool is_date(const char *bytes, size_t length) {
  size_t plain = 0;
  while (plain < length && is_of_date(bytes[plain]))
    plain++;
  return plain == length;
}

/* Returns where in a text a part is; a length of 0 if it is not there. */
static Span find(BideText text, BideText part) {
  const char *found = part.length > 0 && text.length > 0
                        ? memmem(text.bytes, text.length, part.bytes, part.length)
                        : NULL;
  return found != NULL ? (Span){(size_t)(found - text.bytes), part.length} : (Span){0, 0};
}

/*
** Finds the date of an answer in both forms of its headers. There is none if it is not plain, or
** written in another way than it was received: then headers are the same only to the byte.
*/
static void find_date(Form *form) {
  static const char name[] = "\"date\":\"";
  Span member = find(form->headers, (BideText){name, sizeof name - 1});
  size_t begin = member.begin + member.length;
  BideText date;
  form->date_line = form->date = (Span){0, 0};
  if (!bide_headers_find(form->lines, (BideText){"date", 4}, &date) || member.length == 0 ||
      date.length == 0 || date.length > DATE || !is_date(date.bytes, date.length) ||
      form->headers.length - begin <= date.length ||
      memcmp(form->headers.bytes + begin, date.bytes, date.length) != 0 ||
      form->headers.bytes[begin + date.length] != '"')
    return;
  form->date = (Span){begin, date.length};
  form->date_line = (Span){(size_t)(date.bytes - form->lines.bytes), date.length};
  memcpy(form->date_of_line, date.bytes, date.length);
}

/* Reports whether headers are those of the form but for their date. */
static bool has_headers(const Form *form, BideText lines) {
  size_t begin = form->date_line.begin, end = begin + form->date_line.length;
  return lines.length == form->lines.length && memcmp(lines.bytes, form->lines.bytes, begin) == 0 &&
         memcmp(lines.bytes + end, form->lines.bytes + end, lines.length - end) == 0 &&
         (memcmp(lines.bytes + begin, form->date_of_line, end - begin) == 0 ||
          is_date(lines.bytes + begin, end - begin));
}

/* ---- making -------------------------------------------------------------------------- */

/*
** recording.form(mask, output, text, middle, limit, status) -> form; without a status, of attempts
** that send no request
*/
static int new_form(lua_State *L) {
  const BideSecretMask *mask = bide_secret_test(L, 1);
  lua_Integer limit = luaL_checkinteger(L, 5);
  Form *form;
  BideText text;
  luaL_argcheck(L, mask != NULL, 1, "expected a mask");
  luaL_argcheck(L, limit >= 0, 5, "must not be below 0");
  lua_settop(L, 6);
  bide_document_check(L, 2);
  text.bytes = luaL_checklstring(L, 3, &text.length);
  luaL_checkstring(L, 4);
  form = lua_newuserdatauv(L, sizeof *form, LINES);
  *form = (Form){.mask = mask,
                 .limit = (size_t)limit,
                 .status = lua_isnoneornil(L, 6) ? 0 : bide_argument_int(L, 6, 0)};
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

static void set_head(Form *form, int64_t attempt, int64_t began, int64_t lasts) {
  char *at = PUT(form->head, "{\"attempt\":");
  at = put_number(at, attempt);
  at = PUT(at, ",\"at\":");
  at = put_seconds(at, began);
  at = PUT(at, ",\"duration\":");
  at = put_seconds(at, lasts);
  at = PUT(at, ",\"output\":");
  form->head_length = (size_t)(at - form->head);
}

/* The arguments of form:line. */
enum { DESCRIPTOR = 2, DOCUMENT, RESPONSE, ATTEMPT, AT, LASTS };

/* The names that most answers have, which all forms share. */
#define NAMES lua_upvalueindex(1)

static bool is_of_number(char byte) {
  return bide_is_digit(byte) || byte == '+' || byte == '-' || byte == '.' || byte == 'e' ||
         byte == 'E';
}

/* A body and the last one, and the digits that were looked at. */
typedef struct Change {
  const char *body, *last;
  size_t length;
  size_t end_of_number; /* behind the last number in which something has changed */
  size_t end_of_text;   /* the quotation mark behind that */
} Change;

/*
** Reports whether another digit at `at` may make another name or an exponent. The texts of names
** end with a quotation mark before a colon, and there are no blanks or escapes.
*/
static bool is_name_or_exponent(Change *change, size_t at) {
  bool has_exponent = false;
  size_t begin = at, end = at;
  if (at < change->end_of_number)
    return false;
  while (begin > change->end_of_number && is_of_number(change->body[begin - 1]))
    begin--;
  while (end < change->length && is_of_number(change->body[end]))
    end++;
  for (size_t i = begin; i < end; i++)
    has_exponent = has_exponent || change->body[i] == 'e' || change->body[i] == 'E';
  change->end_of_number = end;
  if (end > change->end_of_text) {
    const char *mark = memchr(change->body + end, '"', change->length - end);
    change->end_of_text = mark != NULL ? (size_t)(mark - change->body) : change->length;
  }
  return has_exponent ||
         (change->end_of_text + 1 < change->length && change->body[change->end_of_text + 1] == ':');
}

/* Eight bytes are compared as one word. */
#define WORD ((size_t)8)

/* Returns where a body differs from the last one first, from `from` on; `to` if nowhere before. */
static size_t find_difference(const Change *change, size_t from, size_t to) {
  while (to - from >= WORD && memcmp(change->body + from, change->last + from, WORD) == 0)
    from += WORD;
  while (from < to && change->body[from] == change->last[from])
    from++;
  return from;
}

/* Reports whether what differs between `from` and `to` is digits of values. */
static bool are_digits_of_values(Change *change, size_t from, size_t to) {
  for (size_t i = find_difference(change, from, to); i < to; i = find_difference(change, i + 1, to))
    if (!bide_is_digit(change->body[i]) || !bide_is_digit(change->last[i]) ||
        is_name_or_exponent(change, i))
      return false;
  return true;
}

/* So many bytes are compared at once, since most of a body is that of the last one. */
#define BLOCK ((size_t)64)

/*
** Copies a body over the last one if it differs from that in digits of its values alone: in a
** counter, or a time. Rules on names and texts make no difference between digits, so it has no
** secret if the last one had none, unless a mask knows names or values. An escape may make any
** character of its digits, a name may become one that is given twice, and a number with an exponent
** one that is too large. Returns false if it differs in more: the output is then written anew.
*/
static bool copy_digits(Form *form, BideText body) {
  Change change = {.body = body.bytes, .last = form->output.bytes, .length = body.length};
  if (!form->is_body || !bide_secret_mask_is_general(form->mask) ||
      body.length != form->output.length || memchr(body.bytes, '\\', body.length) != NULL)
    return false;
  for (size_t at = 0; at < body.length; at += BLOCK) {
    size_t length = body.length - at < BLOCK ? body.length - at : BLOCK;
    if (memcmp(body.bytes + at, form->output.bytes + at, length) == 0)
      continue;
    if (!are_digits_of_values(&change, at, at + length))
      return false;
    memcpy(form->output.bytes + at, body.bytes + at, length);
  }
  return true;
}

/* Writes the JSON of an output that is not the last one. Returns false if it may have a secret. */
static bool write_json(lua_State *L, Form *form, const BideValue *value, BideText body) {
  if (value->type != BIDE_OBJECT && value->type != BIDE_ARRAY)
    return false;
  if (body.length > 0 && copy_digits(form, body))
    return true;
  form->output.length = 0;
  form->is_body = false;
  if (!bide_json_write_clean(&form->output, value, form->mask, lua_touserdata(L, NAMES)))
    return false;
  form->is_body = body.length == form->output.length &&
                  memcmp(body.bytes, form->output.bytes, body.length) == 0;
  return true;
}

/* Writes the output, unless it is that of the last line. Returns false if a mask may redact it. */
static bool write_output(lua_State *L, Form *form, const BideValue *value, BideText body) {
  bool is_last, is_written;
  lua_getiuservalue(L, 1, OUTPUT);
  is_last = lua_rawequal(L, -1, DOCUMENT);
  lua_pop(L, 1);
  if (is_last)
    return true;
  is_written = write_json(L, form, value, body);
  if (is_written)
    lua_pushvalue(L, DOCUMENT);
  else
    lua_pushnil(L);
  lua_setiuservalue(L, 1, OUTPUT);
  return is_written;
}

/*
** Makes the output of a line and takes the date of its headers. Returns false if the line has not
** this form, with `differ` where only the headers differ.
*/
static bool make_line(lua_State *L, Form *form, bool *differ) {
  const BideDocument *document = bide_document_check(L, DOCUMENT);
  BideResponseParts parts = {.status = 0};
  BideText lines;
  if (form->status != 0 && (!bide_response_parts(L, RESPONSE, DOCUMENT, &parts) ||
                            parts.body_length == 0 || parts.body_length > form->limit))
    return false;
  if (parts.status != form->status ||
      !write_output(L, form, &document->root, (BideText){parts.body, parts.body_length}) ||
      form->output.length > form->limit)
    return false;
  lines = (BideText){parts.headers, parts.headers_length};
  *differ = form->status != 0 && (form->lines.bytes == NULL || !has_headers(form, lines));
  if (*differ)
    return false;
  if (form->date.length > 0)
    memcpy(form->date_of_line, lines.bytes + form->date_line.begin, form->date.length);
  return true;
}

/* ---- files --------------------------------------------------------------------------- */

enum { MOST_PARTS = 9 };

/* The parts of a text that is written. */
typedef struct Parts {
  struct iovec list[MOST_PARTS];
  int count;
} Parts;

/* Adds bytes, which are only read. */
static void add_part(Parts *parts, const char *bytes, size_t length) {
  if (length > 0)
    parts->list[parts->count++] = (struct iovec){.iov_base = (void *)(uintptr_t)bytes,
                                                 .iov_len = length};
}

#define ADD_PART(parts, literal) add_part(parts, literal, sizeof(literal) - 1)

static void add_headers(Parts *parts, const Form *form) {
  size_t end = form->date.begin + form->date.length;
  add_part(parts, form->headers.bytes, form->date.begin);
  add_part(parts, form->date_of_line, form->date.length);
  add_part(parts, form->headers.bytes + end, form->headers.length - end);
}

/* Adds the line that was made last. */
static void add_line(Parts *parts, const Form *form) {
  add_part(parts, form->head, form->head_length);
  add_part(parts, form->output.bytes, form->output.length);
  add_part(parts, form->middle.bytes, form->middle.length);
  if (form->status == 0) {
    ADD_PART(parts, "}\n");
    return;
  }
  add_headers(parts, form);
  ADD_PART(parts, ",\"response\":");
  add_part(parts, form->output.bytes, form->output.length);
  ADD_PART(parts, "}]}\n");
}

/* Takes the bytes that were written from the parts. */
static void take_written(Parts *parts, size_t written) {
  int first = 0;
  while (first < parts->count && written >= parts->list[first].iov_len)
    written -= parts->list[first++].iov_len;
  parts->count -= first;
  memmove(parts->list, parts->list + first, (size_t)parts->count * sizeof *parts->list);
  if (written > 0) {
    parts->list->iov_base = (char *)parts->list->iov_base + written;
    parts->list->iov_len -= written;
  }
}

/* Writes all parts, with one call as far as the system allows. Returns the errno of a failure. */
static int write_parts(int descriptor, Parts *parts, size_t *written) {
  while (parts->count > 0) {
    ssize_t count = writev(descriptor, parts->list, parts->count);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count == 0 ? ENOSPC : errno;
    *written += (size_t)count;
    take_written(parts, (size_t)count);
  }
  return 0;
}

static int write_line(int descriptor, const Form *form, size_t *written) {
  Parts parts = {.count = 0};
  add_line(&parts, form);
  return write_parts(descriptor, &parts, written);
}

/*
** form:line(descriptor | nil, output, response, attempt, at, lasts) -> the form, which then has
** that line, why not all was written | nil, and the bytes that were, or nil without a descriptor |
** nil, "headers" | nil. Times are in milliseconds.
*/
static int line(lua_State *L) {
  Form *form = check(L);
  bool is_written = !lua_isnoneornil(L, DESCRIPTOR), differ = false;
  int descriptor = is_written ? bide_argument_int(L, DESCRIPTOR, 0) : -1, error;
  int64_t attempt = luaL_checkinteger(L, ATTEMPT), at = luaL_checkinteger(L, AT);
  int64_t lasts = luaL_checkinteger(L, LASTS);
  size_t written = 0;
  form->head_length = 0;
  if (!make_line(L, form, &differ)) {
    lua_pushnil(L);
    lua_pushstring(L, differ ? "headers" : NULL);
    return 2;
  }
  set_head(form, attempt, at, lasts);
  error = is_written ? write_line(descriptor, form, &written) : 0;
  lua_settop(L, 1);
  if (!is_written)
    return 1;
  lua_pushstring(L, error != 0 ? strerror(error) : NULL);
  lua_pushinteger(L, (lua_Integer)written);
  return 3;
}

/* recording.append(descriptor, text | form) -> the bytes that were written, and why not all were */
static int append(lua_State *L) {
  int descriptor = bide_argument_int(L, 1, 0), error;
  const Form *form = bide_class_test(L, 2, &form_class);
  size_t length = 0, written = 0;
  if (form != NULL) {
    luaL_argcheck(L, form->head_length > 0, 2, "expected a form that has a line");
    error = write_line(descriptor, form, &written);
  } else {
    const char *text = luaL_checklstring(L, 2, &length);
    Parts parts = {.count = 0};
    add_part(&parts, text, length);
    error = write_parts(descriptor, &parts, &written);
  }
  lua_pushinteger(L, (lua_Integer)written);
  if (error == 0)
    return 1;
  lua_pushstring(L, strerror(error));
  return 2;
}

static const luaL_Reg methods[] = {{"headers", set_headers}, {"__gc", collect_form}, {NULL, NULL}};

const luaL_Reg bide_functions_recording[] = {{"form", new_form}, {"append", append}, {NULL, NULL}};

/* Adds the method that needs the names. */
static void define_line(lua_State *L) {
  bide_class_push(L, &form_class);
  lua_getfield(L, -1, "__index");
  memset(lua_newuserdatauv(L, sizeof(BideSecretNames), 0), 0, sizeof(BideSecretNames));
  lua_pushcclosure(L, line, 1); /* metatable methods line */
  lua_setfield(L, -2, "line");
  lua_pop(L, 2);
}

void bide_define_recording(lua_State *L) {
  bide_class_define(L, &form_class, methods);
  define_line(L);
}
