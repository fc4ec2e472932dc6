import type { StateInline } from 'markdown-it';

/** As the daemon writes instants: `<time datetime="2026-03-05T10:00:00.000Z">10:00</time>`. */
const timeElement = /^<time datetime="(\d{4}-\d\d-\d\dT[\d:.]{5,12}Z)">([^<>]{1,80})<\/time>/;

/** An instant, which each reader sees in their own zone. */
export function timeInLine(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '<' || !state.src.startsWith('<time ', state.pos)) return false;
  const [whole, instant, words] = timeElement.exec(state.src.slice(state.pos, state.pos + 200)) ?? [];
  if (whole === undefined || instant === undefined || Number.isNaN(Date.parse(instant))) return false;
  if (!silent) {
    const token = state.push('time', '', 0);
    token.content = words ?? '';
    token.info = instant;
  }
  state.pos += whole.length;
  return true;
}
