/** Folds the noise in the output of a command: redrawn lines, runs of equal lines, runs of lines that report one step each. */

import { foldedRuns, MAX_COMPARED_LINES, type StoredLine } from '../../text/fold.ts';
import { terminalText } from '../../text/terminal.ts';

/** A run of so many lines that report steps is shown as its first and last one. */
const MIN_STEPS = 4;

/** Lines that look like a failure are never folded with others that are not equal. */
const PROBLEM = new RegExp(
  [
    String.raw`err(?!ors?[:=]? 0\b)|fail|fatal|panic|exception|traceback|critical|denied|refused|abort|cannot|can't|unable`,
    String.raw`missing|undefined|assert|conflict|reject|vulnerab|\bkill|\b(?:seg)?fault\b|crash|core dumped|corrupt|mismatch|violation|illegal`,
    String.raw`invalid|unexpected|unknown\s|unreachable|unavailable|unsupported|unresolved|forbidden|unauthorized|deadlock`,
    String.raw`timed?[ -]?out|no such|no space|disk full|out of memory|\b(?:not|oom|bad|broken|wrong|lost|stopped|terminated|reset|overflow|leak)\b`,
    String.raw`\bexit(?:ed)? (?:.* )?-?[1-9]|\bsignal:? \d|(?:^|[\s:(])[45]\d\d\s+[A-Z][a-z]|\b[A-Z]+!`,
    '[✗✘×✖]',
    String.raw`(?:^|\s)[.sxX]*[FE][.sxXFE]*(?=\s|$)`,
  ].join('|'),
  'i',
);

/** The tools that show what is in files: of their output no step is noise. */
const READERS =
  /(?:^|[\s;&|(])(?:cat|sed|head|tail|less|more|awk|grep|rg|ag|find|fd|ls|tree|jq|yq|diff|nl|bat|curl|wget|xxd|strings|git\s+(?:-\S+\s+\S+\s+)?(?:diff|show|log|blame|grep|cat-file|ls-files|stash show))\s/;

/** What lines begin or end with that report one step of a build, an installation, a test run or a transfer. */
const BEGINNINGS =
  /^\s*(?:\[[^\]]{1,24}\]\s+)?(Compiling|Checking|Fresh|Dirty|Downloaded|Downloading|Fetching|Fetched|Updating|Adding|Locking|Removing|Unpacking|Installing|Installed|Collecting|Using|Obtaining|Preparing|Building|Built|Stored|Created|Creating|Generating|Generated|Copying|Copied|Extracting|Selecting|Setting|Processing|Get|Hit|Ign|Receiving|Resolving|Counting|Compressing|Writing|Wrote|Linking|Running|Moving|Cloning|Submodule|Requirement|Found|Removed|Deleted|Uploading|Uploaded|Pulling|Pushing|Waiting|Verifying|Documenting|Packaging|Transforming|CC|CXX|LD|AR|GEN|INSTALL|AS|Step|PASS|ok|test|npm|remote:|create|delete|rename|copy|rewrite|added|changed|removed|✓|✔|√|=== RUN|--- PASS|- Locking|- Installing|- Downloading|\* \[new (?:branch|tag)\])(?=[\s:(]|\d|$)/;
const ENDINGS =
  /(\bPASSED\b|\bSKIPPED\b|\bok|\bdone\.?|\bignored|Already exists|Pull complete|\|\s+\d+\s[+-]*|[.sx]+\s+\[\s*\d+%\]|\[\s*\d+%\]|gzip:.*)\s*$/;

export interface FoldedOutput {
  readonly text: string;
  /** Lines that are not shown. */
  readonly left: number;
}

/** The output without its noise. `command`: the line that was run. */
export function withoutNoise(text: string, command: string): FoldedOutput {
  const lines = text.split('\n').map((line) => terminalText(line).replace(/\r$/, ''));
  const equal = equalRuns(lines);
  const runs = READERS.test(`${command} `) ? equal : stepRuns(equal);
  const shown = runs.map(({ line, last, count }) => {
    if (last === undefined) return count > 1 ? `${line}\n[the same ${count} times]` : line;
    return `${line}\n[${count - 2} more lines like this]\n${last}`;
  });
  const kept = runs.reduce((sum, { last }) => sum + (last === undefined ? 1 : 2), 0);
  return { text: shown.join('\n'), left: lines.length - kept };
}

interface OutputRun {
  readonly line: string;
  /** The last line, if the others between are not equal to it. */
  readonly last?: string | undefined;
  readonly count: number;
}

/** As `bash` folds: equal lines, and those that differ in a counter, are shown as their last one. */
function equalRuns(lines: readonly string[]): OutputRun[] {
  if (lines.length > MAX_COMPARED_LINES) return lines.map((line) => ({ line, count: 1 }));
  let start = 0;
  const stored = lines.map((line): StoredLine => {
    const bytes = Buffer.from(`${line}\n`);
    const from = start;
    start += bytes.length;
    return { bytes, start: from, end: start, whole: true };
  });
  const runs = [...foldedRuns(stored.toReversed())].toReversed();
  return runs.map(({ bytes, folded = 1 }) => ({
    line: Buffer.from(bytes).toString().slice(0, -1),
    count: folded,
  }));
}

function stepRuns(runs: readonly OutputRun[]): OutputRun[] {
  const found: OutputRun[] = [];
  for (let i = 0; i < runs.length;) {
    const step = stepOf(runs[i]?.line ?? '');
    let end = i + 1;
    while (step !== undefined && end < runs.length && stepOf(runs[end]?.line ?? '') === step) end += 1;
    const group = runs.slice(i, end);
    const [first, last] = [group[0], group.at(-1)];
    if (first && last && group.length >= MIN_STEPS)
      found.push({
        line: first.line,
        last: last.line,
        count: group.reduce((sum, { count }) => sum + count, 0),
      });
    else found.push(...group);
    i = end;
  }
  return found;
}

/** The kind of step that a line reports; undefined if it reports none, or a failure. */
function stepOf(line: string): string | undefined {
  if (line.length > 300 || PROBLEM.test(line)) return undefined;
  const begins = BEGINNINGS.exec(line)?.[1];
  if (begins !== undefined) return begins;
  return ENDINGS.exec(line)?.[1]?.replaceAll(/[\d\s.sx+-]+/g, ' ');
}
