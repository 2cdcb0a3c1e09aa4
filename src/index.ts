/** The public surface of oriel. */

export { createOriel, type Oriel, type Tool } from './oriel.ts';
export type { OrielOptions, ReadOptions, RunOptions } from './assemble.ts';
export type { Answer, Block } from './render/answer.ts';
export type { Effects } from './dialects/dialect.ts';
export { type DialectName, dialectNames } from './dialects/table.ts';
export type { Progress } from './engine/call.ts';
export type { RunSettings } from './engine/settings.ts';
export { type ErrorCode, OrielError } from './errors.ts';
export type { LimitOptions } from './limits.ts';
export { type Session, createSession } from './session/session.ts';
export type { SpillOptions } from './session/spills.ts';
export type { Limits } from './window/types.ts';
