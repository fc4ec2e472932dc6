import type { ToolStatus } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { stripControls, withoutOwnMarks } from './render.ts';
import type { TerminalWords } from './words.ts';

const longestTip = 200;
/** Calls that never end are forgotten, oldest first. */
const mostCalls = 100;

/** A line for each change of a tool's status; undefined if it shows nothing new. */
export function statusLines(words: () => TerminalWords): (status: ToolStatus) => string | undefined {
  const running = new Remembered<string, string>(mostCalls);
  return ({ callId, toolName, state, tip, duration }) => {
    switch (state) {
      case 'wait':
        return undefined;
      case 'doing': {
        const line = join('⚙', toolName, tip);
        if (running.get(callId) === line) return undefined;
        running.set(callId, line);
        return line;
      }
      case 'success':
      case 'error': {
        running.delete(callId);
        const isError = state === 'error';
        const time = duration === undefined ? undefined : words().lasted(duration);
        return join(isError ? '✗' : '✓', toolName, time, isError ? tip : undefined);
      }
    }
  };
}

function join(mark: string, ...parts: readonly (string | undefined)[]): string {
  const shown = parts.flatMap((part) => (part === undefined || part.trim() === '' ? [] : [oneLine(part)]));
  return `${mark} ${shown.join(' · ')}`;
}

/** Text of others within a row of our own. */
export function oneLine(text: string): string {
  const line = withoutOwnMarks(stripControls(text)).replace(/\s+/g, ' ').trim();
  return line.length > longestTip ? `${line.slice(0, longestTip - 1)}…` : line;
}
