/** The table of record kinds, by the names that jobs use. */

import type { RecordKind } from '../../page-protocol.ts';
import { gitHubRepository } from './github.ts';
import { mdnPage } from './mdn.ts';
import { npmManifest, npmPackage } from './npm.ts';
import { pypiProject } from './pypi.ts';
import type { ReadRecord } from './record.ts';
import { stackExchangeAnswers, stackExchangeQuestion } from './stackexchange.ts';

export const records: Readonly<Record<RecordKind, ReadRecord>> = {
  'github-repository': gitHubRepository,
  'mdn-page': mdnPage,
  'npm-package': npmPackage,
  'npm-manifest': npmManifest,
  'pypi-project': pypiProject,
  'stackexchange-question': stackExchangeQuestion,
  'stackexchange-answers': stackExchangeAnswers,
};
