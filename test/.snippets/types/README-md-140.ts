import { windowedText } from 'oriel/window';

const text = windowedText('one\ntwo\nthree\n');
const page = await text.read(undefined, { limits: { lines: 2 } });
console.log(page.next); // { by: 'lines', ranges: [ { from: 3 } ] }
