import { createClient, unwrap } from 'oriel/client';

const client = createClient({ url: 'http://127.0.0.1:7345', token: process.env['ORIEL_TOKEN'] ?? '' });

const lines = await client.readFileLines('/home/me/project/app.log', { offset: 100, limit: 50 });
if (!lines.ok) console.error(lines.error.kind, lines.error.message);
else if (!lines.value.success) console.error(lines.value.error);
else console.log(lines.value.content);

const answer = await client.callTool(
  'read',
  { path: 'app.log:-20' },
  { signal: AbortSignal.timeout(5_000), onProgress: ({ message }) => console.error(message) },
);
console.log(unwrap(answer).content);

const { body } = unwrap(await client.readFile('/home/me/project/app.log'));
for await (const chunk of body) process.stdout.write(chunk);
