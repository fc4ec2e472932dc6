import { unknownToolResult } from '../../src/words/model-words.ts';

/** What a model is told that has called a tool which there is not, before the names of those that there are. */
export function noTool(name: string): string {
  const [told = ''] = unknownToolResult(name, []).split(' Available:');
  return told;
}
