/**
 * Tries the cases one after another, each with a clean sandbox; after a broken one the server is restarted.
 *
 * The files are compared after the last answer of a case, before they are removed, when the next case has made its own, and when the
 * server was ended. What is changed after the last answer counts for the last case that was tried on this run of the server; if
 * none was, for its start.
 */

import { isOrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Case } from './case.ts';
import type { Server } from './checked-server.ts';
import { broken, type Finding, held, skipped } from './finding.ts';
import { LEAK } from './laws.ts';
import { Broken, Skipped } from './outcome.ts';
import type { Role } from './roles.ts';
import type { Sandbox } from './sandbox.ts';

/** Told about each case. */
export interface Progress {
  begins(id: string): void;
  /** Again for a case that is found to be broken later. */
  ended(finding: Finding): void;
}

export interface CaseRun {
  readonly server: Server;
  readonly sandbox: Sandbox;
  readonly mapping: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress | undefined;
}

export class CaseRunner {
  readonly findings: Finding[] = [];
  readonly #run: CaseRun;
  #is: 'running' | 'stopped' | 'gone' = 'stopped';
  /** Why the server does not run again. */
  #whyGone = '';
  /** Index in `findings` of the last case that was tried on this run of the server. */
  #last: number | undefined;
  /** What the server did at its start, until it is reported, once. */
  #early: Broken | undefined;
  #isEarlyReported = false;

  constructor(run: CaseRun) {
    this.#run = run;
  }

  /** Adds to `findings`. Throws the reason of the signal when it is cancelled, and `BAD_INPUT` if the server cannot be started. */
  async tryAll(cases: readonly Case[]): Promise<void> {
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
    if (text !== undefined) this.#noteEarly(new Broken(LEAK, { text, at: text.indexOf(sandbox.secret) }));
    const changes = sandbox.changes();
    if (changes.length > 0) this.#noteEarly(new Broken(EARLY, { changes }));
  }

  #noteEarly(fault: Broken): void {
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
      if (!isOrielError(error)) throw error;
      await server.close();
      this.#is = 'gone';
      this.#whyGone = 'the server did not start again';
    }
  }

  async #try(one: Case): Promise<Finding> {
    const { server, sandbox } = this.#run;
    if (this.#is === 'stopped') await this.#restart();
    if (this.#is === 'gone') return skipped(one, this.#whyGone);
    if (!server.roles[one.role]) return skipped(one, lackOf(one.role, server));
    server.resetFigures();
    if (this.#early) return this.#reportEarly(one, this.#early);
    if (await this.#blameLast(sandbox.changes())) return this.#try(one);
    const { changes, outcome } = await this.#prepare(one);
    if (await this.#blameLast(changes)) return this.#try(one);
    if (outcome instanceof Broken) return broken(one, outcome, server.figures);
    if (changes.length > 0) this.#noteEarly(new Broken(EARLY, { changes }));
    if (this.#early) return this.#reportEarly(one, this.#early);
    sandbox.acceptStrays();
    return outcome ? skipped(one, outcome.message) : this.#call(one);
  }

  #reportEarly(one: Case, fault: Broken): Finding {
    this.#early = undefined;
    this.#isEarlyReported = true;
    return broken(one, fault, this.#run.server.figures);
  }

  /** Makes the files of a case. `changes`: what the server changed meanwhile. */
  async #prepare(one: Case): Promise<{ changes: readonly string[]; outcome?: Broken | Skipped }> {
    const { sandbox } = this.#run;
    try {
      sandbox.clear();
      await one.prepare?.(sandbox);
      return { changes: sandbox.strays() };
    } catch (error) {
      const outcome = outcomeOf(error, 'its files could not be made');
      return { changes: outcome instanceof Broken ? [outcome.message] : sandbox.strays(), outcome };
    }
  }

  async #call(one: Case): Promise<Finding> {
    const { server, sandbox, signal } = this.#run;
    this.#last = this.findings.length;
    try {
      await one.run(server, sandbox);
      await server.expectServed();
      if (one.changes) sandbox.mark();
      const changes = sandbox.changes();
      if (changes.length > 0) throw new Broken('files were changed by reading', { changes });
      return held(one, server.figures);
    } catch (error) {
      signal.throwIfAborted();
      const outcome = outcomeOf(error, 'it could not be tried');
      if (outcome instanceof Skipped) return skipped(one, outcome.message, server.figures);
      const changes = one.changes ? [] : sandbox.changes();
      return broken(one, changes.length > 0 ? withChanges(outcome, changes) : outcome, server.figures);
    }
  }

  /** Makes the last case that was tried a broken one, if there are changes and such a case. Then the server is ended. */
  async #blameLast(changes: readonly string[]): Promise<boolean> {
    const last = this.#last === undefined ? undefined : this.findings[this.#last];
    if (changes.length === 0 || !last) return false;
    this.#blame(last, changes);
    await this.#stop();
    return true;
  }

  #blame(last: Finding, changes: readonly string[]): void {
    const finding = broken(last, new Broken(LATE, { changes }), last.figures);
    this.findings[this.findings.indexOf(last)] = finding;
    this.#run.progress?.ended(finding);
  }
}

const EARLY = 'files were changed by the start or the first calls';
const LATE = 'files were changed after the last answer';

/** A case that is broken for another reason also shows which files were changed. */
function withChanges({ message, evidence }: Broken, changes: readonly string[]): Broken {
  return new Broken(message, { evidence: { ...evidence, changes } });
}

/** Throws what neither a case nor the system has thrown. `failed`: what an error of the system means. */
function outcomeOf(error: unknown, failed: string): Broken | Skipped {
  if (error instanceof Broken || error instanceof Skipped) return error;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return new Skipped(`${failed}: ${codeOf(error)}`, { cause: error });
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
