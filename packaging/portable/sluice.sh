#!/bin/sh
# Starts the program of this folder, or says in one line why it cannot run on this machine.
refuse() {
  echo "sluice: $1" >&2
  exit 1
}
needs="this build needs glibc @GLIBC_MIN@ or newer, and this system has"
machine=$(uname -m)
[ "$machine" = @MACHINE@ ] || refuse "this build is for @MACHINE@, and this machine is $machine"
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
case $libc in
  glibc\ *)
    libc=${libc#glibc }
    minor=${libc#*.}
    if [ "${libc%%.*}" -lt @GLIBC_MAJOR@ ] || { [ "${libc%%.*}" -eq @GLIBC_MAJOR@ ] && [ "${minor%%.*}" -lt @GLIBC_MINOR@ ]; }; then
      refuse "$needs $libc; use the container image"
    fi
    ;;
  *) [ -e @LOADER@ ] && [ ! -e /lib/ld-musl-@MACHINE@.so.1 ] || refuse "$needs another C library; use the container image" ;;
esac
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
case $self in
  */*) ;;
  *) self=./$self ;;
esac
exec "${self%/*}/../lib/sluice/sluice" "$@"
