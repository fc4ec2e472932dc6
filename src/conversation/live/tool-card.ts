import type { ToolStatus } from '../../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { mayFollow } from '../../tools/status.ts';

/** What people read of one call. */
export interface ToolLine {
  readonly callId: string;
  readonly toolName: string;
  readonly state: ToolStatus['state'];
  /** What it does; while the model still writes it, its arguments so far. */
  readonly what?: string;
  /** What it says while it runs. */
  readonly progress?: string;
  /** In milliseconds. */
  readonly duration?: number;
}

/** How long a message may be, and how that is told. */
export interface CardLimits {
  readonly maxLength: number;
  readonly measure: (markdown: string) => number;
}

/** The line after that status. What would take a call back is ignored. */
export function withStatus(line: ToolLine | undefined, status: ToolStatus): ToolLine {
  if (line !== undefined && !mayFollow(status.state, line.state)) return line;
  const { callId, toolName, state, tip, duration } = status;
  const isDescribed = line?.what !== undefined && (line.state === 'doing' || state === 'error');
  const what = isDescribed ? line.what : (tip ?? line?.what);
  // How it went last says nothing once it has ended; why it did not even begin does.
  const isNews = state === 'doing' || line?.state === 'wait';
  const progress = isNews && tip !== what ? tip : undefined;
  return {
    callId,
    toolName,
    state,
    what,
    progress,
    duration,
  };
}

/** Whether nothing more follows. */
export function hasEnded({ state }: ToolLine): boolean {
  return state === 'success' || state === 'error';
}

/**
 * The calls of a turn as a message of a line each. Where there is no room, the lines are cut, and then the oldest are left
 * out.
 */
export function renderToolCard(lines: readonly ToolLine[], { maxLength, measure }: CardLimits): string {
  for (const width of widths) {
    const markdown = join(lines.map((line) => render(line, width)));
    if (measure(markdown) <= maxLength) return markdown;
  }
  const shortest = lines.map((line) => render(line, 0));
  for (let left = 1; left < lines.length; left += 1) {
    const markdown = join([`… ${left} more`, ...shortest.slice(left)]);
    if (measure(markdown) <= maxLength) return markdown;
  }
  return '…';
}

/** How much is shown of what a call does and says, in characters. */
const widths = [200, 60, 0] as const;

/** In characters. */
const longestName = 60;

const marks = { wait: '⏳', doing: '⚙️', success: '✅', error: '❌' } as const;

function render({ state, toolName, what, progress, duration }: ToolLine, width: number): string {
  const texts = width === 0 ? [] : [what, progress].flatMap((text) => (text ? [tip(text, width)] : []));
  const time = duration === undefined ? [] : [inSeconds(duration)];
  // The model may have written any name at all.
  return [`${marks[state]} ${inlineCode(oneLine(toolName, longestName) || '?')}`, ...texts, ...time].join(' · ');
}

/** Code stays code. Nothing else in it is markdown: it may be the words of a stranger. */
function tip(text: string, width: number): string {
  const pieces = oneLine(text, width).split(/(`[^`]+`)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeMarkdown(piece))).join('');
}

function inSeconds(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A line break of its own for each, also where a single one is shown as a space. */
function join(lines: readonly string[]): string {
  return lines.join('  \n');
}
