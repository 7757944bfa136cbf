# shellcheck shell=bash
# Sourced by the others: what depends on a network or on another process is tried
# again or awaited, not given a fixed time.

# again COMMAND…: up to three times, as a download may break off.
again() {
  local try
  for try in 1 2 3; do
    "$@" && return
    [ "$try" = 3 ] || { printf '%s: failed, trying again\n' "$1" >&2; sleep $((5 * try)); }
  done
  return 1
}

# debian PACKAGE… installs Debian packages, for what needs them.
debian() {
  local root=
  if [ "$(id -u)" != 0 ]; then
    root=sudo
    command -v sudo >/dev/null || { echo "install $* first (apt-get install $*)" >&2; return 2; }
  fi
  again $root apt-get update -qq
  again $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# browser installs Chromium and Node.js where they are missing.
browser() {
  local missing=()
  export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
  [ -x "$CHROMIUM" ] || missing+=(chromium)
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  [ ${#missing[@]} -eq 0 ] || debian "${missing[@]}"
}

# started PID FILE LOG waits until a server has written FILE, as long as it runs.
started() {
  until [ -s "$2" ]; do
    kill -0 "$1" 2>/dev/null || { cat "$3" >&2; echo 'the server does not start' >&2; return 1; }
    sleep 0.1
  done
}

# serve [FLAG…] starts the reference that is built as $work/adconform with these flags, on a
# free port, in the place of the one before. $work/target.yaml is its target file.
server=
stop() { [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true; server=; }
serve() {
  stop
  rm -f "$work/target.yaml"
  "$work/adconform" serve --quiet --addr 127.0.0.1:0 --write-target "$work/target.yaml" "$@" >"$work/serve.log" 2>&1 &
  server=$!
  started "$server" "$work/target.yaml" "$work/serve.log"
}
