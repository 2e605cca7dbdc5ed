#!/bin/sh
# A whole set in small, as Dysca makes one: compose, draw, filter, review, derive the scenarios, review them, evaluate a model,
# and release. It needs neither a GPU nor the Internet: the storyboard draws drafts instead of pictures.
#
#   docs/whole_set.sh BENCHTOP FOLDER CLIP URL [SCORE]
#
# BENCHTOP is the program, FOLDER the new project, CLIP the folder of a CLIP model in transformers' layout, and URL a server that
# speaks OpenAI's chat API. The model is asked under the name `model`. Pictures with a CLIP score below SCORE are flagged.
set -eu
benchtop=$1 folder=$2 clip=$3 url=$4 score=${5:-18}

"$benchtop" init "$folder"
cd "$folder"
# The CLIP model of the filters and of adversarial pictures.
"$benchtop" models use --clip "$clip"

# Gives a verdict on all items that match a filter.
judge() {
    items=$("$benchtop" items --filter "$2")
    [ -z "$items" ] || "$benchtop" bulk "$1" --filter "$2" --count "$(echo "$items" | wc -l)" --note "$3"
}

"$benchtop" compose --count 200 --seed 3
"$benchtop" generate --backend storyboard --size 256x256

"$benchtop" filter run flatness --drafts --flag 5
"$benchtop" filter run clip --drafts --flag "$score"
"$benchtop" filter report

# A person reviews every item. Here, flagged ones are rejected and all others accepted.
judge reject 'filter:flagged' 'a filter flagged it'
judge accept 'status:pending' 'looked at'

clean='status:accepted NOT variant:corruption,print-attack,adversarial'
"$benchtop" scenario corruption --seed 5 --filter "$clean"
"$benchtop" scenario print-attack --seed 5 --filter "$clean"
"$benchtop" scenario adversarial --seed 5 --steps 2 --filter "$clean"
judge accept 'status:pending' 'looked at'

"$benchtop" eval --model model --endpoint "$url" --drafts --filter 'status:accepted NOT type:free-form'
"$benchtop" board

"$benchtop" release v1 --drafts --split train=80,test=20
"$benchtop" release verify releases/v1
