---The traits that protocols read, by the names that they have here, and how a trait of a member is found: on the member,
---else on its target.

local M = {
  default = "smithy.api#default", client_optional = "smithy.api#clientOptional",
  endpoint = "smithy.api#endpoint",
  http = "smithy.api#http", http_error = "smithy.api#httpError",
  http_header = "smithy.api#httpHeader", http_label = "smithy.api#httpLabel", http_payload = "smithy.api#httpPayload",
  http_prefix_headers = "smithy.api#httpPrefixHeaders", http_query = "smithy.api#httpQuery",
  http_query_params = "smithy.api#httpQueryParams", http_response_code = "smithy.api#httpResponseCode",
  waitable = "smithy.waiters#waitable", paginated = "smithy.api#paginated",
  json_name = "smithy.api#jsonName", media_type = "smithy.api#mediaType", sparse = "smithy.api#sparse",
  timestamp_format = "smithy.api#timestampFormat",
  xml_attribute = "smithy.api#xmlAttribute", xml_flattened = "smithy.api#xmlFlattened", xml_name = "smithy.api#xmlName",
  xml_namespace = "smithy.api#xmlNamespace",
  ec2_query_name = "aws.protocols#ec2QueryName",
  idempotency_token = "smithy.api#idempotencyToken",
  query_compatible = "aws.protocols#awsQueryCompatible", query_error = "aws.protocols#awsQueryError",
  unwrapped_output = "aws.customizations#s3UnwrappedXmlOutput",
}

---@param member bide.ModelMember
---@param target bide.ModelShape
---@param trait string
---@return any value nil if neither has the trait
function M.of(member, target, trait)
  local value = member.traits[trait]
  if value == nil then value = target.traits[trait] end
  return value
end

return M
