// One call of oriel in this process, and the peak memory of the process and its children together.
import { readFileSync, readdirSync } from 'node:fs';
import { createOriel } from '../../dist/index.js';

/** `fresh`: each call has a session of its own, so that nothing is cached. */
export function prepare({ cwd, tool, input, web, fresh = false }) {
  const make = () => createOriel({ ...(cwd !== undefined && { cwd }), ...(web && { web }) });
  const shared = make();
  let children = 0;
  const call = async () => {
    const timer = setInterval(() => (children = Math.max(children, childrenMemory())), 1);
    const answer = await (fresh ? make() : shared).tool(tool).run(input);
    clearInterval(timer);
    return answer.content[0].text;
  };
  return { call, peak: () => process.resourceUsage().maxRSS / 1024 + children };
}

/** Empty for a thread or a process that has ended. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** In MB. */
function childrenMemory() {
  let total = 0;
  for (const task of readdirSync('/proc/self/task')) {
    for (const pid of textOf(`/proc/self/task/${task}/children`).split(' ').filter(Boolean)) {
      total += Number(/VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
    }
  }
  return total;
}
