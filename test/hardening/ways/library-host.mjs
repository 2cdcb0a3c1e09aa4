// A host of the library: calls its tools as its parent says, and answers with what they gave.
const [index, options] = process.argv.slice(2);
const { createOriel } = await import(index);
const oriel = createOriel(JSON.parse(options));
const running = new Map();

process.on('message', async ({ id, tool, input, tools, abort }) => {
  if (abort) return running.get(id)?.abort();
  if (tools)
    return process.send({
      id,
      value: oriel.tools.map(({ name, description, jsonSchema }) => ({
        name,
        description,
        inputSchema: jsonSchema,
      })),
    });
  const stop = new AbortController();
  running.set(id, stop);
  const value = await oriel.tool(tool).run(JSON.parse(input), { signal: stop.signal });
  running.delete(id);
  return process.send({ id, value });
});

process.once('SIGTERM', async () => {
  await oriel.close();
  process.exit(0);
});
