/** Names of tables for the sheets of a workbook. */

/** A unique name per sheet, in the order of the workbook. SQLite reserves `sqlite_` and compares names case-insensitively. */
export function tableNames(sheets: readonly { readonly name: string }[]): string[] {
  const taken = new Set<string>();
  return sheets.map(({ name: written }) => {
    const name = written.replaceAll('\0', '').toWellFormed();
    let free = /^sqlite_/i.test(name) || name === '' ? `_${name}` : name;
    while (taken.has(free.toLowerCase())) free += '_';
    taken.add(free.toLowerCase());
    return free;
  });
}
