# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the tools of this folder: makes or reuses .venv in the checkout and installs what pyproject.toml asks for.

# Prints the first interpreter that this project supports and that can make environments.
find_python() {
  local name
  for name in python3.12 python3.13 python3.11 python3; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  echo "roller-mlir needs Python 3.11, 3.12 or 3.13 with its venv module; none was found on PATH" >&2
  return 1
}

# Makes .venv complete for the given extras, such as "cuda,dev"; does nothing where it is.
prepare_environment() {
  local extras=$1 stamp wanted python
  wanted="$(sha256sum pyproject.toml | cut -d' ' -f1) $PWD"
  for stamp in .venv/.installed-*"$extras"*; do
    if [[ -x .venv/bin/python && -f $stamp && $(<"$stamp") == "$wanted" ]]; then
      return
    fi
  done
  if [[ ! -x .venv/bin/python ]]; then
    python=$(find_python)
    echo "making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
  fi
  echo "installing roller-mlir[$extras] into .venv"
  # Python compiles what it imports; pip would compile all there is, for half a minute.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[$extras]"
  echo "$wanted" >".venv/.installed-$extras"
}
