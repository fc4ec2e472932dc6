import { relative } from 'node:path';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { formatSize } from '../text.ts';
import type { ModuleFiles } from './module-files.ts';

/** What belongs to a file that is to be trusted, in lines of markdown. The library that we provide is not named. */
export function contentLines({ entry, files, packages }: ModuleFiles, library: string): readonly string[] {
  const folder = entry.path.slice(0, entry.path.lastIndexOf('/'));
  const names = [...files.values()].map(
    (file) => `${inlineCode(oneLine(relative(folder, file.path), 100))} (${formatSize(file.source.length)})`,
  );
  const others = packages.filter((name) => name !== library).map((name) => inlineCode(oneLine(name, 60)));
  return [
    `Files: ${listed(names)}.`,
    ...(others.length === 0 ? [] : [`It imports packages, which are not looked at: ${listed(others)}.`]),
  ];
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 20);
  return words.length === shown.length
    ? shown.join(', ')
    : `${shown.join(', ')} and ${words.length - shown.length} more`;
}
