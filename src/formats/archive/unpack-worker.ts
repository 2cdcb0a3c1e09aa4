/** The unpacking worker thread: does one job, pulls its input, and answers each pull with one result. */

import { parentPort, workerData } from 'node:worker_threads';
import { OrielError } from '../../errors.ts';
import { LOADED } from '../../process/worker-ending.ts';
import { joinChunks } from '../../text/bytes.ts';
import { bunzip2 } from './bzip2.ts';
import { listMembers, readMember, unxz, unzstd } from './decoders.ts';
import { inSpare, type UnpackJob, type UnpackReply, type UnpackRequest } from './protocol.ts';

let feed: (input: Uint8Array | undefined) => void = () => undefined;

const reply = (message: UnpackReply, buffer?: ArrayBuffer): void =>
  parentPort?.postMessage(message, buffer ? [buffer] : []);

/** The input of the job. The buffer of each chunk is returned with the request for the next one. */
async function* asked(): AsyncGenerator<Uint8Array> {
  for (let last: Uint8Array | undefined; ;) {
    const spare = last?.buffer as ArrayBuffer | undefined;
    const input = await new Promise<Uint8Array | undefined>((resolve) => {
      feed = resolve;
      reply({ kind: 'need', spare }, spare);
    });
    if (!input) return;
    yield input;
    last = input;
  }
}

function start(job: UnpackJob): AsyncGenerator<unknown> {
  switch (job.kind) {
    case 'bzip2':
      return joinChunks(bunzip2(asked()));
    case 'xz':
      return joinChunks(unxz(asked()));
    case 'zstd':
      return joinChunks(unzstd(asked()));
    case 'list':
      return listMembers(job.size, asked());
    case 'member':
      return readMember(job.size, job.index, asked());
  }
}

const work = start(workerData as UnpackJob);

async function give(spare: ArrayBuffer | undefined): Promise<void> {
  try {
    const step = await work.next();
    if (step.done) reply({ kind: 'end' });
    else if (step.value instanceof Uint8Array) {
      const given = inSpare(step.value, spare);
      reply({ kind: 'given', given }, given.buffer);
    } else reply({ kind: 'given', given: step.value });
  } catch (error) {
    const known = error instanceof OrielError;
    // The message of an unexpected error in a decoder is meaningless to a caller.
    reply({
      kind: 'error',
      code: known ? error.code : 'CORRUPT',
      message: known ? error.message : 'its packed data is damaged',
      trace: !known && error instanceof Error ? (error.stack ?? error.message) : undefined,
    });
  }
}

parentPort?.on('message', (ask: UnpackRequest) => {
  if ('pull' in ask) void give(ask.spare);
  else feed(ask.input);
});
parentPort?.postMessage(LOADED);
