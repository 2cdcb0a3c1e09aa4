/** The unpacking worker: does one job, asks for its input, and gives one thing for each time it is asked. */

import { parentPort, workerData } from 'node:worker_threads';
import { OrielError } from '../../errors.ts';
import { bunzip2 } from './bunzip2.ts';
import { listMembers, readMember } from './libarchive.ts';
import type { Ask, Job, Reply } from './unpack.ts';
import { unxz } from './unxz.ts';
import { unzstd } from './unzstd.ts';

let feed: (input: Uint8Array | undefined) => void = () => undefined;

const reply = (message: Reply): void => parentPort?.postMessage(message);

async function* asked(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const input = await new Promise<Uint8Array | undefined>((resolve) => {
      feed = resolve;
      reply({ is: 'need' });
    });
    if (!input) return;
    yield input;
  }
}

function start(job: Job): AsyncGenerator<unknown> {
  switch (job.do) {
    case 'bzip2':
      return bunzip2(asked());
    case 'xz':
      return unxz(asked());
    case 'zstd':
      return unzstd(asked());
    case 'list':
      return listMembers(job.size, asked());
    case 'member':
      return readMember(job.size, job.index, asked());
  }
}

const work = start(workerData as Job);

async function give(): Promise<void> {
  try {
    const step = await work.next();
    reply(step.done ? { is: 'end' } : { is: 'given', given: step.value });
  } catch (error) {
    const known = error instanceof OrielError;
    // A decoder that trips over hostile input fails in its own words: they say nothing to a caller.
    reply({
      is: 'error',
      code: known ? error.code : 'CORRUPT',
      message: known ? error.message : 'its packed data is damaged',
    });
  }
}

parentPort?.on('message', (ask: Ask) => {
  if ('pull' in ask) void give();
  else feed(ask.input);
});
