/** Runs all cases against a server: each with a clean sandbox; after a broken case the server is restarted. */

import { isOrielError } from '../../errors.ts';
import type { Case, Law } from './case.ts';
import { LEAK } from './laws.ts';
import { Broken, type Evidence, Skipped } from './outcome.ts';
import type { Mapping } from './roles.ts';
import { Sandbox, type State } from './sandbox.ts';
import { Server } from './checked-server.ts';
import type { Figures } from './connection.ts';

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
}

export interface AuditOptions {
  /** The text of a mapping file. */
  readonly mapping?: string | undefined;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number | undefined;
}

/** Throws `BAD_INPUT` if the server cannot be started. */
export async function audit(
  command: readonly string[],
  cases: readonly Case[],
  { mapping, signal, deadlineMs }: AuditOptions,
): Promise<Audit> {
  const sandbox = new Sandbox();
  const server = new Server(sandbox, command, signal, deadlineMs);
  const findings: Finding[] = [];
  try {
    const fresh = sandbox.state();
    await server.start(mapping);
    const { roles } = server;
    let is: 'running' | 'stopped' | 'gone' = 'running';
    // Reported once, with the first case.
    let early = faultAtStart(server, sandbox, fresh);
    for (const one of cases) {
      signal.throwIfAborted();
      if (is === 'stopped') {
        sandbox.rebuild();
        is = (await restarted(server, mapping, signal)) ? 'running' : 'gone';
      }
      const finding = is === 'gone' ? notTried(one) : await findingOf(one, server, sandbox, early);
      if (finding.verdict !== 'skipped') early = undefined;
      findings.push(finding);
      if (finding.verdict !== 'broken') continue;
      await server.close();
      is = 'stopped';
    }
    return { roles, findings };
  } finally {
    await server.close();
    sandbox.remove();
  }
}

function faultAtStart({ leakedAtStart: text }: Server, sandbox: Sandbox, fresh: State): Broken | undefined {
  if (text !== undefined) return new Broken(LEAK, { text, at: text.indexOf(sandbox.secret) });
  const changes = sandbox.changesSince(fresh);
  if (changes.length === 0) return undefined;
  return new Broken('files were changed by the start or the first calls', { changes });
}

/** False if the server does not start again; the findings so far are still reported. */
async function restarted(server: Server, mapping: string | undefined, signal: AbortSignal): Promise<boolean> {
  try {
    await server.start(mapping);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!isOrielError(error)) throw error;
    await server.close();
    return false;
  }
}

function notTried({ id, law, title }: Case): Finding {
  const figures = { ms: 0, bytes: 0, memoryMb: 0 };
  return { id, law, title, verdict: 'skipped', reason: 'the server did not start again', figures };
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
  if (!server.roles[one.role]) return found('skipped', `it has no tool for ${WHAT[one.role]}`);
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
    if (!(error instanceof Skipped)) throw error;
    return found('skipped', error.message);
  }
}

const WHAT = { read: 'reading a file', list: 'listing a directory', search: 'searching' } as const;
