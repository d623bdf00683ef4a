# The artefacts of a release in bare roots, for root alone: what each is used for, and the package's life; part of the Makefile.
#
# make uses      use each artefact in build/artefacts for http, tcp, postgres, aws, kubernetes, query, check and exec
# make lifetime  install, upgrade, run and purge the package for Debian, in a root of its own; OLD=FILE is the older package
#
# mmdebstrap makes the roots, of Debian 11, 12 and 13, in build/roots, where they are kept.

uses: all
	@spec/release/uses build/roots

lifetime: all
	@spec/release/lifetime build/roots $(OLD)

.PHONY: uses lifetime
