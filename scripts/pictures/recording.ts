import { textWidth } from '../../src/lib/text-width.ts';
import type { Step } from './scenes.ts';
import type { Theme } from './sheet.ts';

/** A moving picture of what happened, a line after the other, without scripts. Still, and whole, for those who want less motion. */
export function recordingOf(steps: readonly Step[], theme: Theme): string {
  const lines = steps.flatMap(linesOf);
  const height = lines.length * rowHeight + 2 * margin;
  const [page, ink, dim, accent] =
    theme === 'light' ? ['#f6f8fa', '#1f2328', '#656d76', '#0969da'] : ['#0d1117', '#e6edf3', '#8d96a0', '#4493f8'];
  const rows = lines.map((line, at) => {
    const y = Math.round(margin + (at + 0.7) * rowHeight);
    const fill = { shell: accent, bot: ink, user: dim, keys: accent }[line.kind];
    return `<text x="${margin}" y="${y}" fill="${fill}" class="l" style="animation-delay:${(line.beat * beatSeconds).toFixed(1)}s">${escaped(line.text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, Noto Sans Mono CJK SC, monospace" font-size="14">
<style>.l{opacity:0;animation:a .3s forwards}@keyframes a{to{opacity:1}}@media (prefers-reduced-motion:reduce){.l{opacity:1;animation:none}}</style>
<rect width="${width}" height="${height}" rx="8" fill="${page}"/>
${rows.join('\n')}
</svg>
`;
}

const width = 720;
const margin = 16;
const rowHeight = 22;
const beatSeconds = 1.6;
const mostCells = 80;

interface Line {
  readonly text: string;
  readonly kind: 'shell' | 'bot' | 'user' | 'keys';
  /** When it appears. */
  readonly beat: number;
}

function linesOf(step: Step, beat: number): readonly Line[] {
  if (step.type === 'shell') return [{ text: `$ ${step.line}`, kind: 'shell', beat }];
  if (step.type === 'press') return [{ text: `Ada › 👆 ${step.label}`, kind: 'user', beat }];
  const { from, text, entities, buttons } = step.message;
  const folded = entities.find(({ type }) => type === 'expandable_blockquote');
  const shown = folded === undefined ? text : text.slice(0, folded.offset);
  const [first = '', ...rest] = shown
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 5);
  const sign = from === 'user' ? 'Ada › ' : '🤖 ';
  const said = [`${sign}${first}`, ...rest.map((line) => `   ${line}`)].map((line) => cut(line));
  const keys = buttons.slice(0, 2).map(({ label }) => `[ ${label} ]`);
  return [
    ...said.map((line): Line => ({ text: line, kind: from, beat })),
    ...(keys.length === 0 ? [] : [{ text: `   ${keys.join('  ')}`, kind: 'keys', beat } as const]),
  ];
}

function cut(line: string): string {
  let shown = line;
  while (textWidth(shown) > mostCells) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('  ', '\u00a0 ');
}
