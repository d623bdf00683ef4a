# Bare roots, for scripts that have set `roots`, the folder in which they are kept.

say() { echo "$@" >&2; }

# Makes the root of a suite of Debian, or says why there is none. What mmdebstrap asks is the archive that this machine has.
make_root() { # SUITE
  local root=$roots/$1 archive
  [ ! -e "$root.made" ] || return 0
  [ "$(id -u)" = 0 ] || { say "not tried: $1, whose root needs root"; return 1; }
  command -v mmdebstrap >/dev/null || { say "not tried: $1, since mmdebstrap is missing"; return 1; }
  archive=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)/$(LABEL)' 'Created-By: Packages' |
    sed -n 's#^\([^ ]*\) Debian/Debian$#\1#p' | head -n 1)
  mkdir -p "$roots"
  rm -rf "$root"
  if ! mmdebstrap --quiet --variant=apt "$1" "$root" "${archive:-http://deb.debian.org/debian}" >"$root.log" 2>&1; then
    say "not tried: $1, which mmdebstrap does not get: $(tail -n 1 "$root.log")"
    return 1
  fi
  touch "$root.made"
}

# Makes an empty folder, or a copy of another root, which a program may change.
fresh_root() { # NAME [SUITE]
  rm -rf "${roots:?}/$1"
  if [ -n "${2:-}" ]; then cp -a "$roots/$2" "$roots/$1"; else mkdir -p "$roots/$1"; fi
}
