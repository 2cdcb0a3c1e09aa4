// Quick mode (`--quick`): smaller data, one round, and only peers that are installed already. It checks that every group
// runs; its figures are rough.
import { env } from 'node:process';

export const quick = env.ORIEL_BENCH === 'quick';

/** `few` in quick mode, otherwise `many`. */
export const sized = (many, few) => (quick ? few : many);

/** The seconds of `--soak 30m`, `90s` or `2h`; undefined without the option. */
export const soakSeconds = secondsOf(env.ORIEL_SOAK);

function secondsOf(text) {
  const [, number, unit] = /^(\d+)(s|m|h)$/.exec(text ?? '') ?? [];
  return number && Number(number) * { s: 1, m: 60, h: 3_600 }[unit];
}
