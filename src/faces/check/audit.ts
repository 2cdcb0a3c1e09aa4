/** Runs all cases against a server: each with a clean sandbox; after a broken case the server is restarted. */

import { tmpdir } from 'node:os';
import { isOrielError, OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Case, Law } from './case.ts';
import { LEAK } from './laws.ts';
import { Broken, type Evidence, Skipped } from './outcome.ts';
import type { Mapping, Role } from './roles.ts';
import type { State } from './file-states.ts';
import { Sandbox } from './sandbox.ts';
import { Server } from './checked-server.ts';
import type { Figures } from './checked-connection.ts';

export interface Finding {
  readonly id: string;
  readonly law: Law;
  readonly title: string;
  readonly verdict: 'held' | 'broken' | 'skipped';
  /** Why it is broken or skipped. */
  readonly reason?: string;
  /** What shows that it is broken. */
  readonly evidence?: Evidence;
  readonly figures: Figures;
}

export interface Audit {
  readonly roles: Mapping;
  readonly findings: readonly Finding[];
  /** The number of cases that were not reached, because the check was cancelled. */
  readonly left: number;
  /** The directory of the files, if they are kept. */
  readonly kept?: string;
  /** Directories of the check that could not be removed, with the reason. */
  readonly notRemoved?: readonly string[];
}

/** Told about each case. */
export interface Progress {
  begins(id: string): void;
  ended(finding: Finding): void;
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
  readonly keep?: boolean;
  readonly progress?: Progress | undefined;
}

/** Throws `BAD_INPUT` if the server cannot be started. */
export async function audit(
  command: readonly string[],
  cases: readonly Case[],
  { mapping, signal, deadlineMs, startMs, keep = false, progress }: AuditOptions,
): Promise<Audit> {
  const sandbox = newSandbox();
  const server = new Server(sandbox, command, signal, { deadlineMs, startMs });
  const findings: Finding[] = [];
  let isDone = false;
  try {
    await tryAll(cases, { server, sandbox, mapping, signal, findings, progress }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    isDone = true;
  } finally {
    await server.close();
    if (!isDone) sandbox.remove();
  }
  const end = keep ? keepFiles(sandbox) : removeFiles(sandbox);
  return { roles: server.roles, findings, left: cases.length - findings.length, ...end };
}

function keepFiles(sandbox: Sandbox): Pick<Audit, 'kept'> {
  sandbox.leave();
  return { kept: sandbox.base };
}

function removeFiles(sandbox: Sandbox): Pick<Audit, 'notRemoved'> {
  const notRemoved = sandbox.remove();
  return notRemoved.length > 0 ? { notRemoved } : {};
}

function newSandbox(): Sandbox {
  try {
    return new Sandbox();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const said = `The files of the check cannot be made in ${quote(tmpdir())}: ${quote(code ?? message)}.`;
    throw new OrielError('BAD_INPUT', `${said} Name another directory with TMPDIR.`, { cause });
  }
}

interface Run {
  readonly server: Server;
  readonly sandbox: Sandbox;
  readonly mapping: string | undefined;
  readonly signal: AbortSignal;
  readonly findings: Finding[];
  readonly progress: Progress | undefined;
}

/** Adds to `findings`. Throws the reason of the signal when it is cancelled. */
async function tryAll(cases: readonly Case[], run: Run): Promise<void> {
  const { server, sandbox, mapping, signal, findings, progress } = run;
  const fresh = sandbox.state();
  await server.start(mapping);
  let is: 'running' | 'stopped' | 'gone' = 'running';
  let whyGone = '';
  // Reported once, with the first case.
  let early = faultAtStart(server, sandbox, fresh);
  for (const one of cases) {
    signal.throwIfAborted();
    progress?.begins(one.id);
    if (is === 'stopped') {
      whyGone = (await failureToRestart(run)) ?? '';
      is = whyGone === '' ? 'running' : 'gone';
    }
    const finding = is === 'gone' ? notTried(one, whyGone) : await findingOf(one, server, sandbox, early);
    if (finding.verdict !== 'skipped') early = undefined;
    findings.push(finding);
    progress?.ended(finding);
    if (finding.verdict !== 'broken') continue;
    await server.close();
    is = 'stopped';
  }
}

function faultAtStart({ leakedAtStart: text }: Server, sandbox: Sandbox, fresh: State): Broken | undefined {
  if (text !== undefined) return new Broken(LEAK, { text, at: text.indexOf(sandbox.secret) });
  const changes = sandbox.changesSince(fresh);
  if (changes.length === 0) return undefined;
  return new Broken('files were changed by the start or the first calls', { changes });
}

/** Why the server cannot be started again; the findings so far are still reported. */
async function failureToRestart({ server, sandbox, mapping, signal }: Run): Promise<string | undefined> {
  try {
    sandbox.rebuild();
  } catch (error) {
    return `the files of the check could not be made again: ${codeOf(error)}`;
  }
  try {
    await server.start(mapping);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!isOrielError(error)) throw error;
    await server.close();
    return 'the server did not start again';
  }
}

function notTried({ id, law, title }: Case, reason: string): Finding {
  const figures = { ms: 0, bytes: 0, memoryMb: 0 };
  return { id, law, title, verdict: 'skipped', reason, figures };
}

async function findingOf(
  one: Case,
  server: Server,
  sandbox: Sandbox,
  early: Broken | undefined,
): Promise<Finding> {
  const { id, law, title } = one;
  server.resetFigures();
  const found = (verdict: Finding['verdict'], reason?: string, evidence?: Evidence): Finding => ({
    id,
    law,
    title,
    verdict,
    ...(reason !== undefined && { reason }),
    ...(evidence && Object.keys(evidence).length > 0 && { evidence }),
    figures: server.figures,
  });
  if (!server.roles[one.role]) return found('skipped', lackOf(one.role, server));
  try {
    if (early !== undefined) throw early;
    sandbox.clear();
    await one.prepare?.(sandbox);
    const before = sandbox.state();
    await one.run(server, sandbox);
    await server.expectServed();
    const changes = one.changes ? [] : sandbox.changesSince(before);
    if (changes.length > 0) throw new Broken('files were changed by reading', { changes });
    return found('held');
  } catch (error) {
    if (error instanceof Broken) return found('broken', error.message, error.evidence);
    if (error instanceof Skipped) return found('skipped', error.message);
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return found('skipped', `its files could not be made: ${codeOf(error)}`);
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return quote(code ?? message);
}

function lackOf(role: Role, { without }: Server): string {
  const why = without[role];
  return `it has no tool for ${WHAT[role]}${why === undefined ? '' : `: ${why}`}`;
}

const WHAT = { read: 'reading a file', list: 'listing a directory', search: 'searching' } as const;
