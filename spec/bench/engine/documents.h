/*
** The documents that the bench reads and searches: answers such as AWS gives,
** made from a seed, so that every run has the same ones.
*/
#ifndef BENCH_DOCUMENTS_H
#define BENCH_DOCUMENTS_H

#include "base/buffer.h"

typedef enum BenchDocument {
  BENCH_INSTANCES, /* EC2 DescribeInstances */
  BENCH_GROUPS,    /* Auto Scaling DescribeAutoScalingGroups */
  BENCH_STACKS,    /* CloudFormation DescribeStacks */
  BENCH_SERVICES,  /* ECS DescribeServices, all stable */
  BENCH_DOCUMENTS
} BenchDocument;

/* "instances", "groups", … */
const char *bench_document_name(BenchDocument document);

/* Appends a document of about `size` bytes, rather a little more. */
void bench_document_write(BenchDocument document, size_t size, BideBuffer *buffer);

#endif
