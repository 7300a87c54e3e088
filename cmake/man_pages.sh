#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# man_pages.sh CONVICT FOLDER: has help2man write a manual page of the program and one of each command, from what --help
# prints. They have no dates, so that every build writes the same bytes.
set -eu
convict=$1 folder=$2
mkdir -p "$folder"

page() { # name of the page, what is called, what it does
  # help2man hands the option to a shell. It prints lines behind "$ " as they are, as examples have to be.
  printf '[NAME]\n%s \\- %s\n' "$1" "$3" |
    help2man --no-info --include=/dev/stdin --version-string="$version" --source="convict $version" \
      --help-option="--help | sed 's/^  convict /  \$ convict /'" "$2" |
    sed '/^\.TH/s/"[A-Z][a-z]* [0-9]*"\(.*\)/""\1\n.ad l/; s/^Exit codes: /.SH "EXIT STATUS"\n/' >"$folder/$1.1"
}

version=$("$convict" --version | cut -d ' ' -f 2)
commands=$("$convict" complete 'convict ')
page convict "$convict" 'differential testing and fuzzing of convolution kernels'
echo "$commands" | while IFS="$(printf '\t')" read -r command summary; do
  page "convict-$command" "$convict $command" "$summary"
done
