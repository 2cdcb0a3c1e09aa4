import { describe, expect, test } from 'vitest';
import { identifyImage } from '../../../src/formats/image/detect.ts';

const of = (text: string) => identifyImage(Buffer.from(text, 'latin1'));

describe('images by content', () => {
  test.each([
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['GIF87a', 'gif'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'webp'],
    ['\0\0\0\x18ftypavif\0\0\0\0mif1avif', 'avif'],
    ['\0\0\0\x18ftypmif1\0\0\0\0mif1avif', 'avif'],
    ['\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'heic'],
    ['II*\0\b\0\0\0', 'tiff'],
    ['MM\0*\0\0\0\b', 'tiff'],
    [`BM${'\0'.repeat(12)}\x28${'\0'.repeat(12)}`, 'bmp'],
    [`\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x40\0\0\0\x16\0\0\0`, 'ico'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'svg'],
    ['<?xml version="1.0"?>\n<!-- drawn -->\n<svg>', 'svg'],
    ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"> <svg:svg>', 'svg'],
    ['<!DOCTYPE svg [ <!ENTITY a "b"> ]>\n<svg >', 'svg'],
  ])('%j is %s', (head, type) => {
    expect(of(head)).toBe(type);
  });

  test.each([
    [''],
    ['BM'],
    ['BM is short'],
    ['\0\0\0\x18ftyp'],
    ['\0\0\x01\0\x01\0\x10\x10\0\0'],
    [`\0\0\x01\0\x01\0\x10\x10\0\x01\x01\0\x20\0\x40\0\0\0\x16\0\0\0`],
    [`\0\0\x01\0\x02\0\x10\x10\0\0\x01\0\x20\0\x40\0\0\0\x16\0\0\0`],
    ['<!DOCTYPE svg [ <!ENTITY a "b"> <svg >'],
    ['<!DOCTYPE'],
    ['<?xml version="1.0" <svg>'],
    ['BM is not enough to begin a bitmap with'],
    ['RIFF\x10\0\0\0WAVEfmt '],
    ['\0\0\0\x18ftypisom\0\0\0\0isomavc1'],
    ['<html><svg></svg></html>'],
    ['<svgx>'],
    ['<!-- a comment that never ends <svg>'],
    ['\0\0\x01\0\0\0'],
  ])('%j is not an image', (head) => {
    expect(of(head)).toBeUndefined();
  });
});
