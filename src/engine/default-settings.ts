/** Owns the options a host may set; their names and meaning are part of the public surface. */

import type { Settings } from '../types/settings.ts';

export const defaultSettings: Settings = {
  defaultLimit: Number.POSITIVE_INFINITY,
  display: 'numbers',
  summarize: true,
  imageMetadataOnly: false,
  run: { timeout: 120, background: 'end' },
  workspaces: {},
};
