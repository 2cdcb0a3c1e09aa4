/**
 * The child process that converts pages, feeds and JSON, each in a realm of its own. They arrive in frames on standard input,
 * one after the other; each is answered with a frame on standard output. The process opens no file and no connection.
 */

import { answerJobs } from '../../access/child-jobs.ts';
import { JobRealms } from '../../access/job-realm.ts';

/** The most bytes of an input frame; no page that is sent is larger. */
const MOST_INPUT = 64 << 20;

const realms = new JobRealms(new URL('page-realm.cjs', import.meta.url));

await answerJobs(MOST_INPUT, (head, body) => realms.answer(head, body));
