/** The options a host may set; their names and meaning are part of the public surface. */

import type { TokenCounter } from './limits.ts';
import type { Workspace } from './workspace.ts';

export interface Settings {
  /** Lines of an open-ended read, at most `limits.lines` (`read.defaultLimit`). */
  readonly defaultLimit: number;
  /** How lines are shown: `numbers` (`N|text`), `hashline` (for hosts with an edit tool), `plain`. */
  readonly display: 'numbers' | 'hashline' | 'plain';
  /** Whether long code files are answered with their structure (`read.summarize`). */
  readonly summarize: boolean;
  /** The model's own token counter, for `limits.tokens`; four bytes a token when absent. */
  readonly tokens?: TokenCounter;
  /** Answer images with their facts only. */
  readonly imageMetadataOnly: boolean;
  /** How commands run. */
  readonly run: RunSettings;
  /** Workspaces elsewhere, by the names that tools call them. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
}

export interface RunSettings {
  /** Seconds a command may take when its call names no time limit (`run.timeout`). */
  readonly timeout: number;
  /** The variables of the host's environment that commands get; all when absent (`run.environment`). */
  readonly environment?: readonly string[];
  /** What happens to processes that a command leaves behind (`run.background`): they end with it, or live on. */
  readonly background: 'end' | 'keep';
}
