import type { Token } from 'markdown-it';
import type { Definitions, Parse } from './parser.ts';

/*
 * A text that grows is not read again from its beginning: what stands before its last block does not change any more. So a
 * long answer costs what its last block costs, each time.
 */

/** A node of the tree of a text. */
export interface Branch {
  readonly token: Token;
  readonly branches: readonly Branch[];
}

/** A paragraph, a list, a table: what stands side by side in a text. The same object as long as it has not changed. */
export interface Block {
  /** Its offset. */
  readonly start: number;
  readonly branch: Branch;
}

export interface Read {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** How many of the blocks stay as they are, whatever follows, and the offset behind them. */
  readonly settled: number;
  readonly settledTo: number;
  /** A link may have been used before it was defined. */
  readonly hasDefinitions: boolean;
}

/** Reads a text, which may go on where the former one ended. `isWhole`: nothing follows. */
export function readBlocks(written: string, parse: Parse, former?: Read, isWhole = true): Read {
  const text = written.replaceAll(/\r\n?/g, '\n');
  if (former === undefined || !text.startsWith(former.text.slice(0, former.settledTo)))
    return readOn(text, parse, unread);
  const read = former.text === text ? former : readOn(text, parse, former);
  return isWhole && read.hasDefinitions && read.settled > 0 ? readOn(text, parse, unread) : read;
}

const unread: Read = { text: '', blocks: [], settled: 0, settledTo: 0, hasDefinitions: false };

function readOn(text: string, parse: Parse, { blocks: before, settled, settledTo, hasDefinitions }: Read): Read {
  const rest = text.slice(settledTo);
  const starts = lineStarts(rest);
  const definitions: Definitions = {};
  const found = topBranches(parse(rest, definitions)).map(
    (branch): Block => ({ start: settledTo + (starts[branch.token.map?.[0] ?? 0] ?? 0), branch }),
  );
  const blocks = [...before.slice(0, settled), ...found];
  const stays = settledAmong(blocks, text);
  const next = blocks[stays];
  return {
    text,
    blocks,
    settled: Math.max(settled, stays),
    settledTo: stays > settled && next !== undefined ? next.start : settledTo,
    hasDefinitions: hasDefinitions || Object.keys(Object(definitions.references)).length > 0,
  };
}

/** All but the last block; and but the one before it, too, if what parts them is a line that is still being written. */
function settledAmong(blocks: readonly Block[], text: string): number {
  const last = blocks.at(-1);
  if (last === undefined) return 0;
  const isBegun = text.indexOf('\n', last.start) !== -1;
  return Math.max(0, blocks.length - (isBegun ? 1 : 2));
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The tokens as trees. */
export function topBranches(tokens: readonly Token[]): readonly Branch[] {
  const top: Branch[] = [];
  const open: { readonly token: Token; readonly branches: Branch[] }[] = [];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const branch = { token, branches: [] };
    (open.at(-1)?.branches ?? top).push(branch);
    if (token.nesting === 1) open.push(branch);
  }
  return top;
}
