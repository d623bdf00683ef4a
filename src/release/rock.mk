# What src/release/bide-*.rockspec builds and installs, into the folders that LuaRocks names; part of the Makefile. Modules,
# recipes, data and pages are below LUADIR/bide, where the program finds them from BINDIR. argparse is a rock of its own.

rock: all

install-rock: rock
	install -d -m 755 $(BINDIR) $(LIBDIR)/bide $(LUADIR)
	install -m 755 $(program) $(BINDIR)/
	install -m 644 $(libraries) $(LIBDIR)/bide/
	$(call copy,$(build)/lua/bide,$(abspath $(LUADIR))/bide)
	$(call copy,scripts,$(abspath $(LUADIR))/bide/scripts)
	$(call copy,docs,$(abspath $(LUADIR))/bide/docs)

.PHONY: rock install-rock
