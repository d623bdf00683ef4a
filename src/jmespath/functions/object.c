#include <string.h>

#include "jmespath/function.h"
#include "json/members.h"

BideValue bide_function_keys(const BideCall *call) {
  BideValue object = call->arguments[0];
  BideValue *names = bide_search_alloc(call->search, object.length * sizeof *names);
  if (names == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < object.length; i++)
    names[i] = bide_value_string(object.as.members[i].name, object.as.members[i].name_length);
  return bide_value_array(names, object.length);
}

BideValue bide_function_values(const BideCall *call) {
  BideValue object = call->arguments[0];
  BideValue *values = bide_search_alloc(call->search, object.length * sizeof *values);
  if (values == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < object.length; i++)
    values[i] = object.as.members[i].value;
  return bide_value_array(values, object.length);
}

BideValue bide_function_merge(const BideCall *call) {
  BideMember *members;
  size_t count = 0, taken = 0;
  for (uint32_t i = 0; i < call->count; i++)
    count += call->arguments[i].length;
  members = count > UINT32_MAX ? NULL : bide_search_alloc(call->search, count * sizeof *members);
  if (members == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < call->count; i++) {
    BideValue object = call->arguments[i];
    if (object.length > 0)
      memcpy(members + taken, object.as.members, object.length * sizeof *members);
    taken += object.length;
  }
  if (!bide_members_unique(members, &count))
    return bide_search_fail(call->search, BIDE_ERROR_MEMORY, call->node,
                            "not enough memory for the search");
  return bide_value_object(members, count);
}
