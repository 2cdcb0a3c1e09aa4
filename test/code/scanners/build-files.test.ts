import { expect, test } from 'vitest';
import { scanDiff, scanDockerfile, scanMakefile } from '../../../src/code/scanners/text.ts';
import { scanNotebook } from '../../../src/code/scanners/data.ts';
import { scan } from '../../support/scan.ts';

test('makefile: rules are targets, assignments, conditionals and settings are not', () => {
  const text =
    'A := b:c\nB ?= 1\n.PHONY: all\nifeq ($(A),:)\nendif\nall: a \\\n  b\n\techo \\\n\t  x\n\n# note\n\techo y\n\nb::\n';
  expect(scan(scanMakefile, text)).toEqual(['6-12 all', '14-14 b']);
});

test('dockerfile: stages with their name, else their image', () => {
  expect(scan(scanDockerfile, 'ARG V=1\nFROM --platform=$P a:1 as one\nRUN x\n\nfrom b\nCOPY . .\n')).toEqual(
    ['2-3 one', '5-6 b'],
  );
});

test('diff: removed lines that look like headers are only counted', () => {
  const text =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,1 @@\n--- a/y\n-@@ -1 +1 @@\n c\n@@ -9 +9 @@ f\n-a\n+b\n';
  expect(scan(scanDiff, text)).toEqual(['1-10 x', '4-7 @@ -1,3 +1,1 @@', '8-10 @@ -9 +9 @@']);
});

test('diff: without git headers, and deleted files', () => {
  const text =
    '--- a/x\t2020\n+++ b/x\t2020\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n';
  expect(scan(scanDiff, text)).toEqual(['1-5 x', '3-5 @@ -1 +1 @@', '6-9 y', '8-9 @@ -1 +0,0 @@']);
});

test('notebook: neither cells nor markers', () => {
  for (const text of ['', '{}', '{"cells": []}', '{\n "cells": [\n ]\n}', 'text'])
    expect(scan(scanNotebook, text)).toEqual([]);
});
