/** Prepares a page for extraction: what a reader does not see is taken away, and code and formulas become text. */

import { codeOf } from './code-block.ts';
import { isHidden, type Veil, veilOf } from './hidden.ts';
import { formulaOf } from './math.ts';
import { type Element, isElement, type Node, walk } from './html-tree.ts';
import { isTagList } from './tag-list.ts';

/** In these a button is a text that can be clicked: the question of an accordion, the head of a column that sorts. */
const NAMED_BY_BUTTON = new Set('h1 h2 h3 h4 h5 h6 summary dt legend th'.split(' '));

/** Drawn beside the `math` that says the same. */
const DRAWN_FORMULA = /(?:^|\s)(?:katex-html|mwe-math-fallback-image-\w+)(?:\s|$)/;

/** Changes the tree. */
export function clean(root: Element): void {
  new Cleaner(veilOf(root)).clean(root);
}

class Cleaner {
  readonly #isVeiled: Veil;

  constructor(isVeiled: Veil) {
    this.#isVeiled = isVeiled;
  }

  clean(element: Element, isName = false): void {
    // A page may have hundreds of thousands of elements: no array for each of them.
    const kept: Node[] = [];
    const isDrawnToo = element.children.some(isDrawing) && hasMath(element);
    for (const child of element.children) {
      if (!isElement(child)) kept.push(child);
      else if (child.name === 'math') kept.push(formulaOf(child));
      else if (isName && child.name === 'button') {
        const text = { ...child, name: 'span' };
        if (isHidden(text, this.#isVeiled)) continue;
        this.clean(text);
        kept.push(text);
      } else if (!isHidden(child, this.#isVeiled) && !isTagList(child) && !(isDrawnToo && isDrawing(child))) {
        const code = codeOf(child, this.#isVeiled);
        if (!code) this.clean(child, NAMED_BY_BUTTON.has(child.name) || isName);
        kept.push(code ?? child);
      }
    }
    element.children = kept;
  }
}

function isDrawing(node: Node): boolean {
  return isElement(node) && DRAWN_FORMULA.test(node.attributes['class'] ?? '');
}

function hasMath(element: Element): boolean {
  for (const { name } of walk(element)) if (name === 'math') return true;
  return false;
}
