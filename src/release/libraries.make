# Builds the libraries of a release for one target, from the sources that src/release/sources has laid out:
#
#     make -f src/release/libraries.make target=x86_64-linux-musl
#
# What is built goes to build/release/TARGET: lib/*.a and include/. Each compiler runs in the folder of the sources and is
# given paths relative to it, so that the objects are the same wherever the checkout stands.

release := $(CURDIR)/build/release
here    := $(release)/$(target)
trees   := $(release)/trees
machine := $(firstword $(subst -, ,$(target)))

export PATH := $(here)/tools:$(PATH)
export ZIG_GLOBAL_CACHE_DIR := $(release)/zig-cache
export ZIG_LOCAL_CACHE_DIR  := $(release)/zig-cache
export SOURCE_DATE_EPOCH := 1
export LC_ALL := C

flags := -O2 -g0 -fPIC -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=2 -DNDEBUG \
         -D_GNU_SOURCE -I$(here)/include

names := lua uv luv cjson lpeg expat lxp yaml lyaml pcre2-8 rex sqlite3 xml2 z nghttp2 ssl curl
all: $(names:%=$(here)/lib/lib%.a)

# ---- compiled by a list of their files --------------------------------------
#
# $(call library,NAME,PACKAGE,FOLDER WITHIN IT,FILES,FLAGS,HEADERS,LIBRARIES WHOSE HEADERS IT NEEDS)

define library
$(here)/lib/lib$(1).a: $(patsubst %.c,$(here)/objects/$(1)/%.o,$(4))
	@rm -f $$@ && mkdir -p $$(@D) && ar rcs $$@ $$^ && echo "  $$(@:$(CURDIR)/%=%)"

$(here)/objects/$(1)/%.o: $(trees)/$(2)/$(3)/%.c $(here)/headers/$(1) $(7:%=$(here)/headers/%)
	@mkdir -p $$(@D)
	@cd $(trees)/$(2)/$(3) && cc $(flags) $(5) -c -o $$@ $$*.c

$(here)/headers/$(1):
	@mkdir -p $$(@D) $(here)/include
	@$(if $(6),cp -r $(addprefix $(trees)/$(2)/,$(6)) $(here)/include/)
	@touch $$@
endef

lua_files := lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate lstring ltable ltm \
             lundump lvm lzio lauxlib lbaselib lcorolib ldblib liolib lmathlib loadlib loslib lstrlib ltablib lutf8lib linit
# Where the C library loads others, so does Lua: C modules of users.
lua_flags := -DLUA_USE_POSIX -DLUA_COMPAT_5_3 $(if $(findstring gnu,$(target)),-DLUA_USE_DLOPEN)
$(eval $(call library,lua,lua5.4,src,$(lua_files:=.c),$(lua_flags),\
  src/lua.h src/luaconf.h src/lualib.h src/lauxlib.h src/lua5.4-deb-multiarch.h))

uv_files := fs-poll idna inet random strscpy strtok threadpool timer uv-common uv-data-getter-setters version \
            unix/async unix/core unix/dl unix/fs unix/getaddrinfo unix/getnameinfo unix/loop-watcher unix/loop unix/pipe \
            unix/poll unix/process unix/random-devurandom unix/signal unix/stream unix/tcp unix/thread unix/tty unix/udp \
            unix/proctitle unix/epoll unix/linux-core unix/linux-inotify unix/linux-syscalls unix/procfs-exepath \
            unix/random-getrandom unix/random-sysctl-linux
$(eval $(call library,uv,libuv1,src,$(uv_files:=.c),-I../include -I. -D_FILE_OFFSET_BITS=64 -D_LARGEFILE_SOURCE,\
  include/uv.h include/uv))

$(eval $(call library,luv,lua-luv,src,luv.c,,include/luv,lua uv))
$(eval $(call library,cjson,lua-cjson,.,lua_cjson.c strbuf.c fpconv.c,,,lua))
$(eval $(call library,lpeg,lua-lpeg,.,lpvm.c lpcap.c lptree.c lpcode.c lpprint.c,,,lua))
$(eval $(call library,expat,expat,expat/lib,xmlparse.c xmlrole.c xmltok.c random_getrandom.c,\
  -DXML_GE=1 -DXML_DTD -DXML_NS -DXML_CONTEXT_BYTES=1024 -DHAVE_GETRANDOM,expat/lib/expat.h expat/lib/expat_external.h expat/lib/expat_config.h))
$(eval $(call library,lxp,lua-expat,src,lxplib.c,,,lua expat))
$(eval $(call library,yaml,libyaml,src,$(addsuffix .c,api dumper emitter loader parser reader scanner writer),\
  -I../include -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING='"0.2.5"',\
  include/yaml.h))
$(eval $(call library,lyaml,lua-yaml,ext/yaml,emitter.c parser.c scanner.c yaml.c,-DVERSION='"6.2.8"' -I../include,,lua yaml))

# Without a compiler of its own: the sandbox lets no memory become code.
pcre2_files := auto_possess chkdint chartables compile compile_cgroup compile_class config context convert dfa_match error \
               extuni find_bracket jit_compile maketables match match_data match_next newline ord2utf pattern_info script_run \
               serialize string_utils study substitute substring tables ucd valid_utf xclass
pcre2_files := $(foreach one,$(pcre2_files),$(if $(wildcard $(trees)/pcre2/src/pcre2_$(one).c*),pcre2_$(one).c))
$(eval $(call library,pcre2-8,pcre2,src,$(pcre2_files),\
  -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC -DSUPPORT_UNICODE,src/pcre2.h))
$(eval $(call library,rex,lua-rexlib,src,common.c pcre2/lpcre2.c pcre2/lpcre2_f.c,\
  -I. -DPCRE2_CODE_UNIT_WIDTH=8 -DREX_OPENLIB=luaopen_rex_pcre2 -DREX_LIBNAME='"rex_pcre2"' -DVERSION='"2.9.2"',,lua pcre2-8))
$(eval $(call library,z,zlib,.,$(addsuffix .c,adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr \
  zutil gzclose gzlib gzread gzwrite),-DHAVE_HIDDEN -DHAVE_UNISTD_H,zlib.h zconf.h))
nghttp2_files := buf callbacks debug extpri frame hd hd_huffman hd_huffman_data helper http map mem npn option outbound_item \
                 pq priority_spec queue ratelim rcbuf session stream submit time version
$(eval $(call library,nghttp2,nghttp2,lib,$(nghttp2_files:%=nghttp2_%.c),\
  -Iincludes -DNGHTTP2_STATICLIB -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_TIME_H -DHAVE_CLOCK_GETTIME,lib/includes/nghttp2))
$(eval $(call library,sqlite3,sqlite3-made,.,sqlite3.c,\
  -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_SECURE_DELETE -DSQLITE_MAX_VARIABLE_NUMBER=250000 \
  -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_COLUMN_METADATA -DHAVE_ISNAN \
  -DSQLITE_ENABLE_JSON1 -DSQLITE_MAX_SCHEMA_RETRY=25 -DHAVE_USLEEP=1 -DHAVE_FDATASYNC=1 -DUSE_PREAD,sqlite3.h))

# ---- built by their own makefiles --------------------------------------------

# Each has an object folder beside the others, and says its steps only where one fails.
quietly = >$(here)/$(1).log 2>&1 || { tail -n 20 $(here)/$(1).log; exit 1; }
copy_of = rm -rf $(here)/trees/$(1) && mkdir -p $(here)/trees && cp -a $(trees)/$(1) $(here)/trees/$(1) && cd $(here)/trees/$(1)
host   := $(if $(findstring musl,$(target)),$(machine)-linux-musl,$(machine)-linux-gnu)

$(here)/lib/libssl.a:
	@$(call copy_of,openssl) && { \
	  CC=cc AR=ar RANLIB=ranlib CFLAGS="-O2 -g0 -ffunction-sections -fdata-sections" ./Configure linux-$(machine) \
	    no-shared no-dso no-module no-engine no-legacy no-tests no-ssl3 no-weak-ssl-ciphers no-comp no-srp no-sctp \
	    --prefix=/usr --openssldir=/etc/ssl --libdir=lib && $(MAKE) build_libs; } $(call quietly,openssl)
	@mkdir -p $(@D) $(here)/include && cp -r $(here)/trees/openssl/include/openssl $(here)/include/
	@cp $(here)/trees/openssl/libcrypto.a $(here)/trees/openssl/libssl.a $(@D)/ && echo "  $(@:$(CURDIR)/%=%)"

# What of libxml2 reads XML and HTML and searches them.
$(here)/lib/libxml2.a:
	@$(call copy_of,libxml2) && { \
	  CC=cc AR=ar RANLIB=ranlib CFLAGS="$(filter-out -I%,$(flags))" ./configure --host=$(host) --disable-shared --with-minimum \
	    --with-html --with-xpath --with-tree --with-sax1 --with-threads --with-iconv --with-iso8859x --with-push --with-output \
	    --with-valid --without-lzma --without-zlib --disable-dependency-tracking && \
	  $(MAKE) libxml2.la AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=:; } $(call quietly,libxml2)
	@mkdir -p $(@D) $(here)/include && cp -r $(here)/trees/libxml2/include/libxml $(here)/include/
	@cp $(here)/trees/libxml2/.libs/libxml2.a $(@D)/ && echo "  $(@:$(CURDIR)/%=%)"

# Without _GNU_SOURCE, for which musl declares calloc and free in sched.h, which are macros here.
# HTTP alone: no scheme but http and https is ever asked for. Where certificates are, bide says itself.
$(here)/lib/libcurl.a: $(here)/lib/libssl.a $(here)/lib/libz.a $(here)/lib/libnghttp2.a
	@$(call copy_of,curl) && { \
	  CC=cc AR=ar RANLIB=ranlib CFLAGS="$(filter-out -I% -D_GNU_SOURCE,$(flags))" CPPFLAGS="-DNGHTTP2_STATICLIB -I../../../include -I../../include" \
	  LDFLAGS="-L$(here)/lib" LIBS="-lpthread" PKG_CONFIG=false ./configure --host=$(host) --disable-shared --enable-static \
	    --disable-dependency-tracking --with-openssl --with-zlib --with-nghttp2 --enable-threaded-resolver --enable-ipv6 \
	    --without-brotli --without-zstd --without-libidn2 --without-libpsl --without-librtmp --without-libssh2 --without-gssapi \
	    --disable-ldap --disable-ldaps --disable-ftp --disable-file --disable-dict --disable-telnet --disable-tftp --disable-pop3 \
	    --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-rtsp --disable-manual \
	    --disable-libcurl-option --disable-ntlm-wb --disable-alt-svc --disable-hsts --without-ca-path \
	    --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt && \
	  $(MAKE) -C lib libcurl.la AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=:; } $(call quietly,curl)
	@cp -r $(here)/trees/curl/include/curl $(here)/include/
	@cp $(here)/trees/curl/lib/.libs/libcurl.a $(@D)/ && echo "  $(@:$(CURDIR)/%=%)"

.PHONY: all
.SECONDARY:
