/** Texts that begin where bugs are. */
export const selectorSeeds: readonly string[] = [
  ...'1-5 5.. -20 @65536+64K 5-16,40-80 1..:raw raw 99999999999999999999 0x5 #a.b -0'.split(' '),
  ...'1e9 @0+0 1- , .. :::'.split(' '),
  '\u0661-\u0662',
  '@-1',
  '3-1',
];
