/** Converts one document, in a realm of its own (`process/job-realm.ts`). */

import { answerDocument } from './child/answer.ts';
import type { DocumentJob } from './protocol.ts';

export async function answer(head: string, body: Buffer): Promise<{ reply: string; body: Uint8Array }> {
  const { reply, body: made } = await answerDocument(JSON.parse(head) as DocumentJob, body);
  return { reply: JSON.stringify(reply), body: made };
}
