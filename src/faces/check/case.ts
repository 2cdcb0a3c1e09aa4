/** The shape of a hostile case of `oriel check`. Each is one file below `cases/`, and a row in the table there. */

import type { Role } from './roles.ts';
import type { Sandbox } from './sandbox.ts';

export type Law = 'bounded' | 'lines' | 'continuation' | 'walls' | 'hangs' | 'memory' | 'errors';

/** What a server answered to one call. */
export interface Said {
  readonly text: string;
  /** What is beside the text, as JSON. */
  readonly structured?: string;
  /** Of the text, in UTF-8. */
  readonly bytes: number;
  /** A failure, of the tool or of the protocol. */
  readonly isError: boolean;
}

/** A server that is being checked. Every call is held to the laws of `laws.ts`, and throws `Broken` where one is not kept. */
export interface Checked {
  readonly roles: Readonly<Partial<Record<Role, unknown>>>;
  /** `more` are further arguments, or other values for the same. */
  call(role: Role, path: string, more?: CallOptions): Promise<Said>;
  /** The arguments of the call that an answer names as the next one; undefined if it names none. */
  next(
    role: Role,
    path: string,
    said: Said,
  ): { readonly path: string; readonly more: CallOptions } | undefined;
}

export interface CallOptions {
  readonly pattern?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Larger answers than the law allows are no matter of this case. */
  readonly anySize?: true;
  /** The name of the file outside is that of one inside as well. */
  readonly mayName?: true;
}

export interface Case {
  readonly id: string;
  readonly law: Law;
  /** What is tried. */
  readonly title: string;
  /** The tool that it needs. */
  readonly role: Role;
  /** The case itself changes files while they are read. */
  readonly changes?: true;
  /** Makes its files. Throws `Skipped` where it cannot be tried here. */
  prepare?(sandbox: Sandbox): Promise<void> | void;
  /** Throws `Broken` with what was wrong, `Skipped` where it does not apply. */
  run(server: Checked, sandbox: Sandbox): Promise<void>;
}
