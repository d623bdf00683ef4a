/*
** bide.sqlite: SQLite databases, and locks that end with their process. It is a Lua module of its
** own, so that only runs with a journal load SQLite. Annotated in lua/bide/meta/sqlite.lua.
**
** No call waits for a lock: if another process holds it, the call returns a failure of the kind
** "busy", and the caller, which has a loop, tries again.
*/
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/export.h"
#include "base/platform.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"

static const BideClass database_class = {"bide.database"};
static const BideClass locks_class = {"bide.locks"};

BIDE_API int luaopen_bide_sqlite(lua_State *L);

/* ---- failures ---------------------------------------------------------------- */

/*
** SQLite calls it an I/O error that the index of its log cannot grow, although only a disk without
** room refuses that.
*/
static const char *kind_of(int code) {
  if (code == SQLITE_IOERR_SHMSIZE)
    return "full";
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "busy";
    case SQLITE_FULL: return "full";
    case SQLITE_READONLY: return "read-only";
    case SQLITE_NOTADB: return "foreign";
    case SQLITE_CORRUPT: return "corrupt";
    case SQLITE_ERROR: return "statement";
    default: return "failed";
  }
}

/* Lack of memory is not a failure of the file: it is raised, as Lua raises it. */
static int push_database_failure(lua_State *L, sqlite3 *database) {
  if (sqlite3_errcode(database) == SQLITE_NOMEM)
    return bide_failure_no_memory(L);
  return bide_failure_push_text(L, kind_of(sqlite3_extended_errcode(database)),
                                sqlite3_errmsg(database));
}

/* ---- databases --------------------------------------------------------------- */

/*
** The user value of a database is a table of prepared statements by their texts, with false for one
** that could not be prepared. Virtual tables, as a planted file may have, own further statements.
*/

static int close_database(lua_State *L) {
  sqlite3 **database = bide_class_check(L, 1, &database_class);
  if (*database == NULL)
    return 0;
  lua_getiuservalue(L, 1, 1);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
    sqlite3_finalize(lua_touserdata(L, -1)); /* NULL is accepted */
  sqlite3_close_v2(*database);
  *database = NULL;
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

static void check_open(lua_State *L, const sqlite3 *database) {
  if (database == NULL)
    luaL_error(L, "the database is closed");
}

static sqlite3 *check_database(lua_State *L) {
  sqlite3 **database = bide_class_check(L, 1, &database_class);
  check_open(L, *database);
  return *database;
}

static bool is_closed(lua_State *L) {
  return *(sqlite3 **)bide_class_check(L, 1, &database_class) == NULL;
}

/*
** sqlite.open(file) -> database | nil, failure; the file must exist, and no part of its path may
** be a symbolic link
*/
static int open_database(lua_State *L) {
  const char *file = bide_argument_text(L, 1);
  sqlite3 **database = lua_newuserdatauv(L, sizeof(sqlite3 *), 1);
  *database = NULL;
  bide_class_set(L, &database_class);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  if (sqlite3_open_v2(file, database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
                      NULL) == SQLITE_OK)
    return 1;
  return push_database_failure(
    L, *database); /* without memory SQLite returns NULL, which it accepts here */
}

/* Returns the statement for a text, the string at index 2, prepared once; NULL if invalid. */
static sqlite3_stmt *prepare(lua_State *L, sqlite3 *database, const char *text) {
  sqlite3_stmt *statement = NULL;
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2); /* database text … statements text */
  if (lua_rawget(L, -2) == LUA_TLIGHTUSERDATA) {
    statement = lua_touserdata(L, -1);
    sqlite3_reset(statement);
    lua_pop(L, 2);
    return statement;
  }
  lua_pushvalue(L, 2);
  lua_pushboolean(L, false); /* … statements nil text false */
  lua_rawset(L, -4);         /* takes the memory before there is a statement to lose */
  if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) ==
        SQLITE_OK &&
      statement != NULL) {
    lua_pushvalue(L, 2);
    lua_pushlightuserdata(L, statement);
    lua_rawset(L, -4);
  }
  lua_pop(L, 2);
  return statement;
}

/*
** Binds the value at `index`. Texts are on the stack while the statement runs, so none are
** copied.
*/
static int bind(lua_State *L, sqlite3_stmt *statement, int place, int index) {
  size_t length;
  const char *text;
  if (lua_isnil(L, index))
    return sqlite3_bind_null(statement, place);
  if (lua_isinteger(L, index))
    return sqlite3_bind_int64(statement, place, lua_tointeger(L, index));
  if (lua_type(L, index) == LUA_TNUMBER)
    return sqlite3_bind_double(statement, place, lua_tonumber(L, index));
  if (lua_isboolean(L, index))
    return sqlite3_bind_int(statement, place, lua_toboolean(L, index));
  text = luaL_checklstring(L, index, &length);
  return sqlite3_bind_text64(statement, place, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

static void push_column(lua_State *L, sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: lua_pushnil(L); break;
    case SQLITE_INTEGER: lua_pushinteger(L, sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: lua_pushnumber(L, sqlite3_column_double(statement, column)); break;
    default: {
      const char *bytes = sqlite3_column_blob(statement, column);
      lua_pushlstring(L, bytes, (size_t)sqlite3_column_bytes(statement, column));
    }
  }
}

/*
** Appends the row to the list on top of the stack. Each allocation may run the finalizer of a
** script, which may close the database, and the statement with it.
*/
static void add_row(lua_State *L, sqlite3 *const *database, sqlite3_stmt *statement,
                    lua_Integer place) {
  int columns = sqlite3_column_count(statement);
  lua_createtable(L, 0, columns);
  for (int column = 0; column < columns; column++) {
    check_open(L, *database);
    lua_pushstring(L, sqlite3_column_name(statement, column));
    check_open(L, *database);
    push_column(L, statement, column); /* rows row name value */
    lua_rawset(L, -3);
  }
  lua_rawseti(L, -2, place);
}

/* database:query(sql, ...) -> rows | nil, failure */
static int query(lua_State *L) {
  sqlite3 *const *handle = bide_class_check(L, 1, &database_class);
  const char *text = bide_argument_text(L, 2);
  sqlite3 *database = check_database(L);
  int parameters, status = SQLITE_OK;
  sqlite3_stmt *statement = prepare(L, database, text);
  lua_Integer rows = 0;
  if (statement == NULL)
    return push_database_failure(L, database);
  parameters = sqlite3_bind_parameter_count(statement);
  if (lua_gettop(L) - 2 > parameters)
    return luaL_error(L, "more values than the statement has parameters");
  luaL_checkstack(L, parameters + 8, "too many parameters");
  lua_settop(L, parameters + 2);
  for (int place = 1; place <= parameters && status == SQLITE_OK; place++)
    status = bind(L, statement, place, place + 2);
  lua_newtable(L); /* database text parameters rows */
  while (status == SQLITE_OK && *handle != NULL &&
         (status = sqlite3_step(statement)) == SQLITE_ROW) {
    add_row(L, handle, statement, ++rows);
    status = SQLITE_OK;
  }
  check_database(L); /* a finalizer of a script may have closed it, and the statement with it */
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status == SQLITE_DONE ? 1 : push_database_failure(L, database);
}

static bool run(sqlite3 *database, const char *sql) {
  return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* database:script(sql) -> true | nil, failure; any number of statements, without parameters */
static int script(lua_State *L) {
  const char *sql = bide_argument_text(L, 2);
  sqlite3 *database = check_database(L);
  if (!run(database, sql))
    return push_database_failure(L, database);
  lua_pushboolean(L, 1);
  return 1;
}

/* database -> nil, failure; may raise */
static int push_last_failure(lua_State *L) {
  return push_database_failure(L, check_database(L));
}

/*
** database:transact(f) -> what f returned | nil, failure. The transaction begins and ends here,
** in C: a task that is stopped within f, at any instruction, does not leave it open. f cannot
** wait: other tasks would write within the transaction.
*/
static int transact(lua_State *L) {
  sqlite3 *database = check_database(L);
  bool raised;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (!run(database, "BEGIN IMMEDIATE"))
    return push_database_failure(L, database);
  raised = lua_pcall(L, 0, 1, 0) != LUA_OK;
  if (is_closed(L))
    return raised ? lua_error(L) : luaL_error(L, "the database was closed within its transaction");
  if (!raised && run(database, "COMMIT"))
    return 1;
  if (!raised) {
    lua_pushcfunction(L, push_last_failure);
    lua_pushvalue(L, 1); /* database result push_last_failure database */
    raised = lua_pcall(L, 1, 2, 0) != LUA_OK;
  }
  run(database, "ROLLBACK");
  return raised ? lua_error(L) : 2;
}

/* database:keep_files(): closing the database leaves the files beside it */
static int keep_files(lua_State *L) {
  int keep = 1;
  sqlite3_file_control(check_database(L), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  return 0;
}

/* database:changes() -> the number of rows that the last changing statement has changed */
static int changes(lua_State *L) {
  lua_pushinteger(L, sqlite3_changes(check_database(L)));
  return 1;
}

/* database:last_row() -> the id of the last inserted row */
static int last_row(lua_State *L) {
  lua_pushinteger(L, sqlite3_last_insert_rowid(check_database(L)));
  return 1;
}

/* ---- locks ------------------------------------------------------------------- */

static int close_locks(lua_State *L) {
  int *file = bide_class_check(L, 1, &locks_class);
  if (*file >= 0)
    close(*file);
  *file = -1;
  return 0;
}

/*
** Returns why an open file must not hold locks, or NULL: another user could hold the lock
** of a process that has ended.
*/
static const char *refusal_of_locks(int file) {
  struct stat attributes;
  if (fstat(file, &attributes) != 0)
    return strerror(errno);
  if (!S_ISREG(attributes.st_mode))
    return "it is not a file";
  if (attributes.st_uid != geteuid())
    return "it belongs to another user";
  return (attributes.st_mode & 077) != 0 ? "others may read or write it" : NULL;
}

/*
** sqlite.locks(file) -> locks | nil, failure; creates the file, for its owner only, if it is
** missing. It must belong to the effective user, be closed to all others, and not be a symbolic
** link.
*/
static int open_locks(lua_State *L) {
  const char *refusal, *name = bide_argument_text(L, 1);
  int *file = lua_newuserdatauv(L, sizeof(int), 0);
  *file = -1;
  bide_class_set(L, &locks_class);
  *file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (*file < 0)
    return bide_failure_push_text(L, "failed", errno == ELOOP ? "it is a link" : strerror(errno));
  refusal = refusal_of_locks(*file);
  return refusal == NULL ? 1 : bide_failure_push_text(L, "failed", refusal);
}

/* locks:write(text) -> whether the short text was written at the beginning of the file */
static int write_text(lua_State *L) {
  const int *file = bide_class_check(L, 1, &locks_class);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_pushboolean(L, pwrite(*file, text, length, 0) == (ssize_t)length);
  return 1;
}

/* locks:read() -> the first bytes of the file, up to 64 */
static int read_text(lua_State *L) {
  const int *file = bide_class_check(L, 1, &locks_class);
  char bytes[64];
  ssize_t length = pread(*file, bytes, sizeof bytes, 0);
  lua_pushlstring(L, bytes, length > 0 ? (size_t)length : 0);
  return 1;
}

/* sqlite.user() -> the effective user */
static int user(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)geteuid());
  return 1;
}

_Static_assert(sizeof(((struct flock *)0)->l_start) == sizeof(lua_Integer),
               "a lock is a number of Lua");

/*
** Locks one byte. The lock belongs to the open file: the kernel releases it when the process
** ends, however it ends, and two opens of the file in one process exclude each other.
*/
static int lock_byte(lua_State *L, int command, struct flock *lock) {
  const int *file = bide_class_check(L, 1, &locks_class);
  lua_Integer number = luaL_checkinteger(L, 2);
  luaL_argcheck(L, number >= 0 && number < LUA_MAXINTEGER, 2, "is not a number of a lock");
  *lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
  return fcntl(*file, command, lock);
}

static int push_errno(lua_State *L) {
  return bide_failure_push_text(L, "failed", strerror(errno));
}

/* locks:take(number) -> whether it was free | nil, failure */
static int take(lua_State *L) {
  struct flock lock;
  int status = lock_byte(L, BIDE_SET_LOCK, &lock);
  if (status != 0 && errno != EAGAIN && errno != EACCES)
    return push_errno(L);
  lua_pushboolean(L, status == 0);
  return 1;
}

/* locks:is_taken(number) -> whether another process holds it | nil, failure */
static int is_taken(lua_State *L) {
  struct flock lock;
  if (lock_byte(L, BIDE_GET_LOCK, &lock) != 0)
    return push_errno(L);
  lua_pushboolean(L, lock.l_type != F_UNLCK);
  return 1;
}

static const luaL_Reg database_methods[] = {
  {"query", query},          {"script", script},       {"transact", transact},
  {"changes", changes},      {"last_row", last_row},   {"keep_files", keep_files},
  {"close", close_database}, {"__gc", close_database}, {NULL, NULL},
};

static const luaL_Reg locks_methods[] = {
  {"take", take},         {"is_taken", is_taken}, {"write", write_text}, {"read", read_text},
  {"close", close_locks}, {"__gc", close_locks},  {NULL, NULL},
};

static const luaL_Reg functions[] = {
  {"open", open_database}, {"locks", open_locks}, {"user", user}, {NULL, NULL}};

int luaopen_bide_sqlite(lua_State *L) {
  bide_class_define(L, &database_class, database_methods);
  bide_class_define(L, &locks_class, locks_methods);
  luaL_newlib(L, functions);
  lua_pushstring(L, sqlite3_libversion());
  lua_setfield(L, -2, "version");
  return 1;
}
