/**
 * The child process that converts pages, feeds and JSON, each in a realm of its own. They arrive in frames on standard input,
 * one after the other; each is answered with a frame on standard output. The process opens no file and no connection.
 */

import { answerJobs } from '../../process/child-jobs.ts';
import { JobRealms } from '../../process/job-realm.ts';

/** The most bytes of an input frame; no page that is sent is larger. */
const MAX_PAGE_INPUT_BYTES = 64 << 20;

const realms = new JobRealms(new URL('page-realm.cjs', import.meta.url));

await answerJobs(MAX_PAGE_INPUT_BYTES, (head, body) => realms.answer(head, body));
