import { windowedText } from '../../src/window.ts';

const text = windowedText('one\ntwo\nthree\n');
const page = await text.read(undefined, { limits: { lines: 2 } });
console.log(page.next); // { by: 'lines', ranges: [ { from: 3 } ] }
