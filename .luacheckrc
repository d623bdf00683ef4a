std = "lua54"
ignore = { "211/_.*" } -- a <close> variable is there for its end
max_line_length = 130
files["spec"].std = "lua54+busted"
files["lua/bide/task/coroutines.lua"].globals = { "coroutine", "_G" }
exclude_files = { "lua/bide/meta", "build*" }
