/** Owns the limits that dialects start from. */

import type { Limits } from '../types/limits.ts';

export const KIB = 1024;

export const baseLimits: Limits = {
  lines: 3000,
  bytes: 50 * KIB,
  line: 50 * KIB,
  tokens: Number.POSITIVE_INFINITY,
  window: 64 * KIB,
  windowMax: 256 * KIB,
  countBytes: 1 << 30,
};
