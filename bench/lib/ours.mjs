// One call of ours in this process.
import { createOriel } from '../../dist/index.js';

export async function prepare({ dialect = 'oriel', tool = 'read', input, limits, warm = [] }) {
  const oriel = createOriel({ dialect, ...(limits && { limits }) });
  const run = async (arguments_) => {
    const answer = await oriel.tool(tool).run(arguments_);
    if (answer.isError) throw new Error(answer.content[0].text);
    return answer.content[0].text;
  };
  for (const earlier of warm) await run(earlier);
  return () => run(input);
}
