/**
 * The table of sources, at the end: the first that claims what was opened reads it. Each imports its implementation when it
 * is first needed.
 */

import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { Call, ContentSource, SourceKind, SourceSubject } from '../types/call.ts';
import { claimsArchive, formatOf, isGitStore, isNamedArchive } from './archive/detect.ts';
import { dataForm, dataPlace, dataQuery, isParquet } from './data/detect.ts';
import { isDocument, isNamedDocument } from './document/detect.ts';
import { identifyImage } from './image/detect.ts';
import { isNotebook } from './notebook/detect.ts';
import { isDatabase, isNamedDatabase } from './sqlite/detect.ts';
import { fileSource, isBinary } from './text/open.ts';

const directorySource: ContentSource = {
  format: 'directory',
  claims: ({ opened }) => opened.kind === 'directory',
  open: async (subject, call) => (await import('./directory/open.ts')).openDirectory(subject, call),
};

// The source of SQLite databases: `db.sqlite` lists the tables, `db.sqlite:users` shows a schema with sample rows,
// `db.sqlite:users:42` a row, `db.sqlite:users?limit=50&order=name` a page of rows, `db.sqlite?q=select …` a query.

export const sqliteSource: ContentSource = {
  format: 'sqlite',
  claims: isDatabase,
  holds: isNamedDatabase,
  open: async (subject, call) => (await import('./sqlite/open.ts')).openDatabase(subject, call),
};

// The source of data by value: `users.csv?where=age > 40` shows rows of CSV, TSV, JSON Lines and Parquet,
// `x.json:#items?limit=20` those of an array in JSON, YAML or TOML, `x.json:#a.b[3]` a value. Everything else about these files
// is read as text, but that of Parquet, which has none. An archive with such a name is read by its members: some may be private.

const dataSource: ContentSource = {
  format: 'data',
  claims: ({ name, rest, head }) =>
    rest === ''
      ? isParquet(head) && dataForm(name)?.kind === 'parquet'
      : (dataQuery(name, rest) ?? dataPlace(name, rest)) !== undefined && formatOf(head) === undefined,
  open: async (subject, call) => {
    if (subject.rest === '') return (await import('./data/open.ts')).openParquet(subject, call);
    return dataQuery(subject.name, subject.rest)
      ? (await import('./data/open.ts')).openData(subject, call)
      : (await import('./data/open.ts')).openValue(subject, call);
  },
};

export const notebookSource: ContentSource = {
  format: 'notebook',
  claims: isNotebook,
  open: async (subject, call) => (await import('./notebook/open.ts')).openNotebook(subject, call),
};

export const imageSource: ContentSource = {
  format: 'image',
  claims: ({ head }) => identifyImage(head) !== undefined,
  open: async (subject, call) => (await import('./image/open.ts')).openImage(subject, call),
};

// The source of documents: PDF, Word, PowerPoint, Excel, OpenDocument, RTF and EPUB as Markdown. `report.pdf:p3-5` selects
// pages, `book.xlsx:Sales:A1:H50` cells, `book.xlsx:Sales?where=…` rows.

const documentSource: ContentSource = {
  format: 'document',
  claims: isDocument,
  holds: isNamedDocument,
  open: async (subject, call) => (await import('./document/open.ts')).openDocument(subject, call),
};

// The source of archives: lists their directories, and reads a member as the kind of file that it is. Nothing is unpacked
// into the file system, links are never followed out of the archive, and declared sizes are not trusted.
//
// "a.zip" → its root · "a.zip:dir/" → a directory · "a.zip:dir/x.ts:5-9" → lines of a member ·
// "a.zip:b.tar.gz:c.txt" → a member of a member · "a.zip:%~3" → the third member, whatever its name

export const archiveSource: ContentSource = {
  format: 'archive',
  claims: claimsArchive,
  holds: isNamedArchive,
  open: async (subject, call) => (await import('./archive/open.ts')).readArchive(subject, call),
};

/** The last source claims every file. */
export const sources: readonly ContentSource[] = [
  directorySource,
  sqliteSource,
  dataSource,
  notebookSource,
  imageSource,
  documentSource,
  archiveSource,
  fileSource,
];

/** The first source of the given `kinds` (all if undefined) that claims the subject. Throws `IS_DIRECTORY` if none does. */
export function sourceFor(subject: SourceSubject, kinds: readonly SourceKind[] | undefined): ContentSource {
  const isFile = subject.opened.kind === 'file';
  const source = sources.find(
    ({ format, claims }) =>
      (kinds?.includes(format) ?? true) && (isFile || format === 'directory') && claims(subject),
  );
  if (source) return source;
  throw new OrielError('IS_DIRECTORY', `${quote(subject.typed)} is a directory, not a file.`);
}

/** Throws `PRIVATE` for a file that is no archive to its source, and in which private files are stored, or may be. */
export async function refuseStored(
  { opened, ...subject }: SourceSubject,
  call: Call,
  source?: SourceKind,
): Promise<void> {
  if (opened.kind !== 'file' || opened.bytes.remote || !call.access.privateNames) return;
  // A zip has a NUL byte in each of its records.
  if (subject.head.length === opened.size && !isBinary(subject.head) && !isGitStore(subject.head)) return;
  await (
    await import('./archive/open.ts')
  ).refuseStoredMembers({ ...subject, opened }, call, source === 'document');
}
