# What a release consists of, from the static program; part of the Makefile.
#
# make image             build/image/bide and build/image/bide-shell, folders of the OCI's layout, and what is in them as SPDX
# make release           all artefacts in build/artefacts, with SHA256SUMS, their parts and their provenance; KEY=FILE signs

image release: export SOURCE_DATE_EPOCH = $(time_of_all)

BUSYBOX ?= /bin/busybox

image: build/static/bide
	@src/release/image $(version) $< amd64 $(release)/certificates.pem build/image/bide
	@if file -L $(BUSYBOX) 2>/dev/null | grep -q 'statically linked'; then \
	  src/release/image $(version) $< amd64 $(release)/certificates.pem build/image/bide-shell $(BUSYBOX); \
	else \
	  rm -rf build/image/bide-shell && echo "  no build/image/bide-shell: $(BUSYBOX) is no static busybox (package busybox-static)"; \
	fi
	@$(LUA) src/release/sbom.lua $(version) $$SOURCE_DATE_EPOCH $$(sha256sum $< | cut -d ' ' -f 1) \
	  <src/release/sources.lock >build/image/bide.spdx.json

release: static static-aarch64 bundle image deb
	@src/release/gather $(version) $(KEY)

.PHONY: image release
