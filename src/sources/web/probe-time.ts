/** The timeouts for optional requests: other forms of a page, the API of a known site. */

import { OrielError } from '../../errors.ts';
import { type Deadline, deadlineOf } from '../../queues/deadline.ts';
import { OWN_MS, PAGE_MS, PROBE_MS, PROBES_MS } from './web-limits.ts';

const late = (): Error => new OrielError('TIMEOUT', 'It did not answer in time.');

/** It pauses only while a converter is waited for, and ends before the timeout of the page, which must still be read. */
export class ProbeTime {
  readonly #last: Deadline;
  #all: Deadline | undefined;

  /** `signal` is that of the page, whose timeout begins now; the call has already waited for `waitedMs` milliseconds. */
  constructor(signal: AbortSignal, waitedMs = 0) {
    this.#last = deadlineOf(signal, PAGE_MS - OWN_MS - waitedMs, late);
  }

  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#all ??= deadlineOf(this.#last.signal, PROBES_MS, late);
    const one = deadlineOf(this.#all.signal, PROBE_MS, late);
    try {
      return await ask(one.signal);
    } finally {
      one.stop();
    }
  }

  stop(): void {
    this.#last.stop();
    this.#all?.stop();
  }
}
