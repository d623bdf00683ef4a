# The package for Debian, and the proof that a build is the same everywhere; part of the Makefile.

deb reproducible: export SOURCE_DATE_EPOCH = $(time_of_all)

# The names of the packages that it depends on are those of Debian 12.
deb: all
	@rm -rf $(build)/deb
	@$(MAKE) --no-print-directory install DESTDIR=$(build)/deb PREFIX=/usr >/dev/null
	@gzip -9n $(build)/deb/usr/share/man/man1/bide.1
	@install -d -m 755 $(build)/deb/DEBIAN $(build)/deb/usr/share/doc/bide
	@strip --strip-unneeded $(build)/deb/usr/bin/bide $(build)/deb/usr/lib/bide/bide/*.so
	@mv $(build)/deb/usr/share/doc/bide/LICENSE $(build)/deb/usr/share/doc/bide/copyright
	@ln -s copyright $(build)/deb/usr/share/doc/bide/LICENSE
	@printf '\nOf scripts/aws:\n\n' | cat - scripts/aws/NOTICE >>$(build)/deb/usr/share/doc/bide/copyright
	@printf '\nOn Debian, the text of that license is in /usr/share/common-licenses/Apache-2.0.\n' \
	  >>$(build)/deb/usr/share/doc/bide/copyright
	@printf 'bide ($(version)) unstable; urgency=medium\n\n  * See docs/CHANGELOG.md beside this file.\n\n -- %s  %s\n' \
	  "$$(sed -n 's/^Maintainer: //p' .ci/control)" "$$(LC_ALL=C date -u -R -d @$(SOURCE_DATE_EPOCH))" \
	  | gzip -9n >$(build)/deb/usr/share/doc/bide/changelog.gz
	@printf '\nOf argparse:\n\n' >>$(build)/deb/usr/share/doc/bide/copyright
	@sed -n -e '/^-- *\|^$$/!q' -e 's/^-- \{0,1\}//p' $(argparse) >>$(build)/deb/usr/share/doc/bide/copyright
	@sed -e 's/@version@/$(version)/' -e 's/@architecture@/$(shell dpkg --print-architecture)/' .ci/control \
	  >$(build)/deb/DEBIAN/control
	@chmod 644 $(build)/deb/usr/share/doc/bide/changelog.gz
	@find $(build)/deb -newermt @$(SOURCE_DATE_EPOCH) -exec touch --no-dereference --date=@$(SOURCE_DATE_EPOCH) {} +
	@dpkg-deb --root-owner-group --build $(build)/deb $(build)

# Builds twice from copies in two folders, and compares what make install and make deb make, byte for byte.
reproducible:
	@.ci/reproducible

.PHONY: deb reproducible
