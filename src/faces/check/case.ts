/** The interface of a hostile case of `oriel check`. Each case is one file in `cases/` and a row in its table. */

import type { Role } from './roles.ts';
import type { Answer } from './server-answer.ts';
import type { Sandbox } from './sandbox.ts';

export type Law = 'bounded' | 'lines' | 'continuation' | 'walls' | 'hangs' | 'memory' | 'errors';

/** The server under test. Every answer is checked against `laws.ts`; `call` throws `Broken` for a violation. */
export interface Checked {
  readonly roles: Readonly<Partial<Record<Role, unknown>>>;
  /** `more`: further arguments, or replacements of the usual ones. */
  call(role: Role, path: string, more?: CallOptions): Promise<Answer>;
  /** The arguments of the call that an answer names as the next one; undefined if it names none. */
  next(
    role: Role,
    path: string,
    answer: Answer,
  ): { readonly path: string; readonly more: CallOptions } | undefined;
}

export interface CallOptions {
  readonly pattern?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Do not check the size of the answer in this case. */
  readonly anySize?: true;
  /** The answer may contain the name of the secret file, because a file inside has the same name. */
  readonly mayName?: true;
}

export interface Case {
  readonly id: string;
  readonly law: Law;
  /** What the case tries. */
  readonly title: string;
  /** The required tool. */
  readonly role: Role;
  /** The case itself changes files while they are read. */
  readonly changes?: true;
  /** Creates its files. Throws `Skipped` if the case cannot be tried on this machine. */
  prepare?(sandbox: Sandbox): Promise<void> | void;
  /** Throws `Broken` with the reason, or `Skipped` if the case does not apply. */
  run(server: Checked, sandbox: Sandbox): Promise<void>;
}
