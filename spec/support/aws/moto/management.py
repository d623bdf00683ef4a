"""Identities, certificates, deliveries, jobs."""

import json

from making import ROLE, backend, client, fails, in_state, makes, ok, poke


@makes("iam")
def identities():
    iam = client("iam")
    iam.create_user(UserName="user")
    iam.create_role(RoleName="role", AssumeRolePolicyDocument="{}")
    iam.create_instance_profile(InstanceProfileName="profile")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    made = iam.create_policy(PolicyName="policy", PolicyDocument=json.dumps(policy))["Policy"]["Arn"]
    yield ok("UserExists", UserName="user")
    yield ok("RoleExists", RoleName="role")
    yield ok("InstanceProfileExists", InstanceProfileName="profile")
    yield ok("PolicyExists", PolicyArn=made)


@makes("acm")
def certificates():
    acm = client("acm")

    @in_state("acm", "CertBundle", status="ISSUED")
    def certificate(name):
        return acm.request_certificate(DomainName=name, ValidationMethod="DNS")["CertificateArn"]

    good = certificate("good.example")
    yield ok("CertificateValidated", CertificateArn=good)
    yield fails("CertificateValidated", CertificateArn=certificate("bad.example", "FAILED"))
    yield fails("CertificateValidated", CertificateArn=good[:-4] + "none")


@makes("acm-pca")
def certificate_authorities():
    authority = client("acm-pca").create_certificate_authority(
        CertificateAuthorityConfiguration={
            "KeyAlgorithm": "RSA_2048",
            "SigningAlgorithm": "SHA256WITHRSA",
            "Subject": {"CommonName": "example"},
        },
        CertificateAuthorityType="ROOT",
    )["CertificateAuthorityArn"]
    yield ok("CertificateAuthorityCSRCreated", CertificateAuthorityArn=authority)
    request = client("acm-pca").get_certificate_authority_csr(CertificateAuthorityArn=authority)["Csr"]
    certificate = client("acm-pca").issue_certificate(
        CertificateAuthorityArn=authority,
        Csr=request.encode(),
        SigningAlgorithm="SHA256WITHRSA",
        TemplateArn="arn:aws:acm-pca:::template/RootCACertificate/V1",
        Validity={"Type": "YEARS", "Value": 1},
    )["CertificateArn"]
    yield ok("CertificateIssued", CertificateAuthorityArn=authority, CertificateArn=certificate)


@makes("cloudfront")
def distributions():
    cloudfront = client("cloudfront")
    made = cloudfront.create_distribution(
        DistributionConfig={
            "CallerReference": "1",
            "Comment": "",
            "Enabled": True,
            "Origins": {
                "Quantity": 1,
                "Items": [{"Id": "o", "DomainName": "a.s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""}}],
            },
            "DefaultCacheBehavior": {
                "TargetOriginId": "o",
                "ViewerProtocolPolicy": "allow-all",
                "MinTTL": 10,
                "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
            },
        }
    )["Distribution"]["Id"]
    yield ok("DistributionDeployed", Id=made)
    invalidation = cloudfront.create_invalidation(
        DistributionId=made, InvalidationBatch={"Paths": {"Quantity": 1, "Items": ["/*"]}, "CallerReference": "1"}
    )["Invalidation"]["Id"]
    poke("cloudfront", "Invalidation", invalidation, region="aws", status="Completed")  # moto says COMPLETED
    yield ok("InvalidationCompleted", DistributionId=made, Id=invalidation)


@makes("route53")
def record_sets():
    route53 = client("route53")
    zone = route53.create_hosted_zone(Name="example.com", CallerReference="1")
    change = route53.change_resource_record_sets(
        HostedZoneId=zone["HostedZone"]["Id"],
        ChangeBatch={
            "Changes": [
                {
                    "Action": "CREATE",
                    "ResourceRecordSet": {
                        "Name": "www.example.com",
                        "Type": "A",
                        "TTL": 60,
                        "ResourceRecords": [{"Value": "127.0.0.1"}],
                    },
                }
            ]
        },
    )
    yield ok("ResourceRecordSetsChanged", Id=change["ChangeInfo"]["Id"].split("/")[-1])


@makes("ses")
def mail_identities():
    client("ses").verify_email_identity(EmailAddress="a@example.com")
    yield ok("IdentityExists", Identities=["a@example.com"])


@makes("ssm")
def commands():
    machine = client("ec2").run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1)["Instances"][0]["InstanceId"]

    def command(status):
        sent = client("ssm").send_command(InstanceIds=[machine], DocumentName="AWS-RunShellScript", Parameters={})
        identifier = sent["Command"]["CommandId"]
        found = next(c for c in backend("ssm")._commands if c.command_id == identifier)
        for invocation in found.invocations:
            invocation["Status"] = status
        return {"CommandId": identifier, "InstanceId": machine}

    yield ok("CommandExecuted", **command("Success"))
    yield fails("CommandExecuted", **command("TimedOut"))


@makes("cloudwatch")
def alarms():
    cloudwatch = client("cloudwatch")
    for name in ("load", "all"):
        cloudwatch.put_metric_alarm(
            AlarmName=name,
            MetricName="CPU",
            Namespace="AWS/EC2",
            Period=60,
            EvaluationPeriods=1,
            Statistic="Average",
            Threshold=1,
            ComparisonOperator="GreaterThanThreshold",
        )
    poke("cloudwatch", "Alarm", "all", rule='ALARM("load")')
    yield ok("AlarmExists", AlarmNames=["load"])
    yield ok("CompositeAlarmExists", AlarmNames=["all"], AlarmTypes=["CompositeAlarm"])


@makes("codedeploy")
def deployments():
    codedeploy = client("codedeploy")
    codedeploy.create_application(applicationName="app", computePlatform="Server")
    codedeploy.create_deployment_group(
        applicationName="app", deploymentGroupName="all", serviceRoleArn=ROLE
    )

    @in_state("codedeploy", "DeploymentInfo", status="Succeeded")
    def deployment(key):
        return codedeploy.create_deployment(
            applicationName="app",
            deploymentGroupName="all",
            revision={"revisionType": "S3", "s3Location": {"bucket": "b", "key": key, "bundleType": "zip"}},
        )["deploymentId"]

    yield ok("DeploymentSuccessful", deploymentId=deployment("good"))
    yield fails("DeploymentSuccessful", deploymentId=deployment("bad", "Failed"))


@makes("amp")
def prometheus():
    amp = client("amp")
    yield ok("WorkspaceActive", workspaceId=amp.create_workspace(alias="on")["workspaceId"])
    yield ok("WorkspaceDeleted", workspaceId="ws-00000000-0000-0000-0000-000000000000")


@makes("transfer")
def file_servers():
    transfer = client("transfer")

    @in_state("transfer", "Server", state="ONLINE")
    def server(role):
        return transfer.create_server(LoggingRole=role)["ServerId"]

    yield ok("ServerOnline", ServerId=server(ROLE))
    yield fails("ServerOnline", ServerId=server(ROLE, "START_FAILED"))
    yield ok("ServerOffline", ServerId=server(ROLE, "OFFLINE"))
    yield fails("ServerOffline", ServerId=server(ROLE, "STOP_FAILED"))


@makes("sagemaker")
def learning_jobs():
    sagemaker = client("sagemaker")
    store = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://things/in"}}
    machine = {"InstanceType": "ml.m5.large", "InstanceCount": 1, "VolumeSizeInGB": 1}
    for name, status in (("good", "Completed"), ("bad", "Failed")):
        expected = ok if name == "good" else fails
        sagemaker.create_training_job(
            TrainingJobName=name,
            RoleArn=ROLE,
            AlgorithmSpecification={"TrainingImage": "image", "TrainingInputMode": "File"},
            OutputDataConfig={"S3OutputPath": "s3://things/out"},
            ResourceConfig=machine,
            StoppingCondition={"MaxRuntimeInSeconds": 60},
        )
        poke("sagemaker", "FakeTrainingJob", name, training_job_status=status)
        yield expected("TrainingJobCompletedOrStopped", TrainingJobName=name)
        sagemaker.create_processing_job(
            ProcessingJobName=name,
            RoleArn=ROLE,
            ProcessingResources={"ClusterConfig": machine},
            AppSpecification={"ImageUri": "image"},
        )
        poke("sagemaker", "FakeProcessingJob", name, processing_job_status=status)
        yield expected("ProcessingJobCompletedOrStopped", ProcessingJobName=name)
        sagemaker.create_transform_job(
            TransformJobName=name,
            ModelName="model",
            TransformInput={"DataSource": store},
            TransformOutput={"S3OutputPath": "s3://things/out"},
            TransformResources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
        )
        poke("sagemaker", "FakeTransformJob", name, transform_job_status=status)
        yield expected("TransformJobCompletedOrStopped", TransformJobName=name)


@makes("sagemaker")
def learning_servers():
    sagemaker = client("sagemaker")
    sagemaker.create_model(ModelName="model", ExecutionRoleArn=ROLE, PrimaryContainer={"Image": "image"})
    sagemaker.create_endpoint_config(
        EndpointConfigName="config",
        ProductionVariants=[
            {"VariantName": "v", "ModelName": "model", "InitialInstanceCount": 1, "InstanceType": "ml.m5.large"}
        ],
    )

    @in_state("sagemaker", "FakeEndpoint", endpoint_status=None)
    def endpoint(name):
        sagemaker.create_endpoint(EndpointName=name, EndpointConfigName="config")

    yield ok("EndpointInService", EndpointName=endpoint("good"))
    yield fails("EndpointInService", EndpointName=endpoint("bad", "Failed"))
    yield ok("EndpointDeleted", EndpointName="missing")
    yield fails("EndpointDeleted", EndpointName="bad")

    @in_state("sagemaker", "FakeSagemakerNotebookInstance", status="InService")
    def notebook(name):
        sagemaker.create_notebook_instance(NotebookInstanceName=name, InstanceType="ml.t2.medium", RoleArn=ROLE)

    yield ok("NotebookInstanceInService", NotebookInstanceName=notebook("on"))
    yield ok("NotebookInstanceStopped", NotebookInstanceName=notebook("off", "Stopped"))
    yield ok("NotebookInstanceDeleted", NotebookInstanceName="missing")
    broken = notebook("broken", "Failed")
    for waiter in ("InService", "Stopped", "Deleted"):
        yield fails("NotebookInstance" + waiter, NotebookInstanceName=broken)
