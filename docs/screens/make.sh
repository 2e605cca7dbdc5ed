#!/usr/bin/env bash
# Takes the screenshots in this folder: every pane of the sample project in three themes and two sizes, and the review
# in true pixels (sixel). Needs Xvfb, xterm, xdotool, ImageMagick, and the font DejaVu Sans Mono.
#
#     docs/screens/make.sh target/release/benchtop [OUT]
set -euo pipefail

program=$(realpath "${1:?usage: make.sh PROGRAM [OUT]}")
out=$(realpath "${2:-$(dirname "$0")}")
for tool in Xvfb xterm xdotool import convert; do
    command -v "$tool" > /dev/null || { echo "make.sh: $tool is missing" >&2; exit 1; }
done

themes="dark light color-blind"
sizes="80x24 160x50"
# Panes, and the keys that open them.
panes="home:gh vocabularies:gw templates:gp coverage:gc jobs:gj items:gi filters:gf review:gr contact-sheet:gs
rounds:go adjudicate:gd agreement:gk board:gb"

work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; "$program" --project "$work/kites" stop > /dev/null 2>&1 || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" LANG=C.UTF-8 BENCHTOP_AS=ann
export DISPLAY=:97 COLORTERM=truecolor
Xvfb "$DISPLAY" -screen 0 1800x1200x24 > /dev/null 2>&1 &
sleep 1

"$program" init "$work/kites" > /dev/null
"$program" --project "$work/kites" sample > /dev/null

# start SIZE [XTERM OPTION...]: the program in a terminal of this size; sets `window`.
start() {
    local size=$1
    shift
    xterm -tn xterm-256color -geometry "$size" -fa 'DejaVu Sans Mono' -fs 8 -bw 0 +sb -xrm 'XTerm*allowSendEvents: true' -title screens "$@" \
        -e "$program" --project "$work/kites" &
    terminal=$!
    window=$(xdotool search --sync --onlyvisible --class xterm | tail -1)
    xdotool windowfocus --sync "$window" 2> /dev/null || true
    sleep 2
}

stop() {
    kill "$terminal" 2> /dev/null || true
    wait "$terminal" 2> /dev/null || true
}

# shoot NAME: waits until nothing changes, and saves the window.
shoot() {
    local last="" now
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        sleep 0.4
        now=$(import -window "$window" rgb:- | cksum)
        [ "$now" = "$last" ] && break
        last=$now
    done
    import -window "$window" "$work/shot.png"
    convert "$work/shot.png" -dither None -colors "${2:-64}" -depth 8 -strip "PNG8:$out/$1.png"
}

for theme in $themes; do
    "$program" theme "$theme" > /dev/null
    for size in $sizes; do
        start "$size"
        for pane in $panes; do
            keys=${pane#*:}
            xdotool key --window "$window" --delay 60 "${keys:0:1}" "${keys:1:1}"
            shoot "${pane%:*}-$theme-$size"
        done
        stop
    done
done

"$program" theme dark > /dev/null
for size in $sizes; do
    start "$size" -ti vt340 -xrm 'XTerm*allowWindowOps: true' -xrm 'XTerm*numColorRegisters: 256'
    xdotool key --window "$window" --delay 60 g r
    sleep 1
    shoot "review-pixels-$size" 256
    xdotool key --window "$window" --delay 60 g s
    sleep 1
    shoot "contact-sheet-pixels-$size" 256
    stop
done
