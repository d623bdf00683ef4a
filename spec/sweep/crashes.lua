---Where an allocation of libuv or luv fails and they do not survive it, with the versions of Debian 12: the
---signal, the functions of the libraries at the inner end of the stack, and those of the allocation that had
---failed. bide can do nothing about these. The sweep fails for any other crash.

---@class spec.sweep.Crash
---@field signature string
---@field why string

---@type spec.sweep.Crash[]
return {
  { why = "libuv ends the process where its table of watched descriptors cannot grow, here while luv makes the loop",
    signature = "Aborted: libuv ? < libuv uv_signal_init < libuv uv_loop_init < liblua5.4-luv luaopen_luv"
      .. " after libuv ? < libuv ? < libuv uv_signal_init < libuv uv_loop_init < liblua5.4-luv luaopen_luv" },
  { why = "the same, for a socket of libcurl",
    signature = "Aborted: libuv ? < libuv uv_poll_start after libuv ? < libuv ? < libuv uv_poll_start" },
  { why = "the same, where uv.read_start reads what a program prints",
    signature = "Aborted: libuv ? < libuv ? < liblua5.4-luv ? after libuv ? < libuv ? < libuv ? < liblua5.4-luv ?" },
  { why = "luv asserts that it has memory for what a pipe has read",
    signature = "Aborted: liblua5.4-luv ? < libuv ? < libuv ? < libuv ? < libuv uv_run"
      .. " after liblua5.4-luv ? < libuv ? < libuv ? < libuv ? < libuv uv_run" },
  { why = "uv.new_pipe does not look whether it has a handle",
    signature = "Segmentation fault: libuv ? < libuv uv_pipe_init < liblua5.4-luv ? after liblua5.4-luv ?" },
  { why = "uv.new_tcp does not look whether it has a handle",
    signature = "Segmentation fault: libuv ? < libuv uv_tcp_init_ex < liblua5.4-luv ? after liblua5.4-luv ?" },
  { why = "handle:connect and handle:write do not look whether they have a request",
    signature = "Segmentation fault: liblua5.4-luv ? < liblua5.4-luv ? after liblua5.4-luv ? < liblua5.4-luv ?" },
  { why = "uv.spawn does not look whether it has room for its arguments",
    signature = "Segmentation fault: liblua5.4-luv ? after liblua5.4-luv ?" },
}
