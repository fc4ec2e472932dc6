import type { CallResult, TranscriptEntry, TurnPart, UserMessage } from '../transcript.ts';
import { spokenIn } from './speech.ts';
import type { Measure } from './token-gauge.ts';

export function sizeOf(entries: readonly TranscriptEntry[], measure: Measure): number {
  return entries.reduce((sum, entry) => sum + sizeOfEntry(entry, measure), 0);
}

/** How much room an entry takes in a request, without its pictures. */
export function sizeOfEntry(entry: TranscriptEntry, measure: Measure): number {
  switch (entry.type) {
    case 'user':
      return measure(entry.text) + measure(entry.quote?.text ?? '') + sizeOfFiles(entry, measure);
    case 'event':
      return measure(entry.text) + sizeOfLines(entry.pictures, measure);
    case 'closing':
      return 0;
    case 'turn': {
      const parts = entry.parts.reduce((sum, part) => sum + measure(wordsOf(part)), 0);
      return entry.calls.reduce((sum, { result }) => sum + sizeOfResult(result, measure), parts);
    }
  }
}

function sizeOfResult(result: CallResult | undefined, measure: Measure): number {
  return result === undefined ? 0 : measure(result.text) + sizeOfLines(result.pictures, measure);
}

function wordsOf(part: TurnPart): string {
  return part.type === 'call' ? JSON.stringify(part.arguments) : part.text;
}

function sizeOfFiles(message: UserMessage, measure: Measure): number {
  const spoken = spokenIn(message).reduce((sum, words) => sum + measure(words), 0);
  return spoken + sizeOfLines(message.attachments, measure);
}

function sizeOfLines(files: readonly unknown[] = [], measure: Measure): number {
  return files.reduce((sum: number) => sum + measure(fileLine), 0);
}

/** About as long as the line is that tells of a file. */
const fileLine = 'x'.repeat(100);
