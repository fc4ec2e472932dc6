import type { MarkdownBlock, MarkdownInline } from '../../src/lib/markdown-tree.ts';
import { escaped } from './sheet.ts';

/** CommonMark as a client shows it. Throws where a client has no form for it. */
export function markdownHtml(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(blockHtml).join('');
}

function blockHtml(block: MarkdownBlock): string {
  switch (block.type) {
    case 'paragraph':
      return `<p>${inlineHtml(block.children)}</p>`;
    case 'heading':
      return `<p><b>${inlineHtml(block.children)}</b></p>`;
    case 'blockquote':
      return `<blockquote>${markdownHtml(block.children)}</blockquote>`;
    case 'code':
      return `<pre>${escaped(block.value)}</pre>`;
    case 'list':
      return `<div class="list">${block.items
        .map(({ number, box, children }) => {
          const marker = number === undefined ? '•' : `${number}.`;
          return `<div class="item"><span>${marker}</span><div>${box}${markdownHtml(children)}</div></div>`;
        })
        .join('')}</div>`;
    case 'html':
      return `<p>${escaped(block.value)}</p>`;
    case 'details':
    case 'footnote':
    case 'table':
      throw new Error(`How a client shows "${block.type}" is not drawn.`);
  }
}

function inlineHtml(nodes: readonly MarkdownInline[]): string {
  return nodes.map(nodeHtml).join('');
}

function nodeHtml(node: MarkdownInline): string {
  switch (node.type) {
    case 'text':
      return escaped(node.value).replaceAll('\n', '<br>');
    case 'inlineCode':
      return `<code>${escaped(node.value)}</code>`;
    case 'strong':
      return `<b>${inlineHtml(node.children)}</b>`;
    case 'emphasis':
      return `<i>${inlineHtml(node.children)}</i>`;
    case 'delete':
      return `<s>${inlineHtml(node.children)}</s>`;
    case 'link':
      return `<a>${inlineHtml(node.children)}</a>`;
    case 'underline':
    case 'spoiler':
    case 'time':
      throw new Error(`How a client shows "${node.type}" is not drawn.`);
  }
}
