import type { Token } from 'markdown-it';
import type { ComponentChildren } from 'preact';
import { say } from '../../lib/language.ts';
import { type Branch, topBranches } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Instant } from './instant.tsx';
import { targetOf } from './links.ts';
import { Formula } from './math.tsx';
import { markdownWords } from './words.ts';

/** Where a node stands. */
export interface Standing {
  /** The end of the text may still grow here. */
  readonly isGrowing: boolean;
  /** It stands at the top of the text, in nothing else. */
  readonly isTop: boolean;
}

/** The elements of a text. Of what is not known, the words. */
export function nodesOf(branches: readonly Branch[], standing: Standing): ComponentChildren {
  return branches.map((branch) => nodeOf(branch, standing));
}

function nodeOf({ token, branches }: Branch, standing: Standing): ComponentChildren {
  const within = { ...standing, isTop: false };
  switch (token.type) {
    case 'paragraph_open':
      return token.hidden ? nodesOf(branches, within) : <p>{nodesOf(branches, within)}</p>;
    case 'heading_open':
      return headingOf(token.tag, nodesOf(branches, within));
    case 'bullet_list_open':
      return <ul>{nodesOf(branches, within)}</ul>;
    case 'ordered_list_open':
      return <ol start={Number(token.attrGet('start') ?? 1)}>{nodesOf(branches, within)}</ol>;
    case 'list_item_open':
      return itemOf(branches, within);
    case 'blockquote_open':
      return quotationOf(branches, standing);
    case 'table_open':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls can be scrolled with keys, and is no part of a form
        <div class="markdown-table" role="group" tabIndex={0} aria-label={say(markdownWords).table}>
          <table>{nodesOf(branches, within)}</table>
        </div>
      );
    case 'thead_open':
      return <thead>{nodesOf(branches, within)}</thead>;
    case 'tbody_open':
      return <tbody>{nodesOf(branches, within)}</tbody>;
    case 'tr_open':
      return <tr>{nodesOf(branches, within)}</tr>;
    case 'th_open':
      return <th class={sideOf(token)}>{nodesOf(branches, within)}</th>;
    case 'td_open':
      return <td class={sideOf(token)}>{nodesOf(branches, within)}</td>;
    case 'fence':
      return <CodeBlock code={token.content} language={languageIn(token)} isGrowing={standing.isGrowing} />;
    case 'code_block':
      return <CodeBlock code={token.content} language="" isGrowing={standing.isGrowing} />;
    case 'hr':
      return <hr />;
    case 'math_block':
      return <Formula formula={token.content} isDisplayed />;
    case 'inline':
      return nodesOf(topBranches(token.children ?? []), within);
    default:
      return inlineNodeOf({ token, branches }, within);
  }
}

function inlineNodeOf({ token, branches }: Branch, standing: Standing): ComponentChildren {
  switch (token.type) {
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'strong_open':
      return <strong>{nodesOf(branches, standing)}</strong>;
    case 'em_open':
      return <em>{nodesOf(branches, standing)}</em>;
    case 's_open':
      return <s>{nodesOf(branches, standing)}</s>;
    case 'link_open':
      return linkOf(attributeOf(token, 'href'), wordsOf(branches), nodesOf(branches, standing));
    case 'image':
      return pictureOf(token);
    case 'math':
      return <Formula formula={token.content} isDisplayed={token.markup === '$$'} />;
    case 'time':
      return <Instant at={token.info} words={token.content} />;
    default:
      return branches.length > 0 ? nodesOf(branches, standing) : token.content;
  }
}

/** The page has headings of its own above these. */
function headingOf(tag: string, children: ComponentChildren): ComponentChildren {
  switch (tag) {
    case 'h1':
      return <h3 class="markdown-h1">{children}</h3>;
    case 'h2':
      return <h4 class="markdown-h2">{children}</h4>;
    case 'h3':
      return <h5 class="markdown-h3">{children}</h5>;
    default:
      return <h6 class="markdown-h4">{children}</h6>;
  }
}

const box = /^\[([ xX])\] +/;

function itemOf(branches: readonly Branch[], standing: Standing): ComponentChildren {
  const first = firstText(branches);
  const [mark, state] = box.exec(first?.content ?? '') ?? [];
  if (first === undefined || mark === undefined) return <li>{nodesOf(branches, standing)}</li>;
  const isDone = state !== ' ';
  const words = say(markdownWords);
  return (
    <li class="markdown-task">
      <input type="checkbox" checked={isDone} disabled aria-label={isDone ? words.done : words.notDone} />
      {nodesOf(withoutBeginning(branches, mark.length), standing)}
    </li>
  );
}

/** The text that a block begins with; undefined if it begins with something else. */
function firstText([first]: readonly Branch[]): Token | undefined {
  if (first?.token.type !== 'paragraph_open') return undefined;
  const [words] = first.branches[0]?.token.children ?? [];
  return words?.type === 'text' ? words : undefined;
}

/** The same blocks without the first characters of their text. Tokens are not changed: they are drawn again. */
function withoutBeginning([first, ...others]: readonly Branch[], length: number): readonly Branch[] {
  const inline = first?.branches[0];
  const [words, ...rest] = inline?.token.children ?? [];
  if (first === undefined || inline === undefined || words === undefined) return others;
  const shorter = copyOf(words, { content: words.content.slice(length) });
  const branches = [{ token: copyOf(inline.token, { children: [shorter, ...rest] }), branches: [] }];
  return [{ token: first.token, branches }, ...others];
}

function copyOf(token: Token, changed: Partial<Pick<Token, 'content' | 'children'>>): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(token)), token, changed);
}

const foldMark = /^\[!details\]- ?/;

/** Keyturn folds what is long: a quotation that begins so. In the words of others, it is a quotation. */
function quotationOf(branches: readonly Branch[], standing: Standing): ComponentChildren {
  const within = { ...standing, isTop: false };
  const [mark] = foldMark.exec(firstText(branches)?.content ?? '') ?? [];
  if (mark === undefined || !standing.isTop) return <blockquote>{nodesOf(branches, within)}</blockquote>;
  const [first, ...others] = withoutBeginning(branches, mark.length);
  const inline = first?.branches[0]?.token;
  const children = inline?.children ?? [];
  const end = children.findIndex(({ type }) => type === 'softbreak' || type === 'hardbreak');
  const title = end === -1 ? children : children.slice(0, end);
  const rest = end === -1 ? [] : children.slice(end + 1);
  return (
    <details class="markdown-fold">
      <summary>{nodesOf(topBranches(title), within)}</summary>
      {rest.length > 0 && <p>{nodesOf(topBranches(rest), within)}</p>}
      {nodesOf(others, within)}
    </details>
  );
}

function sideOf(token: Token): string | undefined {
  const [, side] = /text-align:\s*(left|right|center)/.exec(attributeOf(token, 'style')) ?? [];
  return side === undefined ? undefined : `markdown-${side}`;
}

function attributeOf(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function languageIn({ info }: Token): string {
  return info.trim().split(/\s/)[0]?.slice(0, 40) ?? '';
}

function linkOf(address: string, words: string, children: ComponentChildren): ComponentChildren {
  const target = targetOf(address, words);
  // Of a link that leads nowhere, the words stay.
  if (target === undefined) return <span class="markdown-no-link">{children}</span>;
  const { href, hidden } = target;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
      {hidden !== undefined && <span class="markdown-host"> ({say(markdownWords).leadsTo(hidden)})</span>}
    </a>
  );
}

/** A picture of elsewhere is not fetched: the author of its address would learn that it was seen. */
function pictureOf(token: Token): ComponentChildren {
  const name = say(markdownWords).picture(token.content);
  return linkOf(attributeOf(token, 'src'), name, `🖼 ${name}`);
}

function wordsOf(branches: readonly Branch[]): string {
  return branches.map(({ token, branches: inner }) => (inner.length > 0 ? wordsOf(inner) : token.content)).join('');
}
