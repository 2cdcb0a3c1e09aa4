// Repeats one call of the library, each time with a different system operation made to fail, and prints the outcomes.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [index, job] = process.argv.slice(2);
const { options, tool, input, most } = JSON.parse(job);
const { createOriel } = await import(index);
const { faults } = globalThis;

const shown = ({ content, isError }) =>
  JSON.stringify([content, isError]).replaceAll(/\/[^ "]*\/\d+\.log|artifact:\/\/\d+/g, 'kept');
const facts = (answer) => ({
  shown: shown(answer),
  code: answer.details.error?.code ?? (answer.isError ? 'unnamed' : 'OK'),
  said: [answer.details.incomplete, answer.details.output?.unkept].filter(Boolean).map(({ code }) => code),
  notices: (answer.details.notices ?? []).map(({ text }) => text),
});

/** Open files in the workspace, in the private state directory, and deleted ones. */
const held = () =>
  fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
      const ours = [options.cwd, options.spills.state].some((at) => path.startsWith(`${at}/`));
      return ours || path.endsWith(' (deleted)') ? path : [];
    } catch {
      return [];
    }
  });

const unexpected = [];
process.on('uncaughtException', (error) => unexpected.push(String(error?.stack ?? error)));
process.on('unhandledRejection', (error) => unexpected.push(String(error?.stack ?? error)));

const fresh = () => createOriel(options);

// Warm up before counting: modules are loaded once, and idle threads are reused.
for (let i = 0; i < 2; i += 1) {
  const warm = fresh();
  await warm.tool(tool).run(input);
  await warm.close();
}

const good = fresh();
faults.arm(0);
const whole = facts(await good.tool(tool).run(input));
const { count } = faults.disarm();
await good.close();

// At most `most` operations, evenly spread.
const numbers = Array.from(
  { length: Math.min(count, most) },
  (_, i) => 1 + Math.floor((i * count) / Math.min(count, most)),
);
const outcomes = [];
for (const how of [0, 1]) {
  for (const at of numbers) {
    const oriel = fresh();
    faults.arm(at, how);
    const struck = facts(await oriel.tool(tool).run(input));
    const { hit } = faults.disarm();
    const after = facts(await oriel.tool(tool).run(input));
    await oriel.close();
    outcomes.push({
      at,
      how,
      hit,
      struck,
      isWhole: struck.shown === whole.shown,
      after: after.shown === whole.shown ? 'whole' : after.shown,
    });
  }
}
let left = held();
for (let i = 0; i < 100 && left.length > 0; i += 1) {
  await sleep(50);
  left = held();
}
fs.writeSync(1, JSON.stringify({ count, whole, outcomes, left, unexpected }));
process.exit(0);
