/**
 * The child process that converts documents. They arrive in frames on standard input, one after the other; each is answered
 * with a frame on standard output. The process opens no file and no connection.
 */

import { answerJobs } from '../../access/child-jobs.ts';
import { answerDocument } from './child/answer-document.ts';
import type { Job } from './document-protocol.ts';

/** The most bytes of an input frame; no document that is sent is larger. */
const MOST_INPUT = 512 << 20;

await answerJobs(MOST_INPUT, (head, body) => answerDocument(head as Job, body));
