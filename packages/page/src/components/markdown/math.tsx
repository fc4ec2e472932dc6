import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { say } from '../../lib/language.ts';
import { markdownWords } from './words.ts';

interface FormulaProps {
  /** In TeX. */
  readonly formula: string;
  /** On lines of its own. */
  readonly isDisplayed: boolean;
}

type DrawFormula = typeof import('./formula.tsx').drawFormula;

/** What draws formulas, once it is loaded: with the first of them. */
const loaded = signal<DrawFormula>();

/** A formula; as it was written, until that can be drawn, and if it cannot. */
export function Formula({ formula, isDisplayed }: FormulaProps) {
  useEffect(() => {
    if (loaded.peek() === undefined) void load();
  }, []);
  const drawn = loaded.value?.(formula, isDisplayed);
  const written = isDisplayed ? `$$${formula}$$` : `$${formula}$`;
  if (!isDisplayed) return drawn ?? <code class="markdown-tex">{written}</code>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls can be scrolled with keys, and stands in a paragraph
    <span class="markdown-formula" role="group" tabIndex={0} aria-label={say(markdownWords).formula}>
      {drawn ?? <code class="markdown-tex">{written}</code>}
    </span>
  );
}

async function load(): Promise<void> {
  try {
    const { drawFormula } = await import('./formula.tsx');
    loaded.value = drawFormula;
  } catch (error) {
    // As it was written, it can be read, too.
    console.warn(error);
  }
}
