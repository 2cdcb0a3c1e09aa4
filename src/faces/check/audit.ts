/** Checks a server: makes the sandbox, tries the cases, and ends and removes everything. */

import { tmpdir } from 'node:os';
import { isOrielError, OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Case } from './case.ts';
import { CaseRunner, type Progress } from './case-runner.ts';
import { Server } from './checked-server.ts';
import type { Finding } from './finding.ts';
import type { Mapping } from './roles.ts';
import { Sandbox } from './sandbox.ts';

/** Stands before the directories and the reasons. */
export const NOT_REMOVED = 'The files of the check could not be removed';

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
  const runner = new CaseRunner({ server, sandbox, mapping, signal, progress });
  try {
    await runner.tryAll(cases);
    await runner.finish();
  } catch (error) {
    await server.close();
    if (!signal.aborted) throw naming(sandbox.remove(), error);
  }
  const { findings } = runner;
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

/** The error of a check, with what could not be removed. */
function naming(left: readonly string[], cause: unknown): unknown {
  if (left.length === 0 || !isOrielError(cause)) return cause;
  const { code, message, next } = cause;
  return new OrielError(code, `${message} ${NOT_REMOVED}: ${left.join(', ')}.`, { next, cause });
}

function newSandbox(): Sandbox {
  try {
    return new Sandbox();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = `The files of the check cannot be made in ${quote(tmpdir())}: ${quote(code ?? message)}.`;
    throw new OrielError('BAD_INPUT', `${why} Name another directory with TMPDIR.`, { cause });
  }
}
