// node inside.mjs MODULE OPTIONS: the module beside this one exports `prepare(options)` → `{ call, peak }`: `call` returns the text of an
// answer, `peak` the peak memory in MB of the answering process, if that is not this one.
import { readFileSync } from 'node:fs';
import { median } from './table.mjs';

const [, , module, json] = process.argv;
const options = JSON.parse(json);
const { prepare } = await import(`./${module}.mjs`);
const { call, peak = ownPeak, below } = await prepare(options);
const time = async () => {
  const start = performance.now();
  const text = await call();
  return { ms: performance.now() - start, text };
};
const first = await time();
const later = [];
for (let i = 0; i < (options.repeat ?? 0); i += 1) later.push((await time()).ms);
process.stdout.write(
  JSON.stringify({
    cold: first.ms,
    warm: later.length > 0 ? median(later) : undefined,
    mb: peak(),
    ...(below && { below: below() }),
    bytes: Buffer.byteLength(first.text),
    text: first.text.slice(0, 200),
  }),
);
process.exit(0);

/** Not from getrusage, whose peak on Linux includes that of the parent process. */
function ownPeak() {
  const own =
    process.platform === 'linux' && /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return (own ? Number(own[1]) : process.resourceUsage().maxRSS) / 1024;
}
