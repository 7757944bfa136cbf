# shellcheck shell=bash disable=SC2154
# Sourced by .ci/judges and .ci/formats, which set $root and $work, a temporary directory.
# Puts what is pinned here, and nothing of adconform, where it is found again:
#   $tools   a copy of this directory, with node_modules beside it
#   $venv    the Python environment
# Without the package registries there is nothing to judge with: a failure in CI
# (CI=true), a loud skip elsewhere.
. "$root/.ci/lib.sh"
tools=$work/third-party
cp -R "$root/.ci/third-party" "$tools"
pins=$(cat "$tools"/package-lock.json "$tools"/requirements.txt | cksum | tr -d ' ')
installed=${XDG_CACHE_HOME:-$HOME/.cache}/adconform/third-party-$pins
venv=$installed/venv

cannot_install() {
  printf '%s: cannot install %s; the end of what it says:\n' "$(basename "$0")" "$1" >&2
  tail -n 5 "$work/install.log" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
  printf '%s: SKIPPED, nothing was judged\n' "$(basename "$0")" >&2
  exit 0
}

mkdir -p "$(dirname "$installed")"
exec 9>"$installed.lock"
flock 9 # another run on this machine may be installing the same
if [ ! -e "$installed/complete" ]; then
  printf 'installing what is pinned in .ci/third-party into %s\n' "$installed"
  rm -rf "$installed"
  mkdir -p "$installed"
  cp "$tools/package.json" "$tools/package-lock.json" "$tools/.npmrc" "$installed"
  (cd "$installed" && again npm ci --no-audit --no-fund) >"$work/install.log" 2>&1 ||
    cannot_install 'the npm packages of .ci/third-party/package-lock.json'
  { python3 -m venv "$venv" && again "$venv/bin/pip" install --retries 2 --disable-pip-version-check --no-deps -r "$tools/requirements.txt"; } >"$work/install.log" 2>&1 ||
    cannot_install 'the Python packages of .ci/third-party/requirements.txt'
  # npm runs no script of a package (.npmrc); this is all that one of them is for.
  chmod u+x "$installed/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
  touch "$installed/complete"
fi
exec 9>&-
ln -s "$installed/node_modules" "$tools/node_modules"
PATH=$tools/node_modules/.bin:$venv/bin:$PATH
