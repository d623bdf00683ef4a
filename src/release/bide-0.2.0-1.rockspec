rockspec_format = "3.0"
package = "bide"
version = "0.2.0-1"
source = { url = "." } -- luarocks make, in a folder of the sources
description = {
  summary = "Waits until a service, a job or a file is in the state you want",
  detailed = [[
bide polls a resource until an acceptor decides, with backoff, jitter and a deadline, and explains how the wait ended.
This rock has the program bide and the modules for scripts, with the bundled recipes.]],
  license = "MIT",
  labels = { "wait", "jmespath", "smithy", "http" },
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.4", "luv", "lua-cjson", "argparse", "lpeg", "luaexpat", "yaml", "lrexlib-pcre2" }
-- make finds the libraries of C by pkg-config, and names what is missing.
build = {
  type = "make",
  build_target = "rock",
  install_target = "install-rock",
  build_variables = { LUA = "$(LUA)", CFLAGS = "$(CFLAGS)" },
  install_variables = { LUA = "$(LUA)", CFLAGS = "$(CFLAGS)", BINDIR = "$(BINDIR)", LUADIR = "$(LUADIR)", LIBDIR = "$(LIBDIR)" },
}
