import { createRequire } from 'node:module';
import TurndownService from 'turndown';

/** Tables, task lists and the like. The library has no types. */
function gfm(): TurndownService.Plugin {
  const require = createRequire(import.meta.url);
  return require('@joplin/turndown-plugin-gfm').gfm;
}

/**
 * HTML as markdown, with tables; pictures as their descriptions. Recursive: deep nesting overflows the stack, so run it
 * in a worker.
 */
export function htmlToMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  service.use(gfm());
  service.addRule('picture', {
    filter: 'img',
    replacement: (_content, node) => {
      const words = attributeOf(node, 'alt').replace(/\s+/g, ' ').trim();
      return words === '' ? '' : `[image: ${words.slice(0, 200).replaceAll(/[[\]]/g, '')}]`;
    },
  });
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => link(content, attributeOf(node, 'href')),
  });
  return service.turndown(html);
}

/** The library's own types are those of a browser, which are missing here. */
function attributeOf(node: object, name: string): string {
  if (!('getAttribute' in node) || typeof node.getAttribute !== 'function') return '';
  const value: unknown = node.getAttribute(name);
  return typeof value === 'string' ? value : '';
}

/** A longer address is useless to a reader. */
const longestAddress = 1000;

function link(content: string, address: string): string {
  const words = content.replace(/\s*\n\s*/g, ' ').trim();
  if (words === '' || address.length > longestAddress || !/^(?:https?:|mailto:)/i.test(address)) return content;
  const encoded = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `[${words}](${address.replaceAll(/[\s()<>]/g, encoded)})`;
}
