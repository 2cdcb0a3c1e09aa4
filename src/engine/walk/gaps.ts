/** Owns what went wrong in a walk without ending it. */

import type { RipgrepOutcome } from '../../access/ripgrep.ts';
import type { Gaps } from '../../types/result.ts';

/** Collects what an answer does not cover. */
export class GapsSeen implements Gaps {
  timedOut = false;
  denied = false;
  tooDeep = false;
  tooMany = false;
  unnamed = 0;

  note({ stderr, timedOut }: RipgrepOutcome): void {
    this.timedOut ||= timedOut;
    this.denied ||= /\(os error 13\)/.test(stderr);
    this.tooDeep ||= /\(os error 36\)/.test(stderr);
  }

  get facts(): Gaps {
    const { timedOut, denied, tooDeep, tooMany, unnamed } = this;
    return { timedOut, denied, tooDeep, tooMany, unnamed };
  }
}
