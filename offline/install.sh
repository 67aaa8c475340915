#!/bin/sh
# Installs this bundle into a folder, without a network: ./install.sh [/opt/floordraw] [/etc/floordraw/site.toml]
# Each version has a folder of its own; `.venv` and `docs` point to the one in use, so that the units need no change.
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd)
into=${1:-/opt/floordraw}
site=${2:-/etc/floordraw/site.toml}
python=${PYTHON:-python3}
cd "$here"

say() { echo "$*" >&2; }

sha256sum --quiet --strict -c SHA256SUMS >&2 || { say "The bundle is not whole: copy it again. Nothing was installed."; exit 1; }
if [ -n "$(find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | while read -r file; do
  grep -qF "  $file" SHA256SUMS || echo "$file"; done)" ]; then
  say "The bundle holds a file that is not of it: unpack it again into an empty folder. Nothing was installed."
  exit 1
fi

wanted=$(cat PYTHON)
has=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ "$has" = "$wanted" ] || { say "This bundle is for Python $wanted and this machine has $has. Make one for it: docs/backup.md."; exit 1; }
# Python brings a pip of its own for new environments; what is installed needs none afterwards.
pip=$("$python" -c '
import ensurepip, glob, os
folders = [getattr(ensurepip, "_WHEEL_PKG_DIR", None), os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")]
print([found for folder in folders if folder for found in glob.glob(os.path.join(folder, "pip-*.whl"))][0])
' 2>/dev/null) || { say "Python's venv is missing: install python3-venv."; exit 1; }

name=$(cat VERSION)-$(sha256sum SHA256SUMS | cut -c1-8)
home=$into/versions/$name
rm -rf "$home"
mkdir -p "$home"
"$python" -m venv --without-pip "$home/.venv"
PYTHONPATH=$pip "$home/.venv/bin/python" -m pip --disable-pip-version-check --quiet install --no-index --find-links wheels \
  --require-hashes -r requirements.txt
cp -R docs systemd config "$home/"

# The core's files stay its own: what looks at the database does so as the core's user.
as_core() {
  if [ "$(id -u)" = 0 ] && id floordraw >/dev/null 2>&1; then runuser -u floordraw -- "$@"; else "$@"; fi
}
if [ -e "$site" ]; then
  as_core "$home/.venv/bin/floordraw" upgrade check --site "$site" || {
    rm -rf "$home"
    say "Not installed: what is in use stays as it is."
    exit 1
  }
fi
for part in .venv docs systemd config; do
  ln -s "versions/$name/$part" "$into/$part.new"
  mv -T "$into/$part.new" "$into/$part"
done
echo "Floordraw $name is in $into. Start it again: systemctl restart floor.target"
