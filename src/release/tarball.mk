# The program for distributions with glibc 2.31 or later, in a folder that can be anywhere; part of the Makefile.
#
# make bundle            build/bundle/bide-VERSION-linux-x86_64-glibc.tar.gz, which has bin/ and share/
#
# It is built as the static program is, but asks the system's C library, for names above all, and loads C modules of users.

bundled := x86_64-linux-gnu.2.31
bundle_name = bide-$(version)-linux-x86_64-glibc
tree = build/bundle/$(bundle_name)

$(eval $(call compiled,$(bundled)))

# Lua is there for C modules, as a whole; what else is in the program is not seen by them.
$(release)/$(bundled)/whole.o: $(call objects_of,$(bundled))
	@ld -r -o $@ $^ -L$(@D)/lib --whole-archive -llua --no-whole-archive --start-group \
	  $(filter-out -L% -llua -lm -lpthread,$(call libraries_of,$(bundled))) --end-group
	@objcopy --wildcard --keep-global-symbol='lua_*' --keep-global-symbol='luaL_*' --keep-global-symbol=main $@

$(release)/$(bundled)/bide: $(release)/$(bundled)/whole.o
	@echo "  $@"
	@$(call tools,$(bundled)) -pie -s -rdynamic -Wl,--gc-sections -Wl,-z,relro,-z,now -o $@ $< -lm -lpthread -ldl

bundle: export SOURCE_DATE_EPOCH = $(time_of_all)

bundle: $(release)/$(bundled)/bide
	@rm -rf build/bundle
	@install -d -m 755 $(tree)/bin $(tree)/share/doc/bide $(tree)/share/man/man1 $(dir $(addprefix $(tree)/,$(completions)))
	@install -m 755 $< $(tree)/bin/bide
	@install -m 644 README.md LICENSE $(tree)/share/doc/bide/
	@install -m 644 $(release)/licenses.txt $(tree)/share/doc/bide/licenses-of-libraries.txt
	@$(call copy,docs,$(abspath $(tree))/share/doc/bide/docs)
	@$(call write_completions,$(tree)/bin/bide,$(tree))
	@$(call write_man_page,$(tree)/bin/bide) >$(tree)/share/man/man1/bide.1
	@tar -C build/bundle --sort=name --format=ustar --mode=u+rw,go+r-w,a+X --mtime=@$$SOURCE_DATE_EPOCH --owner=0 --group=0 \
	  --numeric-owner -cf $(tree).tar $(bundle_name)
	@gzip -9n $(tree).tar
	@echo "  $(tree).tar.gz"

.PHONY: bundle
