import { signal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../../lib/language.ts';
import { markdownWords } from './words.ts';

interface CodeBlockProps {
  readonly code: string;
  /** As the text names it; empty if it does not. */
  readonly language: string;
  /** More of it may follow. */
  readonly isGrowing: boolean;
}

/** Code with its language, in colours, and a button to copy it. */
export function CodeBlock({ code, language, isGrowing }: CodeBlockProps) {
  const words = say(markdownWords);
  return (
    <figure class="markdown-code">
      <figcaption>
        <span>{language || words.code}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys */}
      <pre tabIndex={0}>
        <code>{isGrowing ? code : <Coloured code={code} language={language} />}</code>
      </pre>
    </figure>
  );
}

/** How long "copied" is shown, in ms. */
const copiedFor = 2_000;

function CopyButton({ text }: { readonly text: string }) {
  const [state, setState] = useState<'copy' | 'copied' | 'notCopied'>('copy');
  useEffect(() => {
    if (state === 'copy') return;
    const timer = setTimeout(() => setState('copy'), copiedFor);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new TypeError('no clipboard'));
    copied.then(
      () => setState('copied'),
      () => setState('notCopied'),
    );
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {say(markdownWords)[state]}
    </button>
  );
}

type Highlight = typeof import('./highlight.tsx').highlight;

/** What colours code, once it is loaded: with the first code that names a language. */
const loaded = signal<Highlight>();
/** Longer code stays as it is. */
const longestCode = 60_000;

function Coloured({ code, language }: { readonly code: string; readonly language: string }): ComponentChildren {
  const isMeant = language !== '' && code.length <= longestCode;
  useEffect(() => {
    if (isMeant && loaded.peek() === undefined) void load();
  }, [isMeant]);
  const highlight = isMeant ? loaded.value : undefined;
  return <Fragment>{highlight?.(language, code) ?? code}</Fragment>;
}

async function load(): Promise<void> {
  try {
    const { highlight } = await import('./highlight.tsx');
    loaded.value = highlight;
  } catch (error) {
    // Without colours it can be read, too.
    console.warn(error);
  }
}
