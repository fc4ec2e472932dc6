import { say } from '../../lib/language.ts';
import { count } from '../../lib/numbers.ts';
import './values.css';
import { approvalWords } from './words.ts';

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A longer text is folded, and so is one of more lines. */
const longestOpen = 400;
const mostLinesOpen = 8;
/** What is shown of a folded text. */
const longestBeginning = 80;
/** Longer lists and objects are folded. */
const mostOpen = 12;

/** The members of an object as a tree: all of it, with what is long folded and counted. */
export function Values({ of }: { readonly of: { readonly [key: string]: Json } }) {
  const members = Object.entries(of);
  if (members.length === 0) return <p class="values-none">{say(approvalWords).noArguments}</p>;
  return (
    <dl class="values">
      {members.map(([key, value]) => (
        <div key={key} class="values-member">
          <dt>{key}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ of }: { readonly of: Json }) {
  const words = say(approvalWords);
  if (typeof of === 'string') return <LongText text={of} />;
  if (isList(of)) {
    if (of.length === 0) return <span class="values-none">{words.empty}</span>;
    const list = (
      <ol class="values-list" start={0}>
        {of.map((one, index) => (
          <li key={index}>
            <Value of={one} />
          </li>
        ))}
      </ol>
    );
    return of.length <= mostOpen ? list : folded(words.list({ count: of.length }), list);
  }
  if (typeof of === 'object' && of !== null) {
    const { length } = Object.keys(of);
    if (length === 0) return <span class="values-none">{words.empty}</span>;
    return length <= mostOpen ? <Values of={of} /> : folded(words.object({ count: length }), <Values of={of} />);
  }
  return <code class="values-plain">{String(of)}</code>;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function folded(summary: string, content: preact.ComponentChildren) {
  return (
    <details class="values-fold">
      <summary>{summary}</summary>
      {content}
    </details>
  );
}

function LongText({ text }: { readonly text: string }) {
  const words = say(approvalWords);
  if (text === '') return <span class="values-none">{words.empty}</span>;
  const lines = text.split('\n').length;
  if (text.length <= longestOpen && lines <= mostLinesOpen) return <span class="values-text">{text}</span>;
  const beginning = text.slice(0, longestBeginning).replaceAll('\n', ' ');
  return folded(
    `${beginning}… (${words.longText({ characters: count(Array.from(text).length), lines: count(lines) })})`,
    <span class="values-text">{text}</span>,
  );
}
