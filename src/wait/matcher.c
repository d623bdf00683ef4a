#include "wait/matcher.h"

#include <string.h>

#include "jmespath/absence.h"
#include "jmespath/asking.h"

/* ---- reading arguments --------------------------------------------------------- */

static bool fail(BideError *error, const char *name, const char *expected) {
  bide_error_set(error, BIDE_ERROR_DEFINITION, "%s must be %s", name, expected);
  return false;
}

static bool no_memory(BideError *error) {
  bide_error_set(error, BIDE_ERROR_MEMORY, "no memory for a matcher");
  return false;
}

static bool keep_text(BideDefinition *definition, BideText *text, BideError *error) {
  text->bytes = bide_arena_copy(&definition->arena, text->bytes, text->length);
  return text->bytes != NULL || no_memory(error);
}

static bool is_word(BideText text, const char *word) {
  return bide_is_word(text.bytes, text.length, word);
}

/* Reads the text of a member; it is borrowed from `argument`. */
static bool read_text(const BideValue *argument, const char *name, BideText *text,
                      BideError *error) {
  const BideValue *value = bide_value_member(argument, name, strlen(name));
  if (value == NULL || value->type != BIDE_STRING)
    return fail(error, name, "a string");
  *text = (BideText){value->as.string, value->length};
  return true;
}

/* ---- output, inputOutput ------------------------------------------------------- */

const char *bide_comparator_name(BideComparator comparator) {
  switch (comparator) {
    case BIDE_STRING_EQUALS: return "stringEquals";
    case BIDE_BOOLEAN_EQUALS: return "booleanEquals";
    case BIDE_ALL_STRING_EQUALS: return "allStringEquals";
    case BIDE_ANY_STRING_EQUALS: return "anyStringEquals";
  }
  return NULL;
}

static bool read_comparator(const BideValue *argument, BideComparator *comparator,
                            BideError *error) {
  BideText given;
  const char *name;
  if (!read_text(argument, "comparator", &given, error))
    return false;
  for (int i = 0; (name = bide_comparator_name((BideComparator)i)) != NULL; i++)
    if (is_word(given, name)) {
      *comparator = (BideComparator)i;
      return true;
    }
  return fail(error, "comparator", "the name of a comparator");
}

static bool check_expected(BideComparator comparator, BideText expected, BideError *error) {
  if (comparator != BIDE_BOOLEAN_EQUALS || is_word(expected, "true") || is_word(expected, "false"))
    return true;
  bide_error_set(error, BIDE_ERROR_DEFINITION,
                 "booleanEquals expects \"true\" or \"false\", not \"%.*s\"", (int)expected.length,
                 expected.bytes);
  return false;
}

static bool compile_path(BideMatcher *matcher, const BideValue *argument,
                         BideDefinition *definition, BideError *error) {
  BideText path;
  BideText *expected = &matcher->as.path.expected;
  if (!read_text(argument, "path", &path, error) ||
      !read_text(argument, "expected", expected, error) ||
      !read_comparator(argument, &matcher->as.path.comparator, error) ||
      !check_expected(matcher->as.path.comparator, *expected, error) ||
      !keep_text(definition, expected, error))
    return false;
  matcher->as.path.expression = bide_definition_compile(definition, path, error);
  return matcher->as.path.expression != NULL;
}

static bool compare(BideComparator comparator, const BideValue *value, BideText expected) {
  switch (comparator) {
    case BIDE_STRING_EQUALS: return bide_value_is_text(value, expected.bytes, expected.length);
    case BIDE_BOOLEAN_EQUALS:
      return value->type == (expected.bytes[0] == 't' ? BIDE_TRUE : BIDE_FALSE);
    case BIDE_ALL_STRING_EQUALS:
      return bide_yes_has_element(value, expected.bytes, expected.length, true);
    case BIDE_ANY_STRING_EQUALS:
      return bide_yes_has_element(value, expected.bytes, expected.length, false);
  }
  return false;
}

static bool compile_input_path(BideMatcher *matcher, const BideValue *argument,
                               BideDefinition *definition, BideError *error) {
  definition->reads_input = true;
  return compile_path(matcher, argument, definition, error);
}

static bool match_path(const BideMatcher *matcher, const BideValue *subject,
                       const BideAnswer *answer, BideArena *scratch, BideError *note) {
  BideValue result;
  return bide_jmespath_search(matcher->as.path.expression, subject, answer, scratch, &result, note,
                              NULL) &&
         compare(matcher->as.path.comparator, &result, matcher->as.path.expected);
}

static bool match_output(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  return observation->output != NULL &&
         match_path(matcher, observation->output, observation->answer, scratch, note);
}

static bool match_input_output(const BideMatcher *matcher, const BideObservation *observation,
                               BideArena *scratch, BideError *note) {
  if (observation->output == NULL)
    return false;
  BideMember members[] = {
    bide_member("input", 5, *observation->input),
    bide_member("output", 6, *observation->output),
  };
  BideValue both = bide_value_object(members, 2);
  return match_path(matcher, &both, observation->answer, scratch, note);
}

/* ---- expect, conditions -------------------------------------------------------- */

/* Reads the rule of a condition, if it has one. */
static bool read_rule(const BideValue *argument, BideYesRule *rule, BideError *error) {
  BideText name;
  if (bide_value_member(argument, "rule", 4) == NULL)
    return true;
  if (!read_text(argument, "rule", &name, error))
    return false;
  *rule = is_word(name, "failure") ? BIDE_YES_OF_FAILURE
          : is_word(name, "any")   ? BIDE_YES_OF_ANY
                                   : BIDE_YES_OF_SUCCESS;
  return *rule != BIDE_YES_OF_SUCCESS || is_word(name, "success") ||
         fail(error, "rule", "success, failure or any");
}

/* Compiles a condition whose rule is already set; the argument may set another. */
static bool compile_condition(BideCondition *condition, const BideValue *argument,
                              BideDefinition *definition, BideError *error) {
  BideText path;
  BideText *text = &condition->text;
  *text = (BideText){NULL, 0};
  if (!read_text(argument, "path", &path, error) || !read_rule(argument, &condition->rule, error))
    return false;
  if (bide_value_member(argument, "text", 4) != NULL &&
      (!read_text(argument, "text", text, error) || !keep_text(definition, text, error)))
    return false;
  condition->expression = bide_definition_compile(definition, path, error);
  return condition->expression != NULL;
}

static bool compile_expect(BideMatcher *matcher, const BideValue *argument,
                           BideDefinition *definition, BideError *error) {
  matcher->as.expect.rule = BIDE_YES_OF_PATH;
  return compile_condition(&matcher->as.expect, argument, definition, error);
}

static bool is_met(const BideCondition *condition, const BideValue *value) {
  return condition->text.bytes == NULL
           ? bide_yes(value, condition->rule)
           : bide_yes_reads_as(value, condition->text.bytes, condition->text.length);
}

static bool match_expect(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  const BideCondition *condition = &matcher->as.expect;
  BideValue result;
  return observation->output != NULL &&
         bide_jmespath_search(condition->expression, observation->output, observation->answer,
                              scratch, &result, note, NULL) &&
         is_met(condition, &result);
}

static bool compile_conditions(BideMatcher *matcher, const BideValue *argument,
                               BideDefinition *definition, BideError *error) {
  const BideValue *all = bide_value_member(argument, "all", 3);
  const BideValue *allows = bide_value_member(argument, "allowMissing", 12);
  BideCondition *list;
  BideYesRule rule = BIDE_YES_OF_SUCCESS;
  if (all == NULL || all->type != BIDE_ARRAY || all->length == 0)
    return fail(error, "all", "a list of conditions");
  if (!read_rule(argument, &rule, error))
    return false;
  list = bide_arena_alloc(&definition->arena, all->length * sizeof *list);
  if (list == NULL)
    return no_memory(error);
  for (uint32_t i = 0; i < all->length; i++) {
    list[i].rule = rule;
    if (!compile_condition(&list[i], &all->as.elements[i], definition, error))
      return false;
    list[i].first = definition->members;
    definition->members += bide_asking_count(list[i].expression);
  }
  matcher->as.conditions.list = list;
  matcher->as.conditions.count = all->length;
  matcher->as.conditions.allows_missing = allows != NULL && allows->type == BIDE_TRUE;
  return true;
}

uint64_t bide_condition_missing(const BideCondition *condition, const BideAsked *seen) {
  if (seen == NULL || condition->first >= BIDE_ASKING_MOST)
    return 0;
  return bide_asked_missing(seen) >> condition->first & bide_asking_all(condition->expression);
}

/* Notes which members a condition rests on, the first one by name. */
static void note_missing(const BideCondition *condition, uint64_t missing, BideError *note) {
  size_t text_length, length = 0;
  const char *text = bide_jmespath_text(condition->expression, &text_length), *name = NULL;
  const char *noun = "member";
  for (unsigned bit = 0; name == NULL && bit < BIDE_ASKING_MOST; bit++)
    if (missing >> bit & 1) {
      name = bide_asking_name(condition->expression, bit, &length);
      noun = bide_asking_noun(condition->expression, bit);
    }
  bide_error_set(note, BIDE_ERROR_NO_MEMBER,
                 "%.*s does not count: no answer has had the %s %.*s; --allow-missing accepts it",
                 text_length < 100 ? (int)text_length : 100, text, noun,
                 length < 64 ? (int)length : 64, name == NULL ? "" : name);
}

/* Reports whether a condition is met even without what only absent members give to its value. */
static bool is_met_without(const BideCondition *condition, uint64_t missing, const BideValue *value,
                           const BideObservation *observation, BideArena *scratch,
                           BideError *note) {
  bool is_compared = condition->text.bytes != NULL || condition->rule == BIDE_YES_OF_ANY;
  BideValue result;
  if (is_compared && bide_absence_empties(condition->expression, missing, value))
    return false;
  return bide_absence_search(condition->expression, missing, observation->output,
                             observation->answer, scratch, &result, note) &&
         is_met(condition, &result) &&
         (condition->rule != BIDE_YES_OF_ANY || bide_value_equal(&result, value));
}

/* Reports whether a condition that is met does not rest on members that no answer has had. */
static bool is_witnessed(const BideMatcher *matcher, const BideCondition *condition,
                         const BideValue *value, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  uint64_t missing = bide_condition_missing(condition, observation->seen);
  if (condition->rule == BIDE_YES_OF_FAILURE || matcher->as.conditions.allows_missing ||
      missing == 0 || is_met_without(condition, missing, value, observation, scratch, note))
    return true;
  if (note->code != BIDE_ERROR_MEMORY) /* null in the place of a default may fail, say */
    note_missing(condition, missing, note);
  return false;
}

/* Notes that the output has no members; the host has a note of its own on one that was not read. */
static bool note_blind(const BideObservation *observation, BideError *note) {
  static const char *const names[] = {
    [BIDE_NULL] = "null",        [BIDE_FALSE] = "a boolean",   [BIDE_TRUE] = "a boolean",
    [BIDE_INTEGER] = "a number", [BIDE_UNSIGNED] = "a number", [BIDE_DOUBLE] = "a number",
    [BIDE_STRING] = "a text",    [BIDE_ARRAY] = "a list",      [BIDE_OBJECT] = "an object"};
  if (!observation->is_unread)
    bide_error_set(note, BIDE_ERROR_NO_MEMBER, "the answer is %s, which has no members",
                   names[observation->output->type]);
  return false;
}

static bool match_conditions(const BideMatcher *matcher, const BideObservation *observation,
                             BideArena *scratch, BideError *note) {
  if (observation->output == NULL)
    return false;
  if (observation->seen != NULL && observation->seen->is_blind)
    return note_blind(observation, note);
  for (uint32_t i = 0; i < matcher->as.conditions.count; i++) {
    const BideCondition *condition = &matcher->as.conditions.list[i];
    BideValue result;
    if (!bide_jmespath_search(condition->expression, observation->output, observation->answer,
                              scratch, &result, note, NULL) ||
        !is_met(condition, &result))
      return false;
    if (!is_witnessed(matcher, condition, &result, observation, scratch, note))
      return false;
  }
  return true;
}

const BideCondition *bide_matcher_conditions(const BideMatcher *matcher, uint32_t *count) {
  bool has_conditions = matcher->kind->matches == match_conditions;
  *count = has_conditions ? matcher->as.conditions.count : 0;
  return has_conditions ? matcher->as.conditions.list : NULL;
}

/* Looks for the members of a condition, unless all of them were seen. */
static void look_for(const BideCondition *condition, const BideObservation *observation) {
  const BideValue *output = observation->output;
  BideAsked *seen = observation->seen, own = {0, 0, false};
  uint64_t all = bide_asking_all(condition->expression);
  bool is_full = condition->first >= BIDE_ASKING_MOST ||
                 ((seen->had >> condition->first) & all) ==
                   (all << condition->first) >> condition->first;
  if (is_full && output->type == BIDE_OBJECT)
    return;
  bide_asked_add(condition->expression, output, observation->answer, &own);
  seen->is_blind = seen->is_blind || own.is_blind;
  if (condition->first >= BIDE_ASKING_MOST)
    return;
  seen->asked |= own.asked << condition->first;
  seen->had |= own.had << condition->first;
}

void bide_matcher_look(const BideMatcher *matcher, const BideObservation *observation) {
  if (matcher->kind->matches != match_conditions || observation->seen == NULL)
    return;
  for (uint32_t i = 0; i < matcher->as.conditions.count; i++) {
    const BideCondition *condition = &matcher->as.conditions.list[i];
    if (observation->is_unread && !bide_asking_is_of_answer(condition->expression))
      observation->seen->is_blind = true;
    else
      look_for(condition, observation);
  }
}

/* ---- success ------------------------------------------------------------------- */

static bool compile_success(BideMatcher *matcher, const BideValue *argument,
                            BideDefinition *definition, BideError *error) {
  (void)definition;
  if (argument->type != BIDE_TRUE && argument->type != BIDE_FALSE)
    return fail(error, "success", "a boolean");
  matcher->as.success = argument->type == BIDE_TRUE;
  return true;
}

static bool match_success(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note) {
  (void)scratch;
  (void)note;
  return matcher->as.success == (observation->output != NULL);
}

bool bide_matcher_takes_any_error(const BideMatcher *matcher) {
  return matcher->kind->matches == match_success && !matcher->as.success;
}

/* ---- errorType ----------------------------------------------------------------- */

static bool compile_error_type(BideMatcher *matcher, const BideValue *argument,
                               BideDefinition *definition, BideError *error) {
  if (argument->type != BIDE_STRING)
    return fail(error, "errorType", "a string");
  matcher->as.error_type = bide_error_type_name((BideText){argument->as.string, argument->length});
  return keep_text(definition, &matcher->as.error_type, error);
}

/*
** Compares the name parts. The definition holds only the name part of the expected type; an empty
** one, as of "ns#", names no error.
*/
static bool match_error_type(const BideMatcher *matcher, const BideObservation *observation,
                             BideArena *scratch, BideError *note) {
  BideText name, expected = matcher->as.error_type;
  (void)scratch;
  (void)note;
  if (observation->output != NULL || observation->error_type.bytes == NULL)
    return false;
  name = bide_error_type_name(observation->error_type);
  return name.length > 0 && name.length == expected.length &&
         memcmp(name.bytes, expected.bytes, name.length) == 0;
}

/* ---- status -------------------------------------------------------------------- */

/* Returns the status, or 0 if the value is not an HTTP status. */
static int64_t read_status(const BideValue *value) {
  double number = value->type == BIDE_INTEGER  ? (double)value->as.integer
                  : value->type == BIDE_DOUBLE ? value->as.number
                                               : 0;
  return number >= 100 && number <= 999 && number == (double)(int64_t)number ? (int64_t)number : 0;
}

/* Compiles a status or an array of statuses. */
static bool compile_status(BideMatcher *matcher, const BideValue *argument,
                           BideDefinition *definition, BideError *error) {
  bool is_list = argument->type == BIDE_ARRAY;
  const BideValue *elements = is_list ? argument->as.elements : argument;
  size_t count = is_list ? argument->length : 1;
  int64_t *list = bide_arena_alloc(&definition->arena, count * sizeof *list);
  bool is_right = count > 0;
  if (list == NULL)
    return no_memory(error);
  for (size_t i = 0; i < count; i++) {
    list[i] = read_status(&elements[i]);
    is_right = is_right && list[i] != 0;
  }
  matcher->as.statuses.list = list;
  matcher->as.statuses.count = count;
  return is_right || fail(error, "status", "an HTTP status, 100 to 999, or a list of them");
}

static bool match_status(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  (void)scratch;
  (void)note;
  for (size_t i = 0; i < matcher->as.statuses.count; i++)
    if (matcher->as.statuses.list[i] == observation->status)
      return true;
  return false;
}

/* ---- the table ----------------------------------------------------------------- */

const BideMatcherKind bide_matcher_kinds[] = {
  {"output", compile_path, match_output},
  {"inputOutput", compile_input_path, match_input_output},
  {"expect", compile_expect, match_expect},
  {"conditions", compile_conditions, match_conditions},
  {"success", compile_success, match_success},
  {"errorType", compile_error_type, match_error_type},
  {"status", compile_status, match_status},
  {"lua", NULL, NULL},
  {NULL, NULL, NULL},
};

bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note) {
  note->code = BIDE_OK;
  return matcher->kind->matches(matcher, observation, scratch, note);
}
