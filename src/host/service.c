#include "host/service.h"

#include <stddef.h>

static BideService *shared;

void bide_service_open(BideService *service) {
  shared = service;
}

BideService *bide_service_shared(void) {
  return shared;
}

void bide_service_run_for(int64_t wait) {
  if (shared != NULL)
    shared->wait = wait;
}
