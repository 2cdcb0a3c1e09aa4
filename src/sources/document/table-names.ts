/** What the sheets of a workbook are called as tables of a database. */

/** For each sheet, in the order of the workbook. SQLite keeps some names for itself, and does not tell cases apart. */
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
