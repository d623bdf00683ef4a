"""Stacks, tables, buckets, databases."""

import json

from making import ROLE, client, fails, in_state, makes, ok, poke


@makes("cloudformation")
def stacks():
    formation = client("cloudformation")
    template = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})

    @in_state("cloudformation", "Stack", status="CREATE_COMPLETE")
    def stack(name):
        formation.create_stack(StackName=name, TemplateBody=template)

    yield ok("StackCreateComplete", StackName=stack("created"))
    yield fails("StackCreateComplete", StackName=stack("not-created", "CREATE_FAILED"))
    yield fails("StackCreateComplete", StackName="missing")
    yield ok("StackExists", StackName="created")
    formation.update_stack(StackName=stack("updated"), TemplateBody=template.replace("Topic", "Other", 1))
    yield ok("StackUpdateComplete", StackName="updated")
    yield fails("StackUpdateComplete", StackName=stack("not-updated", "UPDATE_ROLLBACK_FAILED"))
    formation.delete_stack(StackName=stack("deleted"))
    yield ok("StackDeleteComplete", StackName="deleted")
    yield fails("StackDeleteComplete", StackName=stack("not-deleted", "DELETE_FAILED"))
    yield ok("StackRollbackComplete", StackName=stack("rolled-back", "UPDATE_ROLLBACK_COMPLETE"))
    yield fails("StackRollbackComplete", StackName="not-updated")
    yield ok("StackImportComplete", StackName=stack("imported", "IMPORT_COMPLETE"))
    yield fails("StackImportComplete", StackName=stack("not-imported", "IMPORT_ROLLBACK_COMPLETE"))


@makes("cloudformation")
def change_sets():
    formation = client("cloudformation")
    template = json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}})
    for name, stack in (("good", "stack-good"), ("bad", "stack-bad")):
        formation.create_change_set(
            StackName=stack, ChangeSetName=name, TemplateBody=template, ChangeSetType="CREATE"
        )
    poke("cloudformation", "ChangeSet", "bad", status="FAILED", status_reason="The submitted information didn't contain changes.")
    yield ok("ChangeSetCreateComplete", StackName="stack-good", ChangeSetName="good")
    yield fails("ChangeSetCreateComplete", StackName="stack-bad", ChangeSetName="bad")


@makes("dynamodb")
def tables():
    dynamodb = client("dynamodb")
    table = dynamodb.create_table(
        TableName="music",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )["TableDescription"]
    dynamodb.update_continuous_backups(
        TableName="music", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    yield ok("TableExists", TableName="music")
    yield ok("TableNotExists", TableName="missing")
    client("s3").create_bucket(Bucket="exports")

    def export(bucket):
        return dynamodb.export_table_to_point_in_time(TableArn=table["TableArn"], S3Bucket=bucket, S3Prefix="")[
            "ExportDescription"
        ]["ExportArn"]

    # moto exports in a thread, which fails by itself where the bucket is missing
    yield ok("ExportCompleted", ExportArn=export("exports"))
    yield fails("ExportCompleted", ExportArn=export("nowhere"))


@makes("dynamodb")
def table_imports():
    client("s3").create_bucket(Bucket="imports")

    def begin(name, bucket):
        return client("dynamodb").import_table(
            S3BucketSource={"S3Bucket": bucket},
            InputFormat="DYNAMODB_JSON",
            TableCreationParameters={
                "TableName": name,
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )["ImportTableDescription"]["ImportArn"]

    # in a thread too
    yield ok("ImportCompleted", ImportArn=begin("imported", "imports"))
    yield fails("ImportCompleted", ImportArn=begin("not-imported", "nowhere"))


@makes("s3")
def buckets():
    s3 = client("s3")
    s3.create_bucket(Bucket="things")
    s3.put_object(Bucket="things", Key="a folder/thing+1.txt", Body=b"thing")
    yield ok("BucketExists", Bucket="things")
    yield ok("BucketNotExists", Bucket="missing")
    yield ok("ObjectExists", Bucket="things", Key="a folder/thing+1.txt")
    yield ok("ObjectNotExists", Bucket="things", Key="a folder/thing+2.txt")



@in_state("rds", "DBInstance", status="available")
def database(name):
    client("rds").create_db_instance(
        DBInstanceIdentifier=name,
        DBInstanceClass="db.m5.large",
        Engine="postgres",
        MasterUsername="root",
        MasterUserPassword="password1",
        AllocatedStorage=10,
    )


@makes("rds")
def databases():
    rds = client("rds")
    yield ok("DBInstanceAvailable", DBInstanceIdentifier=database("on"))
    yield fails("DBInstanceAvailable", DBInstanceIdentifier=database("failed", "failed"))
    yield ok("DBInstanceDeleted", DBInstanceIdentifier="missing")
    yield fails("DBInstanceDeleted", DBInstanceIdentifier=database("rebooting", "rebooting"))

    @in_state("rds", "DBSnapshot", status="available")
    def snapshot(name):
        rds.create_db_snapshot(DBInstanceIdentifier="on", DBSnapshotIdentifier=name)

    yield ok("DBSnapshotAvailable", DBSnapshotIdentifier=snapshot("snapshot"))
    yield fails("DBSnapshotAvailable", DBSnapshotIdentifier=snapshot("failed-snapshot", "failed"))
    yield ok("DBSnapshotCompleted", DBSnapshotIdentifier="snapshot")
    yield ok("DBSnapshotDeleted", DBSnapshotIdentifier="missing")
    yield fails("DBSnapshotDeleted", DBSnapshotIdentifier=snapshot("new-snapshot", "creating"))


@makes("rds")
def database_clusters():
    rds = client("rds")

    @in_state("rds", "DBCluster", status="available")
    def cluster(name):
        rds.create_db_cluster(
            DBClusterIdentifier=name, Engine="aurora-mysql", MasterUsername="root", MasterUserPassword="password1"
        )

    yield ok("DBClusterAvailable", DBClusterIdentifier=cluster("cluster"))
    yield fails("DBClusterAvailable", DBClusterIdentifier=cluster("failed-cluster", "failed"))
    yield ok("DBClusterDeleted", DBClusterIdentifier="missing")
    yield fails("DBClusterDeleted", DBClusterIdentifier=cluster("new-cluster", "modifying"))

    @in_state("rds", "DBClusterSnapshot", status="available")
    def snapshot(name):
        rds.create_db_cluster_snapshot(DBClusterIdentifier="cluster", DBClusterSnapshotIdentifier=name)

    yield ok("DBClusterSnapshotAvailable", DBClusterSnapshotIdentifier=snapshot("cluster-snapshot"))
    yield fails("DBClusterSnapshotAvailable", DBClusterSnapshotIdentifier=snapshot("bad-snapshot", "failed"))
    yield ok("DBClusterSnapshotDeleted", DBClusterSnapshotIdentifier="missing")
    yield fails("DBClusterSnapshotDeleted", DBClusterSnapshotIdentifier=snapshot("young-snapshot", "creating"))


def serves_databases_of(service):
    """The service answers as RDS does, with the same objects in moto."""

    yield ok("DBInstanceAvailable", DBInstanceIdentifier=database(service + "-on"))
    yield fails("DBInstanceAvailable", DBInstanceIdentifier=database(service + "-failed", "failed"))
    yield ok("DBInstanceDeleted", DBInstanceIdentifier="missing")
    yield fails("DBInstanceDeleted", DBInstanceIdentifier=database(service + "-new", "modifying"))


@makes("neptune")
def graph_databases():
    yield from serves_databases_of("neptune")


@makes("docdb")
def document_databases():
    yield from serves_databases_of("docdb")


@makes("redshift")
def warehouses():
    redshift = client("redshift")

    @in_state("redshift", "Cluster", status="available")
    def cluster(name):
        redshift.create_cluster(
            ClusterIdentifier=name, NodeType="ra3.large", MasterUsername="root", MasterUserPassword="Password1"
        )

    yield ok("ClusterAvailable", ClusterIdentifier=cluster("on"))
    yield fails("ClusterAvailable", ClusterIdentifier=cluster("deleting", "deleting"))
    yield ok("ClusterDeleted", ClusterIdentifier="missing")
    yield fails("ClusterDeleted", ClusterIdentifier=cluster("modifying", "modifying"))

    @in_state("redshift", "Snapshot", status="available")
    def snapshot(name):
        redshift.create_cluster_snapshot(SnapshotIdentifier=name, ClusterIdentifier="on")

    yield ok("SnapshotAvailable", SnapshotIdentifier=snapshot("good"))
    yield fails("SnapshotAvailable", SnapshotIdentifier=snapshot("bad", "failed"))
    redshift.restore_from_cluster_snapshot(ClusterIdentifier="restored", SnapshotIdentifier="good")
    yield ok("ClusterRestored", ClusterIdentifier="restored")
    yield fails("ClusterRestored", ClusterIdentifier="deleting")


@makes("elasticache")
def caches():
    elasticache = client("elasticache")

    @in_state("elasticache", "CacheCluster", cache_cluster_status="available")
    def cache(name):
        elasticache.create_cache_cluster(
            CacheClusterId=name, Engine="redis", CacheNodeType="cache.t3.micro", NumCacheNodes=1
        )

    yield ok("CacheClusterAvailable", CacheClusterId=cache("on"))
    yield fails("CacheClusterAvailable", CacheClusterId=cache("off", "restore-failed"))
    yield ok("CacheClusterDeleted", CacheClusterId="missing")
    yield fails("CacheClusterDeleted", CacheClusterId="on")

    @in_state("elasticache", "ReplicationGroup", status=None)
    def group(name):
        elasticache.create_replication_group(ReplicationGroupId=name, ReplicationGroupDescription=name)

    yield ok("ReplicationGroupAvailable", ReplicationGroupId=group("group"))
    yield fails("ReplicationGroupAvailable", ReplicationGroupId=group("no-group", "deleted"))
    yield ok("ReplicationGroupDeleted", ReplicationGroupId="no-group")
    yield fails("ReplicationGroupDeleted", ReplicationGroupId="group")


@makes("kinesis")
def streams():
    client("kinesis").create_stream(StreamName="events", ShardCount=1)
    yield ok("StreamExists", StreamName="events")
    yield ok("StreamNotExists", StreamName="missing")


@makes("dsql")
def distributed_databases():
    dsql = client("dsql")
    cluster = dsql.create_cluster()["identifier"]
    yield ok("ClusterActive", identifier=cluster)
    stream = dsql.create_stream(
        clusterIdentifier=cluster,
        targetDefinition={"kinesis": {"streamArn": "arn:aws:kinesis:us-east-1:123456789012:stream/a", "roleArn": ROLE}},
        ordering="UNORDERED",
        format="JSON",
    )["streamIdentifier"]
    yield ok("StreamActive", clusterIdentifier=cluster, streamIdentifier=stream)
    yield ok("StreamNotExists", clusterIdentifier=cluster, streamIdentifier="abcdefghijklmnopqrstuvwxyz")
    yield ok("ClusterNotExists", identifier="abcdefghijklmnopqrstuvwxyz")


@makes("glacier")
def vaults():
    client("glacier").create_vault(vaultName="vault")
    yield ok("VaultExists", accountId="-", vaultName="vault")


@makes("dms")
def migrations():
    dms = client("dms")

    def endpoint(name, kind):
        made = dms.create_endpoint(EndpointIdentifier=name, EndpointType=kind, EngineName="mysql")
        return made["Endpoint"]["EndpointArn"]

    @in_state("dms", "FakeReplicationInstance", status="available")
    def machine(name):
        return dms.create_replication_instance(
            ReplicationInstanceIdentifier=name, ReplicationInstanceClass="dms.t2.micro"
        )["ReplicationInstance"]["ReplicationInstanceArn"]

    def named(name, value):
        return {"Filters": [{"Name": name, "Values": [value]}]}

    source, target = endpoint("source", "source"), endpoint("target", "target")
    on, off = machine("on"), machine("off", "incompatible-network")
    yield ok("ReplicationInstanceAvailable", **named("replication-instance-arn", on))
    yield fails("ReplicationInstanceAvailable", **named("replication-instance-arn", off))
    yield fails("ReplicationInstanceDeleted", **named("replication-instance-arn", on))
    poke("dms", "Endpoint", "source", status="active")
    yield fails("EndpointDeleted", **named("endpoint-arn", source))
    for chosen, expected, status in ((source, ok, "successful"), (target, fails, "failed")):
        dms.test_connection(ReplicationInstanceArn=on, EndpointArn=chosen)
        poke("dms", "FakeConnection", chosen, status=status)
        yield expected("TestConnectionSucceeds", **named("endpoint-arn", chosen))

    @in_state("dms", "FakeReplicationTask", status="ready")
    def task(name):
        return dms.create_replication_task(
            ReplicationTaskIdentifier=name,
            SourceEndpointArn=source,
            TargetEndpointArn=target,
            ReplicationInstanceArn=on,
            MigrationType="full-load",
            TableMappings="{}",
        )["ReplicationTask"]["ReplicationTaskArn"]

    ready, running, stopped, broken = (
        named("replication-task-arn", task(state, state)) for state in ("ready", "running", "stopped", "failed")
    )
    yield ok("ReplicationTaskReady", **ready)
    yield fails("ReplicationTaskReady", **broken)
    yield ok("ReplicationTaskRunning", **running)
    yield fails("ReplicationTaskRunning", **broken)
    yield ok("ReplicationTaskStopped", **stopped)
    yield fails("ReplicationTaskStopped", **broken)
    yield fails("ReplicationTaskDeleted", **ready)
