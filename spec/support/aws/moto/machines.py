"""Instances, networks, containers, functions."""

import io
import json
import zipfile

from making import REGION, ROLE, backend, client, fails, in_state, makes, ok, poke, set_attributes


def instance():
    return client("ec2").run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1)["Instances"][0]["InstanceId"]


@makes("ec2")
def instances():
    ec2 = client("ec2")
    running, stopped, terminated = instance(), instance(), instance()
    ec2.stop_instances(InstanceIds=[stopped])
    ec2.terminate_instances(InstanceIds=[terminated])
    yield ok("InstanceExists", InstanceIds=[running])
    yield ok("InstanceRunning", InstanceIds=[running])
    yield fails("InstanceRunning", InstanceIds=[running, terminated])
    yield ok("InstanceStatusOk", InstanceIds=[running])
    yield ok("SystemStatusOk", InstanceIds=[running])
    yield ok("InstanceStopped", InstanceIds=[stopped])
    yield fails("InstanceStopped", InstanceIds=[terminated])
    yield ok("InstanceTerminated", InstanceIds=[terminated])
    pending = instance()
    backend("ec2").get_instance(pending)._state.name = "pending"
    yield fails("InstanceTerminated", InstanceIds=[pending])
    yield ok("PasswordDataAvailable", InstanceId=running)


@makes("ec2")
def networks():
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24")["Subnet"]["SubnetId"]
    yield ok("VpcExists", VpcIds=[vpc])
    yield ok("VpcAvailable", VpcIds=[vpc])
    yield ok("SubnetAvailable", SubnetIds=[subnet])
    group = ec2.create_security_group(GroupName="web", Description="web", VpcId=vpc)["GroupId"]
    yield ok("SecurityGroupExists", GroupIds=[group])
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    yield ok("InternetGatewayExists", InternetGatewayIds=[gateway])
    interface = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"]
    yield ok("NetworkInterfaceAvailable", NetworkInterfaceIds=[interface])
    yield fails("NetworkInterfaceAvailable", NetworkInterfaceIds=["eni-00000000000000000"])
    peering = ec2.create_vpc_peering_connection(VpcId=vpc, PeerVpcId=other)["VpcPeeringConnection"]
    yield ok("VpcPeeringConnectionExists", VpcPeeringConnectionIds=[peering["VpcPeeringConnectionId"]])
    gone = ec2.create_vpc_peering_connection(VpcId=vpc, PeerVpcId=other)["VpcPeeringConnection"]
    ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=gone["VpcPeeringConnectionId"])
    yield ok("VpcPeeringConnectionDeleted", VpcPeeringConnectionIds=[gone["VpcPeeringConnectionId"]])

    def nat():
        return ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]["NatGatewayId"]

    available, failed, deleted = nat(), nat(), nat()
    poke("ec2", "NatGateway", failed, state="failed")
    ec2.delete_nat_gateway(NatGatewayId=deleted)
    yield ok("NatGatewayAvailable", NatGatewayIds=[available])
    yield fails("NatGatewayAvailable", NatGatewayIds=[failed])
    yield ok("NatGatewayDeleted", NatGatewayIds=[deleted])


@makes("ec2")
def volumes():
    ec2 = client("ec2")

    def volume():
        return ec2.create_volume(AvailabilityZone=REGION + "a", Size=1)["VolumeId"]

    available, attached, deleted, lost = volume(), volume(), volume(), volume()
    ec2.attach_volume(VolumeId=attached, InstanceId=instance(), Device="/dev/sdh")
    ec2.delete_volume(VolumeId=deleted)
    poke("ec2", "Volume", lost, status="deleted")
    yield ok("VolumeAvailable", VolumeIds=[available])
    yield fails("VolumeAvailable", VolumeIds=[lost])
    yield ok("VolumeInUse", VolumeIds=[attached])
    yield fails("VolumeInUse", VolumeIds=[lost])
    yield ok("VolumeDeleted", VolumeIds=[deleted])
    good, bad = (ec2.create_snapshot(VolumeId=available)["SnapshotId"] for _ in range(2))
    poke("ec2", "Snapshot", bad, status="error")
    yield ok("SnapshotCompleted", SnapshotIds=[good])
    yield fails("SnapshotCompleted", SnapshotIds=[bad])


@makes("ec2")
def images_and_keys():
    ec2 = client("ec2")
    good, bad = (ec2.create_image(InstanceId=instance(), Name=name)["ImageId"] for name in ("good", "bad"))
    poke("ec2", "Ami", bad, state="failed")
    yield ok("ImageExists", ImageIds=[good])
    yield ok("ImageAvailable", ImageIds=[good])
    yield fails("ImageAvailable", ImageIds=[bad])
    ec2.create_key_pair(KeyName="key")
    yield ok("KeyPairExists", KeyNames=["key"])


@makes("ec2")
def spot_requests():
    def request():
        return client("ec2").request_spot_instances(
            SpotPrice="1", LaunchSpecification={"ImageId": "ami-12c6146b", "InstanceType": "t2.micro"}
        )["SpotInstanceRequests"][0]["SpotInstanceRequestId"]

    good, bad = request(), request()
    poke("ec2", "SpotInstanceRequest", good, _status_code="fulfilled")
    poke("ec2", "SpotInstanceRequest", bad, _status_code="bad-parameters")
    yield ok("SpotInstanceRequestFulfilled", SpotInstanceRequestIds=[good])
    yield fails("SpotInstanceRequestFulfilled", SpotInstanceRequestIds=[bad])


@makes("ec2")
def customer_gateways():
    ec2 = client("ec2")

    def gateway(address):
        return ec2.create_customer_gateway(Type="ipsec.1", PublicIp=address, BgpAsn=65534)["CustomerGateway"][
            "CustomerGatewayId"
        ]

    good, bad = gateway("205.251.242.54"), gateway("205.251.242.55")
    poke("ec2", "CustomerGateway", bad, state="deleting")
    yield ok("CustomerGatewayAvailable", CustomerGatewayIds=[good])
    yield fails("CustomerGatewayAvailable", CustomerGatewayIds=[bad])
    private = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]

    def connection(state=None):
        made = ec2.create_vpn_connection(Type="ipsec.1", CustomerGatewayId=good, VpnGatewayId=private)
        identifier = made["VpnConnection"]["VpnConnectionId"]
        if state:
            poke("ec2", "VPNConnection", identifier, state=state)
        return identifier

    yield ok("VpnConnectionAvailable", VpnConnectionIds=[connection("available")])
    yield fails("VpnConnectionAvailable", VpnConnectionIds=[connection("deleting")])
    deleted = connection()
    ec2.delete_vpn_connection(VpnConnectionId=deleted)
    yield ok("VpnConnectionDeleted", VpnConnectionIds=[deleted])
    yield fails("VpnConnectionDeleted", VpnConnectionIds=[connection("pending")])


# ---- containers, functions ---------------------------------------------------------------------


@makes("ecs")
def services_and_tasks():
    ecs = client("ecs")
    ecs.create_cluster(clusterName="apps")
    ecs.register_task_definition(
        family="web", containerDefinitions=[{"name": "web", "image": "web", "cpu": 1, "memory": 16}]
    )

    def service(name, **attributes):
        ecs.create_service(cluster="apps", serviceName=name, taskDefinition="web", desiredCount=0)
        poke("ecs", "Service", name, **attributes)
        return {"cluster": "apps", "services": [name]}

    yield ok("ServicesStable", **service("stable", running_count=0))
    yield fails("ServicesStable", **service("draining", status="DRAINING"))
    yield ok("ServicesInactive", **service("inactive", status="INACTIVE"))
    yield fails("ServicesInactive", cluster="apps", services=["missing"])
    network = {"awsvpcConfiguration": {"subnets": [client("ec2").describe_subnets()["Subnets"][0]["SubnetId"]]}}

    def task(status):
        arn = ecs.run_task(
            cluster="apps", taskDefinition="web", count=1, launchType="FARGATE", networkConfiguration=network
        )["tasks"][0]["taskArn"]
        for found in (t for tasks in backend("ecs").tasks.values() for t in tasks.values()):
            if found.task_arn == arn:
                set_attributes(found, {"status": status, "last_status": status})
        return {"cluster": "apps", "tasks": [arn]}

    running, stopped = task("RUNNING"), task("STOPPED")
    yield ok("TasksRunning", **running)
    yield fails("TasksRunning", **stopped)
    yield ok("TasksStopped", **stopped)


@makes("eks")
def kubernetes_clusters():
    eks = client("eks")

    @in_state("eks", "Cluster", status="ACTIVE")
    def cluster(name):
        eks.create_cluster(name=name, roleArn=ROLE, resourcesVpcConfig={"subnetIds": ["subnet-1", "subnet-2"]})

    yield ok("ClusterActive", name=cluster("on"))
    yield fails("ClusterActive", name=cluster("failed", "FAILED"))
    yield ok("ClusterDeleted", name="missing")
    yield fails("ClusterDeleted", name="on")

    @in_state("eks", "Nodegroup", status="ACTIVE")
    def group(name):
        eks.create_nodegroup(clusterName="on", nodegroupName=name, subnets=["subnet-1"], nodeRole=ROLE)

    yield ok("NodegroupActive", clusterName="on", nodegroupName=group("nodes"))
    yield fails("NodegroupActive", clusterName="on", nodegroupName=group("no-nodes", "CREATE_FAILED"))
    yield ok("NodegroupDeleted", clusterName="on", nodegroupName="missing")
    yield fails("NodegroupDeleted", clusterName="on", nodegroupName=group("stuck", "DELETE_FAILED"))

    @in_state("eks", "FargateProfile", status="ACTIVE")
    def profile(name):
        eks.create_fargate_profile(
            clusterName="on", fargateProfileName=name, podExecutionRoleArn=ROLE, selectors=[{"namespace": "a"}]
        )

    yield ok("FargateProfileActive", clusterName="on", fargateProfileName=profile("pods"))
    yield fails("FargateProfileActive", clusterName="on", fargateProfileName=profile("no-pods", "CREATE_FAILED"))
    yield ok("FargateProfileDeleted", clusterName="on", fargateProfileName="missing")
    yield fails("FargateProfileDeleted", clusterName="on", fargateProfileName=profile("stuck-pods", "DELETE_FAILED"))


@makes("lambda")
def functions():
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("code.py", "def handler(event, context): return event")
    role = client("iam").create_role(RoleName="lambda", AssumeRolePolicyDocument="{}")["Role"]["Arn"]

    @in_state("lambda", "LambdaFunction", state=None)
    def function(name):
        client("lambda").create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=role,
            Handler="code.handler",
            Code={"ZipFile": code.getvalue()},
        )

    function("on")
    for waiter in ("Active", "ActiveV2", "Exists", "Updated", "UpdatedV2"):
        yield ok("Function" + waiter, FunctionName="on")
    yield ok("PublishedVersionActive", FunctionName="on")
    yield fails("FunctionActive", FunctionName=function("off", "Failed"))
    yield fails("FunctionActiveV2", FunctionName="off")
    yield fails("PublishedVersionActive", FunctionName="off")


@makes("ecr")
def container_images():
    ecr = client("ecr")
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": 1, "digest": "sha256:a"},
        "layers": [],
    }
    ecr.create_repository(repositoryName="web")
    ecr.put_image(repositoryName="web", imageManifest=json.dumps(manifest), imageTag="latest")
    ecr.start_image_scan(repositoryName="web", imageId={"imageTag": "latest"})
    yield ok("ImageScanComplete", repositoryName="web", imageId={"imageTag": "latest"})


@makes("elb")
def classic_balancers():
    elb = client("elb")
    elb.create_load_balancer(
        LoadBalancerName="web",
        Listeners=[{"Protocol": "tcp", "LoadBalancerPort": 80, "InstancePort": 80}],
        AvailabilityZones=[REGION + "a"],
    )
    machine = instance()
    elb.register_instances_with_load_balancer(LoadBalancerName="web", Instances=[{"InstanceId": machine}])
    yield ok("AnyInstanceInService", LoadBalancerName="web")
    yield ok("InstanceInService", LoadBalancerName="web", Instances=[{"InstanceId": machine}])
    stopped = instance()
    elb.register_instances_with_load_balancer(LoadBalancerName="web", Instances=[{"InstanceId": stopped}])
    client("ec2").stop_instances(InstanceIds=[stopped])
    yield ok("InstanceDeregistered", LoadBalancerName="web", Instances=[{"InstanceId": stopped}])


@makes("elbv2")
def balancers():
    ec2, elb = client("ec2"), client("elbv2")
    vpc = ec2.create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.2.{i}.0/24", AvailabilityZone=REGION + zone)["Subnet"]["SubnetId"]
        for i, zone in enumerate("ab")
    ]
    balancer = elb.create_load_balancer(Name="web", Subnets=subnets)["LoadBalancers"][0]["LoadBalancerArn"]
    yield ok("LoadBalancerExists", LoadBalancerArns=[balancer])
    yield ok("LoadBalancerAvailable", LoadBalancerArns=[balancer])
    yield ok("LoadBalancersDeleted", LoadBalancerArns=[balancer[:-4] + "none"])
    targets = elb.create_target_group(Name="targets", Protocol="HTTP", Port=80, VpcId=vpc)["TargetGroups"][0]
    elb.create_listener(
        LoadBalancerArn=balancer,
        Protocol="HTTP",
        Port=80,
        DefaultActions=[{"Type": "forward", "TargetGroupArn": targets["TargetGroupArn"]}],
    )
    good, gone = instance(), instance()
    both = [{"Id": good, "Port": 80}, {"Id": gone, "Port": 80}]
    elb.register_targets(TargetGroupArn=targets["TargetGroupArn"], Targets=both)
    elb.deregister_targets(TargetGroupArn=targets["TargetGroupArn"], Targets=both[1:])
    yield ok("TargetInService", TargetGroupArn=targets["TargetGroupArn"], Targets=both[:1])
    yield ok("TargetDeregistered", TargetGroupArn=targets["TargetGroupArn"], Targets=both[1:])


@makes("emr")
def map_reduce():
    emr = client("emr")

    @in_state("emr", "Cluster", state=None)
    def cluster(name):
        return emr.run_job_flow(
            Name=name,
            ReleaseLabel="emr-5.30.0",
            Instances={"MasterInstanceType": "m4.large", "InstanceCount": 1, "KeepJobFlowAliveWhenNoSteps": True},
            JobFlowRole="jobs",
            ServiceRole="service",
            Steps=[{"Name": name, "HadoopJarStep": {"Jar": "a.jar"}}],
        )["JobFlowId"]

    on, off, broken = cluster("on"), cluster("off"), cluster("broken", "TERMINATED_WITH_ERRORS")
    emr.terminate_job_flows(JobFlowIds=[off])
    yield ok("ClusterRunning", ClusterId=on)
    yield fails("ClusterRunning", ClusterId=off)
    yield ok("ClusterTerminated", ClusterId=off)
    yield fails("ClusterTerminated", ClusterId=broken)
    for identifier, state, expected in ((on, "COMPLETED", ok), (broken, "FAILED", fails)):
        step = emr.list_steps(ClusterId=identifier)["Steps"][0]["Id"]
        poke("emr", "Step", step, state=state)
        yield expected("StepComplete", ClusterId=identifier, StepId=step)


@makes("elasticbeanstalk")
def environments():
    beanstalk = client("elasticbeanstalk")
    beanstalk.create_application(ApplicationName="app")
    beanstalk.create_environment(ApplicationName="app", EnvironmentName="live")
    yield ok("EnvironmentExists", EnvironmentNames=["live"])
    yield ok("EnvironmentUpdated", EnvironmentNames=["live"])


@makes("autoscaling")
def groups():
    scaling = client("autoscaling")
    scaling.create_launch_configuration(
        LaunchConfigurationName="workers", ImageId="ami-12c6146b", InstanceType="t2.micro"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="workers",
        LaunchConfigurationName="workers",
        MinSize=2,
        MaxSize=2,
        AvailabilityZones=[REGION + "a"],
    )
    yield ok("GroupExists", AutoScalingGroupNames=["workers"])
    yield ok("GroupInService", AutoScalingGroupNames=["workers"])
    yield ok("GroupNotExists", AutoScalingGroupNames=["missing"])


def others():
    """What specs wait for by themselves: a hundred instances."""
    made = client("ec2").run_instances(ImageId="ami-12c6146b", MinCount=100, MaxCount=100)["Instances"]
    return {"fleet": [one["InstanceId"] for one in made]}
