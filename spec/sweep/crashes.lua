---Where an allocation of libuv or luv fails and they do not survive it, with the versions of Debian 12: the
---signal, the innermost functions of the crash, and those of the allocation that failed. bide can do nothing
---about these. The sweep fails for any other crash.

---@class spec.sweep.Crash
---@field signature string
---@field why string

---@type spec.sweep.Crash[]
return {
  { why = "libuv ends the process where its table of watched descriptors cannot grow, here while luv makes the loop",
    signature = "Aborted: libuv ? < libuv uv_signal_init < libuv uv_loop_init < liblua5.4-luv luaopen_luv"
      .. " after libuv ? < libuv ? < libuv uv_signal_init < libuv uv_loop_init" },
  { why = "the same, for a socket of libcurl",
    signature = "Aborted: libuv ? < libuv uv_poll_start < transfer bide_http_sockets_watch < transfer ?"
      .. " after libuv ? < libuv ? < libuv uv_poll_start < transfer bide_http_sockets_watch" },
  { why = "luv asserts that it has memory for what a pipe has read",
    signature = "Aborted: liblua5.4-luv ? < libuv ? < libuv ? < libuv ? after liblua5.4-luv ? < libuv ? < libuv ? < libuv ?" },
  { why = "uv.new_pipe does not look whether it has a handle",
    signature = "Segmentation fault: libuv ? < libuv uv_pipe_init < liblua5.4-luv ? < core ?"
      .. " after liblua5.4-luv ? < core ? < core ? < core ?" },
  { why = "uv.spawn does not look whether it has room for its arguments",
    signature = "Segmentation fault: liblua5.4-luv ? < core ? < core ? < core ?"
      .. " after liblua5.4-luv ? < core ? < core ? < core ?" },
  { why = "uv.new_pipe raises where it has no data for its handle, and leaves the handle in the loop: luv falls over it"
      .. " when the Lua state closes, after bide has reported the error",
    signature = "Segmentation fault:  after liblua5.4-luv ? < liblua5.4-luv ? < core ? < core ?" },
  { why = "the same, where the handle's memory had been used before",
    signature = "Segmentation fault: liblua5.4-luv ? < libuv uv_run < liblua5.4-luv ?"
      .. " after liblua5.4-luv ? < liblua5.4-luv ? < core ? < core ?" },
}
