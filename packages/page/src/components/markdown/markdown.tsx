import { Fragment, type VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { type Block, type Read, readBlocks } from './blocks.ts';
import './markdown.css';
import { nodesOf } from './nodes.tsx';
import { createParse } from './parser.ts';

const parse = createParse();

interface MarkdownProps {
  readonly text: string;
  /** More of it follows: a mark stands at its end. */
  readonly isGrowing?: boolean;
}

/** A text in Markdown as models, people and Keyturn write it, made of elements: no HTML is read from it, and no code in it runs. */
export function Markdown({ text, isGrowing = false }: MarkdownProps) {
  const former = useRef<Former>(nothing);
  const read = useMemo(() => readBlocks(text, parse, former.current.read, !isGrowing), [text, isGrowing]);
  const growing = isGrowing ? read.blocks.at(-1) : undefined;
  // What is the same element as before is not looked at again.
  const drawn = new Map(
    read.blocks.map((block) => {
      const known = block === growing ? undefined : former.current.drawn.get(block);
      return [block, known ?? <Drawn key={block.start} block={block} isGrowing={block === growing} />];
    }),
  );
  if (growing !== undefined) drawn.delete(growing);
  former.current = { read, drawn };
  return (
    <div class={isGrowing ? 'markdown markdown-grows' : 'markdown'}>
      {[...drawn.values()]}
      {growing && <Drawn key={growing.start} block={growing} isGrowing />}
    </div>
  );
}

interface Former {
  readonly read: Read | undefined;
  /** The elements of the blocks that may stay as they are. */
  readonly drawn: ReadonlyMap<Block, VNode>;
}

const nothing: Former = { read: undefined, drawn: new Map() };

interface DrawnProps {
  readonly block: Block;
  readonly isGrowing: boolean;
}

function Drawn({ block, isGrowing }: DrawnProps) {
  return <Fragment>{nodesOf([block.branch], { isGrowing, isTop: true })}</Fragment>;
}
