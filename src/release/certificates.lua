---Writes as PEM the certificates of authorities that Mozilla trusts for servers, from its file certdata.txt.
---
---    lua src/release/certificates.lua <certdata.txt >certificates.pem

---Objects of the file: attributes by their names; values of octal are bytes.
local function read_objects()
  local objects, object, name, bytes = {}, {}, nil, nil
  for line in io.lines() do
    if bytes and line == "END" then
      object[name], bytes = table.concat(bytes), nil
    elseif bytes then
      for octal in line:gmatch "\\(%d+)" do bytes[#bytes + 1] = string.char(tonumber(octal, 8)) end
    else
      local attribute, kind, value = line:match "^(CKA_%S+) (%S+) ?(.*)$"
      if attribute == "CKA_CLASS" then
        object = {}
        objects[#objects + 1] = object
      end
      if kind == "MULTILINE_OCTAL" then
        name, bytes = attribute, {}
      elseif attribute then
        object[attribute] = value
      end
    end
  end
  return objects
end

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  local text = bytes:gsub("..?.?", function(part)
    local one, two, three = part:byte(1, 3)
    local bits, out = one << 16 | (two or 0) << 8 | (three or 0), {}
    for position = 1, 4 do
      local index = bits >> (24 - 6 * position) & 63
      out[position] = position <= #part + 1 and alphabet:sub(index + 1, index + 1) or "="
    end
    return table.concat(out)
  end)
  return text
end

local function key(object) return object.CKA_ISSUER .. object.CKA_SERIAL_NUMBER end

local objects, trusted, count = read_objects(), {}, 0
for _, object in ipairs(objects) do
  if object.CKA_CLASS == "CK_OBJECT_CLASS CKO_NSS_TRUST" or object.CKA_CLASS == "CKO_NSS_TRUST" then
    trusted[key(object)] = object.CKA_TRUST_SERVER_AUTH == "CKT_NSS_TRUSTED_DELEGATOR"
  end
end
for _, object in ipairs(objects) do
  if object.CKA_CLASS == "CKO_CERTIFICATE" and trusted[key(object)] then
    count = count + 1
    print "-----BEGIN CERTIFICATE-----"
    local text = base64(object.CKA_VALUE)
    for at = 1, #text, 64 do print(text:sub(at, at + 63)) end
    print "-----END CERTIFICATE-----"
  end
end
assert(count > 50, "certdata.txt: found too few certificates that are trusted")
