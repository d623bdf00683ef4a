---The model of the part of the Security Token Service that gives out keys, as a JSON AST.

return [[{
  "smithy": "2.0",
  "shapes": {
    "sts#STS": {
      "type": "service", "version": "2011-06-15",
      "operations": [{ "target": "sts#AssumeRole" }, { "target": "sts#AssumeRoleWithWebIdentity" }],
      "traits": {
        "aws.protocols#awsQuery": {},
        "smithy.api#xmlNamespace": { "uri": "https://sts.amazonaws.com/doc/2011-06-15/" }
      }
    },
    "sts#AssumeRole": {
      "type": "operation", "input": { "target": "sts#AssumeRoleRequest" }, "output": { "target": "sts#Answer" }
    },
    "sts#AssumeRoleWithWebIdentity": {
      "type": "operation", "input": { "target": "sts#WebIdentityRequest" }, "output": { "target": "sts#Answer" }
    },
    "sts#AssumeRoleRequest": {
      "type": "structure",
      "members": {
        "RoleArn": { "target": "smithy.api#String" },
        "RoleSessionName": { "target": "smithy.api#String" },
        "DurationSeconds": { "target": "smithy.api#Integer" },
        "ExternalId": { "target": "smithy.api#String" }
      }
    },
    "sts#WebIdentityRequest": {
      "type": "structure",
      "members": {
        "RoleArn": { "target": "smithy.api#String" },
        "RoleSessionName": { "target": "smithy.api#String" },
        "DurationSeconds": { "target": "smithy.api#Integer" },
        "WebIdentityToken": { "target": "smithy.api#String" }
      }
    },
    "sts#Answer": {
      "type": "structure",
      "members": { "Credentials": { "target": "sts#Credentials" } }
    },
    "sts#Credentials": {
      "type": "structure",
      "members": {
        "AccessKeyId": { "target": "smithy.api#String" },
        "SecretAccessKey": { "target": "smithy.api#String" },
        "SessionToken": { "target": "smithy.api#String" },
        "Expiration": { "target": "smithy.api#String" }
      }
    }
  }
}]]
