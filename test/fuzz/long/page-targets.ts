/** Damaged pages, feeds and JSON, converted in this thread as in the child of a call, and URLs as they are typed. */

import { formatJsonText } from '../../../src/formats/web/child/json-text.ts';
import { extractPage, fragment } from '../../../src/formats/web/child/extract.ts';
import { entryText, feedText } from '../../../src/formats/web/child/feeds.ts';
import { parseWebAddress, listWebAddresses } from '../../../src/formats/web/select.ts';
import { FEED, PAGE, RSS, VALUE } from '../page-seeds.ts';
import { type FuzzTarget, must, unlessRefused } from './fuzz-target.ts';

const tags =
  '< > </ /> & &amp; &#x1F600; &#0; &lt; &nosuch; <!-- --> <![CDATA[ ]]> <p> </p> <div> </div> <table> <tr> <td colspan=99> </table> <ul> <li> <a href="x"> <a href="javascript:x"> <img src=x> <pre> <code> <script> </script> <style> <svg> <template> <base href="http://x/"> <blockquote> <br> <h1> " = \' style="display:none" hidden';

const isContainer = (name: string): boolean => /\.(?:zip|db|docx)$/.test(name);

export const pageTargets: readonly FuzzTarget[] = [
  {
    group: 'container',
    name: 'page',
    isSlow: true,
    seeds: [PAGE],
    words: tags.split(' '),
    most: 2_048,
    run(input, random) {
      const html = input.toString();
      const isPage = random.below(2) === 0;
      const text = isPage
        ? extractPage(html, 'http://h/a/b', { asXml: random.below(8) === 0 }).markdown
        : fragment(html, 'http://h/', ['x']);
      must(text.length <= 64 * (html.length + 64), 'a page is bounded');
      must(text.isWellFormed(), 'a page is well-formed');
    },
  },
  {
    group: 'container',
    name: 'feed',
    isSlow: true,
    seeds: [FEED, RSS],
    words: [
      ...tags.split(' '),
      '<entry>',
      '</entry>',
      '<item>',
      '<link>',
      '<title type="html">',
      '<content>',
      '<pubDate>',
    ],
    most: 1_024,
    run(input, random) {
      const xml = input.toString();
      const text = (random.below(2) === 0 ? feedText : entryText)(xml, 'http://h/');
      must((text?.length ?? 0) <= 64 * (xml.length + 64), 'a feed is bounded');
    },
  },
  {
    group: 'container',
    name: 'JSON',
    seeds: [
      VALUE,
      '{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","content_html":"<p>x"}]}',
    ],
    words: '{ } [ ] " , : \\ \\u2028 \\ud83d null true 1e999 -0 9007199254740993 "a":'.split(' '),
    most: 256,
    run(input, random) {
      const text = input.toString();
      const made = formatJsonText(text, 'http://h/', {
        cut: random.below(2) === 0,
        feed: random.below(2) === 0,
      });
      must(made === undefined || made.text.length <= 64 * (text.length + 64), 'JSON is bounded');
    },
  },
  {
    group: 'container',
    name: 'URL',
    seeds: [
      'http://h/a/b.zip:src/x.ts:5-9',
      'https://h:8080/x?y=1#z:raw',
      'www.h.de/a:fresh:5',
      'http://[::1]/x.db?t=1:t?limit=5',
      'HTTP:\\\\h\\x',
    ],
    words:
      'http:// https:// www. http:\\\\ // / : :80 :raw :fresh :5-9 ? # @ u:p@ [::1] [ ] % %00 %2e . .. \t \n \u202e \u3002 \u00e9 0x7f.1 127.1 .zip: .db?'.split(
        ' ',
      ),
    most: 96,
    run(input, random) {
      const target = random.pick(['http://', 'https://', 'www.', '']) + input.toString();
      // All else is a path.
      if (!/^(?:https?:|www\.)/i.test(target)) return;
      const address = unlessRefused(/^(?:BAD_|UNSUPPORTED|BLOCKED)/, () =>
        parseWebAddress(target, isContainer),
      );
      unlessRefused(/^(?:BAD_|UNSUPPORTED|BLOCKED)/, () =>
        must(listWebAddresses(target).length <= 8, 'ways are bounded'),
      );
      if (!address) return;
      const { protocol, username, password, hash, href } = new URL(address.url);
      must(protocol === 'http:' || protocol === 'https:', 'it is a page');
      must(username + password + hash === '', 'nothing secret is sent');
      must(href === address.url && !/[\0-\x20]/.test(href), 'a URL is normalized');
    },
  },
];
