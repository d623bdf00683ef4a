# The site: the pages of docs by Debian's mkdocs, into build/site/html; part of the Makefile. It works from a folder, and
# without scripts but for its search. It fails if a link leads nowhere.

site := $(build)/site

site: all
	@command -v mkdocs >/dev/null || { echo "mkdocs is missing: install the package mkdocs"; exit 1; }
	@rm -rf $(site) && mkdir -p $(site)
	@python3 -B src/release/site/site_pages.py prepare . $(site)
	@PYTHONPATH=src/release/site PYTHONDONTWRITEBYTECODE=1 mkdocs build --quiet --strict --config-file $(site)/mkdocs.yml
	@python3 -B src/release/site/site_pages.py finish $(site)/html

.PHONY: site
