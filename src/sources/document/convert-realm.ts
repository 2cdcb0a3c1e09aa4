/** Converts one document, in a realm of its own (`access/job-realm.ts`). */

import { answerDocument } from './child/answer-document.ts';
import type { Job } from './document-protocol.ts';

export async function answer(head: string, body: Buffer): Promise<{ reply: string; body: Uint8Array }> {
  const { reply, body: made } = await answerDocument(JSON.parse(head) as Job, body);
  return { reply: JSON.stringify(reply), body: made };
}
