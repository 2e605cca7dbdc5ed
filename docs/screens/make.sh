#!/usr/bin/env bash
# Takes the screenshots in this folder: every pane of the sample project in three themes and two sizes, and the review
# in true pixels (sixel, and kitty graphics if kitty is there). Needs Xvfb, xterm, xdotool, ImageMagick, and the font
# DejaVu Sans Mono.
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
# Panes, and the keys that open them. Letters are text in the forms, so the last ones are left with escape.
panes="home:gh vocabularies:gw templates:gp coverage:gc jobs:gj items:gi filters:gf review:gr contact-sheet:gs
rounds:go adjudicate:gd agreement:gk board:gb"
forms="import:gm models:gl scoring:gq people:gt evaluate:ge export:gx"

work=$(mktemp -d)
# Forms show where the project is, so its path has no name of this machine.
home=/tmp/ann
mkdir "$home" || { echo "make.sh: $home is in use" >&2; exit 1; }
trap 'kill $(jobs -p) 2> /dev/null || true; "$program" --project "$home/kites" stop > /dev/null 2>&1 || true; rm -rf "$work" "$home"' EXIT
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" LANG=C.UTF-8 BENCHTOP_AS=ann
export DISPLAY=:97 COLORTERM=truecolor
export HOME="$home"
cd "$home"
Xvfb "$DISPLAY" -noreset -screen 0 1800x1200x24 > /dev/null 2>&1 &
sleep 1

"$program" init "$home/kites" > /dev/null
"$program" --project "$home/kites" sample > /dev/null

# start SIZE [XTERM OPTION...]: the program in a terminal of this size; sets `window`.
start() {
    local size=$1
    shift
    xterm -tn xterm-256color -geometry "$size" -fa 'DejaVu Sans Mono' -fs 8 -bw 0 +sb -xrm 'XTerm*allowSendEvents: true' -title screens "$@" \
        -e "$program" --project "$home/kites" &
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
        for form in $forms; do
            keys=${form#*:}
            xdotool key --window "$window" --delay 60 "${keys:0:1}" "${keys:1:1}"
            shoot "${form%:*}-$theme-$size"
            xdotool key --window "$window" Escape
            sleep 0.3
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
    # Two models by style, from their comparison.
    xdotool key --window "$window" --delay 150 g b x Down x
    sleep 0.5
    shoot "board-compared-$size"
    xdotool key --window "$window" --delay 150 v Return
    sleep 0.5
    shoot "board-side-by-side-$size"
    stop
done

# The same pictures with kitty graphics, in kitty. It draws with OpenGL, in software here.
command -v kitty > /dev/null || exit 0
export LIBGL_ALWAYS_SOFTWARE=1
cat > "$work/kitty.conf" << 'END'
font_family DejaVu Sans Mono
font_size 8
remember_window_size no
initial_window_width 80c
initial_window_height 24c
window_padding_width 0
hide_window_decorations yes
cursor_blink_interval 0
confirm_os_window_close 0
update_check_interval 0
END
kitty --config "$work/kitty.conf" --class screens-kitty "$program" --project "$home/kites" > /dev/null 2>&1 &
terminal=$!
window=$(xdotool search --sync --onlyvisible --class screens-kitty | tail -1)
xdotool windowfocus "$window" 2> /dev/null || true
sleep 3
xdotool key --window "$window" --delay 60 g r
sleep 1
shoot review-kitty-80x24 256
xdotool key --window "$window" --delay 60 g s
sleep 1
shoot contact-sheet-kitty-80x24 256
stop
