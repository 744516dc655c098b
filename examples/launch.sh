# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh, bench.sh and memory-bench.sh: checks the tools, builds what is out of date, runs a main class.
# Needs bash, coreutils and findutils, a JDK 17 and Maven.

examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$examples")

die() {
  echo "error: $*" >&2
  exit 2
}

find_java() {
  if [[ -n "${JAVA_HOME:-}" ]]; then
    java=$JAVA_HOME/bin/java
    [[ -x "$java" ]] || die "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it. Set it to a JDK 17."
  else
    java=$(command -v java) || die "java was not found. Install a JDK 17, or set JAVA_HOME to one."
  fi
  local version
  version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
  [[ "$version" == 17 ]] || die "Java 17 is needed, but $java is Java ${version:-of an unknown version}. Set JAVA_HOME to a JDK 17."
}

# Builds unless the class path is newer than every source.
build() {
  local classpath=$examples/target/classpath.txt
  if [[ -f "$classpath" && -f "$examples/target/classes/jvm.options" ]]; then
    local newer
    newer=$(find "$root" -name target -prune -o -name .git -prune -o -type f \
      \( -path '*/src/main/*' -o -name pom.xml \) -newer "$classpath" -print -quit)
    [[ -n "$newer" ]] || return 0
  fi
  command -v mvn > /dev/null || die "mvn was not found. Install Maven 3.8.1 or later."
  echo "building (the first time, Maven fetches Spark and takes some minutes)"
  rm -f "$classpath"
  # -DskipTests alone does not skip: the parent POM has a switch of its own.
  (cd "$root" && mvn -q -B package org.apache.maven.plugins:maven-dependency-plugin:build-classpath \
    -pl examples -am -DskipTests -DskipUnitTests=true -Dmaven.javadoc.skip -Dspotless.check.skip \
    -Dmdep.includeScope=runtime -Dmdep.outputFile=target/classpath.txt) \
    || die "The build failed; what Maven says is above. It needs a JDK 17 and, the first time, a network."
}

# launch MAIN HELP_FILE DEFAULT_OUTPUT [argument...]
launch() {
  local main=$1 help=$2 output=$3
  shift 3
  local argument
  for argument in "$@"; do
    if [[ "$argument" == --help || "$argument" == -h ]]; then
      cat "$examples/src/main/resources/io/asyncscan/examples/$help"
      exit 0
    fi
  done
  find_java
  build
  exec "$java" -Xms2g -Xmx2g "@$examples/target/classes/jvm.options" \
    -cp "$examples/target/classes:$(cat "$examples/target/classpath.txt")" \
    "$main" --output "$output" "$@"
}
