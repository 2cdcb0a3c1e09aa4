import { expect, test } from 'vitest';
import { mastraTools } from '../../../src/faces/adapters/mastra.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

test('`createTool` gets the schema, the answer and the model’s part', async () => {
  const { tools } = testTools();
  const [read, picture] = mastraTools(tools);
  const { $schema: _, ...parameters } = tools[0]?.jsonSchema ?? {};
  const standard = read?.inputSchema['~standard'];
  expect(standard?.jsonSchema.input()).toEqual(parameters);
  expect(standard?.validate({ file_path: 'f' })).toEqual({ value: { file_path: 'f' } });
  const answer = await read?.execute({ path: 'f:2..2' });
  expect(answer).toMatchObject({ details: { kind: 'file' }, isError: false });
  expect(answer && read?.toModelOutput(answer)).toEqual({
    type: 'content',
    value: [{ type: 'text', text: '2|b\n' }],
  });
  const failure = await read?.execute({ path: 'none' });
  expect(failure && read?.toModelOutput(failure)).toEqual({
    type: 'error-text',
    value: 'none does not exist. Use . to list the working directory.',
  });
  const image = await picture?.execute({});
  expect(image && picture?.toModelOutput(image)).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'a pixel' },
      { type: 'media', data: PIXEL, mediaType: 'image/png' },
    ],
  });
});

test('the signal cancels the work', async () => {
  const { tools, hanging } = testTools();
  const stop = new AbortController();
  const call = mastraTools(tools)[2]?.execute({}, { abortSignal: stop.signal });
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  await call;
});
