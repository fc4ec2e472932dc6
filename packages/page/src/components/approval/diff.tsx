import type { ComponentChildren } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { say } from '../../lib/language.ts';
import { count } from '../../lib/numbers.ts';
import { useWide } from '../../lib/use-wide.ts';
import { Button } from '../button.tsx';
import './diff.css';
import { countsOf, type Line, type Row, rowsOf } from './diff-rows.ts';
import { diffLines } from './line-diff.ts';
import { approvalWords } from './words.ts';

interface DiffProps {
  /** Of the file. */
  readonly path: string;
  /** Undefined: there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Rows that are drawn at first, and how many a press adds. */
const firstRows = 200;
const moreRows = 1_000;
/** Narrower pages show one column: side by side, a line would hold a few words. In pixels. */
const leastWidth = 900;

/** How a text changes: side by side, or in one column. What stays is left out, and counted. */
export function Diff({ path, before, after }: DiffProps) {
  const words = say(approvalWords);
  const heading = useId();
  const chunks = useMemo(() => diffLines(before, after), [before, after]);
  const rows = useMemo(() => rowsOf(chunks), [chunks]);
  const [shown, show] = useState(firstRows);
  const [chosen, choose] = useState<'columns' | 'column'>();
  const isWide = useWide(leastWidth);
  const isNew = before === undefined;
  const isBeside = !isNew && (chosen === undefined ? isWide : chosen === 'columns');
  const counts = countsOf(chunks);
  const [removed, added] = [count(counts.removed), count(counts.added)];
  const more = rows.length - shown;
  return (
    <div class="diff">
      <header class="diff-head">
        <h3 id={heading}>{words.file({ path })}</h3>
        {isNew && <span class="diff-new">{words.newFile}</span>}
        <span class="diff-counts" title={words.changeSummary({ removed, added })}>
          <span class="diff-removed-count">{words.removedLines({ count: removed })}</span>{' '}
          <span class="diff-added-count">{words.addedLines({ count: added })}</span>
        </span>
        {!isNew && (
          <Button style="quiet" onPress={() => choose(isBeside ? 'column' : 'columns')}>
            {isBeside ? words.inOneColumn : words.sideBySide}
          </Button>
        )}
      </header>
      {counts.removed + counts.added === 0 ? (
        <p class="diff-same">{words.unchanged}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys
        <section class="diff-scroll" tabIndex={0} aria-labelledby={heading}>
          <table class={isBeside ? 'diff-table diff-beside' : 'diff-table'} aria-labelledby={heading}>
            {isBeside && <Sides />}
            <tbody>{drawn(rows.slice(0, shown), isBeside)}</tbody>
          </table>
        </section>
      )}
      {more > 0 && (
        <Button style="quiet" onPress={() => show(shown + moreRows)}>
          {words.moreRows({ count: count(Math.min(more, moreRows)) })}
        </Button>
      )}
    </div>
  );
}

/** Which side is which. */
function Sides() {
  const words = say(approvalWords);
  return (
    <>
      <colgroup>
        <col class="diff-number-column" />
        <col />
        <col class="diff-number-column" />
        <col />
      </colgroup>
      <thead>
        <tr>
          <th colSpan={2}>{words.beforeColumn}</th>
          <th colSpan={2}>{words.afterColumn}</th>
        </tr>
      </thead>
    </>
  );
}

function drawn(rows: readonly Row[], isBeside: boolean): ComponentChildren {
  if (isBeside) return rows.map((row, index) => <Beside key={index} row={row} />);
  return inOneColumn(rows).map((row, index) => <Single key={index} row={row} />);
}

function Beside({ row }: { readonly row: Row }) {
  switch (row.type) {
    case 'left-out':
      return <LeftOut count={row.count} columns={4} />;
    case 'same':
      return (
        <tr>
          <LineNumber line={row.old} />
          <Text line={row.old} sign="" />
          <LineNumber line={row.fresh} />
          <Text line={row.fresh} sign="" />
        </tr>
      );
    case 'changed':
      return (
        <tr>
          <LineNumber line={row.old} />
          <Text line={row.old} sign="−" />
          <LineNumber line={row.fresh} />
          <Text line={row.fresh} sign="+" />
        </tr>
      );
  }
}

type SingleRow =
  | { readonly type: 'left-out'; readonly count: number }
  | { readonly type: 'line'; readonly line: Line; readonly sign: Sign };

type Sign = '' | '−' | '+';

/** All that goes of a change stands above all that comes. */
function inOneColumn(rows: readonly Row[]): readonly SingleRow[] {
  const lines: SingleRow[] = [];
  let coming: SingleRow[] = [];
  for (const row of rows) {
    if (row.type === 'changed') {
      if (row.old !== undefined) lines.push({ type: 'line', line: row.old, sign: '−' });
      if (row.fresh !== undefined) coming.push({ type: 'line', line: row.fresh, sign: '+' });
      continue;
    }
    lines.push(...coming, row.type === 'same' ? { type: 'line', line: row.fresh, sign: '' } : row);
    coming = [];
  }
  return [...lines, ...coming];
}

function Single({ row }: { readonly row: SingleRow }) {
  if (row.type === 'left-out') return <LeftOut count={row.count} columns={2} />;
  return (
    <tr>
      <LineNumber line={row.line} />
      <Text line={row.line} sign={row.sign} />
    </tr>
  );
}

function LeftOut({ count: left, columns }: { readonly count: number; readonly columns: number }) {
  return (
    <tr>
      <td class="diff-left-out" colSpan={columns}>
        {say(approvalWords).leftOut({ count: left })}
      </td>
    </tr>
  );
}

function LineNumber({ line }: { readonly line: Line | undefined }) {
  return <td class="diff-number">{line?.number}</td>;
}

/** A line of a side; empty where the other side has one more. */
function Text({ line, sign }: { readonly line: Line | undefined; readonly sign: Sign }) {
  if (line === undefined) return <td class="diff-none" />;
  switch (sign) {
    case '':
      return <td class="diff-text">{line.text}</td>;
    case '−':
      return (
        <td class="diff-text diff-removed">
          <del>{marked(line)}</del>
        </td>
      );
    case '+':
      return (
        <td class="diff-text diff-added">
          <ins>{marked(line)}</ins>
        </td>
      );
  }
}

function marked({ text, part }: Line): ComponentChildren {
  if (part === undefined || part[0] >= part[1]) return text;
  const [from, to] = part;
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  );
}
