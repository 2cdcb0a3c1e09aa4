/** Runs one case through one door, and holds it to all that must hold. */

import { type Case, type Step, type Verdict } from './case.ts';
import { excess, type Figures, watch } from './invariants.ts';
import { holdToLaws, holdToStep } from './laws.ts';
import type { Place } from './place.ts';
import type { Door, Reply } from './way.ts';

const MAX_PROCESS_STEPS = 4;
const seed = Number(process.env['ORIEL_FUZZ_SEED'] ?? 0);

export async function prepare(one: Case, place: Place): Promise<void> {
  place.clear();
  await one.make?.(place);
}

/**
 * The answers in the order of the steps, without what may differ between two ways; and what was more than the law allows,
 * if anything.
 */
export async function runCase(
  one: Case,
  door: Door,
  place: Place,
  figures: Figures,
): Promise<[readonly Verdict[], string | undefined]> {
  const watching = await watch(door, one, place, figures);
  const stop = one.beside?.(place);
  const verdicts: Verdict[] = [];
  try {
    const times = door.pid === undefined ? Math.ceil((one.times ?? 1) / 10) : (one.times ?? 1);
    // Processes of their own do not wait for one another.
    const atOnce = one.together ? Number.POSITIVE_INFINITY : door.pid === undefined ? 4 : 1;
    for (let i = 0; i < times; i += 1) {
      const steps = sampled(Array.from(stepsOf(one, place).entries()), door);
      while (steps.length > 0) {
        const some = steps.splice(0, atOnce);
        verdicts.push(
          ...(await Promise.all(
            some.map(async ([at, step]) => ({ at, ...(await take(one, step, door, place)) })),
          )),
        );
      }
    }
    await one.run?.(door, place);
  } finally {
    await stop?.();
  }
  await watching.finish();
  return [verdicts, excess(figures, one)];
}

function stepsOf({ steps = [] }: Case, place: Place): readonly Step[] {
  return typeof steps === 'function' ? steps(place) : steps;
}

/** Where each call is a process, of many steps a few, others with another seed; all of them on the other ways. */
function sampled<T>(steps: T[], { pid }: Door): T[] {
  if (pid !== undefined || process.env['ORIEL_ALL_WAYS']) return steps;
  const every = Math.ceil(steps.length / MAX_PROCESS_STEPS);
  return steps.filter((_, i) => i % every === seed % every);
}

async function take(one: Case, step: Step, door: Door, place: Place): Promise<Omit<Verdict, 'at'>> {
  const stop = new AbortController();
  const asked = door.call(step.tool, step.input, stop.signal);
  if (step.cancelWhen) {
    await step.cancelWhen(place);
    stop.abort();
  }
  const reply: Reply | undefined = await asked;
  if (reply) holdToLaws(reply, one);
  holdToStep(reply, step);
  return {
    code: reply?.code ?? '',
    text: (reply?.text ?? '')
      .replaceAll(/\/\S*\/\d+\.log|artifact:\/\/\d+/g, 'kept')
      // In the words of the way: an option of the library, or a flag.
      .replaceAll(
        /can allow it with (?:web: \{ allow: \['(\S+?)'\] \}|--allow-net (\S+?))(?=\.(?:\s|$))/g,
        'allows $1$2',
      )
      .replaceAll('the option deny', '--deny'),
  };
}
