/** Files that are looked into below a directory, by their names. Those that are stored as text are searched as texts. */

const DOCUMENTS = 'pdf doc docx docm ppt pptx pptm xls xlsx xlsm xlsb odt ods odp epub';
const ARCHIVES = 'zip jar tar tgz gz bz2 xz zst 7z rar';
const DATABASES = 'db sqlite sqlite3';

const EXTENSIONS = `${DOCUMENTS} ${ARCHIVES} ${DATABASES}`.split(' ');

const known = new Set(EXTENSIONS);

export function isContainerName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot !== -1 && known.has(name.slice(dot + 1));
}
