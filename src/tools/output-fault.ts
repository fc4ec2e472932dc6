import type { ToolOutput } from './output.ts';

/** More than a model is ever shown at once; each is a line for it to read. */
const mostPictures = 100;
/** No system has longer ones, in UTF-16 units. */
const longestPath = 4096;

/** What is wrong with what a tool has given, whose code may be anybody's; undefined if it is an output. */
export function outputFault(output: Readonly<Partial<Record<keyof ToolOutput, unknown>>>): string | undefined {
  const { forLlm, forUser, untrusted, pictures = [] } = output;
  if (typeof forLlm !== 'string') return 'It gave no output.';
  if (!isTextIfAny(forUser)) return 'The "forUser" of its output is no text.';
  if (!isTextIfAny(untrusted)) return 'The "untrusted" of its output is no text.';
  if (!Array.isArray(pictures) || !pictures.every(isPicture))
    return 'The "pictures" of its output are no list of objects with a "path".';
  return pictures.length > mostPictures ? `It gave more than ${mostPictures} pictures.` : undefined;
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isPicture(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('path' in value)) return false;
  return typeof value.path === 'string' && value.path.length <= longestPath;
}
