/** Guesses of encodings: what is sure is right, what is not sure is only named, and UTF-8 is no matter of guessing. */

import { analyse } from 'chardet';
import { describe, expect, test } from 'vitest';
import {
  type AnalyseEncoding,
  type EncodingGuess,
  GUESSED_BY,
  guessOf,
  isUtf8Start,
} from '../../src/text/legacy-encoding.ts';

const guess = (bytes: Uint8Array): EncodingGuess => guessOf(bytes, analyse);

/** A comment as it may stand in code, and its bytes as another tool wrote them. */
const COMMENTS: readonly (readonly [string, string, string])[] = [
  [
    'windows-1252',
    "// Vérifie que la clé existe déjà et crée le répertoire s'il n'est pas présent",
    '2f2f2056e9726966696520717565206c6120636ce9206578697374652064e96ae0206574206372e965206c652072e9706572746f697265207327696c206e2765737420706173207072e973656e74',
  ],
  [
    'iso-8859-2',
    '// Nie można otworzyć pliku konfiguracyjnego: sprawdź, czy ścieżka jest prawidłowa',
    '2f2f204e6965206d6fbf6e61206f74776f727a79e620706c696b75206b6f6e66696775726163796a6e65676f3a20737072617764bc2c20637a7920b6636965bf6b61206a65737420707261776964b36f7761',
  ],
  [
    'windows-1251',
    '// Проверка наличия файла настроек и создание нового каталога',
    '2f2f20cff0eee2e5f0eae020ede0ebe8f7e8ff20f4e0e9ebe020ede0f1f2f0eee5ea20e820f1eee7e4e0ede8e520edeee2eee3ee20eae0f2e0ebeee3e0',
  ],
  [
    'koi8-r',
    '// Проверка наличия файла настроек и создание нового каталога',
    '2f2f20f0d2cfd7c5d2cbc120cec1ccc9dec9d120c6c1caccc120cec1d3d4d2cfc5cb20c920d3cfdac4c1cec9c520cecfd7cfc7cf20cbc1d4c1cccfc7c1',
  ],
  [
    'iso-8859-7',
    '// Το αρχείο ρυθμίσεων δεν βρέθηκε στον κατάλογο εργασίας',
    '2f2f20d4ef20e1f1f7e5dfef20f1f5e8ecdff3e5f9ed20e4e5ed20e2f1dde8e7eae520f3f4efed20eae1f4dcebefe3ef20e5f1e3e1f3dfe1f2',
  ],
  [
    'windows-1254',
    '// Yapılandırma dosyası açılamadı, lütfen dosya iznini değiştirin ve yeniden başlatın',
    '2f2f20596170fd6c616e64fd726d6120646f73796173fd2061e7fd6c616d6164fd2c206cfc7466656e20646f73796120697a6e696e69206465f069fe746972696e2076652079656e6964656e206261fe6c6174fd6e',
  ],
  [
    'shift_jis',
    '// 設定ファイルを読み込んで、新しいディレクトリを作成します',
    '2f2f2090dd92e8837483408343838b82f093c782dd8d9e82f182c58141905682b582a283668342838c834e8367838a82f08dec90ac82b582dc82b7',
  ],
  [
    'euc-jp',
    '// 設定ファイルを読み込んで、新しいディレクトリを作成します',
    '2f2f20c0dfc4eaa5d5a5a1a5a4a5eba4f2c6c9a4dfb9fea4f3a4c7a1a2bfb7a4b7a4a4a5c7a5a3a5eca5afa5c8a5eaa4f2baeec0aea4b7a4dea4b9',
  ],
  [
    'gb18030',
    '// 读取配置文件并创建新的工作目录，如果目录不存在则返回错误',
    '2f2f20b6c1c8a1c5e4d6c3cec4bcfeb2a2b4b4bda8d0c2b5c4b9a4d7f7c4bfc2bca3acc8e7b9fbc4bfc2bcb2bbb4e6d4dad4f2b7b5bbd8b4edcef3',
  ],
  [
    'big5',
    '// 讀取設定檔並建立新的工作目錄，如果目錄不存在則傳回錯誤',
    '2f2f20c5aaa8fab35da977c0c9a8c3abd8a5dfb773aabaa475a740a5d8bffda141a670aa47a5d8bffda4a3a673a662ab68b6c7a65ebff9bb7e',
  ],
  [
    'euc-kr',
    '// 설정 파일을 읽고 새로운 작업 디렉터리를 만듭니다',
    '2f2f20bcb3c1a420c6c4c0cfc0bb20c0d0b0ed20bbf5b7cebfee20c0dbbef720b5f0b7bac5cdb8aeb8a620b8b8b5ecb4cfb4d9',
  ],
];

const code = 'int main(void) {\n  return 0;\n}\n';

test.each(COMMENTS)('%s: %s', (name, _comment, hex) => {
  const comment = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from('\n')]);
  expect(guess(comment)).toStrictEqual({ sure: name });
  expect(guess(Buffer.concat([Buffer.from(code), comment, Buffer.from(code), comment]))).toStrictEqual({
    sure: name,
  });
});

describe('what is not sure is only named', () => {
  test.each([
    ['one letter', 'caf\u00e9\n', { perhaps: 'windows-1252' }],
    ['a sign', 'Copyright \u00a9 1999 Foo Corp.\n', { perhaps: 'windows-1252' }],
    [
      'a sign in a longer line',
      'Copyright \u00a9 1999 Foo Corp. All rights reserved.\n',
      { perhaps: 'windows-1252' },
    ],
    ['signs', 't = 20\u00b0C; // \u00b15%\n', { perhaps: 'windows-1252' }],
    ['signs alone beside a name', '\u00a7\u00a7 5 of fooBAR\n', { perhaps: 'windows-1252' }],
    ['quotation marks', 'Price \u00a35, it\u0092s \u0093ok\u0094\n', { perhaps: 'windows-1252' }],
    [
      'short Chinese',
      '// \u00d5\u00e2\u00ca\u00c7\u00d2\u00bb\u00b8\u00f6\u00b2\u00e2\u00ca\u00d4\u00d7\u00a2\u00ca\u00cd\n',
      { perhaps: 'gbk' },
    ],
    ['two Chinese characters', '// \u00d5\u00e2\u00ca\u00c7 one\n', {}],
    [
      'two words in many lines that differ in digits',
      Array.from({ length: 50 }, (_, i) => `${i} caf\u00e9 na\u00efve\n`).join(''),
      { perhaps: 'windows-1252' },
    ],
    ['no words', '\u0080\u0081\u0090\u00ff\u00fe\n', {}],
  ])('%s', (_, latin1, expected) => {
    expect(guess(Buffer.from(latin1, 'latin1'))).toStrictEqual(expected);
  });
});

test('UTF-8 is not guessed, even with its last character cut', () => {
  expect(guess(Buffer.from('größe, 漢字\n'))).toStrictEqual({});
  expect(guess(Buffer.from('größe, 漢字').subarray(0, -1))).toStrictEqual({});
});

test('nothing behind the first 64 KiB counts', () => {
  const [, , hex = ''] = COMMENTS[0] ?? [];
  const late = Buffer.concat([Buffer.alloc(GUESSED_BY, 'x\n'), Buffer.from(hex, 'hex')]);
  expect(guess(late)).toStrictEqual({});
});

describe('what a library prefers', () => {
  const russian = Buffer.from('cff0eee2e5f0eae020ede0ebe8f7e8ff20f4e0e9ebe00a', 'hex');
  const preferring =
    (...found: readonly (readonly [string, number])[]): AnalyseEncoding =>
    () =>
      found.map(([name, confidence]) => ({ name, confidence }));

  test.each<[string, EncodingGuess, (readonly [string, number])[]]>([
    ['clearly, is the encoding', { sure: 'windows-1251' }, [['windows-1251', 90]]],
    ['by the name of the WHATWG', { sure: 'windows-1251' }, [['CP1251', 90]]],
    ['just enough', { sure: 'windows-1251' }, [['windows-1251', 20]]],
    ['not enough', { perhaps: 'windows-1251' }, [['windows-1251', 19]]],
    [
      'with enough of a lead',
      { sure: 'windows-1251' },
      [
        ['windows-1251', 60],
        ['x-mac-cyrillic', 40],
      ],
    ],
    [
      'with too little of a lead',
      { perhaps: 'windows-1251' },
      [
        ['windows-1251', 60],
        ['x-mac-cyrillic', 41],
      ],
    ],
    [
      'over one that gives the same text',
      { sure: 'windows-1251' },
      [
        ['windows-1251', 60],
        ['cp1251', 59],
      ],
    ],
    [
      'over one that reads like no words',
      { sure: 'windows-1251' },
      [
        ['windows-1251', 60],
        ['koi8-r', 59],
      ],
    ],
    [
      'after one that reads like no words',
      { perhaps: 'windows-1251' },
      [
        ['koi8-r', 90],
        ['windows-1251', 60],
      ],
    ],
    [
      'after one that no one knows, and one that it is not',
      { sure: 'windows-1251' },
      [
        ['klingon', 99],
        ['utf-16', 95],
        ['windows-1251', 60],
      ],
    ],
    ['but reads like no words', {}, [['koi8-r', 90]]],
    ['nothing', {}, []],
  ])('%s: %j', (_, expected, found) => {
    expect(guessOf(russian, preferring(...found))).toStrictEqual(expected);
  });

  test('needs six letters that are not ASCII', () => {
    const of = (hex: string): EncodingGuess =>
      guessOf(Buffer.from(hex, 'hex'), preferring(['windows-1251', 90]));
    expect(of('6162636465666720eaebe0f1f10a')).toStrictEqual({ perhaps: 'windows-1251' });
    expect(of('6162636465666720eaebe0f1f1e00a')).toStrictEqual({ sure: 'windows-1251' });
  });

  test('is asked about up to 4 KiB of non-ASCII lines', () => {
    const asked: Buffer[] = [];
    const analyse: AnalyseEncoding = (bytes) => {
      asked.push(Buffer.from(bytes));
      return [];
    };
    const plain = Buffer.from('plain\n');
    guessOf(Buffer.concat([plain, russian, plain, plain, russian, plain]), analyse);
    guessOf(Buffer.concat([plain, russian.subarray(0, -1)]), analyse);
    guessOf(Buffer.concat([plain, Buffer.concat(Array(1_000).fill(russian))]), analyse);
    guessOf(Buffer.concat([russian, Buffer.alloc(9_000, 0xe0), plain, russian]), analyse);
    const many = Buffer.concat(Array(1_000).fill(russian));
    const long = Buffer.concat([russian, Buffer.alloc(9_000, 0xe0)]);
    expect(asked.map((bytes) => bytes.toString('latin1'))).toStrictEqual(
      [
        Buffer.concat([russian, russian]),
        russian.subarray(0, -1),
        many.subarray(0, 4096),
        long.subarray(0, 4096),
      ].map((bytes) => bytes.toString('latin1')),
    );
  });
});

describe('a text reads like words', () => {
  /** Whether a guess of KOI8-R, which the library is sure of, is accepted for this text in it. */
  const letters = 'абвгдежзийклмнопрстуфхцчшщъыьэюя';
  const koi8 = (text: string): Buffer =>
    Buffer.from(
      Array.from(text, (letter) => {
        for (let byte = 0; byte < 256; byte += 1)
          if (new TextDecoder('koi8-r').decode(Uint8Array.of(byte)) === letter) return byte;
        throw new Error(`no ${letter} in KOI8-R`);
      }),
    );
  const isAccepted = (text: string): boolean =>
    guessOf(koi8(text), () => [{ name: 'koi8-r', confidence: 90 }]).sure !== undefined;

  test.each([
    ['words', `${letters} и ещё слова`, true],
    ['words in capitals', 'ЭТО НЕ ТАК', true],
    ['words with a capital', 'Москва и Петербург', true],
    ['a wrong case inside a word', 'моСква слово', false],
    ['a capital that ends', 'СЛово слово', false],
    ['two scripts in a word', 'словоabc слово', false],
    ['a sign that is no punctuation', 'слово слово √', false],
    ['usual punctuation', 'слово за 10°', true],
    ['one odd word in eleven', `${'слово '.repeat(10)}словаabc`, true],
    ['one odd word in ten', `${'слово '.repeat(9)}словаabc`, false],
    ['words in ASCII do not count', `${'word '.repeat(10)}слово словаabc`, false],
  ])('%s', (_, text, accepted) => {
    expect(isAccepted(text)).toBe(accepted);
  });

  test('no controls', () => {
    const of = (hex: string): EncodingGuess =>
      guessOf(Buffer.from(hex, 'hex'), () => [{ name: 'iso-8859-5', confidence: 90 }]);
    expect(of('b0b1b2b3b4b5b60a')).toStrictEqual({ sure: 'iso-8859-5' });
    expect(of('d0d1d2d3d4d5d60a')).toStrictEqual({ sure: 'iso-8859-5' });
    expect(of('d0d1d2d3d4d5d6850a')).toStrictEqual({});
  });
});

test('the start of UTF-8 may cut its last character only', () => {
  const isStart = (hex: string): boolean => isUtf8Start(Buffer.from(hex, 'hex'));
  for (const cut of ['', '61', '61c3', '61e2', '61e282', '61f0', '61f09f', '61f09f98', 'c3a9c3'])
    expect([cut, isStart(cut)]).toStrictEqual([cut, true]);
  for (const wrong of [
    '80',
    '6180',
    'c080',
    '61c0',
    '61ff61',
    'ffc3',
    'e28080e2ff',
    '61e28261',
    'f09f98ff',
    '808080',
  ])
    expect([wrong, isStart(wrong)]).toStrictEqual([wrong, false]);
});
