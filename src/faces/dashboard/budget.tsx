/** How much of a context window the answers of a task would fill. */

import { useState } from 'preact/hooks';
import { percentWords } from '../../telemetry/words.ts';

const KEY = 'oriel-budget';
const USUAL = 200_000;

export function Budget({ tokens }: { readonly tokens: number }) {
  const [budget, setBudget] = useState(() => Number(sessionStorage.getItem(KEY)) || USUAL);
  const change = (event: Event): void => {
    const value = Number((event.currentTarget as HTMLInputElement).value);
    if (!(value >= 1)) return;
    sessionStorage.setItem(KEY, String(value));
    setBudget(value);
  };
  return (
    <div class="budget">
      <label for="budget">Budget in tokens</label>
      <input id="budget" type="number" min={1} step={1000} defaultValue={budget} onChange={change} />
      <meter
        min={0}
        max={budget}
        low={budget / 2}
        high={budget * 0.8}
        optimum={0}
        value={Math.min(tokens, budget)}
        aria-label="Tokens of answers, of the budget"
      />
      <output for="budget">
        {tokens.toLocaleString('en')} tokens, {percentWords(tokens / budget)} of it
      </output>
    </div>
  );
}
