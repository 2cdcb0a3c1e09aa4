/** The public surface of oriel. */

export { createOriel, type Oriel, type RateLimit, type Tool } from './oriel.ts';
export type { RunOptions } from './assemble.ts';
export type { OrielOptions, ReadOptions, TelemetrySettings } from './options.ts';
export type { Answer, Block } from './types/answer.ts';
export type { AnswerDetails, ErrorDetails, NoticeDetails, Shown, Truncation } from './types/answer.ts';
export type { Effects } from './call/dialect.ts';
export { type DialectName, dialectNames } from './dialects/dialect-table.ts';
export type { Progress } from './types/session.ts';
export type { RunSettings } from './types/settings.ts';
export type { ErrorContext, OnError } from './call/unexpected.ts';
export { type ErrorCode, OrielError } from './errors.ts';
export type { LimitOptions } from './text/limits.ts';
export { createSession } from './session/session.ts';
export type { Session } from './types/session.ts';
export type { StateOptions } from './session/shared.ts';
export type { SpillOptions } from './session/spills.ts';
export type { Limits } from './types/excerpt.ts';
