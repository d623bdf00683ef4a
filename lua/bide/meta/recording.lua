---@meta bide.core.recording
---The lines of recordings, where attempts are like one another.

---@class bide.core.recording
local recording = {}

---The common part of the lines of attempts with the same request, status and headers, but for the date.
---@class bide.RecordedForm
local form = {}

---Makes the form of such lines.
---@param mask bide.SecretMask
---@param output userdata
---@param text string its JSON
---@param middle string follows the output; of attempts with a request up to its headers
---@param limit integer the most bytes of a body and of its JSON
---@param status integer? of the answer; nil for attempts that send no request
---@return bide.RecordedForm
function recording.form(mask, output, text, middle, limit, status) end

---Sets the headers of the answers.
---@param lines string as received
---@param text string their JSON
function form:headers(lines, text) end

---Makes the line of an attempt, and writes it with one call as far as the system allows; without a descriptor,
---recording.append does. Its output has no secret, or is that of the last line.
---@param descriptor integer?
---@param output userdata
---@param response bide.http.Response? whose document the output is
---@param attempt integer
---@param at integer milliseconds
---@param lasts integer milliseconds
---@return bide.RecordedForm? self nil if the line has not this form
---@return string? mistake why not all was written; "headers" without a line if only the headers differ
---@return integer? written
function form:line(descriptor, output, response, attempt, at, lasts) end

---Appends a text, or the line that a form made last, to a file, with one call as far as the system allows.
---@param descriptor integer
---@param text string|bide.RecordedForm
---@return integer written
---@return string? mistake why not all was written
function recording.append(descriptor, text) end

return recording
