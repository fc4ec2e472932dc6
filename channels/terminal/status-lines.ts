import type { ToolStatus } from '../../src/contract.ts';
import { withoutOwnMarks } from './own-marks.ts';
import { stripControls } from './strip-controls.ts';

const longestTip = 200;
/** Calls that never end are forgotten, the oldest first. */
const mostCalls = 100;

/** Tells what tools do, in a line for each change that is worth one. */
export class StatusLines {
  readonly #running = new Map<string, string>();

  /** The line to show, if the status says something new. */
  lineFor(status: ToolStatus): string | undefined {
    switch (status.state) {
      case 'wait':
        return undefined;
      case 'doing':
        return this.#begin(status);
      case 'success':
        return this.#end('✓', status);
      case 'error':
        return this.#end('✗', status);
    }
  }

  #begin({ callId, toolName, tip }: ToolStatus): string | undefined {
    const line = join('⚙', toolName, tip);
    if (this.#running.get(callId) === line) return undefined;
    this.#running.set(callId, line);
    const [oldest] = this.#running.keys();
    if (oldest !== undefined && this.#running.size > mostCalls) this.#running.delete(oldest);
    return line;
  }

  #end(mark: string, { callId, toolName, state, tip, duration }: ToolStatus): string {
    this.#running.delete(callId);
    return join(
      mark,
      toolName,
      duration === undefined ? undefined : inWords(duration),
      state === 'error' ? tip : undefined,
    );
  }
}

function join(mark: string, ...parts: readonly (string | undefined)[]): string {
  const shown = parts.flatMap((part) => (part === undefined || part.trim() === '' ? [] : [oneLine(part)]));
  return `${mark} ${shown.join(' · ')}`;
}

function oneLine(text: string): string {
  const line = withoutOwnMarks(stripControls(text)).replace(/\s+/g, ' ').trim();
  return line.length > longestTip ? `${line.slice(0, longestTip - 1)}…` : line;
}

function inWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
