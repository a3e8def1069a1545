# Make an environment of its own, in the directory named by the first argument.
set -e
python3 -m venv "$1/venv"
"$1/venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
