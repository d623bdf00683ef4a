#include "documents.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/random.h"

typedef struct Writer {
  BideBuffer *buffer;
  BideRandom random;
} Writer;

static void put(Writer *writer, const char *format, ...) {
  char text[1024];
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bide_buffer_append(writer->buffer, text, (size_t)length);
}

static int below(Writer *writer, int count) {
  return (int)bide_random_between(&writer->random, 0, count - 1);
}

static unsigned long long bits(Writer *writer) {
  return (unsigned long long)bide_random_between(&writer->random, 0, INT64_MAX);
}

static const char *one_of(Writer *writer, const char *const *words, int count) {
  return words[below(writer, count)];
}

#define ONE_OF(writer, words) one_of(writer, words, (int)(sizeof(words) / sizeof *(words)))

static const char *const zones[] = {"eu-central-1a", "eu-central-1b", "eu-central-1c"};
static const char *const teams[] = {"payments", "search", "checkout", "identity", "data-platform"};
static const char *const environments[] = {"production", "staging", "development"};
static const char *const kinds[] = {"m6i.large", "c7g.xlarge", "t3.medium", "r6i.2xlarge"};

/* ---- EC2 ---- */

static void put_tags(Writer *writer) {
  int more = below(writer, 3);
  put(writer, "\"Tags\":[{\"Key\":\"Name\",\"Value\":\"%s-%d\"},", ONE_OF(writer, teams),
      below(writer, 100));
  put(writer, "{\"Key\":\"Environment\",\"Value\":\"%s\"}", ONE_OF(writer, environments));
  for (int i = 0; i < more; i++)
    put(writer, ",{\"Key\":\"team:%d\",\"Value\":\"%s\"}", i, ONE_OF(writer, teams));
  put(writer, "]");
}

static void put_interface(Writer *writer, unsigned long long id) {
  put(writer,
      "{\"Attachment\":{\"AttachTime\":\"2026-03-%02dT10:1%d:00.000Z\",\"AttachmentId\":"
      "\"eni-attach-%012llx\",\"DeleteOnTermination\":true,\"DeviceIndex\":0,\"Status\":"
      "\"attached\",\"NetworkCardIndex\":0},\"Description\":\"\",\"Groups\":[{\"GroupName\":"
      "\"default\",\"GroupId\":\"sg-%012llx\"}],\"Ipv6Addresses\":[],\"MacAddress\":"
      "\"02:0a:%02x:%02x:7f:1c\",\"NetworkInterfaceId\":\"eni-%012llx\",",
      1 + below(writer, 28), below(writer, 10), id >> 16, id >> 20, below(writer, 256),
      below(writer, 256), id >> 12);
  put(writer,
      "\"OwnerId\":\"123456789012\",\"PrivateDnsName\":\"ip-10-0-%d-%d.eu-central-1.compute."
      "internal\",\"SourceDestCheck\":true,\"Status\":\"in-use\",\"SubnetId\":\"subnet-0a1b2c3d\","
      "\"VpcId\":\"vpc-0f1e2d3c\",\"InterfaceType\":\"interface\"}",
      below(writer, 256), below(writer, 256));
}

static void put_instance(Writer *writer) {
  static const char *const states[] = {"running", "running", "running", "pending", "stopped"};
  static const int codes[] = {16, 16, 16, 0, 80};
  unsigned long long id = bits(writer);
  int state = below(writer, 5);
  put(writer,
      "{\"AmiLaunchIndex\":0,\"ImageId\":\"ami-%012llx\",\"InstanceId\":\"i-%012llx\","
      "\"InstanceType\":\"%s\",\"KeyName\":\"operations\",\"LaunchTime\":"
      "\"2026-04-%02dT08:%02d:11.000Z\",\"Monitoring\":{\"State\":\"%s\"},\"Placement\":"
      "{\"AvailabilityZone\":\"%s\",\"GroupName\":\"\",\"Tenancy\":\"default\"},",
      id >> 16, id >> 8, ONE_OF(writer, kinds), 1 + below(writer, 28), below(writer, 60),
      below(writer, 2) ? "enabled" : "disabled", ONE_OF(writer, zones));
  put(writer,
      "\"PrivateDnsName\":\"ip-10-0-%d-%d.eu-central-1.compute.internal\",\"PrivateIpAddress\":"
      "\"10.0.%d.%d\",\"ProductCodes\":[],\"PublicDnsName\":\"\",",
      below(writer, 256), below(writer, 256), below(writer, 256), below(writer, 256));
  if (state != 4)
    put(writer, "\"PublicIpAddress\":\"3.120.%d.%d\",", below(writer, 256), below(writer, 256));
  put(writer,
      "\"State\":{\"Code\":%d,\"Name\":\"%s\"},\"StateTransitionReason\":\"\",\"SubnetId\":"
      "\"subnet-0a1b2c3d\",\"VpcId\":\"vpc-0f1e2d3c\",\"Architecture\":\"x86_64\","
      "\"BlockDeviceMappings\":[{\"DeviceName\":\"/dev/xvda\",\"Ebs\":{\"AttachTime\":"
      "\"2026-04-01T08:12:12.000Z\",\"DeleteOnTermination\":true,\"Status\":\"attached\","
      "\"VolumeId\":\"vol-%012llx\"}}],\"ClientToken\":\"%llx\",\"EbsOptimized\":false,",
      codes[state], states[state], id >> 10, id);
  put(writer, "\"EnaSupport\":true,\"Hypervisor\":\"xen\",\"NetworkInterfaces\":[");
  put_interface(writer, id);
  put(writer,
      "],\"RootDeviceName\":\"/dev/xvda\",\"RootDeviceType\":\"ebs\",\"SecurityGroups\":"
      "[{\"GroupName\":\"default\",\"GroupId\":\"sg-%012llx\"}],\"SourceDestCheck\":true,",
      id >> 16);
  put_tags(writer);
  put(writer,
      ",\"VirtualizationType\":\"hvm\",\"CpuOptions\":{\"CoreCount\":%d,\"ThreadsPerCore\":2},"
      "\"HibernationOptions\":{\"Configured\":false},\"MetadataOptions\":{\"State\":\"applied\","
      "\"HttpTokens\":\"required\",\"HttpPutResponseHopLimit\":2,\"HttpEndpoint\":\"enabled\"}}",
      1 + below(writer, 8));
}

static void put_reservation(Writer *writer) {
  int more = below(writer, 2);
  put(writer, "{\"Groups\":[],\"Instances\":[");
  put_instance(writer);
  for (int i = 0; i < more; i++) {
    put(writer, ",");
    put_instance(writer);
  }
  put(writer, "],\"OwnerId\":\"123456789012\",\"ReservationId\":\"r-%012llx\"}",
      bits(writer) >> 16);
}

/* ---- Auto Scaling ---- */

static void put_member(Writer *writer) {
  unsigned long long id = bits(writer) >> 16;
  put(writer,
      "{\"InstanceId\":\"i-%012llx\",\"InstanceType\":\"%s\",\"AvailabilityZone\":\"%s\","
      "\"LifecycleState\":\"%s\",\"HealthStatus\":\"Healthy\",\"LaunchTemplate\":"
      "{\"LaunchTemplateId\":\"lt-%08llx\",\"LaunchTemplateName\":\"web\",\"Version\":\"%d\"},"
      "\"ProtectedFromScaleIn\":false}",
      id, ONE_OF(writer, kinds), ONE_OF(writer, zones), below(writer, 4) ? "InService" : "Pending",
      id >> 16, 1 + below(writer, 20));
}

static void put_group(Writer *writer) {
  int members = 2 + below(writer, 5);
  int least = 1 + below(writer, 3);
  put(writer,
      "{\"AutoScalingGroupName\":\"%s-%d\",\"AutoScalingGroupARN\":\"arn:aws:autoscaling:"
      "eu-central-1:123456789012:autoScalingGroup:%016llx:autoScalingGroupName/web\","
      "\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-0a1b2c3d\",\"LaunchTemplateName\":\"web\","
      "\"Version\":\"$Latest\"},\"MinSize\":%d,\"MaxSize\":%d,\"DesiredCapacity\":%d,",
      ONE_OF(writer, teams), below(writer, 1000), bits(writer), least, least + 4, members);
  put(writer,
      "\"DefaultCooldown\":300,\"AvailabilityZones\":[\"eu-central-1a\",\"eu-central-1b\"],"
      "\"LoadBalancerNames\":[],\"TargetGroupARNs\":[\"arn:aws:elasticloadbalancing:eu-central-1:"
      "123456789012:targetgroup/web/%016llx\"],\"HealthCheckType\":\"ELB\","
      "\"HealthCheckGracePeriod\":%d,\"Instances\":[",
      bits(writer), 60 * (1 + below(writer, 5)));
  for (int i = 0; i < members; i++) {
    put(writer, i > 0 ? "," : "");
    put_member(writer);
  }
  put(writer,
      "],\"CreatedTime\":\"2026-01-%02dT09:00:00.123Z\",\"SuspendedProcesses\":[],"
      "\"VPCZoneIdentifier\":\"subnet-0a1b2c3d,subnet-4e5f6a7b\",\"EnabledMetrics\":[],",
      1 + below(writer, 28));
  put_tags(writer);
  put(writer,
      ",\"TerminationPolicies\":[\"Default\"],\"NewInstancesProtectedFromScaleIn\":false,"
      "\"ServiceLinkedRoleARN\":\"arn:aws:iam::123456789012:role/aws-service-role/autoscaling."
      "amazonaws.com/AWSServiceRoleForAutoScaling\"}");
}

/* ---- CloudFormation ---- */

static void put_stack(Writer *writer) {
  static const char *const states[] = {"CREATE_COMPLETE", "UPDATE_COMPLETE",
                                       "UPDATE_ROLLBACK_COMPLETE", "CREATE_IN_PROGRESS"};
  put(writer,
      "{\"StackId\":\"arn:aws:cloudformation:eu-central-1:123456789012:stack/%s-%d/%016llx\","
      "\"StackName\":\"%s-%d\",\"Description\":\"The \\\"%s\\\" service\",\"Parameters\":"
      "[{\"ParameterKey\":\"Environment\",\"ParameterValue\":\"%s\"},{\"ParameterKey\":"
      "\"Size\",\"ParameterValue\":\"%d\"}],",
      ONE_OF(writer, teams), below(writer, 1000), bits(writer), ONE_OF(writer, teams),
      below(writer, 1000), ONE_OF(writer, teams), ONE_OF(writer, environments), below(writer, 64));
  put(writer,
      "\"CreationTime\":\"2026-02-%02dT11:22:33.456Z\",\"RollbackConfiguration\":{},"
      "\"StackStatus\":\"%s\",\"DisableRollback\":false,\"NotificationARNs\":[],"
      "\"Capabilities\":[\"CAPABILITY_IAM\"],\"Outputs\":[{\"OutputKey\":\"Url\","
      "\"OutputValue\":\"https://%s.example.com/%d\",\"ExportName\":\"url-%d\"}],",
      1 + below(writer, 28), ONE_OF(writer, states), ONE_OF(writer, teams), below(writer, 1000),
      below(writer, 1000));
  put_tags(writer);
  put(writer, ",\"DriftInformation\":{\"StackDriftStatus\":\"NOT_CHECKED\"}}");
}

/* ---- ECS ---- */

static void put_deployment(Writer *writer, int wanted) {
  put(writer,
      "{\"id\":\"ecs-svc/%016llx\",\"status\":\"PRIMARY\",\"taskDefinition\":\"arn:aws:ecs:"
      "eu-central-1:123456789012:task-definition/web:%d\",\"desiredCount\":%d,\"pendingCount\":0,"
      "\"runningCount\":%d,\"createdAt\":%d.%03d,\"updatedAt\":%d.%03d,\"launchType\":"
      "\"FARGATE\",\"rolloutState\":\"COMPLETED\"}",
      bits(writer), below(writer, 500), wanted, wanted, 1700000000 + below(writer, 100000000),
      below(writer, 1000), 1700000000 + below(writer, 100000000), below(writer, 1000));
}

static void put_event(Writer *writer) {
  put(writer,
      "{\"id\":\"%016llx\",\"createdAt\":%d.%03d,\"message\":\"(service web-%d) has reached a "
      "steady state.\"}",
      bits(writer), 1700000000 + below(writer, 100000000), below(writer, 1000),
      below(writer, 1000));
}

static void put_service(Writer *writer) {
  int wanted = 1 + below(writer, 9);
  put(writer,
      "{\"serviceArn\":\"arn:aws:ecs:eu-central-1:123456789012:service/%s/web-%d\","
      "\"serviceName\":\"web-%d\",\"clusterArn\":\"arn:aws:ecs:eu-central-1:123456789012:"
      "cluster/%s\",\"loadBalancers\":[{\"targetGroupArn\":\"arn:aws:elasticloadbalancing:"
      "eu-central-1:123456789012:targetgroup/web/%016llx\",\"containerName\":\"web\","
      "\"containerPort\":8080}],",
      ONE_OF(writer, environments), below(writer, 1000), below(writer, 1000),
      ONE_OF(writer, environments), bits(writer));
  put(writer,
      "\"serviceRegistries\":[],\"status\":\"ACTIVE\",\"desiredCount\":%d,\"runningCount\":%d,"
      "\"pendingCount\":0,\"launchType\":\"FARGATE\",\"deploymentConfiguration\":"
      "{\"maximumPercent\":200,\"minimumHealthyPercent\":100},\"deployments\":[",
      wanted, wanted);
  put_deployment(writer, wanted);
  put(writer, "],\"events\":[");
  put_event(writer);
  put(writer, ",");
  put_event(writer);
  put(writer,
      "],\"createdAt\":%d.%03d,\"placementConstraints\":[],\"placementStrategy\":[],"
      "\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"subnet-0a1b2c3d\"],"
      "\"securityGroups\":[\"sg-0f1e2d3c\"],\"assignPublicIp\":\"DISABLED\"}},"
      "\"schedulingStrategy\":\"REPLICA\",\"enableECSManagedTags\":true}",
      1700000000 + below(writer, 100000000), below(writer, 1000));
}

/* ---- the whole ---- */

typedef struct Kind {
  const char *name;
  const char *list;
  void (*put_element)(Writer *writer);
} Kind;

static const Kind documents[BENCH_DOCUMENTS] = {
  [BENCH_INSTANCES] = {"instances", "Reservations", put_reservation},
  [BENCH_GROUPS] = {"groups", "AutoScalingGroups", put_group},
  [BENCH_STACKS] = {"stacks", "Stacks", put_stack},
  [BENCH_SERVICES] = {"services", "services", put_service},
};

const char *bench_document_name(BenchDocument document) {
  return documents[document].name;
}

void bench_document_write(BenchDocument document, size_t size, BideBuffer *buffer) {
  Writer writer = {.buffer = buffer};
  size_t begin = buffer->length;
  bide_random_seed(&writer.random, (uint64_t)document + 1);
  put(&writer, "{\"%s\":[", documents[document].list);
  for (int i = 0; buffer->length - begin < size; i++) {
    put(&writer, i > 0 ? "," : "");
    documents[document].put_element(&writer);
  }
  put(&writer, "]}");
}
