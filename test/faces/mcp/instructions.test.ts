import { expect, onTestFinished, test } from 'vitest';
import { instructionsFor } from '../../../src/faces/mcp/instructions.ts';
import { createOffer, type OfferOptions } from '../../../src/faces/offer.ts';
import { temporaryFolder } from '../../support/commands.ts';

function instructions(options: OfferOptions): string {
  const offer = createOffer({ cwd: temporaryFolder(), ...options });
  onTestFinished(() => offer.close());
  return instructionsFor(offer);
}

test('they name what this server reads, and nothing that is turned off', () => {
  const plain = instructions({ web: false });
  expect(plain).toContain('documents, archives, SQLite databases, notebooks, images in answers');
  expect(plain).not.toMatch(/web|run commands|bash/);
  expect(instructions({ web: { allow: [] } })).toContain('images, pages of the web in answers');
  expect(instructions({ web: false, allowBash: true })).toContain(', and run commands.');
});

test.each(['pi', 'pi@0.74', 'zed', 'zdx', 'coder'] as const)('%s promises only files', (dialect) => {
  expect(instructions({ dialect, web: false })).toMatch(/^Read files in answers that fit/);
});
