// One call of oriel in this process; with `children` also the peak memory of its child processes.
import { createOriel } from '../../dist/index.js';
import { watchBelow } from './peak.mjs';

/**
 * `fresh`: each call has a session of its own, so that nothing is cached. `warm`: inputs of calls before the first measured
 * one. `options`: those of `createOriel`.
 */
export async function prepare({ tool = 'read', input, options, fresh, warm = [], children, mayFail }) {
  const make = () => createOriel({ dialect: 'oriel', cache: false, timeoutMs: Infinity, ...options });
  const shared = make();
  const ask = async (given) => {
    const oriel = fresh ? make() : shared;
    const answer = await oriel.tool(tool).run(given);
    if (answer.isError && !mayFail) throw new Error(answer.content[0].text);
    return answer.content[0].text;
  };
  for (const given of warm) await ask(given);
  const call = () => ask(input);
  const watch = children && watchBelow(process.pid);
  return { call, ...(watch && { below: () => watch.stop() }) };
}
