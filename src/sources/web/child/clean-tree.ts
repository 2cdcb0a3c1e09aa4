/** Prepares a page for extraction: removes invisible elements, and converts code and formulas to text. */

import { codeOf } from './code-block.ts';
import { isHidden, type Veil, veilOf } from './hidden-elements.ts';
import { formulaOf } from './math.ts';
import { type Element, isElement, type Node, walk } from './html-tree.ts';
import { isTagList } from './tag-list.ts';

/** Elements in which a button is clickable text, such as the question of an accordion or a sortable column header. */
const NAMED_BY_BUTTON = new Set('h1 h2 h3 h4 h5 h6 summary dt legend th'.split(' '));

/** Classes of a rendered formula beside the equivalent `math`. */
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
    // No array operations per child: a page may have hundreds of thousands of elements.
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
