/** What an answer does not cover although it was asked for, collected on the way. */

import type { Gaps } from '../../types/result.ts';

export class GapsSeen implements Gaps {
  timedOut = false;
  denied = false;
  tooDeep = false;
  tooMany = false;
  unnamed = 0;
  containers = 0;
  rules = 0;
  large = 0;
  cut = 0;
  broken = false;

  add(other: Gaps): void {
    this.timedOut ||= other.timedOut;
    this.denied ||= other.denied;
    this.tooDeep ||= other.tooDeep;
    this.tooMany ||= other.tooMany;
    this.unnamed += other.unnamed;
    this.containers += other.containers;
    this.rules += other.rules;
    this.large += other.large ?? 0;
    this.cut += other.cut ?? 0;
    this.broken ||= other.broken;
  }

  clear(): void {
    Object.assign(this, new GapsSeen());
  }

  get facts(): Gaps {
    const { timedOut, denied, tooDeep, tooMany, unnamed, containers, rules, large, cut, broken } = this;
    const counted = { unnamed, containers, rules, ...(large > 0 && { large }), ...(cut > 0 && { cut }) };
    return { timedOut, denied, tooDeep, tooMany, ...counted, broken };
  }
}
