import { type ComponentChildren, h } from 'preact';
import temml from 'temml';

/** The elements of MathML that formulas are made of. None of them loads anything, or leads anywhere. */
const elements =
  /^(?:math|mrow|mi|mn|mo|ms|mtext|mspace|mfrac|msqrt|mroot|mstyle|mpadded|mphantom|mover|munder|munderover|msub|msup|msubsup|mtable|mtr|mtd|menclose|mmultiscripts|mprescripts|none|merror)$/;

/** What may be said of them. */
const attributes =
  /^(?:display|displaystyle|scriptlevel|mathvariant|fence|form|stretchy|symmetric|largeop|movablelimits|accent|accentunder|separator|lspace|rspace|minsize|maxsize|width|height|depth|voffset|linethickness|columnalign|columnlines|columnspacing|rowalign|rowlines|rowspacing|rowspan|columnspan|frame|notation|linebreak)$/;

const styles =
  /^(?:color|background-color|font-size|font-weight|font-style|text-align|padding|padding-left|padding-right|padding-top|padding-bottom|margin|margin-left|margin-right|border|border-left|border-right|border-top|border-bottom|width|vertical-align)$/;

/** In TeX's units: no larger than the page. */
const largest: [number, number] = [20, 20];
/** Macros that expand without end are given up. */
const mostExpansions = 200;

/** A formula as elements; undefined if it cannot be read. */
export function drawFormula(formula: string, isDisplayed: boolean): ComponentChildren {
  try {
    const tree: unknown = temml.__renderToMathMLTree(formula, {
      displayMode: isDisplayed,
      throwOnError: true,
      trust: false,
      maxSize: largest,
      maxExpand: mostExpansions,
    });
    return drawn(tree);
  } catch {
    // It is shown as it was written.
    return undefined;
  }
}

function drawn(tree: unknown): ComponentChildren {
  if (typeof tree !== 'object' || tree === null) return undefined;
  const { type, text, children, attributes: said, style } = Object(tree);
  if (typeof text === 'string') return text;
  const inner = Array.isArray(children) ? children.map(drawn) : [];
  if (typeof type !== 'string') return inner;
  if (!elements.test(type)) return inner;
  return h(type, { ...permitted(said, attributes), style: permitted(style, styles) }, inner);
}

/** Those whose name is known and whose value is plain. */
function permitted(values: unknown, names: RegExp): Readonly<Record<string, string>> {
  if (typeof values !== 'object' || values === null) return {};
  const kept = Object.entries(values).filter(
    ([name, value]) => names.test(name) && /^[\w#.,%+ -]{0,60}$/.test(String(value)),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
