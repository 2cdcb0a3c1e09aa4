// Quick mode, `--quick`: smaller data, fewer rounds, and only the peers that are installed already. It shows that every
// group runs; its figures are rough.
import { env } from 'node:process';

export const quick = env.ORIEL_BENCH === 'quick';

/** `few` in quick mode, else `many`. */
export const sized = (many, few) => (quick ? few : many);
