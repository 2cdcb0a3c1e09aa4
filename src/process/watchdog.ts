/**
 * A watchdog process: kills our child processes when this process dies without notice (SIGKILL, SIGABRT, out
 * of memory). A small shell reads the running processes from a pipe, and kills them with all descendants when
 * the other end is closed. It is started with the first command and ends soon after the last.
 */

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { startProcess } from './start.ts';

/** A watched process, registered before it is started. */
export interface WatchedProcess {
  /** Call it when the process was started. */
  isRunning(pid: number): void;
  release(): void;
}

/** Milliseconds that the watchdog stays without a command, because commands often follow each other. */
const IDLE_MS = 500;

/** A watchdog that ends within this many milliseconds is not restarted before the next command. */
const SHORT_LIFE_MS = 1_000;

/** The process id by token; 0 if it is not known yet. */
const running = new Map<string, number>();
let watchdog: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * `token` (hexadecimal): in the environment of the process, and so of its descendants. `started`: the id of the process if
 * it runs already.
 */
export function watch(token: string, started = 0): WatchedProcess {
  running.set(token, started);
  tell();
  return {
    isRunning(pid) {
      running.set(token, pid);
      tell();
    },
    release() {
      if (running.delete(token)) tell();
    },
  };
}

/**
 * For a child process that may not notice that this process has died, because it computes for long without
 * reading or writing. Call the returned function when it is idle or has ended.
 */
export function watchHelper({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => undefined;
  const watched = watch(randomBytes(16).toString('hex'), pid);
  return () => watched.release();
}

/** Sends the list of all running processes in a line: `PID:TOKEN PID:TOKEN …`. */
function tell(): void {
  if (process.platform === 'win32') return;
  clearTimeout(idle);
  if (running.size === 0) {
    if (!watchdog) return;
    idle = setTimeout(() => watchdog?.stdin?.end(), IDLE_MS).unref();
  } else if (!watchdog?.stdin?.writable) watchdog = startWatchdog();
  const line = Array.from(running, ([token, pid]) => `${pid}:${token}`).join(' ');
  watchdog?.stdin?.write(`${line}\n`);
}

/** Starts the watchdog in its own session, so that it survives a signal to our group. Without it commands still run. */
function startWatchdog(): ChildProcess | undefined {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', ORIEL_RUN } = process.env;
  const began = performance.now();
  let child: ChildProcess;
  try {
    child = startProcess('/bin/sh', ['-c', SCRIPT, 'oriel-watchdog'], {
      cwd: '/',
      env: { PATH, ORIEL_RUN },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  } catch {
    return undefined;
  }
  const gone = (): void => {
    if (watchdog !== child) return;
    watchdog = undefined;
    if (performance.now() - began > SHORT_LIFE_MS) tell();
  };
  child.once('error', gone);
  child.once('exit', gone);
  child.stdin?.on('error', () => undefined);
  // Neither it nor its pipe keeps this process alive.
  if (child.pid !== undefined) child.unref();
  (child.stdin as (NodeJS.WritableStream & { unref?(): void }) | null)?.unref?.();
  return child;
}

/**
 * For any POSIX shell. With /proc, the members of the tree are the processes in the group or session of the command, those
 * with its token in their environment, and their children; otherwise the group. It repeats until nothing is left, because a
 * tree may grow while it is being killed. An incomplete last line is ignored.
 */
const SCRIPT = `
runs=
while read -r line; do runs=$line; done
[ -n "$runs" ] || exit 0
tokens=
for run in $runs; do tokens="$tokens -e \${run#*:}"; done

look() {
  found=' ' table=
  for path in $(grep -lsF $tokens /proc/[0-9]*/environ); do
    pid=\${path#/proc/}
    found="$found\${pid%%/*} "
  done
  for path in /proc/[0-9]*/stat; do
    stat=
    while read -r part; do stat="$stat $part"; done < $path
    pid=\${path#/proc/} pid=\${pid%/stat}
    set -- \${stat##*) }
    case $1 in Z|X|'') continue;; esac
    table="$table $pid:$2"
    for run in $runs; do
      leader=\${run%%:*}
      # Threads of the kernel, and what comes from outside a container, are in a group 0.
      [ $leader = 0 ] && continue
      case " $pid $3 $4 " in *" $leader "*) found="$found$pid ";; esac
    done
  done
  before=
  while [ "$before" != "$found" ]; do
    before=$found
    for row in $table; do
      case $found in *" \${row#*:} "*)
        case $found in *" \${row%%:*} "*) ;; *) found="$found\${row%%:*} ";; esac;;
      esac
    done
  done
}

groups=
for run in $runs; do case $run in 0:*) ;; *) groups="$groups -\${run%%:*}";; esac; done
send() { for group in $groups; do kill -s $1 -- $group; done; }

if [ ! -r /proc/self/stat ]; then
  send KILL
  # Helpers are in our group, not in one of their own.
  for group in $groups; do kill -s KILL \${group#-}; done
  exit
fi
# Who is stopped neither ends nor forks: children are found by their parents.
send STOP
rounds=0
while [ $rounds -lt 100 ]; do
  rounds=$((rounds + 1))
  look
  send KILL
  victims=
  for pid in $found; do [ -d /proc/$pid ] && [ $pid != $$ ] && victims="$victims $pid"; done
  alive=
  for pid in $victims; do
    kill -s KILL $pid
    case $(cat /proc/$pid/stat) in *') Z '*|*') X '*|'') ;; *) alive=1;; esac
  done
  [ -n "$alive" ] || [ $rounds -lt 2 ] || exit 0
  sleep 0.05 || sleep 1
done
`;
