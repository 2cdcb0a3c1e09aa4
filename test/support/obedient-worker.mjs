// A worker for the pool's tests: by its job it echoes, reacts to a stop, loops forever, throws, retires or leaves after its answer.
import { parentPort, threadId } from 'node:worker_threads';

parentPort.on('message', ({ job, stop }) => {
  if (job.do === 'throw') throw new Error('thrown inside');
  if (job.do === 'exit') process.exit(3);
  if (job.do === 'spin') for (;;);
  if (job.do === 'obey') while (Atomics.load(stop, 0) === 0);
  const reply = { said: job.say, stopped: Atomics.load(stop, 0), thread: threadId };
  parentPort.postMessage({ reply, retire: job.do === 'retire' });
  if (job.do === 'leave') setTimeout(() => process.exit(0), 20);
});
parentPort.postMessage('loaded');
