import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Log } from '../../src/lib/log.ts';
import { isAnswer, type OpenCard } from './question.ts';
import { stripControls } from './render.ts';

const mostLines = 1000;
/** Longer lines are known until the end only. */
const longestKept = 2000;

/** The lines that were sent, over restarts. */
export interface History {
  /** The newest first, each once. */
  readonly lines: readonly string[];
  /** `isKept`: by the next process too. */
  add(line: string, isKept: boolean): void;
}

interface HistoryFile {
  readonly path: string | undefined;
  readonly log: Log;
  lines: readonly string[];
  isFaulty: boolean;
}

/** The file has a line for each, the newest last, and only its owner can read it. Without a path, nothing is kept. */
export function openHistory(path: string | undefined, log: Log): History {
  const file: HistoryFile = { path, log, lines: [], isFaulty: false };
  withFile(file, (there) => {
    const kept = readKept(there);
    file.lines = unique(kept.toReversed());
    if (kept.length > mostLines) writeFileSync(there, asText(file.lines.toReversed()), { mode: 0o600 });
  });
  return {
    get lines() {
      return file.lines;
    },
    add(line, isKept) {
      file.lines = unique([line, ...file.lines]);
      if (!isKept || line.length > longestKept) return;
      withFile(file, (there) => appendFileSync(there, asText([line]), { mode: 0o600 }));
    },
  };
}

/** Answers to cards are no use later, and those to questions may be secret. So is what begins with a blank, as in shells. */
export function isWorthKeeping(line: string, card: OpenCard | undefined): boolean {
  if (line.trim() === '' || /^\s|^\/(?:claim|start|pair)\b/.test(line)) return false;
  return card === undefined || !isAnswer(card, line);
}

function readKept(path: string): readonly string[] {
  try {
    const lines = stripControls(readFileSync(path, 'utf8')).split('\n');
    return lines.filter((line) => line !== '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)].slice(0, mostLines);
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A file that cannot be used costs a line in the log, once, and nothing that is typed. */
function withFile(file: HistoryFile, work: (path: string) => void): void {
  if (file.path === undefined || file.isFaulty) return;
  try {
    work(file.path);
  } catch (error) {
    file.isFaulty = true;
    file.log.warn({ error }, 'The lines typed at the terminal cannot be kept');
  }
}
