#!/usr/bin/env bash
# Runs a command of cqa on any Spark master, with the project's package, settings and jars.
set -euo pipefail

HERE="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
PACKAGE="$HERE/build/cqa_spark.zip"
THERE=/opt/cqa-spark # where the image and the nodes of deploy/ have the project
TAKE_A_VALUE=(
    --environment --master --deploy-mode --name --jars --packages --exclude-packages --repositories --py-files --files
    --archives --conf -c --properties-file --driver-memory --driver-java-options --driver-library-path
    --driver-class-path --driver-cores --executor-memory --executor-cores --total-executor-cores --num-executors
    --proxy-user --principal --keytab --queue
)

usage() {
    cat <<END
usage: ./spark-submit.sh [options] [spark-submit options] JOB [job options]

Runs jobs/cqa.py JOB with spark-submit: ships the package (--py-files), the jars (--jars), and the settings of
conf/spark/common.conf and cluster.conf, of elastic.conf for nights on YARN without --num-executors. A JOB is a command of cqa, of one or two words; cqa --help lists them. The driver runs here; without --master, so does everything.
With --deploy-mode cluster, on YARN and Kubernetes, it runs in the cluster, with the project of its nodes or its image in
$THERE; on YARN with --environment, nothing is installed on the nodes. The job's exit code comes back here.

options:
  --environment FILE  ship this packed Python, made by 'make environment', to workers that lack our dependencies, and to
                      the driver in a cluster of YARN, with conf/ and the jars; they need this Python where this machine
                      has it. FILE may be an address, hdfs://… (also: CQA_ENVIRONMENT=FILE)
  --dry-run           print the resolved command and stop
  --help              print this and stop

environment variables:
  SPARK_HOME      the Spark to run on, of the line of .venv (3.5 or 4); default: the one in .venv
  PYSPARK_PYTHON  the workers' Python; default: the one in .venv
  CQA_HOME        the folder whose conf/ describes systems and data sets; default: this one

examples:
  ./spark-submit.sh --master spark://host:7077 --executor-memory 4g run --config conf/semeval2016.yaml
  ./spark-submit.sh --master yarn --deploy-mode cluster --environment build/environment.tar.gz nightly --input … --lake …
  ./spark-submit.sh --dry-run run --config conf/demo.yaml
END
}

fail() {
    printf 'spark-submit.sh: %s\n  → %s\n' "$1" "$2" >&2
    exit 2
}

# Reads the options before JOB; what is left is the job with its options.
parse() {
    SUBMIT=() DRY_RUN="" ENVIRONMENT="${CQA_ENVIRONMENT:-}" MORE_JARS="" MORE_PY_FILES="" MORE_ARCHIVES="" MASTER="" MODE=client EXECUTORS=""
    while (($#)); do
        case "$1" in
            --help | -h) usage && exit ;;
            --dry-run) DRY_RUN=yes && shift && continue ;;
            --supervise | --verbose | -v) SUBMIT+=("$1") && shift && continue ;;
            --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
            -*) ;;
            *) break ;;
        esac
        [[ " ${TAKE_A_VALUE[*]} " == *" $1 "* ]] ||
            fail "unknown option $1" "options of the job stand after its name; see ./spark-submit.sh --help"
        (($# > 1)) || fail "$1 needs a value" "see ./spark-submit.sh --help"
        case "$1" in
            --environment) ENVIRONMENT="$2" ;;
            --jars) MORE_JARS=",$2" ;;
            --py-files) MORE_PY_FILES=",$2" ;;
            --archives) MORE_ARCHIVES=",$2" ;;
            --properties-file) fail "the settings come from conf/spark/" "override single ones with --conf" ;;
            --deploy-mode) MODE="$2" ;;
            *) SUBMIT+=("$1" "$2") ;;
        esac
        case "$1 $2" in
            "--master "*) MASTER="$2" ;;
            "--num-executors "* | *" spark.executor.instances="*) EXECUTORS="$2" ;;
        esac
        shift 2
    done
    JOB=("$@")
}

spark_submit() {
    local program="${SPARK_HOME:-$HERE/.venv}/bin/spark-submit"
    [[ $DRY_RUN || -x $program ]] || fail "there is no $program" "run 'make setup', or point SPARK_HOME to a Spark of the same line"
    echo "$program"
}

# Refuses a mistyped job before anything is submitted: cqa, which has the list, explains the job or says what is near.
require_job() {
    local python="$HERE/.venv/bin/python" word words=()
    ((${#JOB[@]})) || fail "no JOB given" "name a command of cqa, such as: run --config conf/demo.yaml"
    [[ -x $python ]] || return 0
    for word in "${JOB[@]:0:2}"; do
        [[ $word != -* ]] || break
        words+=("$word")
    done
    PYTHONPATH="$HERE" "$python" -m cqa_spark "${words[@]}" --help >/dev/null
}

# What workers and driver find in their environment.
environment() {
    local python="${PYSPARK_PYTHON:-$HERE/.venv/bin/python}"
    local home="${CQA_HOME:-$HERE}"
    VARIABLES=("CQA_HOME=$home" "PYSPARK_PYTHON=$python")
    if [[ $ENVIRONMENT ]]; then
        [[ $DRY_RUN || -f $ENVIRONMENT || $ENVIRONMENT == *://* ]] || fail "there is no $ENVIRONMENT" "run 'make environment'"
        VARIABLES=("CQA_HOME=$home" "PYSPARK_PYTHON=./environment/bin/python" "PYSPARK_DRIVER_PYTHON=$python")
        MORE_ARCHIVES=",$ENVIRONMENT#environment$MORE_ARCHIVES"
    fi
}

# Whether executors come and go: in nights on YARN, unless their number is given, or options tell a night to train.
is_elastic() {
    [[ $MASTER == yarn && ${JOB[0]} == nightly && ! $EXECUTORS ]] &&
        [[ " ${JOB[*]} " != *" --"@(train|retrain|system|task)[\ =]* ]]
}

# spark-submit takes one file of settings; those of others go before the options of the user, of which the last wins.
cluster_settings() {
    local files=("$HERE/conf/spark/cluster.conf") name value
    CLUSTER=()
    ! is_elastic || files+=("$HERE/conf/spark/elastic.conf")
    while read -r name value; do
        [[ -z $name || $name == \#* ]] || CLUSTER+=(--conf "$name=$value")
    done < <(cat "${files[@]}")
}

# Where the driver finds the project. YARN sends the job's script to the driver, Kubernetes does not. With a packed Python,
# conf/ and the jars travel as well, in an archive that YARN unpacks in the driver's folder.
driver() {
    HOME_OF_DRIVER="$HERE" JARS="$HERE/.jars/" PY_FILES="$PACKAGE$MORE_PY_FILES" SCRIPT="$HERE/jobs/cqa.py"
    [[ $MODE != client ]] || return 0
    [[ $MODE == cluster ]] || fail "there is no deploy mode $MODE" "client or cluster"
    case "$MASTER" in
        yarn) ;;
        k8s://*) SCRIPT="local://$THERE/jobs/cqa.py" ;;
        spark://*) fail "standalone clusters of Spark run no driver in Python" "leave out --deploy-mode cluster" ;;
        *) fail "only YARN and Kubernetes run the driver in the cluster" "leave out --deploy-mode cluster" ;;
    esac
    CLUSTER+=(--deploy-mode cluster)
    if [[ $ENVIRONMENT ]]; then
        [[ $MASTER == yarn ]] || fail "the driver in the image has its own Python" "leave out --environment"
        HOME_OF_DRIVER=./project PROJECT="$HERE/build/project.tar.gz"
        MORE_ARCHIVES+=",$PROJECT#project"
        VARIABLES=("PYSPARK_PYTHON=${PYSPARK_PYTHON:-$HERE/.venv/bin/python}") # with which Spark's script finds Spark
        CLUSTER+=(--conf spark.yarn.appMasterEnv.PYSPARK_PYTHON=./environment/bin/python)
    else
        HOME_OF_DRIVER="$THERE" JARS="local:$THERE/.jars/" PY_FILES="${MORE_PY_FILES#,}"
        VARIABLES=("PYSPARK_PYTHON=$THERE/.venv/bin/python") # YARN hands it on; the image sets both
    fi
    CLUSTER+=(--conf "spark.yarn.appMasterEnv.CQA_HOME=$HOME_OF_DRIVER")
}

command_line() {
    local jars
    jars="$({ find -H "$HERE/.jars" -name '*.jar' -printf "$JARS%f\n" 2>/dev/null || true; } | LC_ALL=C sort | paste -sd,)"
    [[ $DRY_RUN || $jars ]] || fail "no jars in $HERE/.jars" "run 'make setup', which resolves them"
    COMMAND=(
        "$(spark_submit)"
        --properties-file "$HERE/conf/spark/common.conf"
        "${CLUSTER[@]}"
        --driver-java-options "-Dlog4j2.configurationFile=$HOME_OF_DRIVER/conf/spark/log4j2.properties"
        --jars "$jars$MORE_JARS"
        ${PY_FILES:+--py-files "$PY_FILES"}
        ${MORE_ARCHIVES:+--archives "${MORE_ARCHIVES#,}"}
        ${SUBMIT[@]+"${SUBMIT[@]}"}
        "$SCRIPT"
        "${JOB[@]}"
    )
}

# Runs a command in a process group of its own and forwards the signals that ask it to stop. Java, which spark-submit
# becomes, ignores them: the job in Python cleans up, and logging that its run was stopped takes Spark.
run_client() {
    set -m
    (trap '' TERM INT HUP && exec "$@") &
    set +m
    local group=$!
    trap 'kill -TERM -- "-$group"' TERM HUP
    trap 'kill -INT -- "-$group"' INT
    while kill -0 "$group" 2>/dev/null; do
        wait "$group" || true # a signal ends the wait, not the job
    done
    wait "$group"
}

# Runs a command that tells the driver's exit code in its log: spark-submit itself ends with 1 on YARN, and with 0 on
# Kubernetes. A signal ends the wait, not the job.
run_cluster() {
    local code=0 log told
    log="$(mktemp)"
    "$@" 2>&1 | tee "$log" || code=$?
    told="$(sed -nE 's/.*(User application exited with status|exit code:) ([0-9]+).*/\2/p' "$log" | tail -n 1)"
    rm "$log"
    exit "${told:-$code}"
}

parse "$@"
require_job
environment
cluster_settings
driver
command_line
if [[ $DRY_RUN ]]; then
    printf '%q ' "${VARIABLES[@]}" "${COMMAND[@]}"
    echo
else
    CQA_HOME="$HERE" PYTHONPATH="$HERE" "$HERE/.venv/bin/python" -m cqa_spark.spark.jars # checks Java and the jars
    "$HERE/.venv/bin/python" "$HERE/deploy/zip_package.py" "$PACKAGE"
    [[ ! ${PROJECT:-} ]] || tar -czhf "$PROJECT" -C "$HERE" --exclude classes.jsa conf .jars
    "run_$MODE" env "${VARIABLES[@]}" "${COMMAND[@]}"
fi
