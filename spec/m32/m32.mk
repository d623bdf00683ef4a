# The layers below the host, with words of 32 bits and without Lua, and the JMESPath suite over them; part of the Makefile.

lean = $(engine_sources) $(wildcard src/wait/*.c)

m32: all
	@.ci/deps --name m32
	@mkdir -p $(build)/m32
	@$(CC) -m32 $(flags) -Werror $(CFLAGS) -o $(build)/m32/run spec/m32/run.c $(lean) -lm
	@$(with_modules) $(LUA) spec/m32/cases.lua | $(build)/m32/run

.PHONY: m32
