/** Checks a server: makes the sandbox, tries the cases, ends and removes everything, and reports. */

import { tmpdir } from 'node:os';
import { type CheckLaw, type HostileCase, LEAK } from './case.ts';
import { type CallFigures, CheckedServer } from './checked-server.ts';
import { oriel } from './oriel.ts';
import { BrokenLaw, type CaseEvidence, SkippedCase } from './outcome.ts';
import { type RoleMapping, roles, type ToolRole } from './roles.ts';
import { CheckSandbox } from './sandbox.ts';

/** Stands before the directories and the reasons. */
export const NOT_REMOVED = 'The files of the check could not be removed';

export interface AuditResult {
  readonly roles: RoleMapping;
  readonly findings: readonly CaseFinding[];
  /** The number of cases that were not reached, because the check was cancelled. */
  readonly left: number;
  /** The directory of the files, if they are kept. */
  readonly kept?: string | undefined;
  /** Directories of the check that could not be removed, with the reason. */
  readonly notRemoved?: readonly string[] | undefined;
}

export interface AuditOptions {
  /** The text of a mapping file. */
  readonly mapping?: string | undefined;
  /** Cancels the check: what was found so far is reported. */
  readonly signal: AbortSignal;
  readonly deadlineMs?: number | undefined;
  /** Milliseconds for the start of the server, with the list of its tools. */
  readonly startMs?: number | undefined;
  /** Leaves the files of the last case behind. */
  readonly keep?: boolean | undefined;
  readonly progress?: AuditProgress | undefined;
}

/** Throws `BAD_INPUT` if the server cannot be started. */
export async function audit(
  command: readonly string[],
  cases: readonly HostileCase[],
  { mapping, signal, deadlineMs, startMs, keep = false, progress }: AuditOptions,
): Promise<AuditResult> {
  const sandbox = newSandbox();
  const server = new CheckedServer(sandbox, command, signal, { deadlineMs, startMs });
  const runner = new CaseRunner({ server, sandbox, mapping, signal, progress });
  try {
    await runner.tryAll(cases);
    await runner.finish();
  } catch (error) {
    await server.close();
    if (!signal.aborted) throw naming(sandbox.remove(), error);
  }
  const { findings } = runner;
  const notRemoved = keep ? [] : sandbox.remove();
  const end = keep ? { kept: sandbox.base } : notRemoved.length > 0 ? { notRemoved } : {};
  return { roles: server.roles, findings, left: cases.length - findings.length, ...end };
}

/** The error of a check, with what could not be removed. */
function naming(left: readonly string[], cause: unknown): unknown {
  if (left.length === 0 || !oriel.isOrielError(cause)) return cause;
  const { code, message, next } = cause;
  return new oriel.OrielError(code, `${message} ${NOT_REMOVED}: ${left.join(', ')}.`, { next, cause });
}

function newSandbox(): CheckSandbox {
  try {
    return new CheckSandbox();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = `The files of the check cannot be made in ${oriel.quote(tmpdir())}: ${oriel.quote(code ?? message)}.`;
    throw new oriel.OrielError('BAD_INPUT', `${why} Name another directory with TMPDIR.`, { cause });
  }
}

// Tries the cases one after another, each with a clean sandbox; after a broken one the server is restarted.
//
// The files are compared after the last answer of a case, before they are removed, when the next case has made its own, and when the
// server was ended. What is changed after the last answer counts for the last case that was tried on this run of the server; if
// none was, for its start.

/** Told about each case. */
export interface AuditProgress {
  begins(id: string): void;
  /** Again for a case that is found to be broken later. */
  ended(finding: CaseFinding): void;
}

interface CaseRun {
  readonly server: CheckedServer;
  readonly sandbox: CheckSandbox;
  readonly mapping: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: AuditProgress | undefined;
}

class CaseRunner {
  readonly findings: CaseFinding[] = [];
  readonly #run: CaseRun;
  #is: 'running' | 'stopped' | 'gone' = 'stopped';
  /** Why the server does not run again. */
  #whyGone = '';
  /** Index in `findings` of the last case that was tried on this run of the server. */
  #last: number | undefined;
  /** What the server did at its start, until it is reported, once. */
  #early: BrokenLaw | undefined;
  #isEarlyReported = false;

  constructor(run: CaseRun) {
    this.#run = run;
  }

  /** Adds to `findings`. Throws the reason of the signal when it is cancelled, and `BAD_INPUT` if the server cannot be started. */
  async tryAll(cases: readonly HostileCase[]): Promise<void> {
    const { progress, signal } = this.#run;
    await this.#start();
    for (const one of cases) {
      signal.throwIfAborted();
      progress?.begins(one.id);
      const finding = await this.#try(one);
      this.findings.push(finding);
      progress?.ended(finding);
      if (finding.verdict === 'broken') await this.#stop();
    }
  }

  /** Ends the server, and compares the files once more. Throws as `tryAll` does. */
  async finish(): Promise<void> {
    const { server, sandbox, signal } = this.#run;
    await server.close();
    signal.throwIfAborted();
    if (this.#is === 'running') await this.#blameLast(sandbox.changes());
  }

  async #start(): Promise<void> {
    const { server, sandbox, mapping } = this.#run;
    await server.start(mapping);
    this.#is = 'running';
    this.#last = undefined;
    const { leakedAtStart: text } = server;
    if (text !== undefined) this.#noteEarly(new BrokenLaw(LEAK, { text, at: text.indexOf(sandbox.secret) }));
    const changes = sandbox.changes();
    if (changes.length > 0) this.#noteEarly(new BrokenLaw(EARLY, { changes }));
  }

  #noteEarly(fault: BrokenLaw): void {
    if (!this.#isEarlyReported) this.#early ??= fault;
  }

  async #stop(): Promise<void> {
    await this.#run.server.close();
    this.#is = 'stopped';
  }

  /** If it fails, the findings so far are still reported. */
  async #restart(): Promise<void> {
    const { server, sandbox, signal } = this.#run;
    try {
      sandbox.rebuild();
    } catch (error) {
      this.#is = 'gone';
      this.#whyGone = `the files of the check could not be made again: ${codeOf(error)}`;
      return;
    }
    try {
      await this.#start();
    } catch (error) {
      signal.throwIfAborted();
      if (!oriel.isOrielError(error)) throw error;
      await server.close();
      this.#is = 'gone';
      this.#whyGone = 'the server did not start again';
    }
  }

  async #try(one: HostileCase): Promise<CaseFinding> {
    const { server, sandbox } = this.#run;
    if (this.#is === 'stopped') await this.#restart();
    if (this.#is === 'gone') return findingOf(one, NO_FIGURES, new SkippedCase(this.#whyGone));
    if (!server.roles[one.role]) return findingOf(one, NO_FIGURES, new SkippedCase(lackOf(one.role, server)));
    server.resetFigures();
    if (this.#early) return this.#reportEarly(one, this.#early);
    if (await this.#blameLast(sandbox.changes())) return this.#try(one);
    const { changes, outcome } = await this.#prepare(one);
    if (await this.#blameLast(changes)) return this.#try(one);
    if (outcome instanceof BrokenLaw) return findingOf(one, server.figures, outcome);
    if (changes.length > 0) this.#noteEarly(new BrokenLaw(EARLY, { changes }));
    if (this.#early) return this.#reportEarly(one, this.#early);
    sandbox.acceptStrays();
    return outcome ? findingOf(one, NO_FIGURES, outcome) : this.#call(one);
  }

  #reportEarly(one: HostileCase, fault: BrokenLaw): CaseFinding {
    this.#early = undefined;
    this.#isEarlyReported = true;
    return findingOf(one, this.#run.server.figures, fault);
  }

  /** Makes the files of a case. `changes`: what the server changed meanwhile. */
  async #prepare(
    one: HostileCase,
  ): Promise<{ changes: readonly string[]; outcome?: BrokenLaw | SkippedCase | undefined }> {
    const { sandbox } = this.#run;
    try {
      sandbox.clear();
      await one.prepare?.(sandbox);
      return { changes: sandbox.strays() };
    } catch (error) {
      const outcome = outcomeOf(error, 'its files could not be made');
      return { changes: outcome instanceof BrokenLaw ? [outcome.message] : sandbox.strays(), outcome };
    }
  }

  async #call(one: HostileCase): Promise<CaseFinding> {
    const { server, sandbox, signal } = this.#run;
    this.#last = this.findings.length;
    try {
      await one.run(server, sandbox);
      await server.expectServed();
      if (one.changes) sandbox.mark();
      const changes = sandbox.changes();
      if (changes.length > 0) throw new BrokenLaw('files were changed by reading', { changes });
      return findingOf(one, server.figures);
    } catch (error) {
      signal.throwIfAborted();
      let outcome = outcomeOf(error, 'it could not be tried');
      const changes = one.changes || outcome instanceof SkippedCase ? [] : sandbox.changes();
      // A case that is broken for another reason also shows which files were changed.
      if (changes.length > 0 && outcome instanceof BrokenLaw)
        outcome = new BrokenLaw(outcome.message, { evidence: { ...outcome.evidence, changes } });
      return findingOf(one, server.figures, outcome);
    }
  }

  /** Makes the last case that was tried a broken one, if there are changes and such a case. Then the server is ended. */
  async #blameLast(changes: readonly string[]): Promise<boolean> {
    const last = this.#last === undefined ? undefined : this.findings[this.#last];
    if (changes.length === 0 || !last) return false;
    const finding = findingOf(last, last.figures, new BrokenLaw(LATE, { changes }));
    this.findings[this.findings.indexOf(last)] = finding;
    this.#run.progress?.ended(finding);
    await this.#stop();
    return true;
  }
}

const EARLY = 'files were changed by the start or the first calls';
const LATE = 'files were changed after the last answer';

/** Throws what neither a case nor the system has thrown. `failed`: what an error of the system means. */
function outcomeOf(error: unknown, failed: string): BrokenLaw | SkippedCase {
  if (error instanceof BrokenLaw || error instanceof SkippedCase) return error;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return new SkippedCase(`${failed}: ${codeOf(error)}`, { cause: error });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return oriel.quote(code ?? message);
}

function lackOf(role: ToolRole, { without }: CheckedServer): string {
  const why = without[role];
  return `it has no tool for ${WHAT[role]}${why === undefined ? '' : `: ${why}`}`;
}

const WHAT = { read: 'reading a file', list: 'listing a directory', search: 'searching' } as const;

// What is found out about one case.

export interface CaseFinding {
  readonly id: string;
  readonly law: CheckLaw;
  readonly title: string;
  readonly verdict: 'held' | 'broken' | 'skipped';
  /** Why it is broken or skipped. */
  readonly reason?: string | undefined;
  /** What shows that it is broken. */
  readonly evidence?: CaseEvidence | undefined;
  readonly figures: CallFigures;
}

const NO_FIGURES: CallFigures = { ms: 0, bytes: 0, memoryMb: 0 };

type Subject = Pick<HostileCase, 'id' | 'law' | 'title'>;

/** What a case came to: it held where there is no outcome. */
function findingOf(
  { id, law, title }: Subject,
  figures: CallFigures,
  outcome?: BrokenLaw | SkippedCase,
): CaseFinding {
  const { evidence = {} } = outcome instanceof BrokenLaw ? outcome : {};
  return {
    id,
    law,
    title,
    verdict: outcome === undefined ? 'held' : outcome instanceof BrokenLaw ? 'broken' : 'skipped',
    reason: outcome?.message,
    evidence: Object.keys(evidence).length > 0 ? evidence : undefined,
    figures,
  };
}

// The report of a check: as text, as JSON with all figures, or as SARIF.

export function formatAudit({ roles: mapping, findings, left }: AuditResult): string {
  const tools = roles.flatMap((role) => {
    const mapped = mapping[role];
    if (!mapped) return [];
    const names = [mapped.pattern ?? [], mapped.path].flat().map(oriel.quote);
    return [`${role}: ${oriel.quote(mapped.tool)}(${names.join(', ')})`];
  });
  const width = widest(findings.map(({ law }) => law));
  const idWidth = widest(findings.map(({ id }) => id));
  const lines = findings.flatMap(({ id, verdict, law, title, reason, evidence = {} }) => {
    const word = verdict === 'broken' ? 'BROKEN' : verdict;
    const line = `${word.padEnd(8)} ${law.padEnd(width)}  ${id.padEnd(idWidth)}  ${title}`;
    return [
      reason === undefined ? line : `${line}: ${oriel.oneLine(reason)}`,
      ...evidenceLines(evidence).map((detail) => `${' '.repeat(9)}${detail}`),
    ];
  });
  const { held, broken, skipped } = counts(findings);
  const stopped = left > 0 ? `; stopped before ${left} more` : '';
  const end = `${held} held, ${broken} broken, ${skipped} skipped${stopped}`;
  const none = findings.length === 0 ? 'stopped before a tool was called' : 'no tool that reads files';
  return [tools.length > 0 ? tools.join('; ') : none, '', ...lines, '', end, ''].join('\n');
}

const widest = (words: readonly string[]): number => Math.max(0, ...words.map(({ length }) => length));

/** What shows that a case is broken, one line each. */
function evidenceLines({ call, answer, changes }: CaseEvidence): readonly string[] {
  return [
    ...(call ? [`call: ${oriel.quote(call.tool)} ${oriel.safeJson(call.arguments)}`] : []),
    ...(answer === undefined ? [] : [`answer: ${answer}`]),
    ...(changes ?? []),
  ];
}

export function reportJson({ roles: mapping, findings, left }: AuditResult): object {
  return { roles: mapping, ...counts(findings), left, cases: findings };
}

function counts(findings: readonly CaseFinding[]): Record<CaseFinding['verdict'], number> {
  const of = (wanted: CaseFinding['verdict']): number =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return { held: of('held'), broken: of('broken'), skipped: of('skipped') };
}

// As SARIF 2.1.0, with everything that code hosts require. Sources: Static Analysis Results Interchange
// Format 2.1.0, and "SARIF support for code scanning" of GitHub.

/** A server has no line for a finding: all are shown at the first one of a file. */
const START_REGION = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/** `location`: the URI, relative to the repository, of the file at which findings are shown. */
export function reportSarif(
  { roles, findings, left }: AuditResult,
  cases: readonly HostileCase[],
  location: string,
): object {
  const toolOf = (id: string): string | undefined =>
    roles[cases.find((one) => one.id === id)?.role ?? 'read']?.tool;
  const driver = { name: 'oriel check', semanticVersion: oriel.version(), rules: cases.map(ruleOf) };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [{ executionSuccessful: left === 0 }],
        // Code hosts show every result as a problem, also those of kind "pass": what held is in the other reports.
        results: findings
          .filter(({ verdict }) => verdict === 'broken')
          .map((finding) => resultOf(finding, location, toolOf(finding.id))),
      },
    ],
  };
}

const LAWS: Readonly<Record<CheckLaw, string>> = {
  bounded: 'An answer has a limited size, however large a file, a line or a directory is.',
  lines: 'Lines are shown whole, and counted right.',
  continuation: 'An answer that is cut names the call that continues it, without a gap or an overlap.',
  walls: 'Nothing outside the directory of the server is read or named.',
  hangs: 'Every call is answered in time, and the server answers the next one.',
  memory: 'A large file does not fill the memory.',
  errors: 'An error is one short line without control characters and stack traces.',
};

function ruleOf({ id, law, title }: HostileCase): object {
  return {
    id,
    name: id,
    shortDescription: { text: `${law}: ${title}` },
    fullDescription: { text: `${LAWS[law]} The case: ${title}.` },
    help: {
      text: `${LAWS[law]} Run oriel check --case ${id} --keep -- COMMAND to repeat it and to look at its files.`,
    },
    defaultConfiguration: { level: 'error' },
    properties: { tags: [law] },
  };
}

function resultOf(
  { id, title, reason = '', evidence = {}, figures }: CaseFinding,
  uri: string,
  tool: string | undefined,
): object {
  return {
    ruleId: id,
    kind: 'fail',
    level: 'error',
    message: { text: [`${title}: ${reason}`, ...evidenceLines(evidence)].join('\n') },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: START_REGION },
        logicalLocations: tool === undefined ? undefined : [{ name: tool, kind: 'function' }],
      },
    ],
    // The same finding in the next run, whatever else is changed in the file.
    partialFingerprints: { primaryLocationLineHash: `${id}:1` },
    properties: { ...figures, ...evidence },
  };
}
