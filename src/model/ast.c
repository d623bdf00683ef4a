#include "model/ast.h"
#include "base/ascii.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* What the members of a shape hold; other members may hold anything but null. */
typedef enum Role {
  ROLE_OTHER,
  ROLE_TYPE,
  ROLE_TRAITS,
  ROLE_REFERENCE,  /* an object with the id of a shape, its target, and perhaps with traits */
  ROLE_REFERENCES, /* a list of those */
  ROLE_NAMED       /* an object of those */
} Role;

static const struct {
  const char *name;
  uint32_t length;
  Role role;
} rows[] = {
#define ROW(name, role) \
  { name, sizeof name - 1, role }
  ROW("type", ROLE_TYPE),
  ROW("traits", ROLE_TRAITS),
  ROW("members", ROLE_NAMED),
  ROW("member", ROLE_REFERENCE),
  ROW("key", ROLE_REFERENCE),
  ROW("value", ROLE_REFERENCE),
  ROW("mixins", ROLE_REFERENCES),
  ROW("input", ROLE_REFERENCE),
  ROW("output", ROLE_REFERENCE),
  ROW("errors", ROLE_REFERENCES),
  ROW("operations", ROLE_REFERENCES),
  ROW("resources", ROLE_REFERENCES),
  ROW("collectionOperations", ROLE_REFERENCES),
  ROW("identifiers", ROLE_NAMED),
  ROW("properties", ROLE_NAMED),
  ROW("create", ROLE_REFERENCE),
  ROW("put", ROLE_REFERENCE),
  ROW("read", ROLE_REFERENCE),
  ROW("update", ROLE_REFERENCE),
  ROW("delete", ROLE_REFERENCE),
  ROW("list", ROLE_REFERENCE),
#undef ROW
};

static Role role_of(const BideMember *member) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].length == member->name_length &&
        memcmp(rows[i].name, member->name, member->name_length) == 0)
      return rows[i].role;
  return ROLE_OTHER;
}

/* Finds a member of a shape or a reference, which have so few that no hash is worth its time. */
static inline const BideValue *find(const BideValue *value, const char *name) {
  const size_t length = strlen(name);
  for (uint32_t i = 0; value->type == BIDE_OBJECT && i < value->length; i++) {
    const BideMember *member = &value->as.members[i];
    if (member->name_length == length && memcmp(member->name, name, length) == 0)
      return &member->value;
  }
  return NULL;
}

/* ---- structure ---- */

static bool is_reference(const BideValue *value) {
  const BideValue *target = find(value, "target"), *traits = find(value, "traits");
  return target != NULL && target->type == BIDE_STRING &&
         (traits == NULL || traits->type == BIDE_OBJECT);
}

static bool are_references(const BideValue *list) {
  bool are = list->type == BIDE_ARRAY;
  for (uint32_t i = 0; are && i < list->length; i++)
    are = is_reference(&list->as.elements[i]);
  return are;
}

static bool are_named_references(const BideValue *object) {
  bool are = object->type == BIDE_OBJECT;
  for (uint32_t i = 0; are && i < object->length; i++)
    are = is_reference(&object->as.members[i].value);
  return are;
}

static bool is_sound_member(const BideMember *member) {
  const BideValue *value = &member->value;
  switch (role_of(member)) {
    case ROLE_OTHER: return value->type != BIDE_NULL;
    case ROLE_TYPE: return value->type == BIDE_STRING;
    case ROLE_TRAITS: return value->type == BIDE_OBJECT;
    case ROLE_REFERENCE: return is_reference(value);
    case ROLE_REFERENCES: return are_references(value);
    case ROLE_NAMED: return are_named_references(value);
  }
  return false;
}

static bool is_text(const BideValue *value, const char *text) {
  return bide_is_word(value->as.string, value->length, text);
}

/* Reports whether a list, a map or an enumeration has its members. Mixins may bring them. */
static bool has_elements(const BideValue *shape, const BideValue *type) {
  const BideValue *members = find(shape, "members");
  if (find(shape, "mixins") != NULL)
    return true;
  if (is_text(type, "map"))
    return find(shape, "key") != NULL && find(shape, "value") != NULL;
  if (is_text(type, "enum") || is_text(type, "intEnum"))
    return members != NULL && members->length > 0;
  return (!is_text(type, "list") && !is_text(type, "set")) || find(shape, "member") != NULL;
}

static bool begins_identifier(char c) {
  return bide_is_letter(c) || c == '_';
}

/* Returns the end of the identifier at `next`; `next` itself if there is none. */
static const char *skip_identifier(const char *next, const char *end) {
  if (next < end && begins_identifier(*next))
    while (next < end && (begins_identifier(*next) || bide_is_digit(*next)))
      next++;
  return next;
}

/* Reports whether a name is the id of a shape, `example.things#Thing`, or of its member, `…$size`. */
static bool is_id(const char *name, const char *end) {
  const char *begin = name, *next;
  while ((next = skip_identifier(begin, end)) > begin && next < end && *next == '.')
    begin = next + 1;
  if (next == begin || next == end || *next != '#')
    return false;
  begin = next + 1;
  next = skip_identifier(begin, end);
  if (next > begin && next < end && *next == '$') {
    begin = next + 1;
    next = skip_identifier(begin, end);
  }
  return next > begin && next == end;
}

bool bide_ast_is_sound(const BideMember *member) {
  const BideValue *shape = &member->value, *type = find(shape, "type");
  if (type == NULL || !is_id(member->name, member->name + member->name_length))
    return false;
  for (uint32_t i = 0; i < shape->length; i++)
    if (!is_sound_member(&shape->as.members[i]))
      return false;
  return has_elements(shape, type);
}

/* ---- references ---- */

static void visit_list(const BideValue *list, BideAstVisitor *visit, void *context) {
  for (uint32_t i = 0; i < list->length; i++)
    visit(context, find(&list->as.elements[i], "target"));
}

static void visit_named(const BideValue *object, BideAstVisitor *visit, void *context) {
  for (uint32_t i = 0; i < object->length; i++)
    visit(context, find(&object->as.members[i].value, "target"));
}

void bide_ast_visit_references(const BideValue *shape, BideAstVisitor *visit, void *context) {
  for (uint32_t i = 0; i < shape->length; i++) {
    const BideMember *member = &shape->as.members[i];
    switch (role_of(member)) {
      case ROLE_REFERENCE: visit(context, find(&member->value, "target")); break;
      case ROLE_REFERENCES: visit_list(&member->value, visit, context); break;
      case ROLE_NAMED: visit_named(&member->value, visit, context); break;
      case ROLE_OTHER:
      case ROLE_TYPE:
      case ROLE_TRAITS: break;
    }
  }
}

/* ---- ids ---- */

static int compare(const char *left, size_t left_length, const char *right, size_t right_length) {
  if (left_length != right_length)
    return left_length < right_length ? -1 : 1;
  return memcmp(left, right, left_length);
}

static int order_of_ids(const void *left, const void *right) {
  const BideMember *first = *(const BideMember *const *)left;
  const BideMember *second = *(const BideMember *const *)right;
  return compare(first->name, first->name_length, second->name, second->name_length);
}

static int order_to_id(const void *wanted, const void *other) {
  const BideValue *id = wanted;
  const BideMember *member = *(const BideMember *const *)other;
  return compare(id->as.string, id->length, member->name, member->name_length);
}

bool bide_ast_collect_ids(BideAstIds *ids, BideArena *arena, const BideValue *shapes) {
  ids->count = shapes->length;
  ids->members = bide_arena_alloc(arena, (ids->count + 1) * sizeof *ids->members);
  if (ids->members == NULL)
    return false;
  for (size_t i = 0; i < ids->count; i++)
    ids->members[i] = &shapes->as.members[i];
  qsort(ids->members, ids->count, sizeof *ids->members, order_of_ids);
  return true;
}

bool bide_ast_has_id(const BideAstIds *ids, const BideValue *id) {
  return bsearch(id, ids->members, ids->count, sizeof *ids->members, order_to_id) != NULL;
}
