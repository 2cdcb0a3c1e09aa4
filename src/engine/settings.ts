/** Owns the options a host may set for reading; their names and meaning are part of the public surface. */

import type { TokenCounter } from '../text/tokens.ts';

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
}

export const defaultSettings: Settings = {
  defaultLimit: Number.POSITIVE_INFINITY,
  display: 'numbers',
  summarize: true,
  imageMetadataOnly: false,
};
