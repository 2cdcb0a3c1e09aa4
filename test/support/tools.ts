/** The tools of a workspace, and one that returns an image. */

import { createOriel, type Tool } from '../../src/index.ts';
import { onTestFinished } from 'vitest';
import { hangingTool, testTool } from './offer.ts';
import { workspace } from './workspace.ts';

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export interface TestTools {
  readonly tools: readonly Tool[];
  readonly hanging: ReturnType<typeof hangingTool>;
}

/** Tools over a workspace with a file `f` of two lines. */
export function testTools(): TestTools {
  const { W, write } = workspace();
  write('f', 'a\nb\n');
  const oriel = createOriel({ cwd: W, roots: [W] });
  onTestFinished(() => oriel.close());
  const hanging = hangingTool('hang');
  const picture = testTool('picture', () =>
    Promise.resolve({
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', mimeType: 'image/png', data: PIXEL },
      ],
      details: {},
      isError: false,
    }),
  );
  return { tools: [oriel.tool('read'), picture, hanging.tool], hanging };
}
